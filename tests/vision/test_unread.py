"""Places beside tiles where something was not read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View
from calibration.drawing.equations import EquationScene, equation_game
from calibration.drawing.fonts import BUILT_IN_FONTS
from calibration.drawing.layout import PlacedTile
from calibration.drawing.scene import Scene, draw_placed
from companion.model.reading import Reading
from companion.model.tiles import tile_set
from companion.vision.camera_frame import grey
from companion.vision.classifier import ClassProbabilities
from companion.vision.grid.board import Board
from companion.vision.pipeline.colour_model import CellColours
from companion.vision.pipeline.frame import FrameDetections, Window, translated
from companion.vision.pipeline.reader import Reader
from companion.vision.pipeline.unread import (
    MIN_P_UNREAD,
    p_no_tile,
    unread_places,
    unread_squares,
    with_unread,
)
from companion.vision.tracking import Tracker
from tests.made_up import reading as made_up
from tests.made_up import tableau
from tests.vision.made_detections import detections_at, probabilities_of

VIEW = View(900, 600, 60, 0, 0)
WORD = [PlacedTile(-3 + 1.04 * k, 0, 0.0, letter, 0, (0, k)) for k, letter in enumerate("PLANTED")]


@cache
def scene() -> Scene:
    return draw_placed(np.random.default_rng(1), VIEW, WORD, severity=0.3)


@cache
def reader() -> Reader:
    return Reader(tile_set("bananagrams-en"))


def places_beside(picture: np.ndarray, tiles: FrameDetections) -> np.ndarray:
    """Return the unread places beside tiles in a grey picture."""
    return unread_places(
        picture, (picture, Window((0, 0, *picture.shape[::-1]), 1.0)), tiles, reader().classifier
    )


def words(seen: Reading) -> list[str]:
    return ["".join(cell.symbol for cell in one.cells) for one in seen.tableaux]


@cache
def detected() -> FrameDetections:
    return reader().detect(scene().picture)


def test_a_row_with_nothing_beside_it_is_read_whole() -> None:
    seen = reader().reading(detected())
    assert words(seen) == ["PLANTED"]
    assert seen.tableaux[0].unread == ()


@pytest.mark.parametrize("letter", range(7))
def test_a_tile_that_was_not_detected_is_missed_beside_its_neighbours(letter: int) -> None:
    middle = scene().tiles[letter].corners.mean(0)
    rest = detected().kept(np.linalg.norm(detected().detections.centres - middle, axis=1) > 30)
    places = places_beside(scene().picture, rest)
    assert len(places) == 1
    assert places[0] == pytest.approx(middle, abs=8)


def test_a_tile_that_was_not_detected_is_missed_on_a_table_seen_from_the_side() -> None:
    narrow = cv2.resize(scene().picture, None, fx=0.62, fy=1, interpolation=cv2.INTER_AREA)
    picture = np.asarray(narrow, np.uint8)
    seen = reader().detect(picture)
    assert words(reader().reading(seen)) == ["PLANTED"]
    middle = scene().tiles[0].corners.mean(0) * (0.62, 1)
    rest = seen.kept(np.linalg.norm(seen.detections.centres - middle, axis=1) > 18)
    places = places_beside(picture, rest)
    assert np.hypot(*(places - middle).T).min() < 8
    told = reader().reading(replace(rest, unread=places)).tableaux[0].unread
    assert [(one.row, one.col) for one in told] == [(0, 5)]


@pytest.mark.parametrize("share", [0.15, 0.2, 0.28, 0.4, 0.48, 0.6, 0.64, 0.72])
def test_a_row_that_goes_on_beyond_the_picture_is_not_taken_for_whole(share: float) -> None:
    left, right = (side(scene().tiles[5].corners[:, 0]) for side in (np.min, np.max))
    seen = reader().read(np.ascontiguousarray(scene().picture[:, : int(left + share * (right - left))]))
    assert [one.unread != () for one in seen.tableaux] == [True]


def test_a_place_beyond_the_picture_is_told_at_its_edge() -> None:
    seen = made_up(tableau("C A T"))
    told = with_unread(seen.tableaux, seen.tiles, np.array([[20.0, -5.0], [20.0, 60.0]]), (600, 400))
    assert [(one.at, one.row, one.col) for one in told[0].unread] == [((20.0, 60.0), 0, 0)]


def test_a_place_where_a_tile_was_read_since_is_no_longer_open() -> None:
    seen = made_up(tableau("C A T"))
    assert with_unread(seen.tableaux, seen.tiles, np.array([[60.0, 62.0]]), (600, 400))[0].unread == ()


def test_nothing_is_unread_beside_a_board_without_tiles() -> None:
    bare = made_up(tableau("C A T")).tableaux
    assert with_unread(bare, [], np.array([[60.0, 62.0]]), (600, 400)) == tuple(bare)


def test_nothing_is_unread_beside_a_board_without_tiles_though_a_tile_lies_elsewhere() -> None:
    bare = replace(made_up(tableau("C A T")).tableaux[0], cells=())
    loose = replace(made_up(tableau("A")).tiles[0], tableau=None, row=None, col=None)
    (told,) = with_unread([bare], [loose], np.array([[60.0, 62.0], [25.0, 90.0]]), (600, 400))
    assert told.unread == ()


def test_a_place_far_from_a_tableau_is_none_of_its_own() -> None:
    seen = made_up(tableau("C A T"))
    assert with_unread(seen.tableaux, seen.tiles, np.array([[60.0, 200.0]]), (600, 400))[0].unread == ()


def test_a_dark_table_that_the_edge_cuts_off_hides_no_tile() -> None:
    picture = np.full((200, 300), 60, np.uint8)
    row = FrameDetections(
        (300, 200), detections_at([(250, 100), (210, 100)]), probabilities_of("A", "B"), 1.0
    )
    for x, y in row.detections.centres.astype(int):
        picture[y - 20 : y + 20, x - 20 : x + 20] = 220
    assert not len(places_beside(picture, row))
    at_edge = replace(row, detections=translated(row.detections, np.array([30, 0])))
    assert len(places_beside(picture, at_edge)) == 1


def test_a_face_of_the_tiles_colour_in_a_row_is_unread_and_the_cloth_is_not() -> None:
    picture = np.full((200, 300, 3), (60, 110, 40), np.uint8)
    row = detections_at([(60 + 41 * k, 100) for k in range(4)])
    for x, y in row.centres.astype(int):
        picture[y - 19 : y + 20, x - 19 : x + 20] = (150, 200, 225)
    known = FrameDetections((300, 200), row, probabilities_of("A", "B", "C", "D"), 1.0).kept(np.arange(3))
    free = detections_at([(183, 100), (101, 59), (142, 141), (60, 141)])
    colours = CellColours.of(picture, known, free)
    assert colours.as_squares(np.arange(4))[0] == pytest.approx(colours.free[1])
    nothing = np.zeros((4, 26, 4)), np.full(4, 0.1), np.full(4, 0.9)
    cells = replace(
        known, detections=free, probabilities=ClassProbabilities(known.probabilities.symbols, *nothing)
    )
    none = p_no_tile(picture, cells, np.arange(4), colours)
    assert (none < 1 - MIN_P_UNREAD).tolist() == [True, False, False, False]


def test_a_tracker_tells_an_unread_tile_until_it_is_read() -> None:
    tracker = Tracker(reader(), settle_ns=0)
    whole = scene().picture
    middle = scene().tiles[0].corners.mean(0).astype(int)
    blurred = whole.copy()
    part = np.s_[middle[1] - 26 : middle[1] + 26, middle[0] - 26 : middle[0] + 26]
    blurred[part] = cv2.GaussianBlur(whole[part], (0, 0), 9)
    seen = [tracker.update(frame, (k + 1) * 10**9).reading for k, frame in enumerate([blurred, whole])]
    first, second = (one.tableaux[0] for one in seen)
    assert first.unread or any(cell.doubt for cell in first.cells)
    assert not second.unread
    assert not any(cell.doubt for cell in second.cells)


@cache
def board_scene() -> EquationScene:
    view = View(1000, 750, 30, 5, 10, 0.0)
    return equation_game(np.random.default_rng(0), view, tile_set("binary").counts or {}, BUILT_IN_FONTS)


@cache
def board_reader() -> Reader:
    return Reader(tile_set("binary"), "scrabble")


def dazzled(picture: np.ndarray, place: np.ndarray, radius: int = 34) -> np.ndarray:
    """Return a picture in which a lamp's reflection hides a tile."""
    x, y = place.round().astype(int).tolist()
    shine = cv2.GaussianBlur(
        cv2.circle(np.zeros(picture.shape[:2], np.uint8), (x, y), radius, 255, -1), (0, 0), 3
    )
    return cv2.add(picture, cv2.merge([shine] * 3))


def end_tiles() -> list[np.ndarray]:
    """Return the middles of tiles on the board that have one neighbour, in pixels."""
    cells = {tile.placed.cell: tile.corners.mean(0) for tile in board_scene().tiles if tile.placed.group == 0}
    beside = {
        cell: [(cell[0] + a, cell[1] + b) for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))] for cell in cells
    }
    return [at for cell, at in cells.items() if sum(one in cells for one in beside[cell]) == 1]


@pytest.mark.parametrize("to_frame", [np.asarray, grey], ids=["colour", "grey"])
def test_a_board_in_plain_light_has_no_unread_square(to_frame: Callable[[np.ndarray], np.ndarray]) -> None:
    seen = board_reader().read(to_frame(board_scene().picture))
    assert seen.board == "scrabble"
    assert [one.unread for one in seen.tableaux] == [()]


@pytest.mark.parametrize("to_frame", [np.asarray, grey], ids=["colour", "grey"])
@pytest.mark.parametrize("number", range(3))
def test_a_tile_on_a_board_that_a_reflection_hides_is_told_as_unread(
    number: int, to_frame: Callable[[np.ndarray], np.ndarray]
) -> None:
    hidden = end_tiles()[number]
    found = board_reader().detect(to_frame(dazzled(board_scene().picture, hidden)))
    assert np.hypot(*(found.unread - hidden).T).min() < 15
    assert board_reader().reading(found).tableaux[0].unread


def test_squares_that_a_wide_reflection_hides_are_all_unread() -> None:
    middle = end_tiles()[0]
    picture = dazzled(board_scene().picture, middle, radius=70)
    found = board_reader().detect(picture)
    assert isinstance(found.board, Board)
    places = found.unread
    assert len(places) > 4
    assert np.hypot(*(places - middle).T).max() < 100
    box = (0, 0, int(middle[0]), 750)
    left = unread_squares(picture, found, found.board, board_reader().classifier, box)
    assert sorted(left.tolist()) == sorted(places[places[:, 0] < int(middle[0])].tolist())


def test_squares_beyond_the_picture_beside_tiles_are_unread() -> None:
    found = board_reader().detect(board_scene().picture)
    assert isinstance(found.board, Board)
    centres = found.detections.centres
    inner = found.board.places(centres)[:, 0] < 12
    cut = int(centres[inner & found.board.holds(centres), 0].max()) + 6
    part = replace(found.kept(centres[:, 0] < cut), size=(cut, 750))
    picture = np.ascontiguousarray(board_scene().picture[:, :cut])
    places = unread_squares(picture, part, found.board, board_reader().classifier, (0, 0, cut, 750))
    assert len(places)
    assert (places[:, 0] > cut).all()


def test_an_unread_square_is_beside_a_tile_that_is_much_smaller_than_the_squares() -> None:
    board = Board(np.array([[60.0, 0, 0], [0, 60.0, 0], [0, 0, 1]]))
    row = FrameDetections(
        (900, 900), detections_at([(90, 90), (150, 90)], 38), probabilities_of("A", "T"), 1.0, board
    )
    told = board_reader().reading(replace(row, unread=np.array([[210.0, 90.0], [330.0, 90.0]])))
    assert [(one.at, one.row, one.col) for one in told.tableaux[0].unread] == [((210.0, 90.0), 1, 2)]


def test_a_tracker_tells_a_dazzled_square_of_a_board_while_it_is_hidden() -> None:
    tracker, plain = Tracker(board_reader(), settle_ns=0), board_scene().picture
    frames = [plain, dazzled(plain, end_tiles()[0]), plain]
    told = [
        bool(tracker.update(frame, at_s * 10**9).reading.tableaux[0].unread)
        for at_s, frame in zip(
            (1, 2, 20, 40, 60, 80), [frames[0], *[frames[1]] * 3, *[frames[2]] * 2], strict=True
        )
    ]
    assert told[0] is False
    assert told[3] is True
    assert told[-1] is False
