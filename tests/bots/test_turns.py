"""Bots at games of turns: what they count, and which ways they know."""

from __future__ import annotations

from collections import Counter

import pytest

from companion.bots.binary_scrabble import (
    BinaryPlayer,
    known_equations,
    legal_plays,
    play_score,
    runs_through,
)
from companion.bots.martian_boggle import MartianPlayer, largest_group, legal_moves, reachable, word_value
from companion.rules import event as ev
from companion.rules.binary_scrabble.board import Tile
from companion.rules.binary_scrabble.values import EquationsMade
from companion.rules.martian_boggle.values import LettersUnseen
from tests.bots.told import seated


@pytest.mark.parametrize(
    ("symbols", "value"),
    [(("1", "+", "1", "=", "1", "0"), 2), (("1", "1", "0", "=", "NOT", "0", "0", "1"), 6)],
)
def test_equations_of_the_rule_text_are_known(symbols: tuple[str, ...], value: int) -> None:
    assert known_equations()[symbols] == value


def test_a_first_equation_covers_the_middle() -> None:
    rack = Counter(["1", "+", "1", "=", "1", "0"])
    assert all((7, 7) in new for new, _ in legal_plays({}, rack))


def test_one_and_one_in_the_middle_count_their_tiles_and_two_more_twice() -> None:
    new = dict(zip([(7, col) for col in range(4, 10)], "1+1=10", strict=True))
    assert play_score(new, tuple("1+1=10")) == (6 + 2) * 2  # the middle doubles; the largest bit of 10 is 2


def test_an_equals_sign_laid_first_is_no_equation_of_its_own_the_other_way() -> None:
    cells = {(5, col): symbol for col, symbol in enumerate("1=0+1", 9)}
    new = {place: symbol for place, symbol in cells.items() if place != (5, 9)}
    assert runs_through(cells, new) == [("1", "=", "0", "+", "1")]


def test_later_equations_cross_what_lies_there_and_touch_nothing_else() -> None:
    lying = {(7, col): symbol for col, symbol in enumerate("1=1", 7)}
    plays = list(legal_plays(lying, Counter("110=+")))
    assert plays
    for new, symbols in plays:
        assert len(new) == len(symbols) - 1
        assert not new.keys() & lying.keys()


def test_calls_refused_before_a_game_do_not_make_a_player_give_up_a_play() -> None:
    player = seated("binary_scrabble", BinaryPlayer, 2).players[0]
    player.on_events([ev.CallRefused(1, "play", "not yet")] * 3, 0)
    player.on_events([ev.RoundStarted(1, (0, 0), (0, 0), turn=1)], 0)
    assert isinstance(player, BinaryPlayer)
    player.laid = {(7, 7): 0}
    player.on_events([ev.CallRefused(1, "play", "no equation")], 0)
    assert player.laid


@pytest.mark.parametrize("counted", [True, False])
def test_a_tile_laid_after_the_call_is_taken_back_where_the_play_stands_without_it(
    monkeypatch: pytest.MonkeyPatch, *, counted: bool
) -> None:
    monkeypatch.setattr(BinaryPlayer, "laid_score", lambda player: float(len(player.laid)))
    player = seated("binary_scrabble", BinaryPlayer, 2).players[0]
    assert isinstance(player, BinaryPlayer)
    player.laid, player.late = {(7, 7): 0, (7, 8): 1, (7, 9): 2}, (7, 9)
    player.seat.board.update(player.laid)
    rack = list(player.rack)
    player.take_turn(0)  # the answer is late, and the player calls again
    places = [(7, 7), (7, 8), (7, 9)] if counted else [(7, 7), (7, 8)]
    player.on_event(EquationsMade(1, tuple(Tile(*at, "1", "1") for at in places), (), 0, 0, None))
    assert (sorted(player.seat.board), player.points) == (places, len(places))
    assert player.rack == rack + ([] if counted else [2])


def test_a_word_is_worth_its_letters() -> None:
    assert word_value("QUIZZ") == 10 + 1 + 1 + 10 + 10


def test_pieces_hang_together_diagonally_too() -> None:
    assert largest_group({(0, 0), (1, 1), (2, 2), (4, 4), (4, 0)}) == 3


def test_a_piece_goes_around_others_and_never_through() -> None:
    wall = {(0, 1), (1, 1), (1, 0)}
    assert reachable((0, 0), wall, 8) == {}
    assert reachable((0, 0), wall - {(1, 1)}, 2)[2, 2] == 2


def test_a_roll_moves_one_piece_by_both_dice_or_two_by_one_each() -> None:
    home = [(4, col) for col in range(5)]
    found = list(legal_moves(home, set(), (1, 2)))
    assert all(len(moves) <= 2 for moves in found)
    assert ((((4, 0), (1, 0)),)) in found
    assert (((4, 0), (3, 0)), ((4, 4), (2, 4))) in found
    assert (((4, 0), (2, 0)), ((4, 4), (2, 4))) not in found


def test_letters_are_shown_whose_pyramids_still_stand_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    told = seated("martian_boggle", MartianPlayer, 2)
    player, first, second, gone = told.players[0], (0, 0), (2, 3), (4, 3)
    told.tabletop.pieces[0] = {first: 0, second: 1}
    lifted: list[tuple[int, int]] = []
    monkeypatch.setattr(player.seat, "lift_pyramid", lambda square, *_: lifted.append(square))
    monkeypatch.setattr(player.seat, "put_back_pyramid", lifted.remove)
    player.on_event(LettersUnseen(player.number, (first, gone)))
    player.on_event(LettersUnseen(player.number, (first, second)))
    assert lifted == [first, second]
    player.take_turn(0)
    assert not lifted
