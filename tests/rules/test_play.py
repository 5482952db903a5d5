"""What every game has without asking, and what the host may say when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from companion.errors import BadCall, BadSetUp
from companion.model.calls import SECOND, Called, Input, Order, Ordered, Ruling, Seen
from companion.model.sightings import Board, Sighting
from companion.model.verdicts import Verdict
from companion.rules import event as ev
from companion.rules.crossword import invalid_reason
from companion.rules.interface import CallKind, Game, Words
from companion.rules.play import begin, fold, step
from companion.rules.state import State
from companion.words.lexicon import Lexicon
from tests.rules.playing import Table, splitted, started

WORDS = Lexicon.of("test", ["aa"])


def point(state: State, called: Called, _words: Words) -> list[ev.Event]:
    return [ev.ScoresGiven(tuple(s.score + (n == called.seat) for n, s in enumerate(state.seats, 1)))]


class Plain(Game[State]):
    """A game that adds one call to what every game has."""

    name = "plain"
    title = "Plain"
    calls: ClassVar[Mapping[str, CallKind]] = {"point": CallKind("a point for me", point)}


class Play:
    def __init__(self, **options: Any) -> None:
        self.game = Plain()
        events = begin(self.game, ["north", "south"], options, WORDS.label)
        self.state = fold(self.game, [ev.Stamped(n, 0, event) for n, event in enumerate(events, 1)])

    def hear(self, *all_heard: Input) -> list[ev.Event]:
        events: list[ev.Event] = []
        for heard in all_heard:
            self.state, happened = step(self.game, self.state, heard, WORDS)
            events = [event for _, event in happened]
        return events


class TestDefaults:
    def test_the_cap_ends_the_round_and_the_scores_are_added(self) -> None:
        play = Play(cap_s=10, warn_s=[])
        play.hear(Ordered(0, Order.START), Called(SECOND, 2, "point"))
        assert play.hear(Ordered(20 * SECOND, Order.CONFIRM))[:2] == [
            ev.TimeUp(None),
            ev.RoundEnded("time is up"),
        ]
        assert [seat.total for seat in play.state.seats] == [0, 1]

    def test_who_leads_alone_wins_when_the_host_ends_the_game(self) -> None:
        play = Play(cap_s=10)
        play.hear(Ordered(0, Order.START), Called(SECOND, 2, "point"), Ordered(20 * SECOND, Order.END))
        assert play.state.winner == 2

    def test_nobody_wins_who_does_not_lead_alone(self) -> None:
        play = Play()
        play.hear(Ordered(0, Order.START), Ordered(SECOND, Order.END))
        assert (play.state.winner, play.state.phase) == (None, "over")

    def test_a_sighting_is_kept_with_its_loose_tiles_and_doubts(self) -> None:
        play = Play()
        play.hear(Ordered(0, Order.START), Seen(1, 1, Sighting(("AB",), "QZ", None, ((0, 1),))))
        verdict = play.state.seat(1).verdict
        assert (verdict.loose, verdict.doubts, verdict.words) == (2, ((0, 1),), ())

    def test_the_same_sighting_again_is_no_event(self) -> None:
        play = Play()
        seen = Sighting(("AB",))
        assert play.hear(Ordered(0, Order.START), Seen(1, 1, seen), Seen(2, 1, seen)) == []

    def test_the_same_board_again_is_no_event(self) -> None:
        play = Play()
        board = Board.of({(7, 7): "1"}, {1: ((0, 0),)})
        assert play.hear(Ordered(0, Order.START), Seen(1, None, board), Seen(2, None, board)) == []

    def test_tiles_that_lie_before_nobody_are_a_fault(self) -> None:
        with pytest.raises(BadCall, match="say which"):
            Play().hear(Seen(1, None, Sighting()))

    def test_there_is_no_done_to_overturn(self) -> None:
        play = Play()
        play.hear(Ordered(0, Order.START))
        events = play.hear(Ruling(1, "overturn_done", "because", 1))
        assert events == [ev.CallRefused(1, "overturn_done", "Plain has no Done to overturn")]

    def test_a_disqualified_seat_keeps_its_tiles_and_places_give_no_points(self) -> None:
        play = Play()
        play.hear(Ordered(0, Order.START))
        assert play.hear(Ruling(1, "disqualify", "because", 1))[1:] == [ev.Disqualified(1, 0, "because")]
        assert play.hear(Ruling(2, "set_place", "because", 2, {"place": 1}))[1:] == [
            ev.PlacesGiven((None, 1))
        ]

    def test_its_card_says_what_each_call_means(self) -> None:
        assert list(Plain().card({})) == ["POINT: a point for me"]


def test_a_game_is_not_folded_from_its_middle() -> None:
    with pytest.raises(BadSetUp, match="a game starts with its set-up, not with PlayBegun"):
        fold(Plain(), [ev.Stamped(1, 0, ev.PlayBegun())])


class TestHost:
    @pytest.mark.parametrize(
        ("order", "reason"),
        [
            ("start", "the game has started already; say next_round"),
            ("resume", "play is not paused"),
            ("confirm", "the round has not ended yet"),
            ("next_round", "the round's scores are not confirmed yet; say confirm"),
        ],
    )
    def test_an_order_that_means_nothing_now_is_refused(self, order: str, reason: str) -> None:
        line = splitted().host(2, order)
        assert (line["accepted"], line["reason"]) == (False, reason)

    def test_nothing_is_paused_before_play(self) -> None:
        assert Table("chew").host(0, "pause")["reason"] == "there is no play to pause"

    def test_scores_are_confirmed_once(self) -> None:
        table = started(2, flips=10, policy="off")
        table.call(1, 1, "done")
        assert table.host(2, "confirm", "confirm")["reason"] == "the round's scores are confirmed already"

    def test_scores_are_not_confirmed_while_play_is_paused(self) -> None:
        table = started(2, flips=10, policy="off")
        table.call(1, 1, "done")
        table.host(2, "pause")
        assert table.host(3, "confirm")["reason"] == "play is paused"

    def test_a_game_that_is_over_takes_no_order(self) -> None:
        assert splitted().host(2, "end", "end")["reason"] == "the game is over"

    def test_a_game_that_is_over_takes_no_call(self) -> None:
        table = splitted()
        table.host(2, "end")
        assert table.call(3, 1, "dump")["reason"] == "the game is over"


class TestBoard:
    def test_letters_and_pieces_are_read_from_a_line(self) -> None:
        table = started()
        table.line(1, board={"letters": ["QW", ".E"], "pieces": {"2": [[0, 1]], "1": [[0, 0]]}})
        assert table.state.board == Board(
            ((0, 0, "Q"), (0, 1, "W"), (1, 1, "E")), ((1, ((0, 0),)), (2, ((0, 1),)))
        )

    def test_a_blank_is_an_empty_symbol(self) -> None:
        table = started()
        table.line(1, board={"cells": [[7, 9, "AND"], [7, 8, ""]]})
        assert table.state.board.symbols() == {(7, 8): "", (7, 9): "AND"}


def test_a_tableau_without_a_word_is_no_tableau() -> None:
    assert invalid_reason(Verdict(islands=1)) == "there is no word in the tableau"
