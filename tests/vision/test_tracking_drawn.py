"""The real reader over frames of drawn tables: large clear tiles, a hand, a tile that is moved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.drawing import clutter
from calibration.drawing.camera import View
from calibration.drawing.layout import PlacedTile
from calibration.drawing.scene import Scene, draw_placed
from companion.model.tiles import tile_set
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import TrackedReading, Tracker
from tests.slow import mostly_slow

Picture = NDArray[np.uint8]

VIEW = View(1280, 960, 60, 0, 0)
WORD = [PlacedTile(-6 + 1.04 * k, -2, 0.0, letter, 0, (0, k)) for k, letter in enumerate("PLANTED")]
LOOSE = [PlacedTile(5, 3, 0.4, "K"), PlacedTile(-5, 4, 2.0, "Z")]
STEP = 100_000_000
SEEDS = (1, 3, 4, 6, 7, 9, 10, 11, 12, 13)
"""Of table, set and light, wood and cloth, light tiles and dark ones: tables that one frame shows clearly."""


def scene(seed: int, *moved: PlacedTile) -> Scene:
    """Return the table, with other places for the loose tiles."""
    return draw_placed(np.random.default_rng(seed), VIEW, [*WORD, *(moved or LOOSE)], severity=0.3)


class Camera:
    """Takes frames with noise, in light that flickers a little."""

    def __init__(self) -> None:
        self.steady = Tracker(Reader(tile_set("bananagrams-en")))
        self.rng = np.random.default_rng(1)
        self.now = 0

    def takes(self, picture: NDArray[np.number]) -> TrackedReading:
        """Return what is known after one more frame."""
        self.now += STEP
        light = picture * self.rng.uniform(0.96, 1.02) + self.rng.normal(0, 2, picture.shape)
        return self.steady.update(np.clip(light, 0, 255).astype(np.uint8), self.now)

    def rests(self, picture: NDArray[np.number]) -> TrackedReading:
        """Return what is known after the table has been at rest."""
        return [self.takes(picture) for _ in range(4)][-1]


def words(seen: TrackedReading) -> list[str]:
    """Return the letters of every tableau."""
    return ["".join(cell.symbol for cell in tableau.cells) for tableau in seen.reading.tableaux]


def loose(seen: TrackedReading) -> set[str | None]:
    """Return the tiles in no tableau."""
    return {tile.symbol for tile in seen.reading.tiles if tile.tableau is None}


def hands(picture: Picture) -> Iterator[tuple[NDArray[np.float32], NDArray[np.uint8]]]:
    """Yield the table under hands of all kinds, and what each hides."""
    for seed in range(1000):
        cover = np.zeros(picture.shape, np.uint8)
        over = picture.astype(np.float32)
        clutter.draw_hand(np.random.default_rng(seed), over, cover, VIEW.tile_px)
        yield over, cover


def hidden(drawn_scene: Scene, cover: NDArray[np.uint8]) -> int:
    """Return how many tiles of the word have their middle under a hand."""
    middles = [tile.corners.mean(0).astype(int) for tile in drawn_scene.tiles if tile.placed.group == 0]
    return sum(cover[y, x] > 127 for x, y in middles)


@pytest.mark.parametrize("seed", mostly_slow(SEEDS))
def test_a_tile_that_is_moved_on_a_drawn_table_is_followed(seed: int) -> None:
    camera = Camera()
    before = camera.rests(scene(seed).picture)
    assert (words(before), loose(before), before.still) == (["PLANTED"], {"K", "Z"}, True)
    after = scene(seed, replace(LOOSE[0], x=7.0, y=1.0, turn=1.3), LOOSE[1])
    seen = [camera.takes(after.picture) for _ in range(30)]
    assert (words(seen[-1]), loose(seen[-1]), seen[-1].covered) == (["PLANTED"], {"K", "Z"}, ())
    assert len(seen[-1].reading.tiles) == 9
    told = [frame for frame in seen if frame.changed]
    assert len(told) == 1
    (number,) = told[0].changed
    tile, truth = told[0].reading.tiles[number], next(t for t in after.tiles if t.symbol == "K")
    assert tile.symbol == "K"
    assert np.hypot(*(np.array(tile.centre) - truth.corners.mean(0))) < 0.1 * VIEW.tile_px
    assert told[0].since_ns == 5 * STEP


@pytest.mark.parametrize("seed", mostly_slow(SEEDS))
def test_hands_over_a_drawn_tableau_change_nothing(seed: int) -> None:
    camera, table = Camera(), scene(seed)
    camera.rests(table.picture)
    over = ((hand, cover) for hand, cover in hands(table.picture) if hidden(table, cover) >= 2)
    for hand, cover in islice(over, 5):
        seen = [camera.takes(hand) for _ in range(4)]
        assert [words(frame) for frame in seen] == [["PLANTED"]] * 4
        assert loose(seen[-1]) == {"K", "Z"}
        assert len(seen[-1].covered) >= hidden(table, cover)
    seen = [camera.takes(table.picture) for _ in range(4)]
    assert (words(seen[-1]), loose(seen[-1]), seen[-1].covered) == (["PLANTED"], {"K", "Z"}, ())
