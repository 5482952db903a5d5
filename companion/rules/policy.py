"""The table's camera policy: what a call that the camera does not confirm leads to."""

from __future__ import annotations

from companion.model.calls import Called
from companion.rules import event as ev
from companion.rules.state import State


def policy(state: State, seat: int | None) -> str:
    """Return the policy in force before a seat: the host's, or ``off`` while the table cannot see its tiles.

    ``None`` asks for all seats: ``off`` is in force where the tiles of none are seen.
    """
    seen = state.watched if seat is None else seat not in state.blind
    return str(state.options["policy"]) if seen else "off"


def objection(state: State, seat: int | None, reason: str | None) -> str | None:
    """Return the reason where the policy before a seat is ``strict`` and so lets the table refuse a call."""
    return reason if policy(state, seat) == "strict" else None


def warnings(state: State, called: Called, reason: str | None) -> list[ev.Event]:
    """Return the warning where the policy is ``advise``: the call stands."""
    return [ev.Warned(called.seat, reason)] if reason and policy(state, called.seat) == "advise" else []
