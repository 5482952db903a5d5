"""The camera policy: whether a call that the camera does not confirm is refused, or warned of."""

from __future__ import annotations

from companion.model.calls import Called
from companion.rules import event as ev
from companion.rules.state import State


def policy(state: State, seat: int | None) -> str:
    """Return the policy for a seat: the host's, or ``off`` while no camera sees its tiles.

    ``None`` is for all seats: ``off`` if no seat's tiles are seen.
    """
    seen = state.watched if seat is None else seat not in state.blind
    return str(state.options["policy"]) if seen else "off"


def objection(state: State, seat: int | None, reason: str | None) -> str | None:
    """Return the reason to refuse a call if the policy for its seat is ``strict``, else ``None``."""
    return reason if policy(state, seat) == "strict" else None


def warnings(state: State, called: Called, reason: str | None) -> list[ev.Event]:
    """Return the warning of a call that is accepted, if the policy for its seat is ``advise``."""
    return [ev.Warned(called.seat, reason)] if reason and policy(state, called.seat) == "advise" else []
