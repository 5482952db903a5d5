"""Calls wait for their tiles to be seen at rest; the order of what happened is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.model.calls import MILLISECOND as MS
from companion.model.calls import SECOND, Called, Input, Noted, Order, Ordered, Seen
from companion.model.sightings import Sighting
from companion.rules.confirming import CallPreview
from companion.rules.state import State
from companion.table.call_queue import REORDER_WINDOW_NS, CallQueue, default_preview
from tests.rules.playing import Table


def state(**options: Any) -> State:
    """Return the state of a game that two play."""
    made: State = Table("bananagrams", ["Anna", "Bo"], **options).state
    return made


class Play:
    """Something that waits, and the state that it looks at."""

    def __init__(self, places: tuple[int, ...] = (1, 2), **options: Any) -> None:
        self.state = state(**options)
        self.foreseen: CallPreview | None = None
        self.asked = 0
        self.call_queue = CallQueue(lambda: self.state, places, preview=self.preview)

    def preview(self, called: Called) -> CallPreview:
        self.asked += 1
        return self.foreseen or default_preview(called)

    def hear(self, *heard: Input) -> None:
        for one in heard:
            self.call_queue.add(one)

    def rest(self, at_ms: int, *places: int) -> None:
        for place in places:
            self.call_queue.update_rest(place, at_ms * MS, at_ms * MS)

    def moves(self, at_ms: int, place: int) -> None:
        self.call_queue.update_rest(place, at_ms * MS, None)

    def ready(self, at_ms: int) -> list[Input]:
        found: list[Input] = []
        while some := self.call_queue.pop_ready(at_ms * MS):
            found += some
        return found


def call(at_ms: int, seat: int = 1, **details: Any) -> Called:
    return Called(at_ms * MS, seat, "peel", details)


@pytest.fixture
def play() -> Play:
    return Play()


def test_a_call_over_tiles_at_rest_is_decided_within_the_window(play: Play) -> None:
    play.rest(900, 1)
    play.hear(call(1000))
    assert play.ready(1014) == []
    assert play.ready(1015) == [call(1000)]


def test_a_call_waits_for_an_earlier_press_of_which_nobody_knows_yet_what_it_is(play: Play) -> None:
    play.rest(900, 1, 2)
    began: list[int | None] = [1000 * MS]
    play.call_queue.undecided = lambda: began[0]
    play.hear(call(1030, seat=2))
    assert (play.ready(1300), play.call_queue.due_ns()) == ([], None)
    play.hear(call(1000))
    began[0] = None
    assert play.call_queue.pop_ready(1301 * MS) == [call(1000)]
    assert play.call_queue.pop_ready(1302 * MS) == [call(1030, seat=2)]


def test_a_call_before_an_undecided_press_does_not_wait_for_it(play: Play) -> None:
    play.rest(900, 1)
    play.call_queue.undecided = lambda: 1001 * MS
    play.hear(call(1000))
    assert play.ready(1015) == [call(1000)]
    assert play.call_queue.watermark_ns(2000 * MS) == 1001 * MS


def test_a_call_waits_until_its_tiles_are_seen_at_rest(play: Play) -> None:
    play.rest(400, 1)
    play.hear(call(1000))
    assert play.ready(1500) == []
    play.rest(1450, 1)
    assert play.ready(1500) == [call(1000)]


def test_tiles_that_moved_just_before_the_call_are_waited_for(play: Play) -> None:
    play.rest(900, 1)
    play.moves(950, 1)
    play.hear(call(1000))
    assert play.ready(1100) == []


def test_a_hand_that_moves_after_the_call_holds_nothing_up(play: Play) -> None:
    play.rest(900, 1)
    play.moves(1010, 1)
    play.hear(call(1000))
    assert play.ready(1020) == [call(1000)]


def test_a_call_that_was_never_seen_is_decided_after_five_seconds_and_marked(play: Play) -> None:
    play.hear(call(1000))
    assert play.ready(5999) == []
    assert play.ready(6000) == [replace(call(1000), at_rest=False)]


def test_a_call_carries_what_was_seen_at_rest_only_after_it(play: Play) -> None:
    changed = Seen(1300 * MS, 1, Sighting(("A",)))
    play.rest(900, 1)
    play.moves(950, 1)
    play.hear(call(1000), changed)
    play.rest(1400, 1)
    assert play.ready(1450) == [replace(call(1000), at_rest=False, after=(changed,)), changed]


def test_what_was_seen_to_be_laid_after_a_call_tells_nothing_of_it(play: Play) -> None:
    laid = Seen(1300 * MS, 1, Sighting(("A",)), laid_after_ns=1200 * MS)
    play.rest(900, 1)
    play.moves(950, 1)
    play.hear(call(1000), laid)
    play.rest(1400, 1)
    assert play.ready(1450) == [call(1000), laid]


def test_what_was_seen_before_more_was_laid_after_a_call_tells_of_it_alone(play: Play) -> None:
    lifted = Seen(1200 * MS, 1, Sighting(("A",)))
    laid = Seen(1300 * MS, 1, Sighting(("AB",)), laid_after_ns=1200 * MS)
    play.rest(900, 1)
    play.moves(950, 1)
    play.hear(call(1000), lifted, laid)
    play.rest(1400, 1)
    assert play.ready(1450) == [replace(call(1000), at_rest=False, after=(lifted,)), lifted, laid]


def test_what_is_seen_once_more_was_laid_after_a_call_tells_nothing_of_it(play: Play) -> None:
    placed = Seen(1300 * MS, 1, Sighting(("AB",)), laid_after_ns=1200 * MS)
    drawn = Seen(1400 * MS, 1, Sighting(("AB",), "C"), laid_after_ns=950 * MS)
    play.rest(900, 1)
    play.moves(950, 1)
    play.hear(call(1000), placed, drawn)
    play.rest(1500, 1)
    assert play.ready(1550) == [call(1000), placed, drawn]


def test_a_call_is_judged_by_what_lay_there_and_was_misread_until_one_more_look(play: Play) -> None:
    read_anew = Seen(1300 * MS, 1, Sighting(("A",)), laid_after_ns=500 * MS)
    play.foreseen = CallPreview(frozenset({1}), refused=True)
    play.rest(900, 1)
    play.rest(1100, 1)
    play.hear(call(1000), read_anew)
    play.rest(1400, 1)
    assert play.ready(1450) == [replace(call(1000), at_rest=False, after=(read_anew,)), read_anew]


def test_what_was_taken_away_after_a_call_over_tiles_at_rest_tells_nothing_of_it(play: Play) -> None:
    lifted = Seen(1300 * MS, 1, Sighting(("A",)))
    play.foreseen = CallPreview(frozenset({1}), refused=True)
    play.rest(900, 1)
    play.rest(1100, 1)
    play.hear(call(1000), lifted)
    play.rest(1400, 1)
    assert play.ready(1450) == [call(1000), lifted]


def test_a_call_over_tiles_that_lay_there_before_and_after_it_is_judged_by_them(play: Play) -> None:
    play.rest(900, 1)
    play.moves(950, 1)
    play.hear(call(1000))
    play.rest(1400, 1)
    assert play.ready(1450) == [call(1000)]


def test_what_changes_after_a_call_over_tiles_at_rest_is_not_held_against_it(play: Play) -> None:
    play.rest(990, 1)
    play.moves(1050, 1)
    play.hear(call(1000, 2), call(1010, 1), Seen(1100 * MS, 1, Sighting(("A",))))
    play.rest(1400, 1)
    play.rest(1400, 2)
    assert call(1010, 1) in play.ready(1450)


def test_a_call_that_needs_no_sight_waits_for_none(play: Play) -> None:
    play.foreseen = CallPreview(frozenset(), refused=True)
    play.hear(call(1000))
    assert play.ready(1015) == [call(1000)]


def test_a_call_that_depends_on_others_tiles_waits_for_them_too(play: Play) -> None:
    play.foreseen = CallPreview(frozenset({1, 2}), refused=False)
    drawn = Seen(1300 * MS, 2, Sighting(face_down=2))
    play.rest(990, 1)
    play.hear(call(1000), drawn)
    assert play.ready(1100) == []
    play.rest(1400, 2)
    assert play.ready(1450) == [replace(call(1000), at_rest=False, after=(drawn,)), drawn]


def test_a_call_is_refused_for_what_was_seen_only_after_one_more_look(play: Play) -> None:
    asked: list[bool] = []
    play.call_queue.request_detection = lambda _at_ns: asked.append(True)
    play.foreseen = CallPreview(frozenset({1}), refused=True)
    play.rest(900, 1)
    play.hear(call(1000))
    assert (play.ready(1100), play.ready(1200), asked) == ([], [], [True])
    play.call_queue.update_rest(1, 1300 * MS, 1250 * MS)
    assert play.ready(1301) == [call(1000)]


def test_a_call_that_the_look_before_it_refuses_is_decided_at_last_without_another(play: Play) -> None:
    play.foreseen = CallPreview(frozenset({1}), refused=True)
    play.rest(900, 1)
    play.hear(call(1000))
    assert (play.ready(5999), play.ready(6000)) == ([], [call(1000)])


def test_a_call_that_is_repeated_while_it_waits_is_heard_once(play: Play) -> None:
    again: list[Called] = []
    play.call_queue.repeated = again.append
    play.hear(call(1000), call(3000), call(3500, 2))
    play.rest(4000, 1, 2)
    assert (play.ready(4100), again) == ([call(1000), call(3500, 2)], [call(3000)])


def test_a_second_call_that_waits_only_behind_another_player_is_no_repeat() -> None:
    play, again = Play(places=(1,)), list[Called]()  # seat 2 calls what no camera has to see
    play.call_queue.repeated = again.append
    play.hear(call(1000), call(1200, 2), call(3000, 2))
    play.rest(4000, 1)
    assert (play.ready(4100), again) == ([call(1000), call(1200, 2), call(3000, 2)], [])


def test_only_the_callers_own_tiles_are_waited_for(play: Play) -> None:
    play.rest(990, 1)
    play.moves(990, 2)
    play.hear(call(1000, 1))
    assert play.ready(1020) == [call(1000, 1)]


def test_what_happened_after_a_waiting_call_waits_behind_it(play: Play) -> None:
    later = Seen(1100 * MS, 1, Sighting(("AA",)))
    before = Seen(950 * MS, 1, Sighting(("A",)))
    play.rest(1190, 2)
    play.hear(call(1000, 1), call(1200, 2), later, before)
    assert play.ready(1300) == [before]
    play.rest(1290, 1)
    assert play.ready(1300) == [
        replace(call(1000, 1), at_rest=False, after=(later,)),
        later,
        call(1200, 2),
    ]


def test_the_clocks_stand_at_a_waiting_call(play: Play) -> None:
    assert play.call_queue.watermark_ns(5 * SECOND) == 5 * SECOND - REORDER_WINDOW_NS
    play.hear(call(1000))
    assert play.call_queue.watermark_ns(1500 * MS) == SECOND
    assert play.call_queue.due_ns() == 6 * SECOND
    play.hear(call(1200, 2))
    assert play.call_queue.seats == (1, 2)


@pytest.mark.parametrize("places", [(), (2,)])
def test_tiles_that_no_camera_sees_are_not_waited_for(places: tuple[int, ...]) -> None:
    play = Play(places)
    play.hear(call(1000))
    assert play.ready(1015) == [call(1000)]


def test_nothing_is_waited_for_where_people_judge(play: Play) -> None:
    off = Play(policy="off")
    play.state = replace(play.state, blind=(1, 2))
    for one in (off, play):
        one.hear(call(1000))
        assert one.ready(1015) == [call(1000)]


def test_on_a_shared_board_all_wait_for_the_board() -> None:
    play = Play((0,))
    play.hear(call(1000, 2))
    assert play.ready(1500) == []
    play.rest(1400, 0)
    assert play.ready(1500) == [call(1000, 2)]


def test_a_phone_never_ties_with_a_button(play: Play) -> None:
    play.rest(990, 1, 2)
    phone = call(998, 1, by="phone")
    play.hear(phone)
    assert play.ready(1014) == []  # a button pressed at the same time may still be heard of
    play.hear(call(1001, 2))
    first, second = play.ready(1100)
    assert (first, second) == (call(1001, 2), replace(phone, at_ns=1006 * MS + 1))


def test_a_phone_that_comes_after_a_decided_button_does_not_tie_either(play: Play) -> None:
    play.rest(990, 1, 2)
    play.hear(call(1000, 2))
    play.ready(1015)
    play.hear(call(1004, 1, by="phone"))
    assert [one.at_ns for one in play.ready(1100)] == [1005 * MS + 1]


def test_orders_wait_for_the_window_alone(play: Play) -> None:
    play.hear(Ordered(SECOND, Order.PAUSE))
    assert play.ready(1015) == [Ordered(SECOND, Order.PAUSE)]


def test_what_a_call_leads_to_is_worked_out_once_in_each_state_of_the_game(play: Play) -> None:
    play.hear(call(1000))
    for at_ms in range(1000, 1100, 10):
        assert play.ready(at_ms) == []
    assert play.asked == 1
    play.state = state()
    play.ready(1100)
    assert play.asked == 2


def test_scores_are_confirmed_over_tiles_that_were_seen_at_rest(play: Play) -> None:
    confirm = Ordered(1000 * MS, Order.CONFIRM)
    play.rest(600, 1, 2)
    play.moves(700, 2)
    play.hear(confirm)
    play.rest(1100, 1)
    assert play.ready(1150) == []
    laid = Seen(900 * MS, 2, Sighting(("A",)))
    play.hear(laid)
    play.rest(1200, 2)
    assert play.ready(1250) == [laid, confirm]


def test_scores_are_confirmed_with_what_lay_there_already_and_was_seen_at_rest_only_after(play: Play) -> None:
    confirm = Ordered(1000 * MS, Order.CONFIRM)
    play.rest(600, 1, 2)
    play.moves(700, 2)
    laid = Seen(1150 * MS, 2, Sighting(("A",)))
    play.hear(confirm, laid)
    play.rest(1200, 1, 2)
    assert play.ready(1250) == [laid, confirm]


def test_scores_are_confirmed_without_what_was_laid_after_the_hosts_word(play: Play) -> None:
    confirm = Ordered(1000 * MS, Order.CONFIRM)
    play.rest(600, 1, 2)
    play.rest(1000, 1, 2)
    laid = Seen(1150 * MS, 2, Sighting(("A",)), laid_after_ns=1100 * MS)
    play.hear(confirm, laid)
    play.rest(1200, 1, 2)
    assert play.ready(1250) == [confirm, laid]


def test_scores_are_confirmed_after_one_more_look_at_the_whole_picture(play: Play) -> None:
    asked: list[int] = []
    play.call_queue.request_detection = lambda _at_ns: asked.append(1)
    confirm = Ordered(1000 * MS, Order.CONFIRM)
    for place in (1, 2):
        play.call_queue.update_rest(place, 1100 * MS, 500 * MS)
    play.hear(confirm)
    assert (play.ready(1150), play.ready(1160), asked) == ([], [], [1])
    play.rest(1200, 1, 2)
    assert play.ready(1250) == [confirm]


def test_the_host_is_heard_at_last_where_tiles_never_rest(play: Play) -> None:
    confirm = Ordered(1000 * MS, Order.CONFIRM)
    play.moves(700, 2)
    play.hear(confirm)
    assert play.ready(5999) == []
    text = "not seen at rest when the scores were confirmed: Anna, Bo; look at the tiles"
    assert play.ready(6000) == [Noted(1000 * MS, text), confirm]
