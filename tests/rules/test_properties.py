"""Whatever is called in whatever order: no tile is lost, the log replays to the live state."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.events import codec
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import MILLISECOND, Called, Input, Order, Ordered, Ruling, Seen, Tick
from companion.model.grid import parse_grid
from companion.model.sightings import Board, Sighting
from companion.rules.registry import game
from companion.words.lexicon import Lexicon
from tests.rules.playing import stairs

WORDS = Lexicon.of("test", ["aa"])

OPTIONS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "bananagrams": {
        "policy": st.sampled_from(["strict", "advise", "off"]),
        "tie": st.sampled_from(["edge", "most_words", "longest", "play_on"]),
        "freeze_endgame": st.booleans(),
        "last_standing_wins": st.booleans(),
        "dump_short": st.sampled_from(["refuse", "take_rest"]),
        "dump_order": st.sampled_from(["return_first", "draw_first"]),
        "series": st.sampled_from(["single", "best_of_3", "first_to_9"]),
        "cap_s": st.sampled_from([0, 3]),
    },
    "chew": {
        "policy": st.sampled_from(["strict", "advise", "off"]),
        "tie": st.sampled_from(["edge", "share", "referee"]),
        "play_to_end": st.booleans(),
        "dump_short": st.sampled_from(["refuse", "take_rest"]),
        "cap_s": st.sampled_from([0, 3]),
    },
    "league_city": {
        "policy": st.sampled_from(["strict", "advise", "off"]),
        "start_tiles": st.sampled_from([0, 1, 28]),
        "scoring": st.sampled_from(["daronian", "jamesian"]),
        "trade_return": st.sampled_from(["return_first", "draw_first"]),
        "remainder": st.sampled_from(["deal", "equal_only"]),
        "false_done_penalty": st.integers(0, 5),
        "losers_score": st.sampled_from(["valid_words", "nothing"]),
        "leftover_penalty": st.integers(0, 2),
        "target": st.sampled_from([1, 300]),
        "tie": st.sampled_from(["each", "edge"]),
        "cap_s": st.sampled_from([0, 3]),
    },
    "martian_boggle": {
        "policy": st.sampled_from(["strict", "advise", "off", "off"]),
        "scoring": st.sampled_from(["values", "craft"]),
        "adjacency": st.sampled_from(["group", "touching", "pairwise"]),
        "bad_call": st.sampled_from(["free", "lose_turn"]),
        "unique": st.booleans(),
        "orthogonal": st.booleans(),
        "word_before_move": st.booleans(),
        "word_after_roll": st.booleans(),
        "player_s": st.sampled_from([0, 2]),
        "cap_s": st.sampled_from([0, 20]),
    },
    "binary_scrabble": {
        "policy": st.sampled_from(["strict", "advise", "off", "off"]),
        "bonus": st.sampled_from(["largest_bit", "floor_log2", "none"]),
        "number_crossings": st.booleans(),
        "bingo": st.sampled_from([0, 50]),
        "going_out": st.sampled_from(["numbers", "all", "scrabble", "none"]),
        "exchange_least": st.sampled_from([1, 9]),
        "player_s": st.sampled_from([0, 2]),
        "cap_s": st.sampled_from([0, 20]),
    },
}

SQUARES = st.tuples(st.integers(0, 4), st.integers(0, 4))

DETAILS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "roll": st.fixed_dictionaries({"dice": st.tuples(st.integers(1, 4), st.integers(1, 4))}),
    "move": st.fixed_dictionaries({"from": SQUARES, "to": SQUARES}),
    "word": st.fixed_dictionaries({"word": st.sampled_from(["crane", "house", "light", "mouse", "stone"])}),
    "exchange": st.fixed_dictionaries({"tiles": st.integers(1, 9)}),
    "out": st.fixed_dictionaries({"unplayed": st.dictionaries(st.sampled_from("123"), st.just(("1",)))}),
}
"""What calls of Martian Boggle and Binary Number Scrabble take with them."""

LETTERS = st.lists(st.text("ACEHLNRX.", min_size=5, max_size=5), min_size=5, max_size=5)

EQUATIONS = ["1 + 1 = 1 0", "1 + 1 = 1 0 OR 0", "1 + 1 = 1 1", "1 = 1", "1 + 1 = 1 0 . 1 = 1", "1 ? 1"]
"""What may lie in row 7 of a board of Binary Number Scrabble."""

SIGHTS = {
    "martian_boggle": LETTERS.map(lambda rows: Board.of(parse_grid(rows))),
    "binary_scrabble": st.sampled_from(EQUATIONS).map(
        lambda row: Board.of({(7, col + 5): symbol for (_, col), symbol in parse_grid([row.split()]).items()})
    ),
}
"""Shared boards of the games that have one."""

RULINGS = ("disqualify", "reinstate", "overturn_done", "undo")


@st.composite
def courses(draw: st.DrawFn, name: str) -> tuple[int, dict[str, Any], list[Input]]:
    """Return seats, options and what is heard, most of it in play, closely spaced."""
    fewest, most = game(name).players
    seats = draw(st.integers(fewest, min(most, 5)))
    options = {option: draw(values) for option, values in OPTIONS[name].items()}
    calls = [call for call, kind in game(name).calls.items() if not kind.needs or call in DETAILS]
    heard: list[Input] = [Ordered(0, Order.START)]
    at_ns = 0
    for _ in range(draw(st.integers(0, 40))):
        at_ns += draw(st.sampled_from([0, 1, 5 * MILLISECOND, 400 * MILLISECOND, 2000 * MILLISECOND]))
        seat = draw(st.integers(1, seats))
        kind = draw(st.integers(0, 19))
        if kind < 13:
            call = draw(st.sampled_from(calls))
            heard.append(Called(at_ns, seat, call, draw(DETAILS.get(call, st.just({})))))
        elif kind < 15 and name in SIGHTS:
            heard.append(Seen(at_ns, None, draw(SIGHTS[name])))
        elif kind < 15:
            heard.append(Seen(at_ns, seat, Sighting(tuple(stairs(draw(st.integers(0, 40)))))))
        elif kind == 15:
            heard.append(Tick(at_ns))
        elif kind < 18:
            heard.append(Ordered(at_ns, draw(st.sampled_from(list(Order)))))
        else:
            heard.append(Ruling(at_ns, draw(st.sampled_from(RULINGS)), "because", seat))
    return seats, options, heard


@pytest.mark.parametrize("name", sorted(OPTIONS))
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_pool_and_hands_are_the_set_after_any_calls_and_the_log_replays_to_the_live_state(
    name: str, data: st.DataObject
) -> None:
    seats, options, course = data.draw(courses(name))
    with EventLog() as log:
        match = Match.begun(log, "one", game(name), [f"s{n}" for n in range(seats)], options, WORDS)
        for heard in course:
            match.handle(heard)
            state = match.state
            on_board = getattr(state, "laid", 0)
            assert state.pool + on_board + sum(seat.hand for seat in state.seats) == game(name).tiles
            assert state.pool >= 0
            assert all(0 <= seat.face_down <= seat.hand for seat in state.seats)
        again = Match.resumed(log, "one", WORDS)
        assert codec.dump(again.state) == codec.dump(match.state)
        assert again.state == match.state
