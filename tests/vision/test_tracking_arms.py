"""Arms and cups that rest over tiles, tiles laid beside them: all are read, or told to be unseen."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.grid.homography import Box
from tests.slow import mostly_slow
from tests.vision import simple_table
from tests.vision.simple_table import LETTERS, MS, SIDE, TABLE, Watch, letters, word

ARM: Box = (440, 340, 800, 440)
"""Lies on the tile at (500, 400)."""


def arm(side: int, tip: int, across: int, breadth: int) -> Box:
    """Return an arm from a side of the table, 0 to 3, whose tip and middle are given in pixels."""
    low, high, tip = max(0, across - breadth), across + breadth, min(max(0, tip), (800, 600)[side > 1])
    return ((tip, low, 800, high), (0, low, tip, high), (low, 0, high, tip), (low, tip, high, 600))[side]


@pytest.mark.parametrize("grey", [TABLE, TABLE + 10])
@pytest.mark.parametrize("seconds", mostly_slow([12, 9, 20]))
@pytest.mark.parametrize("first", [True, False])
def test_a_tile_comes_back_from_under_an_arm_that_looks_like_the_table(
    grey: int, seconds: int, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simple_table, "SKIN", grey)
    watch = Watch()
    watch.table.noise = 1.5
    watch.table.row("ABC", (200, 200))
    if not first:
        watch.rests()
    watch.table.tiles |= {(500, 400): "D", (600, 500): "E"}
    watch.see(8)
    for k in range(10 * seconds):
        watch.table.over = [ARM, (400 + 6 * (k % 2), 340, 440, 440)]
        watch.see()
    watch.table.over = []
    assert word(watch.see(20)) == "ABCDE"


@pytest.mark.parametrize("seed", mostly_slow([30, 122, 325, 114, 191, *range(20)]))
def test_tiles_that_are_laid_beside_an_arm_are_read_once_it_has_gone(seed: int) -> None:
    rng, watch, (x, y) = np.random.default_rng(seed), Watch(), (480, 380)
    watch.table.noise = 1.5
    watch.table.row("ABC", (200, 200))
    watch.see(5)
    watch.table.row("DE", (x, y))
    watch.table.row("DA", (x, y + SIDE + 1))
    side, reach = int(rng.integers(4)), int(rng.integers(-20, 70))
    tips, across = (x + 66, x - 16, y - 16, y + 60), (y + 20, y + 20, x + 20, x + 20)[side]

    def rests(by: int, frames: int) -> None:
        toward = by if side in (1, 2) else -by
        watch.table.over = [arm(side, tips[side] + toward, across, 60)]
        watch.see(frames)

    for k in range(int(rng.integers(3, 40))):
        rests(reach + (int(rng.integers(-6, 7)) if k % 3 == 0 else 0), 1)
    for _ in range(4):
        rests(int(rng.integers(-20, 70)), int(rng.integers(1, 12)))
    watch.table.over = []
    assert sorted(word(watch.see(30))) == sorted("ABCDEDA")


@pytest.mark.parametrize("grey", [60, 130, 160])
@pytest.mark.parametrize("folds", mostly_slow([0.0, 1.0]))
def test_tiles_under_a_cup_amid_others_are_remembered_and_told_to_be_covered(
    grey: int, folds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simple_table, "SKIN", grey)
    monkeypatch.setattr(simple_table, "FOLDS", folds)
    watch = Watch(refresh_ns=20_000 * MS)
    watch.table.noise = 1.5
    watch.rests()
    for k in range(4):
        watch.table.row("ABCD", (300, 200 + (SIDE + 1) * k))
    laid = word(watch.see(10))
    left, top = 300 + SIDE // 2, 200 + SIDE // 2
    watch.table.over = [(left, top, left + 2 * (SIDE + 1), top + 2 * (SIDE + 1))]
    seen = watch.see(600)
    assert (word(seen), letters(seen, seen.covered), len(seen.covered)) == (laid, {"B", "C"}, 4)
    watch.table.over = []
    seen = watch.see(20)
    assert (word(seen), seen.covered) == (laid, ())


@pytest.mark.parametrize(
    ("ms", "seed"), [*mostly_slow([(100, seed) for seed in range(40)]), (300, 287), (300, 640)]
)
def test_whatever_is_done_under_an_arm_is_read_or_told_to_be_unseen(
    ms: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simple_table, "STEP", ms * MS)
    rng, watch = np.random.default_rng(seed), Watch()
    monkeypatch.setattr(simple_table, "SKIN", int(rng.choice([60, 90, 105, 130, 160, 200])))
    monkeypatch.setattr(simple_table, "FOLDS", float(rng.choice([0, 0.5, 1, 3])))
    x, y = rng.integers(200, 400, 2).tolist()
    places = [(x + (SIDE + 1) * k, y + (SIDE + 1) * n) for k in range(5) for n in range(4)]
    tiles, share = watch.table.tiles, rng.choice([0.1, 0.5])
    watch.table.noise = 1.5
    watch.table.row("ABC", (150, 60))
    tiles.update((place, rng.choice(list(LETTERS))) for place in places if rng.random() < share)
    watch.see(8)
    for _ in range(int(rng.integers(1, 5))):
        side, breadth, at = int(rng.integers(4)), int(rng.integers(25, 70)), places[rng.integers(len(places))]
        across, toward = at[side < 2], 1 if side in (1, 2) else -1

        def reaches(by: int, frames: int = 1) -> None:
            watch.table.over = [arm(side, at[side > 1] + toward * by, across, breadth)]  # noqa: B023
            watch.see(frames)

        for by in (-120, -60, 0, 20):
            reaches(by)
        for k in rng.integers(len(places), size=int(rng.integers(4))):
            if places[k] in tiles and rng.random() < 0.5:
                del tiles[places[k]]
            else:
                tiles[places[k]] = str(rng.choice(list(LETTERS)))
        tremble = int(rng.choice([0, 3, 8]))
        for k in range(int(rng.choice([1, 3, 10, 30, 110]))):
            reaches(20 + tremble * (k % 2))
        for by in (int(rng.integers(-60, 30)), 0, -60, -120):
            reaches(by, int(rng.choice([1, 5])))
        watch.table.over = []
        watch.see(int(rng.choice([2, 6, 20])))
    seen = watch.see(40)
    every = [*places, *tiles]
    found = {
        min(every, key=lambda place: float(np.hypot(*np.subtract(place, tile.centre)))): tile.symbol
        for tile in seen.reading.tiles
    }
    untold = {
        (place, letter)
        for place, letter in found.items() ^ tiles.items()
        if not any(box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3] for box in seen.unseen)
    }
    assert not untold
