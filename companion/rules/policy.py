"""The table's camera policy: what a call that the camera does not confirm leads to."""

from __future__ import annotations

from companion.model.calls import Called
from companion.rules import event as ev
from companion.rules.state import State


def objection(state: State, reason: str | None) -> str | None:
    """Return the reason where the policy is ``strict`` and so lets the table refuse a call."""
    return reason if state.options["policy"] == "strict" else None


def warnings(state: State, called: Called, reason: str | None) -> list[ev.Event]:
    """Return the warning where the policy is ``advise``: the call stands."""
    return [ev.Warned(called.seat, reason)] if reason and state.options["policy"] == "advise" else []
