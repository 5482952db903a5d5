"""What a table says of itself in one retained message: the game, the seats, what waits for a referee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.events.folding import Folded
from companion.rules.plain import plain
from companion.rules.state import State


def summary(table: str, name: str, game: GameReplay | None) -> dict[str, Any]:
    """Return a table's summary; ``head`` is its newest event, by which a receiver knows what it lacks."""
    if game is None:
        return {"table": table, "name": name, "game": None}
    state = game.state
    return {
        "table": table,
        "name": name,
        "game": game.name,
        "head": {"number": game.number, "hash": game.hash.hex()},
        "rules": game.game.name,
        "title": game.game.title,
        "phase": state.phase.value,
        "round": state.round,
        "clock_ms": game.clock_ms,
        "confirmed": state.confirmed,
        "doubts": doubts(state),
        "undecided": undecided(state),
        "seats": [
            {
                "name": seat.name,
                "hand": seat.hand,
                "place": seat.place,
                "score": seat.score,
                "total": seat.total,
                "handicap": seat.handicap,
            }
            for seat in state.seats
        ],
    }


def health(table: str, status: Any = None, fault: str = "", pages: str = "") -> dict[str, Any]:
    """Return how a table does; ``status`` is what it told its pages, ``fault`` why it told nothing.

    ``pages`` is where its own pages are, empty where it has none that a hall may reach.
    """
    told: Mapping[str, Any] = {} if status is None else to_jsonable(status)
    cameras = [{key: one[key] for key in ("name", "state", "says")} for one in told.get("cameras", ())]
    return {
        "table": table,
        "online": True,
        "cameras": cameras,
        "notes": list(told.get("notes", ())),
        "fault": fault,
        "pages": pages,
    }


def gone(table: str) -> dict[str, Any]:
    """Return what the broker says of a table whose connection was lost."""
    return {"table": table, "online": False}


def doubts(state: State) -> int:
    """Return how many tiles are in doubt, before the seats and on the shared board."""
    seats = sum(len(seat.verdict.doubts) for seat in state.seats if seat.verdict is not None)
    return seats + (len(state.board.doubts) if state.board is not None else 0)


def undecided(state: State) -> int:
    """Return how many words wait for the referee's ruling."""
    return sum(len(seat.verdict.undecided_words) for seat in state.seats if seat.verdict is not None)
