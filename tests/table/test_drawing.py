from __future__ import annotations

from typing import Any

import pytest

from companion.model.reading import Face, Piece, Reading, Tableau, Tile, Unread
from companion.rules.state import Phase, State
from companion.table.pictures import scaled_reading, words_hidden


@pytest.mark.parametrize(
    ("policy", "phase", "hush"),
    [
        ("strict", Phase.PLAYING, True),
        ("off", Phase.PLAYING, True),
        ("strict", Phase.PAUSED, True),
        ("advise", Phase.PLAYING, False),
        ("strict", Phase.JUDGING, False),
        ("strict", Phase.OVER, False),
    ],
)
def test_words_are_told_of_only_where_no_call_is_to_be_judged(policy: Any, phase: Phase, hush: bool) -> None:
    state = State("bananagrams", (), {"policy": policy}, phase=phase, before_pause=Phase.PLAYING)
    assert words_hidden(state) is hush


def test_a_reading_is_scaled_with_its_pyramids_and_unread_places() -> None:
    corners = ((99.5, 199.5), (139.5, 199.5), (139.5, 239.5), (99.5, 239.5))
    tableau = Tableau((), 0.0, unread=(Unread((3000.5, 1999.5), 0, 1),))
    pieces = Piece("red", 0, 7, "small", at=(799.5, 599.5)), Piece("red", 0, 0, "large")
    tile = Tile(None, Face.DOWN, corners, 1.0, doubt=False)
    reading = Reading(4000, 3000, "bananagrams-en", (tile,), (tableau,), pieces=pieces)
    small = scaled_reading(reading, 0.25)
    assert (small.width, small.height) == (1000, 750)
    assert small.tiles[0].corners == ((24.5, 49.5), (34.5, 49.5), (34.5, 59.5), (24.5, 59.5))
    assert [one.at for one in small.tableaux[0].unread] == [(749.75, 499.5)]
    assert [one.at for one in small.pieces] == [(199.5, 149.5), None]
