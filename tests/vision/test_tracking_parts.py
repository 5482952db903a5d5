"""Known tiles are grouped part by part, and say what they would say grouped all together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.model.reading import Reading
from companion.model.tiles import TileSet, tile_set
from companion.vision.camera_frame import CameraFrame
from companion.vision.classifier import ClassProbabilities
from companion.vision.colour import NEIGHBOURS
from companion.vision.grid.board import Board
from companion.vision.pipeline.evidence import compared_tiles
from companion.vision.pipeline.frame import FrameDetections, concatenate_frames
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking.block_grid import BlockGrid
from companion.vision.tracking.publish import PartCache, islands
from companion.vision.tracking.track import Matches, Tracks, separations
from tests.vision.made_detections import detections_at, probabilities_of

SIDE = 40.0


class Counting(Reader):
    """Groups tiles as the reader does, and counts how many it was given each time."""

    def __init__(self, tiles: TileSet) -> None:
        self.tile_set, self.board, self.tile_size = tiles, None, None
        self.given: list[int] = []

    def reading(self, detected: FrameDetections, frame: CameraFrame | None = None) -> Reading:
        self.given.append(len(detected.detections))
        return super().reading(detected, frame)


def words(*lines: str, sure: float = 0.99) -> FrameDetections:
    """Return a look at words, each 200 pixels below the one before."""
    places = [(100 + 41 * k, 100 + 200 * row) for row, line in enumerate(lines) for k in range(len(line))]
    probabilities = probabilities_of(*"".join(lines), sure=sure, others="I" * len(places))
    return FrameDetections((800, 100 + 200 * len(lines)), detections_at(places, SIDE), probabilities, 0.35)


def known(detected: FrameDetections) -> Tracks:
    grid = BlockGrid(detected.size[1], detected.size[0], 4)
    return Tracks(grid, detected, 0)


@pytest.fixture
def reader() -> Counting:
    return Counting(tile_set("bananagrams-en"))


def one(probabilities: ClassProbabilities, number: int) -> ClassProbabilities:
    return probabilities.kept(np.array([number]))


def test_parts_say_what_the_whole_says(reader: Counting) -> None:
    detected = words("CAT", "PLANTED", "Q", "IS")
    assert PartCache(reader).reading(known(detected)) == reader.reading(detected)


def test_only_the_part_that_changed_is_grouped_anew(reader: Counting) -> None:
    tiles, apart = known(words("CAT", "PLANTED", "Q")), PartCache(reader)
    apart.reading(tiles)
    detected = replace(tiles.detected.kept(np.array([2])), probabilities=probabilities_of("B"))
    tiles.observe(np.array([2]), detected, np.array([False]))
    reader.given.clear()
    reading = apart.reading(tiles)
    assert reader.given == [3]
    assert ["".join(cell.symbol for cell in tableau.cells) for tableau in reading.tableaux] == [
        "CAB",
        "PLANTED",
    ]


def test_tableaux_are_numbered_anew_when_one_before_them_is_taken_away(reader: Counting) -> None:
    tiles, apart = known(words("CAT", "PLANTED")), PartCache(reader)
    apart.reading(tiles)
    tiles.replace_tiles(np.arange(10) >= 3, tiles.detected.kept(np.zeros(0, np.intp)), np.zeros(0, np.int64))
    reading = apart.reading(tiles)
    assert {tile.tableau for tile in reading.tiles} == {0}
    assert reading == reader.reading(tiles.detected)


def test_tiles_stay_in_the_order_in_which_they_are_known(reader: Counting) -> None:
    first, later = words("CAT", "DOG"), words("", "", "X")
    tiles = known(first)
    tiles.replace_tiles(np.ones(6, bool), later, np.zeros(1, np.int64))
    reading = PartCache(reader).reading(tiles)
    assert "".join(tile.symbol or "_" for tile in reading.tiles) == "CATDOGX"


def test_the_tiles_on_a_board_are_taken_together(reader: Counting) -> None:
    detected = words("CAT", "DOG")
    board = Board(np.array([[40.0, 0, 20], [0, 40.0, 20], [0, 0, 1]]))
    PartCache(reader).reading(known(replace(detected, board=board)))
    assert reader.given == [6]


def test_an_empty_table_has_no_parts(reader: Counting) -> None:
    assert PartCache(reader).reading(known(words())).tiles == ()


def test_islands_are_tiles_that_reach_each_other_also_by_way_of_others() -> None:
    chain = detections_at([(500 - 90 * k, 50) for k in range(6)] + [(700, 50)], SIDE)
    assert islands(chain).tolist() == [0, 0, 0, 0, 0, 0, 6]


@pytest.mark.parametrize(("hidden", "sure"), [(False, True), (True, False)])
def test_looks_at_a_tile_before_it_was_hidden_count_as_one(hidden: bool, sure: bool) -> None:
    tiles = known(words("Q"))
    for _ in range(7):
        tiles.observe(np.array([0]), tiles.detected, np.array([True]))
    unclear = replace(tiles.detected, probabilities=probabilities_of("G", sure=0.6, others="Q"))
    assert tiles.observe(np.array([0]), unclear, np.array([not hidden])).all()
    chance = float(tiles.detected.probabilities.p_symbol[0].sum(1).max())
    assert (chance > 0.9) is sure


def test_neighbours_seen_obliquely_lie_beside_each_other() -> None:
    pair = detections_at([(100, 100), (100, 118)], SIDE)
    low = replace(pair, shapes=np.tile(np.diag([40.0, 16.0]), (2, 1, 1)))
    tracks = known(replace(words("AB"), detections=low))
    upper = Matches.of(tracks.detected.kept(np.array([True, False])), tracks)
    assert upper.on.tolist() == [0]
    assert not upper.on_top(np.array([False, True])).any()


@pytest.mark.parametrize(
    ("away", "turn", "apart"),
    [((32, 0), 0.0, 1.0), ((24, 8), 0.0, 0.75), ((26, 26), 0.0, 26 / 32), ((38.63, 0), np.pi / 4, 1.0)],
)
def test_tiles_are_one_apart_where_they_touch(away: tuple[float, float], turn: float, apart: float) -> None:
    one, other = detections_at([(100, 100)], 32), detections_at([(100 + away[0], 100 + away[1])], 32)
    other = replace(other, turns=np.array([turn]))
    assert separations(one, other)[0, 0] == pytest.approx(apart, abs=0.001)
    assert separations(other, one)[0, 0] == pytest.approx(apart, abs=0.001)


@pytest.mark.parametrize(("p_background", "stays"), [(0.4, True), (0.6, False)])
def test_what_the_detector_never_finds_again_goes_where_it_looks_like_background(
    p_background: float, stays: bool
) -> None:
    tiles = known(words("CAT", "PLANTED"))
    seen = tiles.detected.probabilities
    background = np.where(np.arange(10) == 4, p_background, 0.0)
    probabilities = replace(
        seen, p_symbol=seen.p_symbol * (1 - background[:, None, None]), p_background=background
    )
    tiles.detected = replace(tiles.detected, probabilities=probabilities)
    tiles.missed[:] = 3
    tiles.drop_ghosts(np.array([3, 4, 5]))
    assert len(tiles) == 9 + stays


def test_a_face_is_compared_with_the_nearest_letters_however_far() -> None:
    lettered = words("CAT", "PLANTED")
    vague = replace(words("Q", sure=0.3), detections=detections_at([(700, 700)], SIDE))
    every = concatenate_frames(lettered, vague)
    chosen = compared_tiles(every, (690, 690, 710, 710))
    assert len(chosen.detections) == NEIGHBOURS + 1
    assert not len(compared_tiles(vague, (0, 0, 10, 10)).detections)
