"""What a game's rules say to a call where the table sees what really lies there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.model.calls import Called
from companion.model.seats import Seat
from companion.model.sightings import Board, Sighting
from companion.rehearsal.ground_truth import GroundTruth
from companion.rehearsal.ledger import Claim, allowed, classify_call
from companion.rules import event as ev
from companion.rules.bananagrams import BananagramsState
from companion.rules.options import option_values
from companion.rules.registry import game
from companion.rules.state import Phase
from tests.rules import martian
from tests.rules.playing_binary import begun

GAME = game("bananagrams")


class Knows:
    """Knows one word."""

    label = "cat"

    def accepts(self, word: str) -> bool:
        return word.lower() == "cat"

    def covers(self, _letters: int) -> bool:
        return True

    def is_rare(self, _word: str) -> bool:
        return False


@pytest.fixture
def state() -> BananagramsState:
    """Two players with three tiles each, nothing seen, a bunch large enough to peel from."""
    options = option_values(GAME.options, {})
    return BananagramsState(
        "bananagrams",
        (Seat("Ada", 3), Seat("Ben", 3)),
        options,
        pool=10,
        phase=Phase.PLAYING,
        started=True,
    )


CAT, LOOSE, PHONY = Sighting(("CAT",)), Sighting(("CA",), "T"), Sighting(("TAC",))


@pytest.mark.parametrize(
    ("call", "before", "claim"),
    [
        ("peel", CAT, Claim.HONEST),
        ("peel", PHONY, Claim.HONEST),  # PEEL asks only that all tiles are placed
        ("peel", LOOSE, Claim.WRONG),
        ("dump", LOOSE, Claim.HONEST),
        ("bananas", CAT, Claim.OVERTAKEN),  # the bunch still has a tile for everybody
    ],
)
def test_a_call_is_what_the_tiles_and_the_rules_make_it(
    state: BananagramsState, call: str, before: Sighting, claim: Claim
) -> None:
    assert classify_call(GAME, state, Called(5, 1, call), GroundTruth((before, CAT)), Knows()) is claim


def test_a_winning_call_over_a_phony_is_wrong_though_it_ends_in_a_disqualification(
    state: BananagramsState,
) -> None:
    state = replace(state, pool=1)
    assert (
        classify_call(GAME, state, Called(5, 1, "bananas"), GroundTruth((PHONY, CAT)), Knows()) is Claim.WRONG
    )


def test_an_honest_call_of_a_seat_that_people_judge_is_honest_by_what_lies_there(
    state: BananagramsState,
) -> None:
    state = replace(state, blind=(1,))
    assert classify_call(GAME, state, Called(5, 1, "peel"), GroundTruth((LOOSE, CAT)), Knows()) is Claim.WRONG


def test_a_decision_that_refuses_somebody_else_is_in_the_callers_favour() -> None:
    assert allowed([ev.CallRefused(2, "peel", "late"), ev.CallAccepted(1, "peel")], 1)


LYING = {(7, col): symbol for col, symbol in enumerate("1+1=10", 5)}
BEFORE_LAST = {(8, 9): "=", (9, 9): "1"}
"""Seat 2 lays 1=1 downwards from the 1 of 1+1=10."""


@pytest.mark.parametrize(
    ("truth", "soon", "claim"),
    [
        ({(8, 9): "="}, BEFORE_LAST, Claim.EARLY),
        (BEFORE_LAST, BEFORE_LAST, Claim.HONEST),
        ({(8, 9): "="}, {(8, 9): "="}, Claim.WRONG),
        ({(8, 9): "="}, {(8, 9): "=", (9, 9): "0"}, Claim.WRONG),
    ],
)
def test_a_play_called_while_its_last_tile_is_laid_is_early_and_neither_honest_nor_wrong(
    truth: dict[tuple[int, int], str], soon: dict[tuple[int, int], str], claim: Claim
) -> None:
    table = begun()
    there = GroundTruth(board=Board.of({**LYING, **truth}), pending_board=Board.of({**LYING, **soon}))
    called = Called(10_000_000_000, 2, "play")
    assert classify_call(table.match.game, table.state, called, there, Knows()) is claim


@pytest.mark.parametrize(("word", "claim"), [("crane", Claim.HONEST), ("plumb", Claim.WRONG)])
def test_a_word_under_pieces_is_judged_by_the_letters_that_lie_there(word: str, claim: Claim) -> None:
    table = martian.laid()
    letters = {(row, col): letter for row, line in enumerate(martian.ROWS) for col, letter in enumerate(line)}
    pieces = {int(seat): tuple((row, col) for row, col in home) for seat, home in martian.HOMES.items()}
    there = GroundTruth(board=Board.of(letters, pieces), letters=letters)
    called = Called(10_000_000_000, 1, "word", {"word": word})
    assert classify_call(table.match.game, table.state, called, there, table.match.words) is claim
