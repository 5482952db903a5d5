"""The reading over frames: what rests is read, what is hidden is remembered, what moves is followed."""

from __future__ import annotations

import pytest

from companion.vision.tracking import TrackedReading
from tests.vision.simple_table import SIDE, STEP, Picture, Watch, letters, word


@pytest.fixture
def watch() -> Watch:
    """A table with three tiles in a word and one loose one, known and at rest."""
    watch = Watch()
    watch.table.row("ABC", (200, 200))
    watch.table.tiles[500, 400] = "D"
    watch.rests()
    return watch


HAND = (150, 0, 400, 300)
"""Covers the word, and comes in from the edge."""


def test_the_first_frame_is_read_at_once_but_nobody_knows_yet_whether_it_is_still() -> None:
    watch = Watch()
    watch.table.row("ABC", (200, 200))
    seen = watch.see()
    assert (word(seen), seen.since_ns, seen.at_ns, seen.still) == ("ABC", STEP, STEP, False)


def test_a_table_at_rest_is_still_and_is_not_read_again(watch: Watch) -> None:
    before = watch.see()
    seen = watch.see(20)
    assert (seen.still, seen.since_ns, seen.covered, seen.changed) == (True, STEP, (), ())
    assert seen.reading is before.reading
    assert (watch.reader.whole, watch.reader.within) == (1, 0)


def test_a_moved_tile_is_followed_and_told_once(watch: Watch) -> None:
    del watch.table.tiles[500, 400]
    watch.table.tiles[560, 420] = "D"
    moved_ns = watch.now + STEP
    seen = watch.see(3)
    assert word(seen) == "ABCD"
    assert letters(seen, seen.changed) == {"D"}
    assert seen.reading.tiles[seen.changed[0]].centre == pytest.approx((559.5, 419.5))
    assert [tile.centre for tile in seen.gone] == [pytest.approx((499.5, 399.5))]
    assert seen.since_ns == moved_ns
    assert (watch.see().changed, watch.see().gone) == ((), ())


def test_where_something_moves_is_told(watch: Watch) -> None:
    watch.table.tiles[700, 400] = "E"
    (left, top, right, bottom) = watch.see().moving[0]
    assert (left <= 700 <= right, top <= 400 <= bottom) == (True, True)
    assert right - left < 120 > bottom - top
    assert watch.rests().moving == ()


def test_a_tile_that_moves_is_nowhere_else_until_it_rests(watch: Watch) -> None:
    for x in range(500, 700, 40):
        del watch.table.tiles[max(watch.table.tiles)]
        watch.table.tiles[x, 400] = "D"
        seen = watch.see()
        assert {tile.centre for tile in seen.reading.tiles if tile.symbol == "D"} <= {(499.5, 399.5)}
    seen = watch.rests()
    assert [tile.centre for tile in seen.reading.tiles if tile.symbol == "D"] == [(659.5, 399.5)]


def test_only_the_changed_place_is_looked_at(watch: Watch) -> None:
    named = watch.reader.named
    watch.table.tiles[600, 100] = "E"
    seen = watch.rests()
    assert word(seen) == "ABCDE"
    assert (watch.reader.whole, watch.reader.within, watch.reader.named) == (1, 1, named + 1)


def test_another_letter_in_the_same_place_is_read(watch: Watch) -> None:
    watch.table.tiles[500, 400] = "E"
    seen = watch.see(3)
    assert word(seen) == "ABCE"
    assert letters(seen, seen.changed) == {"E"}


def test_a_tile_that_is_nudged_is_no_other_tile(watch: Watch) -> None:
    del watch.table.tiles[500, 400]
    watch.table.tiles[504, 402] = "D"
    seen = watch.see(3)
    assert (word(seen), seen.changed, seen.gone) == ("ABCD", (), ())
    assert seen.reading.tiles[3].centre == pytest.approx((503.5, 401.5))


def test_a_hand_over_a_tableau_keeps_what_was_known_and_says_so(watch: Watch) -> None:
    watch.table.over = [HAND]
    for _ in range(8):
        seen = watch.see()
        assert word(seen) == "ABCD"
        assert letters(seen, seen.covered) == {"A", "B", "C"}
    last = watch.see()
    assert (last.still, last.since_ns) == (True, STEP)


def test_what_is_under_a_hand_that_lies_still_is_not_seen_until_it_has_lain_there_a_while(
    watch: Watch,
) -> None:
    watch.table.over = [HAND]
    seen = watch.see(10)
    on = [left <= 200 <= right and top <= 200 <= bottom for left, top, right, bottom in seen.unseen]
    assert (seen.moving, any(on)) == ((), True)
    assert max(right - left for left, _, right, _ in seen.unseen) <= 2 * SIDE
    assert watch.see(10).unseen == ()


def test_what_came_to_lie_on_a_tile_is_not_seen_until_it_has_lain_there_a_while(watch: Watch) -> None:
    watch.table.over = [(484, 384, 516, 416)]
    seen = watch.see(5)
    on = [left <= 500 <= right and top <= 400 <= bottom for left, top, right, bottom in seen.unseen]
    assert (seen.moving, letters(seen, seen.covered), any(on)) == ((), {"D"}, True)
    assert watch.see(15).unseen == ()


def test_where_a_tile_is_not_read_for_a_hand_beside_it_nothing_rests(watch: Watch) -> None:
    def on_tile(seen: TrackedReading) -> bool:
        return any(left <= 600 <= right and top <= 400 <= bottom for left, top, right, bottom in seen.unseen)

    watch.table.tiles[600, 400] = "E"
    watch.table.over = [(620, 300, 800, 600)]
    seen = watch.see(40)
    assert (word(seen), seen.moving, on_tile(seen)) == ("ABCD", (), True)
    seen = watch.see(60)
    assert (word(seen), on_tile(seen)) == ("ABCDE", False)


def test_tiles_that_wait_to_be_read_do_not_hide_each_other() -> None:
    watch = Watch()
    watch.table.row("ABC", (200, 500))
    watch.rests()
    for y in (300, 336):
        for x in range(160, 640, 36):
            watch.table.tiles[x, y] = "D"
            watch.table.over = [(x - 10, 0, x + 60, y - 20)]
            watch.see(3)
    assert word(watch.see()).count("D") == 0
    watch.table.over = []
    assert word(watch.see(2)).count("D") > 14


def test_a_lamp_that_is_lit_hides_nothing(watch: Watch) -> None:
    watch.table.over = [(600, 300, 630, 330)]
    assert watch.rests().unseen == ()


def test_when_the_place_of_a_new_tile_was_last_seen_without_it_is_told(watch: Watch) -> None:
    watch.see()
    bare_ns = watch.now
    watch.table.tiles[600, 400] = "E"
    seen = watch.see(3)
    assert (letters(seen, seen.changed), seen.bare_ns) == ({"E"}, (bare_ns,))


def test_when_a_tile_that_is_gone_was_last_seen_in_its_place_is_told(watch: Watch) -> None:
    watch.see()
    seen_ns = watch.now
    del watch.table.tiles[500, 400]
    told = [watch.see() for _ in range(4)]
    assert [seen.gone_ns for seen in told if seen.gone] == [(seen_ns,)]


@pytest.mark.parametrize("over", [[], [(590, 300, 750, 560)]])
def test_a_tile_that_was_overlooked_lies_there_since_its_place_looks_so(
    watch: Watch, over: list[tuple[int, int, int, int]]
) -> None:
    watch.reader.blind = {"E"}
    bare_ns = watch.now
    watch.table.tiles[600, 400] = "E"
    assert word(watch.rests()) == "ABCD"
    watch.table.over = over
    watch.see(2)
    watch.table.over = []
    watch.see(3)
    watch.reader.blind = set()
    watch.steady.request_detection()
    seen = watch.see()
    assert letters(seen, seen.changed) == {"E"}
    assert bare_ns <= seen.bare_ns[0] < bare_ns + STEP


def test_a_tile_laid_under_a_hand_may_lie_there_since_the_hand_came(watch: Watch) -> None:
    watch.see()
    bare_ns = watch.now
    watch.table.over = [(500, 300, 750, 560)]
    watch.rests()
    watch.table.tiles[600, 400] = "E"
    watch.rests()
    watch.table.over = []
    seen = watch.see(3)
    assert (letters(seen, seen.changed), seen.bare_ns) == ({"E"}, (bare_ns,))


def test_a_hand_that_moves_over_a_tableau_reads_nothing_into_it(watch: Watch) -> None:
    for k in range(12):
        watch.table.over = [(150 + 9 * k, 0, 300 + 9 * k, 300)]
        seen = watch.see()
        assert word(seen) == "ABCD"
    assert (watch.reader.whole, watch.reader.within) == (1, 0)


def test_when_the_hand_leaves_nothing_needs_to_be_read_again(watch: Watch) -> None:
    watch.table.over = [HAND]
    watch.rests()
    passes = watch.reader.within
    watch.table.over = []
    seen = watch.rests()
    assert (word(seen), seen.covered, seen.changed, seen.since_ns) == ("ABCD", (), (), STEP)
    assert watch.reader.within == passes


def test_a_tile_that_was_exchanged_under_a_hand_is_read_though_it_looks_alike(watch: Watch) -> None:
    watch.reader.tile_size = SIDE  # so the whole picture is not searched for other sizes
    watch.see(20)
    watch.table.over = [(450, 300, 600, 600)]
    watch.rests()
    watch.table.over, watch.reader.alike = [], {"D": "E"}
    seen = [watch.see() for _ in range(4)]
    assert word(seen[-1]) == "ABCE"
    assert [letters(frame, frame.changed) for frame in seen if frame.changed] == [{"E"}]
    assert seen[-1].since_ns == watch.now - 3 * STEP
    named = watch.reader.named
    assert (watch.see(20).changed, watch.reader.named) == ((), named)


def test_a_hand_in_the_first_picture_hides_no_tile_once_it_has_gone() -> None:
    watch = Watch()
    watch.table.row("DDDDDDDDDDDD", (100, 450))
    watch.table.over = [HAND]
    watch.rests()
    watch.table.over = []
    for x, letter in ((200, "A"), (240, "B"), (280, "C")):
        watch.table.tiles[x, 200] = letter
        watch.see(5)
    assert sorted(word(watch.see())) == list("ABC" + 12 * "D")


def test_half_a_tile_beside_a_hand_is_not_believed(watch: Watch) -> None:
    watch.table.over = [(100, 0, 203, 300)]
    seen = watch.rests()
    assert word(seen) == "ABCD"
    assert watch.reader.within > 0


def test_a_new_tile_half_under_a_hand_is_not_read_until_the_hand_is_gone(watch: Watch) -> None:
    watch.table.tiles[600, 100] = "B"
    watch.table.over = [(604, 0, 760, 300)]
    assert word(watch.rests()) == "ABCD"
    watch.table.over = []
    assert word(watch.rests()) == "ABCDB"


def test_a_tile_taken_from_under_a_hand_is_known_until_the_table_is_seen(watch: Watch) -> None:
    watch.table.over = [HAND]
    watch.rests()
    del watch.table.tiles[233, 200]
    assert word(watch.rests()) == "ABCD"
    watch.table.over = []
    seen = watch.see(3)
    assert word(seen) == "ACD"
    assert [tile.symbol for tile in seen.gone] == ["B"]


def test_a_tableau_that_is_swept_away_is_gone(watch: Watch) -> None:
    watch.table.tiles.clear()
    seen = watch.rests()
    assert (word(seen), seen.covered) == ("", ())


def test_a_tile_taken_from_beside_a_cup_is_gone_as_soon_as_that_is_no_hand(watch: Watch) -> None:
    watch.table.over = [(540, 300, 700, 500)]
    watch.rests()
    del watch.table.tiles[500, 400]
    assert word(watch.rests()) == "ABCD"
    assert word(watch.see(200)) == "ABC"


def test_a_tile_taken_from_near_a_cup_is_gone_at_once(watch: Watch) -> None:
    watch.table.over = [(592, 300, 740, 500)]
    watch.rests()
    del watch.table.tiles[500, 400]
    assert word(watch.rests()) == "ABC"


def test_a_tile_under_a_cup_stays_known_for_as_long_as_it_stands_there(watch: Watch) -> None:
    watch.table.over = [(440, 340, 600, 500)]
    seen = watch.see(250)
    assert (word(seen), letters(seen, seen.covered)) == ("ABCD", {"D"})
    watch.table.over = []
    seen = watch.rests()
    assert (word(seen), seen.covered) == ("ABCD", ())


def test_a_tile_whose_place_looks_unlike_the_table_is_gone_after_a_while(watch: Watch) -> None:
    del watch.table.tiles[500, 400]
    watch.table.over = [(486, 386, 514, 414)]
    assert word(watch.rests()) == "ABCD"
    assert word(watch.see(25)) == "ABC"


def test_a_tile_amid_others_is_known_until_its_place_has_rested(watch: Watch) -> None:
    del watch.table.tiles[500, 400]
    watch.table.tiles |= {(x, y): "E" for x in range(350, 800, 34) for y in range(316, 580, 34)}
    watch = fresh(watch)
    full = len(watch.rests().reading.tiles)
    del watch.table.tiles[588, 452]
    assert len(watch.rests().reading.tiles) == full
    assert len(watch.see(25).reading.tiles) == full - 1


def heap() -> Watch:
    """Return somebody new to a heap of tiles that lie side by side."""
    watch = Watch()
    watch.table.tiles = {(x, y): "E" for x in range(200, 540, 34) for y in range(200, 540, 34)}
    watch.rests()
    return watch


def test_a_tile_taken_while_its_neighbours_are_pushed_is_gone_after_two_seconds_of_rest() -> None:
    watch = heap()
    for x in (336, 370, 404):
        for y in (336, 370, 404):
            del watch.table.tiles[x, y]
            watch.table.tiles[x + 1, y + 1] = "E"
    del watch.table.tiles[371, 371]
    watch.table.over = [(355, 355, 387, 387)]  # bare wood unlike any that was seen before
    assert len(watch.see(24).reading.tiles) == 99


def test_a_heap_that_could_not_all_be_read_is_gone_two_seconds_after_it_was_cleared_away() -> None:
    watch = Watch()
    watch.reader.blind = {"C"}
    heaped = [(x, y) for y in range(60, 560, 34) for x in range(60, 400, 34)]
    watch.table.tiles = {place: "CE"[k % 2] for k, place in enumerate(heaped)}
    watch.table.tiles |= {(x, y): "E" for x in range(500, 780, 50) for y in range(60, 560, 50)}
    watch.rests()
    for place in heaped:
        del watch.table.tiles[place]
    assert len(watch.see(22).reading.tiles) == 60


def test_a_hand_that_rests_on_tiles_for_seconds_takes_none_away(watch: Watch) -> None:
    watch.table.over = [HAND]
    assert word(watch.see(60)) == "ABCD"


def test_a_tile_put_back_where_one_was_taken_is_read(watch: Watch) -> None:
    del watch.table.tiles[500, 400]
    watch.rests()
    watch.table.tiles[502, 401] = "C"
    assert word(watch.rests()) == "ABCC"
    del watch.table.tiles[502, 401]
    assert word(watch.rests()) == "ABC"


def test_a_shadow_as_large_as_the_tableau_hides_nothing_that_can_be_read(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = watch.table.drawn
    monkeypatch.setattr(watch.table, "drawn", lambda: shaded(drawn(), (100, 100, 400, 300)))
    seen = watch.rests()
    assert (word(seen), seen.covered, seen.changed) == ("ABCD", (), ())


def fresh(watch: Watch) -> Watch:
    """Return somebody new to a table, who never saw what lies under its tiles."""
    newcomer = Watch()
    newcomer.table = watch.table
    return newcomer


def shaded(frame: Picture, box: tuple[int, int, int, int]) -> Picture:
    """Return a frame with an eighth of the light taken off a part of it."""
    left, top, right, bottom = box
    frame[top:bottom, left:right] = frame[top:bottom, left:right] * 0.875
    return frame
