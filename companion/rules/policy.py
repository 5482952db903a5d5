"""The table's camera policy: what a call that the camera does not confirm leads to."""

from __future__ import annotations

from companion.model.calls import Called
from companion.rules import event as ev
from companion.rules.state import State


def policy(state: State) -> str:
    """Return the policy in force: the host's, or ``off`` while the table cannot see the tiles."""
    return "off" if state.blind else str(state.options["policy"])


def objection(state: State, reason: str | None) -> str | None:
    """Return the reason where the policy is ``strict`` and so lets the table refuse a call."""
    return reason if policy(state) == "strict" else None


def warnings(state: State, called: Called, reason: str | None) -> list[ev.Event]:
    """Return the warning where the policy is ``advise``: the call stands."""
    return [ev.Warned(called.seat, reason)] if reason and policy(state) == "advise" else []
