"""Retained messages of a table: its summary (game, seats, open doubts) and its health."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.events.replay import GameReplay
from companion.rules.record import to_jsonable
from companion.rules.state import State


def summary(table: str, name: str, game: GameReplay | None) -> dict[str, Any]:
    """Return a table's summary; ``head`` is its newest event, which shows a receiver its gaps."""
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
        "doubts": count_doubts(state),
        "undecided": count_undecided_words(state),
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
    """Return a table's health; ``status`` is its newest status, ``fault`` why there is none.

    ``pages`` is the URL of its own pages, empty where it has none that a hall may reach.
    """
    fields: Mapping[str, Any] = {} if status is None else to_jsonable(status)
    cameras = [{key: one[key] for key in ("name", "state", "says")} for one in fields.get("cameras", ())]
    return {
        "table": table,
        "online": True,
        "cameras": cameras,
        "notes": list(fields.get("notes", ())),
        "fault": fault,
        "pages": pages,
    }


def offline(table: str) -> dict[str, Any]:
    """Return the health message of a table whose connection was lost: the broker's last will."""
    return {"table": table, "online": False}


def count_doubts(state: State) -> int:
    """Return how many tiles are in doubt, before the seats and on the shared board."""
    seats = sum(len(seat.verdict.doubts) for seat in state.seats if seat.verdict is not None)
    return seats + (len(state.board.doubts) if state.board is not None else 0)


def count_undecided_words(state: State) -> int:
    """Return how many words wait for the referee's ruling."""
    return sum(len(seat.verdict.undecided_words) for seat in state.seats if seat.verdict is not None)
