"""What ``companion read --json`` prints: exactly the fields and types that were promised."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.model.grid import Direction
from companion.model.reading import Cell, Face, Piece, Reading, Tableau, Tile, Unread
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.render.report import as_object, json_line
from tests.made_up import reading, tableau, tile

UNJUDGED = TableauVerdict((), 1, None)

# The promise, by hand: a type or set of types for each field, a list of one item for lists of any length
NUMBER = (int, float)
MAYBE_INT = (int, type(None))
MAYBE_TEXT = (str, type(None))
VERDICT = (bool, type(None))
TILE = {
    "symbol": MAYBE_TEXT,
    "face": str,
    "corners": [[NUMBER]],
    "confidence": NUMBER,
    "doubt": bool,
    "tableau": MAYBE_INT,
    "row": MAYBE_INT,
    "col": MAYBE_INT,
}
TABLEAU = {
    "cells": [{"row": int, "col": int, "symbol": str, "doubt": bool}],
    "rows": [str],
    "turn_deg": NUMBER,
    "seat": MAYBE_TEXT,
    "words": [{"text": str, "row": int, "col": int, "direction": str, "valid": VERDICT}],
    "islands": int,
    "valid": VERDICT,
    "doubts": [{"row": int, "col": int, "symbol": str, "confidence": NUMBER, "or": MAYBE_TEXT}],
}
PICTURE = {
    "image": str,
    "width": int,
    "height": int,
    "tiles_set": str,
    "board": MAYBE_TEXT,
    "tiles": [TILE],
    "tableaux": [TABLEAU],
    "pieces": [{"colour": str, "row": int, "col": int, "size": str}],
    "timing_ms": {"total": NUMBER, "find": NUMBER, "read": NUMBER, "fit": NUMBER},
}


def breaches(value: Any, promise: Any, where: str = "") -> list[str]:
    """Return every place where a value is not what was promised."""
    if isinstance(promise, Mapping):
        if not isinstance(value, dict) or value.keys() != promise.keys():
            return [f"{where}: fields {sorted(value)}"]
        return [fault for key in promise for fault in breaches(value[key], promise[key], f"{where}.{key}")]
    if isinstance(promise, list):
        if not isinstance(value, list):
            return [f"{where}: {value!r} is no list"]
        return [
            fault for n, item in enumerate(value) for fault in breaches(item, promise[0], f"{where}[{n}]")
        ]
    allowed = promise if isinstance(promise, tuple) else (promise,)
    return [] if type(value) in allowed else [f"{where}: {value!r}"]


def printed(seen: Reading, *verdicts: TableauVerdict, image: str = "table.jpg") -> Any:
    line = json_line(image, seen, verdicts)
    assert line.isascii()
    assert "\n" not in line
    return json.loads(line)


def test_the_example_of_the_promise_comes_out_word_for_word() -> None:
    seen = Reading(
        4056,
        3040,
        "bananagrams-en",
        (Tile("A", Face.UP, ((1, 2), (3, 2), (3, 4.126), (1, 4)), 0.998, False, None, 0, 3, 5),),
        (Tableau((Cell(0, 6, "J", False, 0.99), Cell(4, 2, "N", True, 0.61, "Z")), 182.5),),
        timing_ms={"total": 84.1, "find": 31.0, "read": 40.2, "fit": 12.9},
    )
    verdict = TableauVerdict((JudgedWord("JET", 0, 6, Direction.DOWN, True),), 1, True)
    assert printed(seen, verdict) == {
        "image": "table.jpg",
        "width": 4056,
        "height": 3040,
        "tiles_set": "bananagrams-en",
        "board": None,
        "tiles": [
            {
                "symbol": "A",
                "face": "up",
                "corners": [[1, 2], [3, 2], [3, 4.13], [1, 4]],
                "confidence": 0.998,
                "doubt": False,
                "tableau": 0,
                "row": 3,
                "col": 5,
            }
        ],
        "tableaux": [
            {
                "cells": [
                    {"row": 0, "col": 6, "symbol": "J", "doubt": False},
                    {"row": 4, "col": 2, "symbol": "N", "doubt": True},
                ],
                "rows": ["......J", ".......", ".......", ".......", "..N...."],
                "turn_deg": 182.5,
                "seat": None,
                "words": [{"text": "JET", "row": 0, "col": 6, "direction": "down", "valid": True}],
                "islands": 1,
                "valid": True,
                "doubts": [{"row": 4, "col": 2, "symbol": "N", "confidence": 0.61, "or": "Z"}],
            }
        ],
        "pieces": [],
        "timing_ms": {"total": 84.1, "find": 31.0, "read": 40.2, "fit": 12.9},
    }


def test_an_empty_table_has_no_tiles_and_no_tableaux() -> None:
    said = printed(reading())
    assert (said["tiles"], said["tableaux"], said["pieces"]) == ([], [], [])


def test_a_tile_face_down_has_no_symbol_and_a_blank_an_empty_one() -> None:
    said = printed(reading(others=(tile(None, (20, 20)), tile("", (90, 20)))))
    assert [(one["symbol"], one["face"]) for one in said["tiles"]] == [(None, "down"), ("", "up")]


def test_a_loose_tile_has_neither_tableau_nor_place() -> None:
    said = printed(reading(others=(tile("Q", (20, 20)),)))
    assert [said["tiles"][0][field] for field in ("tableau", "row", "col")] == [None, None, None]


def test_figures_are_rounded_to_what_they_are_good_for() -> None:
    exact = Tile("A", Face.UP, ((1 / 3, 2 / 3),) * 4, 0.123456, True)
    said = printed(replace(reading(others=(exact,)), timing_ms={"total": 1.23456}))
    assert said["tiles"][0]["corners"] == [[0.33, 0.67]] * 4
    assert said["tiles"][0]["confidence"] == 0.1235
    assert said["timing_ms"] == {"total": 1.23}


@pytest.mark.parametrize(("turn", "said"), [(0.0, 0.0), (359.994, 359.99), (359.996, 0.0), (90.126, 90.13)])
def test_a_turn_stays_below_a_full_one_when_rounded(turn: float, said: float) -> None:
    assert (
        printed(reading(replace(tableau("A B"), turn_deg=turn)), UNJUDGED)["tableaux"][0]["turn_deg"] == said
    )


def test_rows_keep_the_places_of_a_board() -> None:
    on_board = Tableau((Cell(2, 3, "A", False, 1.0), Cell(2, 4, "", False, 1.0)), 0.0)
    rows = printed(reading(on_board), UNJUDGED)["tableaux"][0]["rows"]
    assert rows == [".....", ".....", "...A?"]


def test_places_that_were_not_read_are_told_where_there_are_any() -> None:
    one = replace(tableau("C A T"), unread=(Unread((130.456, 20.0), 0, 2), Unread((0.0, 60.0), 0, 0)))
    told = as_object("x", reading(one, tableau("A T")), [UNJUDGED, UNJUDGED])["tableaux"]
    assert told[0]["unread"] == [[130.46, 20.0], [0.0, 60.0]]
    assert "unread" not in told[1]


def test_a_word_that_the_table_must_decide_is_null() -> None:
    verdict = TableauVerdict((JudgedWord("QI", 0, 0, Direction.ACROSS, None),), 1, None)
    said = printed(reading(tableau("Q I")), verdict)["tableaux"][0]
    assert (said["valid"], said["words"][0]["valid"]) == (None, None)


def test_pyramids_are_told_of() -> None:
    said = printed(replace(reading(), pieces=(Piece("green", 0, 3, "large"),)))
    assert said["pieces"] == [{"colour": "green", "row": 0, "col": 3, "size": "large"}]


def test_a_figure_that_json_has_no_word_for_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        printed(reading(others=(replace(tile("A", (1, 1)), confidence=float("nan")),)))


def test_a_missing_verdict_is_no_reason_to_leave_a_tableau_out() -> None:
    with pytest.raises(ValueError, match="shorter"):
        as_object("x", reading(tableau("A B")), [])


FIGURES = st.floats(-1e6, 1e6)
SHARES = st.floats(0, 1)
SMALL = st.integers(0, 20)
TEXTS = st.text(max_size=6)
CORNERS = st.tuples(*[st.tuples(FIGURES, FIGURES)] * 4)
TILES = st.builds(
    Tile,
    st.none() | TEXTS,
    st.sampled_from(Face),
    CORNERS,
    SHARES,
    st.booleans(),
    st.none() | TEXTS,
    st.none() | SMALL,
    st.none() | SMALL,
    st.none() | SMALL,
)
CELLS = st.builds(Cell, SMALL, SMALL, TEXTS, st.booleans(), SHARES, st.none() | TEXTS)
TABLEAUX = st.builds(Tableau, st.lists(CELLS, max_size=5).map(tuple), st.floats(0, 360), st.none() | TEXTS)
VERDICTS = st.none() | st.booleans()
WORDS = st.builds(JudgedWord, TEXTS, SMALL, SMALL, st.sampled_from(Direction), VERDICTS)
JUDGED = st.builds(TableauVerdict, st.lists(WORDS, max_size=4).map(tuple), SMALL, VERDICTS)
TIMES = st.fixed_dictionaries(dict.fromkeys(("total", "find", "read", "fit"), st.floats(0, 1e5)))
READINGS = st.builds(
    Reading,
    st.integers(1, 32_766),
    st.integers(1, 32_766),
    TEXTS,
    st.lists(TILES, max_size=5).map(tuple),
    st.lists(TABLEAUX, max_size=3).map(tuple),
    st.none() | st.sampled_from(["scrabble", "volcano"]),
    st.lists(st.builds(Piece, TEXTS, SMALL, SMALL, TEXTS), max_size=3).map(tuple),
    TIMES,
)


@settings(max_examples=50)
@given(READINGS, st.lists(JUDGED, min_size=3, max_size=3), st.text())
def test_any_reading_keeps_the_promise(seen: Reading, verdicts: list[TableauVerdict], image: str) -> None:
    said = printed(seen, *verdicts[: len(seen.tableaux)], image=image)
    assert breaches(said, PICTURE) == []
    assert said["image"] == image
    assert all(len(one["corners"]) == 4 and all(len(c) == 2 for c in one["corners"]) for one in said["tiles"])
    assert all(0 <= one["turn_deg"] < 360 for one in said["tableaux"])


def test_the_checker_of_the_promise_finds_breaches() -> None:
    said = printed(reading(tableau("A B")), UNJUDGED)
    assert breaches({**said, "width": 1.5, "extra": 1}, PICTURE) != []
    assert breaches({**said, "width": True}, PICTURE) == [".width: True"]
    assert breaches({**said, "tiles": [{}]}, PICTURE) == [".tiles[0]: fields []"]
    assert breaches({**said, "tableaux": None}, PICTURE) == [".tableaux: None is no list"]
