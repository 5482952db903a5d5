"""A drawn board under two cameras that face each other: one board, exact, and again with one camera gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from companion.model.reading import Piece
from companion.model.sightings import Board
from companion.model.tiles import tile_set
from companion.table.board_fusion import BoardPlan
from companion.table.fusion import CameraPose
from companion.table.views import SHARED_BOARD, BoardView
from companion.vision.camera_frame import Frame
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import TrackedReading, Tracker
from tests.slow import mostly_slow
from tests.table.board_cameras import HEIGHT, WIDTH, Cells, Drawn, glaring, veiled

SUM = {(7, 5 + n): symbol for n, symbol in enumerate("1+1=10")}
"""An equation of signs that look much the same upside down."""

MORE = {**SUM, (8, 5): "OR", (9, 5): "0", (10, 5): "=", (11, 5): "1", (9, 6): "AND", (9, 7): "1"}
GLARE = {"near": (770, 420), "far": (330, 420)}
"""Where each camera sees the board's middle square, or about there."""

ROWS = ("TIGER", "ABCDE", "FGHIJ", "KLMNO", "CRANE")
LETTERS = {(row, col): symbol for row, text in enumerate(ROWS) for col, symbol in enumerate(text)}
OPEN = {at: symbol for at, symbol in LETTERS.items() if at[0] in {1, 2, 3}}
HOME = {"red": [(4, col) for col in range(5)], "blue": [(0, col) for col in range(5)]}
AWARDS = ((("red", "small"), (1, -2)), (("blue", "medium"), (3, 6)))


@cache
def reader(kind: str) -> Reader:
    return Reader(tile_set("binary" if kind == "scrabble" else "scrabble-en"), kind)


@dataclass
class Two:
    """Two cameras over a drawn board, each read over its frames."""

    drawn: Drawn
    calibrated: bool = True
    at_ns: int = 0
    last: dict[str, TrackedReading] = field(default_factory=dict)

    def __post_init__(self) -> None:
        board = self.drawn.board
        assert board is not None
        self.steady = {name: Tracker(reader(board.kind), 0) for name in self.drawn.sees}
        poses = {
            name: CameraPose(self.drawn.profile(name)) if self.calibrated else None
            for name in self.drawn.sees
        }
        views = {name: BoardView(board) for name in self.drawn.sees}
        self.one = BoardPlan(board, views, poses, reader(board.kind))

    def look(self, frames: Mapping[str, Frame], only: tuple[str, ...] = ("near", "far")) -> Board:
        """Return the board as cameras see it together that look at these pictures, a few frames long."""
        for _ in range(3):
            self.at_ns += 10**9
            for name in only:
                self.last[name] = self.steady[name].update(frames[name], self.at_ns)
        board = self.one.seen({name: self.last[name] for name in only})[SHARED_BOARD]
        assert isinstance(board, Board)
        return board


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    return Drawn("binary_scrabble", tmp_path_factory.mktemp("binary"))


@pytest.fixture(scope="module")
def martian(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    return Drawn("martian_boggle", tmp_path_factory.mktemp("martian"))


def exactly(board: Board, cells: Cells) -> bool:
    """Return whether a board is seen as it lies, nothing in doubt."""
    return board.symbols() == cells and not board.doubts


@pytest.mark.parametrize("calibrated", mostly_slow([True, False]))
def test_cameras_that_face_each_other_see_one_board_and_each_alone_the_same(
    binary: Drawn, calibrated: bool
) -> None:
    two, frames = Two(binary, calibrated), binary.pictures(MORE)
    assert exactly(two.look(frames, ("near",)), MORE)
    assert two.one.covered(["near"]) == {SHARED_BOARD}
    assert exactly(two.look(frames), MORE)
    assert exactly(two.look(frames, ("far",)), MORE)
    assert two.one.covered(["near"]) == two.one.covered(["far"]) == {SHARED_BOARD}


@pytest.mark.parametrize("name", ["near", "far"])
def test_a_tile_that_is_photographed_has_the_square_that_the_rules_know(binary: Drawn, name: str) -> None:
    two, frames = Two(binary, calibrated=False), binary.pictures(MORE)
    two.look(frames)
    placed = two.one.placed(SHARED_BOARD, name, two.last[name])
    assert {cell: tile.symbol for cell, tile in placed.items()} == MORE


def test_before_it_is_known_which_way_round_a_camera_sees_the_board_nothing_is_photographed(
    binary: Drawn,
) -> None:
    two, frames = Two(binary, calibrated=False), binary.pictures(MORE)
    two.look(frames, ("near",))
    seen = two.steady["far"].update(frames["far"], two.at_ns)
    assert two.one.placed(SHARED_BOARD, "far", seen) == {}


@pytest.mark.parametrize(
    ("name", "calibrated"), mostly_slow([("near", False), ("near", True), ("far", False), ("far", True)])
)
def test_glare_on_one_camera_is_settled_by_the_other(binary: Drawn, name: str, calibrated: bool) -> None:
    two, frames = Two(binary, calibrated), binary.pictures(MORE)
    two.look(frames)
    dazzled = {**frames, name: glaring(frames[name], GLARE[name], 75)}
    alone = Two(binary, calibrated).look(dazzled, (name,))
    assert not exactly(alone, MORE)
    both = Two(binary, calibrated).look(dazzled)
    told = {(row, col): symbol for row, col, symbol in both.cells}
    assert MORE.items() <= told.items()
    assert not set(both.doubts) & MORE.keys()
    assert told.keys() - MORE.keys() <= set(both.doubts)  # what seems to lie in a burnt square is asked about


def test_what_a_sleeve_hides_from_one_the_other_sees_come_and_go(binary: Drawn) -> None:
    two, frames = Two(binary), binary.pictures(SUM)
    two.look(frames)
    now = binary.pictures({**SUM, (6, 5): "0"})
    hidden = {**now, "near": veiled(now["near"], (540, 330, 760, 430))}
    assert exactly(two.look(hidden), {**SUM, (6, 5): "0"})
    gone = binary.pictures({at: symbol for at, symbol in SUM.items() if at != (7, 5)})
    hidden = {**gone, "near": veiled(gone["near"], (540, 330, 760, 430))}
    assert (7, 5) not in two.look(hidden).symbols()


def test_a_board_of_which_each_camera_sees_a_part_is_whole(tmp_path: Path) -> None:
    nearer = np.diag([1.25, 1.25, 1.0])
    left, right = nearer.copy(), nearer.copy()
    left[:2, 2], right[:2, 2] = (-60, -100), (-880, -100)
    drawn = Drawn("binary_scrabble", tmp_path, {"near": left, "far": right})
    wide = {(7, col): "10"[col % 2] for col in range(15)}
    two, frames = Two(drawn), drawn.pictures(wide)
    assert two.one.covered(["near"]) == {SHARED_BOARD}
    two.look(frames, ("near",))
    assert two.one.covered(["near"]) == set()
    assert two.look(frames).symbols() == wide
    assert two.one.covered(["near"]) == two.one.covered(["far"]) == set()
    assert two.one.covered(["near", "far"]) == {SHARED_BOARD}


def test_a_tile_that_one_camera_misreads_with_no_doubt_is_asked_about(binary: Drawn) -> None:
    two = Two(binary)
    frames = {**binary.pictures(SUM), "far": binary.pictures({**SUM, (7, 10): "AND"})["far"]}
    assert two.look(frames).doubts == ((7, 10),)


@pytest.mark.parametrize("calibrated", mostly_slow([True, False]))
def test_letters_and_pyramids_are_one_board_and_awards_stand_in_its_rows(
    martian: Drawn, calibrated: bool
) -> None:
    two, frames = Two(martian, calibrated), martian.pictures(LETTERS, HOME, AWARDS)
    for only in (("near", "far"), ("near",), ("far",)):
        board = two.look(frames, only)
        assert {at: board.symbols()[at] for at in OPEN} == OPEN
        assert not set(board.doubts) & set(OPEN)
        assert board.pieces == ((1, tuple(HOME["red"])), (2, tuple(HOME["blue"])))
        reading = two.one.reading({name: two.last[name] for name in only})
        assert reading is not None
        assert [one for one in reading.pieces if one.size != "large"] == [
            Piece("red", 1, -2, "small"),
            Piece("blue", 3, 6, "medium"),
        ]


def test_a_pyramid_that_one_camera_sees_elsewhere_is_on_no_board_of_the_rules(martian: Drawn) -> None:
    moved = {**HOME, "red": [(3, 0), *HOME["red"][1:]]}
    frames = {**martian.pictures(LETTERS, HOME), "far": martian.pictures(LETTERS, moved)["far"]}
    board = Two(martian).look(frames)
    assert len(dict(board.pieces)[1]) == 6


def test_a_letter_under_a_reflection_is_no_pyramid_and_is_read_by_the_other_camera(martian: Drawn) -> None:
    frames = martian.pictures(LETTERS, HOME)
    frames["near"] = glaring(frames["near"], (832, 420), 30)
    alone, both = Two(martian).look(frames, ("near",)), Two(martian).look(frames)
    assert alone.pieces == both.pieces
    assert (2, 2) in alone.doubts
    assert both.pieces == ((1, tuple(HOME["red"])), (2, tuple(HOME["blue"])))
    assert both.symbols()[2, 2] == "H"
    assert (2, 2) not in both.doubts


def test_where_no_camera_finds_the_board_nothing_is_told(binary: Drawn) -> None:
    two = Two(binary)
    bare = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    assert two.one.covered([]) == set()
    reading = two.steady["near"].update(bare, 1)
    assert two.one.seen({"near": reading}) == {}
