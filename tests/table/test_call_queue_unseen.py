"""Calls of which something is not seen: what lies in plain sight, and what nobody has seen yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.model.calls import MILLISECOND as MS
from companion.model.calls import Seen
from companion.model.sightings import Sighting
from companion.rules.confirming import CallPreview
from companion.table.rest_history import LooseTile
from tests.table.playing import reading_of
from tests.table.test_call_queue import Play, call, state


def test_a_tile_that_lay_there_at_a_call_counts_though_another_was_taken_away_before_it_was_seen() -> None:
    play = Play()
    play.foreseen = CallPreview(frozenset({1}), refused=True)
    play.rest(900, 1)
    play.rest(1100, 1)
    lifted = Seen(1200 * MS, 1, Sighting(("AB",)))
    overlooked = Seen(1300 * MS, 1, Sighting(("ABC",)), laid_after_ns=500 * MS)
    play.hear(call(1000), lifted, overlooked)
    play.rest(1400, 1)
    assert play.ready(1450)[0] == replace(call(1000), at_rest=False, after=(overlooked,))


def test_a_look_while_a_hand_was_over_the_tiles_is_asked_for_again() -> None:
    play, asked = Play(), list[int]()
    play.call_queue.request_detection = lambda _at_ns: asked.append(1)
    play.foreseen = CallPreview(frozenset({1}), refused=True)
    play.rest(900, 1)
    play.call_queue.update_rest(1, 1010 * MS, 900 * MS)
    play.hear(call(1000))
    assert (play.ready(1050), asked) == ([], [1])
    play.moves(1100, 1)  # in this frame the whole picture is looked at
    play.call_queue.update_rest(1, 1200 * MS, 1100 * MS)
    assert (play.ready(1250), asked) == ([], [1, 1])
    play.call_queue.update_rest(1, 1300 * MS, 1300 * MS)
    assert (play.ready(1350), asked) == ([call(1000)], [1, 1])


def test_a_call_is_accepted_unconfirmed_only_after_one_more_look_at_its_tiles_at_rest() -> None:
    play, asked = Play(), list[int]()
    play.call_queue.request_detection = lambda _at_ns: asked.append(1)
    play.foreseen = CallPreview(frozenset({1}), refused=False, unseen=True)
    play.rest(900, 1)
    play.call_queue.update_rest(1, 1010 * MS, 900 * MS)
    play.hear(call(1000))
    assert (play.ready(1050), asked) == ([], [1])
    play.moves(1100, 1)
    play.call_queue.update_rest(1, 1200 * MS, 1200 * MS)
    assert (play.ready(1250), asked) == ([call(1000)], [1])


class TestLoose:
    """A hand rests before seat 1 all the time; one tile lies loose beside it."""

    @pytest.fixture
    def play(self) -> Play:
        play = Play()
        play.foreseen = CallPreview(frozenset({1}), refused=True)
        play.rest(800, 1)
        play.moves(900, 1)
        play.hear(call(1000))
        return play

    @pytest.mark.parametrize(
        ("from_ms", "until_ms", "whole_ms", "loose"),
        [
            (700, 1400, 1200, "Q"),
            (1100, 1400, 1200, ""),  # laid after the call
            (700, 950, 1200, ""),  # taken away before it
            (700, 1150, 950, ""),  # found to be none by the look at the whole picture
            (700, 1400, 950, ""),  # nobody has looked at the whole picture since
        ],
    )
    def test_what_lay_loose_in_sight_before_a_call_and_after_it_goes_with_it(
        self, play: Play, from_ms: int, until_ms: int, whole_ms: int, loose: str
    ) -> None:
        tracked = LooseTile(reading_of(("Q", 100, 100)).tiles[0], from_ms * MS, until_ms * MS, whole_ms * MS)
        play.call_queue.update_loose(1, [tracked])
        assert play.ready(6000) == [
            replace(call(1000), at_rest=False, loose=loose, loose_ns=(700 * MS,) * len(loose))
        ]

    @pytest.mark.parametrize(("until_ms", "loose"), [(1100, "Q"), (950, "")])
    def test_a_tile_that_was_laid_after_the_call_lay_loose_at_it(
        self, play: Play, until_ms: int, loose: str
    ) -> None:
        tracked = LooseTile(reading_of(("Q", 100, 100)).tiles[0], 700 * MS, until_ms * MS, laid=True)
        play.call_queue.update_loose(1, [tracked])
        assert play.ready(6000) == [
            replace(call(1000), at_rest=False, loose=loose, loose_ns=(700 * MS,) * len(loose))
        ]

    def test_a_tile_that_certainly_lay_loose_decides_at_once(self, play: Play) -> None:
        assert play.ready(1200) == []
        play.call_queue.update_loose(
            1, [LooseTile(reading_of(("Q", 100, 100)).tiles[0], 700 * MS, 1100 * MS, whole_ns=1100 * MS)]
        )
        assert play.ready(1200) == [replace(call(1000), at_rest=False, loose="Q", loose_ns=(700 * MS,))]

    def test_it_counts_too_where_all_rests_after_the_call(self, play: Play) -> None:
        tracked = LooseTile(reading_of(("Q", 100, 100)).tiles[0], 700 * MS, 1100 * MS, laid=True)
        play.call_queue.update_loose(1, [tracked])
        moved = Seen(1200 * MS, 1, Sighting(("QAT",)))
        play.hear(moved)
        play.rest(1300, 1)
        judged = replace(call(1000), at_rest=False, after=(moved,), loose="Q", loose_ns=(700 * MS,))
        assert play.ready(6000)[0] == judged

    def test_the_whole_picture_is_looked_at_once_for_it(self, play: Play) -> None:
        asked: list[int] = []
        play.call_queue.request_detection = lambda _at_ns: asked.append(1)
        tracked = LooseTile(reading_of(("Q", 100, 100)).tiles[0], 700 * MS, 1100 * MS)
        play.ready(1050)
        assert asked == []
        play.call_queue.update_loose(1, [tracked])
        play.ready(1100)
        play.ready(1200)
        assert asked == [1]


@pytest.fixture
def play() -> Play:
    return Play()


def test_a_call_that_nobody_can_judge_without_the_board_waits_for_longer() -> None:
    play = Play((0,))
    play.foreseen = CallPreview(frozenset({0}), refused=True, board_unseen=True)
    play.hear(call(1000))
    assert play.ready(15999) == []
    assert play.ready(16000) == [replace(call(1000), at_rest=False)]


def test_a_call_about_letters_that_nobody_has_seen_waits_until_they_are_shown(play: Play) -> None:
    shown = Seen(1300 * MS, 1, Sighting(("A",)))
    play.foreseen = CallPreview(frozenset({1}), refused=True, awaits_sighting=True)
    play.rest(900, 1)
    play.hear(call(1000), shown)
    play.rest(1400, 1)
    assert play.ready(1350) == [shown]
    play.state, play.foreseen = state(), CallPreview(frozenset({1}), refused=False)
    assert play.ready(1400) == [replace(call(1000), at_ns=1300 * MS + 1)]


def test_a_call_about_letters_that_nobody_shows_in_time_is_decided_and_marked(play: Play) -> None:
    play.foreseen = CallPreview(frozenset({1}), refused=True, awaits_sighting=True)
    play.rest(900, 1)
    play.hear(call(1000), Seen(3000 * MS, 1, Sighting(("A",))))
    play.rest(4000, 1)
    assert call(1000) not in play.ready(5999)
    assert play.ready(6000) == [replace(call(1000), at_ns=3000 * MS + 1, at_rest=False)]
