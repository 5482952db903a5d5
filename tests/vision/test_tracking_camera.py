"""The reading over frames where light, camera or reader change, and the evidence of many looks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.errors import BadPicture
from companion.vision.camera_frame import Frame
from companion.vision.tracking import Tracker
from companion.vision.tracking.track import has_other_size
from tests.vision import simple_table
from tests.vision.simple_table import MS, SIDE, STEP, SimpleReader, Table, Watch, letters, word


def laid(*sure: float, again_s: int = 3600) -> Watch:
    """Return a table with three tiles in a word and two loose ones, known and at rest."""
    watch = Watch(*sure, refresh_ns=again_s * 1000 * MS)
    watch.table.row("ABC", (200, 200))
    watch.table.tiles |= {(500, 400): "D", (600, 500): "E"}
    watch.rests()
    return watch


def test_noise_is_learnt_and_nothing_is_read_into_it() -> None:
    watch = laid()
    watch.table.noise = 5.0
    seen = watch.see(40)
    assert (word(seen), seen.covered, watch.reader.within) == ("ABCDE", (), 0)


def test_lamps_that_flicker_change_nothing() -> None:
    watch = laid()
    watch.table.noise = 1.5
    for k in range(20):
        watch.table.gain = 0.85 if k % 2 else 1.0
        watch.see()
    seen = watch.see()
    assert (word(seen), seen.covered, seen.still, watch.reader.within) == ("ABCDE", (), True, 0)


def test_dusk_changes_nothing() -> None:
    watch = laid()
    for k in range(150):
        watch.table.gain = 1 - 0.003 * k
        watch.see()
    seen = watch.see()
    assert (word(seen), seen.covered, seen.still) == ("ABCDE", (), True)
    assert (watch.reader.whole, watch.reader.within) == (1, 0)


def test_light_that_slowly_wanders_over_the_table_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = laid()
    drawn, slope = watch.table.drawn, np.linspace(-1, 1, 800)

    def lit() -> Frame:
        return np.asarray(drawn() * (1 + 0.0003 * watch.table.frames * slope), np.uint8)

    monkeypatch.setattr(watch.table, "drawn", lit)
    watch.table.tiles = {at: s for at, s in watch.table.tiles.items() if s != "E"}
    seen = watch.see(300)
    assert (word(seen), seen.covered) == ("ABCD", ())
    assert watch.reader.within == 1


def test_when_the_light_goes_out_everything_is_remembered() -> None:
    watch = laid()
    watch.table.gain = 0.02
    seen = watch.see(30)
    assert word(seen) == "ABCDE"
    assert letters(seen, seen.covered) == set("ABCDE")
    watch.table.gain = 1.0
    seen = watch.rests()
    assert (word(seen), seen.covered, seen.since_ns, seen.began_ns) == ("ABCDE", (), STEP, STEP)


def test_a_flash_hides_everything_and_empties_nothing() -> None:
    watch = laid()
    watch.table.gain = 100.0
    seen = watch.see(10)
    assert (word(seen), len(seen.covered)) == ("ABCDE", 5)
    watch.table.gain = 1.0
    seen = watch.rests()
    assert (word(seen), seen.covered) == ("ABCDE", ())


def test_somebody_who_leans_over_the_whole_table_hides_it() -> None:
    watch = laid()
    watch.table.over = [(0, 0, 560, 600)]
    seen = watch.see(30)
    assert word(seen) == "ABCDE"
    assert letters(seen, seen.covered) == set("ABCD")


def test_a_bumped_camera_makes_everything_be_read_anew() -> None:
    watch = laid()
    watch.table.tiles = {(x + 11, y + 23): letter for (x, y), letter in watch.table.tiles.items()}
    seen = watch.rests()
    assert (word(seen), seen.covered, seen.since_ns) == ("ABCDE", (), 5 * STEP)
    assert seen.began_ns == seen.since_ns
    assert min(tile.centre for tile in seen.reading.tiles) == (210.5, 222.5)
    assert watch.reader.whole == 2


def test_a_bumped_camera_is_told_where_part_of_the_pattern_looks_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wood, moved = 4 * simple_table.WOOD, 4 * simple_table.WOOD
    moved[:390] = np.roll(wood[:390], (23, 11), (0, 1))
    monkeypatch.setattr(simple_table, "WOOD", wood)
    watch = laid()
    monkeypatch.setattr(simple_table, "WOOD", moved)
    watch.table.tiles = {(x + 11, y + 23): letter for (x, y), letter in watch.table.tiles.items()}
    seen = watch.rests()
    assert (word(seen), seen.covered, watch.reader.whole) == ("ABCDE", (), 2)
    assert min(tile.centre for tile in seen.reading.tiles) == (210.5, 222.5)


def test_while_the_camera_is_shaken_nothing_is_read() -> None:
    watch = laid()
    steady = watch.table.tiles
    for k in range(1, 8):
        watch.table.tiles = {(x + 9 * k, y + 5 * k): letter for (x, y), letter in steady.items()}
        assert word(watch.see()) == "ABCDE"
    assert (watch.reader.whole, watch.reader.within) == (1, 0)


def test_looks_at_a_doubted_tile_add_up_until_the_doubt_is_gone() -> None:
    watch = Watch(0.6, 0.99)
    watch.table.tiles[200, 200] = "A"
    first = watch.see().reading.tiles[0]
    seen = watch.see(12).reading.tiles[0]
    assert (first.doubt, seen.doubt) == (True, False)
    assert seen.confidence > first.confidence


def test_a_tile_that_stays_in_doubt_is_not_looked_at_for_ever() -> None:
    watch = Watch(0.6)
    watch.table.tiles[200, 200] = "A"
    assert watch.see(30).reading.tiles[0].doubt
    assert watch.reader.named == 8


def test_one_bad_look_does_not_outweigh_the_others() -> None:
    watch = laid(again_s=1)
    watch.see(100)
    watch.reader.sure = [0.2, 0.99]
    assert word(watch.see(20)) == "ABCDE"


def test_the_whole_picture_is_looked_at_again_after_a_while() -> None:
    watch = laid(again_s=1)
    whole = watch.reader.whole
    watch.see(10)
    assert watch.reader.whole == whole + 1


def test_the_whole_picture_is_looked_at_again_though_something_moves_all_the_time() -> None:
    watch = Watch(refresh_ns=2000 * MS)
    watch.table.row("ABC", (200, 200))
    watch.rests()
    for n in range(30):
        watch.table.tiles[100 + 60 * (n % 10), 300 + 60 * (n // 10)] = "D"
        watch.see()
    assert watch.reader.whole == 2


def test_when_the_whole_picture_was_looked_at_last_is_told() -> None:
    watch = Watch()
    watch.table.row("ABC", (200, 200))
    assert watch.rests().whole_ns == STEP
    watch.steady.request_detection()
    assert watch.see(3).whole_ns == 5 * STEP


@pytest.mark.parametrize(("tile_size", "more"), [(float(SIDE), 1), (None, 2)])
def test_the_whole_picture_is_looked_at_again_on_request(tile_size: float | None, more: int) -> None:
    watch = laid()
    watch.reader.tile_size = tile_size  # without a calibration their size is searched for, too
    passes = watch.reader.whole + watch.reader.within
    watch.steady.request_detection()
    seen = watch.see(3)
    assert (word(seen), seen.changed) == ("ABCDE", ())
    assert watch.reader.whole + watch.reader.within == passes + more


def test_what_one_look_at_the_whole_picture_overlooks_is_known_all_the_same() -> None:
    watch = laid()
    watch.reader.blind = {"E"}
    watch.steady.request_detection()
    assert word(watch.rests()) == "ABCDE"


def test_what_more_looks_at_the_whole_picture_overlook_than_have_seen_it_was_no_tile() -> None:
    watch = laid()
    watch.reader.blind = {"E"}
    watch.steady.request_detection()
    watch.rests()
    watch.steady.request_detection()
    seen = watch.rests()
    assert (word(seen), seen.covered, seen.since_ns) == ("ABCD", (), STEP)


def test_what_a_look_overlooks_where_the_bare_table_is_to_be_seen_is_gone_at_once() -> None:
    watch = laid()
    watch.table.tiles[700, 300] = "C"
    assert word(watch.rests()) == "ABCDEC"
    del watch.table.tiles[700, 300]
    scene = watch.steady._scene  # noqa: SLF001 - only a neighbour's news in the same frame leads here
    assert scene is not None
    scene.update(watch.table.drawn(), watch.now + STEP // 2, 0)
    scene.background.learn(scene.grid.mask(scene.tracks.spots[[5]]), tile=True)
    assert word(watch.rests()) == "ABCDEC"
    watch.steady.request_detection()
    assert word(watch.rests()) == "ABCDE"


def test_a_new_tile_that_one_look_overlooks_is_seen_by_another_of_the_same_frame() -> None:
    watch = Watch()
    watch.table.row("ABC", (200, 200))
    watch.rests()
    watch.reader.faint = {"D"}
    watch.table.tiles[500, 400] = "D"
    assert word(watch.rests()) == "ABCD"


def test_what_the_whole_picture_was_read_without_is_found_on_request() -> None:
    watch = Watch()
    watch.reader.faint = {"D"}
    watch.table.row("ABCD", (200, 200))
    assert word(watch.rests()) == "ABC"
    watch.steady.request_detection()
    assert word(watch.see()) == "ABCD"


def test_a_look_at_the_whole_picture_forgets_nothing_that_is_hidden() -> None:
    watch = laid()
    watch.table.over = [(150, 0, 400, 300)]
    watch.rests()
    watch.steady.request_detection()
    assert word(watch.rests()) == "ABCDE"


def test_the_first_tile_on_an_empty_table_is_found() -> None:
    watch = Watch()
    assert word(watch.rests()) == ""
    watch.table.tiles[300, 300] = "B"
    seen = watch.rests()
    assert (word(seen), seen.since_ns) == ("B", 5 * STEP)


def test_a_hand_that_lays_the_first_tiles_is_not_learnt_as_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simple_table, "WOOD", 4 * simple_table.WOOD)
    monkeypatch.setattr(simple_table, "SKIN", 130)
    watch = Watch()
    assert word(watch.rests()) == ""
    watch.table.row("AB", (300, 300))
    for k in range(6):
        watch.table.over = [(310 + 4 * k, 0, 520 + 4 * k, 290)]
        watch.see()
    watch.table.row("C", (430, 250))
    watch.table.over = []
    assert word(watch.rests()) == "ABC"


def test_the_size_of_tiles_on_an_empty_table_may_be_known() -> None:
    table, reader = Table(), SimpleReader(tile_size=32)
    steady = Tracker(reader, settle_ns=0)
    assert steady.update(table.drawn(), 0).reading.tiles == ()
    table.tiles[300, 300] = "B"
    assert word(steady.update(table.drawn(), 1)) == "B"


def test_many_changed_places_are_looked_at_as_one_picture() -> None:
    watch = laid()
    for k in range(8):
        watch.table.tiles[60 + 90 * k, 60] = "B"
    seen = watch.rests()
    assert len(seen.reading.tiles) == 13
    assert watch.reader.within == 1


def test_a_look_over_a_known_table_does_not_search_for_the_size_of_its_tiles() -> None:
    table, reader = Table(), SimpleReader()
    steady = Tracker(reader, settle_ns=0, refresh_ns=STEP)
    for row in (60, 160):
        table.row("ABCDE", (60, row))
    steady.update(table.drawn(), 0)
    steady.update(table.drawn(), STEP)
    assert reader.told_sizes == [None, pytest.approx(32, abs=3)]


def test_where_every_frame_rests_a_change_is_read_at_once() -> None:
    watch = Watch(settle_ns=0)
    watch.table.tiles[200, 200] = "A"
    watch.see()
    watch.table.tiles[300, 300] = "B"
    assert word(watch.see()) == "AB"


def test_frames_of_another_size_begin_anew() -> None:
    watch = laid()
    seen = watch.steady.update(watch.table.drawn()[:450], watch.now + STEP)
    assert (word(seen), seen.reading.height) == ("ABCD", 450)


def test_frames_in_colour_are_read_like_grey_ones() -> None:
    table, reader = Table(), SimpleReader()
    steady = Tracker(reader, settle_ns=0)
    table.tiles[200, 200] = "A"
    steady.update(np.dstack([table.drawn()] * 3), 0)
    table.tiles[300, 300] = "B"
    assert word(steady.update(np.dstack([table.drawn()] * 3), 1)) == "AB"
    assert reader.whole == 1


def test_frames_that_do_not_come_in_order_are_refused() -> None:
    watch = laid()
    with pytest.raises(BadPicture, match="400000000 ns is not after 400000000 ns"):
        watch.steady.update(watch.table.drawn(), watch.now)


@pytest.mark.parametrize("kind", [np.float32, np.uint16])
def test_what_is_no_picture_is_refused_and_changes_nothing(kind: type) -> None:
    watch = laid()
    with pytest.raises(BadPicture, match="a picture is uint8"):
        watch.steady.update(watch.table.drawn().astype(kind), watch.now + STEP)
    assert word(watch.see()) == "ABCDE"


def test_a_tile_is_lifted_beside_one_in_doubt() -> None:
    watch = Watch(0.6)
    watch.table.row("ABC", (200, 200))
    watch.rests()
    watch.table.tiles[500, 400] = "D"
    watch.rests()
    del watch.table.tiles[500, 400]
    assert word(watch.rests()) == "ABC"


def test_a_tile_that_is_exchanged_beside_a_hand_is_read_once_the_hand_is_gone() -> None:
    watch = Watch()
    watch.table.row("ABC", (200, 200))
    watch.rests()
    watch.table.tiles[233, 200] = "D"
    watch.table.over = [(150, 225, 330, 600)]
    watch.rests()
    watch.table.over = []
    assert word(watch.rests()) == "ADC"


@pytest.mark.parametrize(("known", "sure"), [("AB", 0.99), ("ABDEABDEABDE", 0.6)])
def test_while_few_tiles_are_surely_known_the_whole_picture_is_searched_soon(known: str, sure: float) -> None:
    watch = Watch(sure)
    watch.table.row(known, (60, 200))
    watch.rests()
    watch.reader.blind = {"C"}
    watch.table.tiles[500, 400] = "C"
    assert word(watch.rests()) == known
    watch.reader.blind = set()
    assert word(watch.see(50)) == known + "C"
    assert watch.reader.told_sizes[-1] is None


def test_the_first_tiles_of_another_size_were_none_where_more_are_likelier() -> None:
    watch = Watch()
    watch.table.row("ABCD", (200, 200))
    known = watch.rests().detected
    wide = replace(known, scale=0.5)
    assert has_other_size(wide, replace(known.kept(np.array([0])), scale=1.0))
    assert not has_other_size(wide.kept(np.array([0])), known)
    assert not has_other_size(replace(known, scale=0.9), known.kept(np.array([0])))
    assert not has_other_size(replace(known, scale=None), known.kept(np.array([0])))


def test_a_table_whose_first_tiles_were_none_starts_again() -> None:
    watch = Watch()
    watch.reader.blind = set("BCDE")
    watch.table.row("ABCDE", (200, 200))
    assert word(watch.rests()) == "A"
    watch.table.tiles[500, 400] = "B"
    assert word(watch.rests()) == "A"
    watch.reader.blind, watch.reader.scale = {"A"}, 0.5
    assert word(watch.see(50)) == "BCDEB"


def test_a_size_that_fails_at_first_is_begun_with_the_next_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = laid()
    larger = np.pad(watch.table.drawn(), ((0, 100), (0, 200)), mode="edge")
    with monkeypatch.context() as faulty:
        faulty.setattr(watch.reader, "detect", lambda _frame: [].pop())
        with pytest.raises(IndexError):
            watch.steady.update(larger, watch.now + STEP)
    seen = watch.steady.update(larger, watch.now + 2 * STEP)
    assert (seen.reading.height, seen.reading.width, word(seen)) == (*larger.shape, "ABCDE")
