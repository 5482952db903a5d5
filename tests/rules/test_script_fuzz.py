"""Whatever a script's line says, it is understood or refused with a sentence; nothing else happens."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from companion.errors import CompanionError
from companion.rules import script
from companion.rules.registry import game
from tests.rules.playing import Table

KEYS = [
    *(
        "at",
        "seat",
        "host",
        "sees",
        "call",
        "board",
        "referee",
        "reason",
        "grid",
        "loose",
        "face_down",
        "doubts",
    ),
    *(
        "cells",
        "letters",
        "pieces",
        "doubts",
        "word",
        "valid",
        "cell",
        "symbol",
        "score",
        "place",
        "game",
        "seats",
    ),
    *("options", "lexicon", "long_lexicon"),
    *("dice", "from", "to"),
]
WORDS = [
    *(
        "start",
        "pause",
        "confirm",
        "next_round",
        "end",
        "split",
        "peel",
        "dump",
        "bananas",
        "flip",
        "done",
        "lookup",
    ),
    *(
        "undo",
        "set_score",
        "set_place",
        "rule_word",
        "read_tile",
        "disqualify",
        "roll",
        "move",
        "word",
        "end_turn",
        "strike_word",
        "set_pieces",
        "set_dice",
        "chew",
        "bananagrams",
        "CAT",
        "1",
    ),
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 500),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(WORDS),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from([*KEYS, "1", "2", "9"]), inner, max_size=5),
    ),
    max_leaves=12,
)
LINES = st.one_of(
    st.text(max_size=40),
    VALUES.map(json.dumps),
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5).map(
        lambda body: json.dumps({"at": 1, "seat": 1, **body})
    ),
)


@given(LINES)
@example('{"game": "chew", "seats": ["a", "a"], "options": {"handicaps": [1e999]}}')
@settings(max_examples=80, deadline=None)
def test_any_set_up_is_understood_or_refused(line: str) -> None:
    with suppress(CompanionError):
        game(script.parse_set_up(line).game)


@pytest.mark.parametrize("name", ["bananagrams", "chew", "martian_boggle", "binary_scrabble"])
@given(lines=st.lists(LINES, max_size=6))
@example(lines=['{"at": 1, "seat": 1, "referee": "set_score", "reason": "x", "score": 1e400}'])
@example(
    lines=['{"at": 1, "seat": 1, "referee": "rule_word", "reason": "x", "word": "\\u00df", "valid": true}']
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_line_is_understood_or_refused(name: str, lines: list[str]) -> None:
    table = Table(name)
    table.host(0, "start")
    for line in lines:
        with suppress(CompanionError):
            table.match.handle(script.parse_line(table.match.game, 2, line))
    on_board = getattr(table.state, "laid", 0)
    assert table.state.pool + on_board + sum(seat.hand for seat in table.state.seats) == game(name).tiles
