"""What the colours of squares tell, on a board painted by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.drawing.camera import View
from calibration.drawing.equations import EquationScene, equation_game
from companion.model.tiles import tile_set
from companion.vision.camera_frame import grey
from companion.vision.classifier import ClassProbabilities
from companion.vision.colour import face_colours
from companion.vision.decoding import MIN_BLANK_CONFIDENCE, MIN_CONFIDENCE
from companion.vision.detector.detections import Detections
from companion.vision.grid.board import CELLS_PER_SIDE, Board, fits_board
from companion.vision.grid.scrabble import LAYOUT
from companion.vision.pipeline.evidence import (
    FEATURE_NAMES,
    MODEL_PATH,
    CandidateOrigin,
    Outcome,
    apply_board_evidence,
    apply_table_evidence,
    models,
    rescaled_probabilities,
)
from companion.vision.pipeline.frame import FrameDetections, concatenate_frames
from companion.vision.pipeline.reader import Reader

SIDE = 20
PAPER = ((190, 185, 170), (60, 60, 200), (170, 150, 230), (160, 90, 40), (220, 190, 140))
"""Blue, green, red of a plain square, a triple and a double word, a triple and a double letter."""
WOOD = (120, 175, 215)
DARK, BROWN, CLOTH = (60, 60, 60), tuple(part // 2 for part in WOOD), (30, 110, 40)

BOARD = Board(np.diag([float(SIDE), float(SIDE), 1.0]))


def painted(tiles: list[tuple[int, int]]) -> NDArray[np.uint8]:
    """Return a board's picture with wooden tiles in some cells (row, col), each with a stroke of ink."""
    frame = np.array(PAPER, np.uint8)[LAYOUT].repeat(SIDE, 0).repeat(SIDE, 1)
    for row, col in tiles:
        face = frame[row * SIDE + 1 : (row + 1) * SIDE - 1, col * SIDE + 1 : (col + 1) * SIDE - 1]
        face[:] = WOOD
        face[4:14, 8:10] = (20, 20, 30)
    return np.ascontiguousarray(frame)


def detected(cells: list[tuple[int, int]], chances: list[float]) -> FrameDetections:
    """Return detections in cells, each thought to be a 1 with some chance, else no tile."""
    n = len(cells)
    centres = (np.array(cells, np.float64)[:, ::-1] + 0.5) * SIDE
    detections = Detections(centres, np.tile(np.eye(2) * 18.0, (n, 1, 1)), np.zeros(n), np.full(n, 0.95))
    chance = np.zeros((n, 1, 4))
    chance[:, 0, 0] = chances
    none = 1 - np.array(chances, np.float64)
    probabilities = ClassProbabilities(("1",), chance, np.zeros(n), none)
    return FrameDetections(
        (CELLS_PER_SIDE * SIDE, CELLS_PER_SIDE * SIDE), detections, probabilities, 1.0, BOARD
    )


TILES = [(7, 5), (7, 6), (7, 7), (7, 8)]
MANY = [(7, col) for col in range(2, 14)]


class Named:
    """Says the same of every tile that it is shown, and remembers how many those were."""

    symbols: tuple[str, ...] = ("1",)

    def __init__(self, p_symbol: float = 0.0, p_blank: float = 0.0, p_background: float = 0.0) -> None:
        self.p_symbol, self.p_blank, self.p_background, self.shown = p_symbol, p_blank, p_background, 0

    def classify(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        assert picture.ndim == 2
        self.shown += (n := len(quads))
        chance = np.zeros((n, 1, 4))
        chance[:, 0, 0] = self.p_symbol
        return ClassProbabilities(
            self.symbols, chance, np.full(n, self.p_blank), np.full(n, self.p_background)
        )

    classify_once = classify


def cells(detected: FrameDetections) -> list[tuple[int, int]]:
    """Return the row and column of every find."""
    return [(int(y // SIDE), int(x // SIDE)) for x, y in detected.detections.centres]


def told(frame: NDArray[np.uint8], seen: FrameDetections, classifier: Named | None = None) -> FrameDetections:
    return apply_board_evidence(frame, seen, BOARD, classifier or Named())


def test_a_printed_square_is_no_tile_or_a_doubt_and_tiles_on_any_square_stay() -> None:
    seen = told(painted(TILES), detected([*TILES, (4, 4), (3, 7)], [0.99, 0.99, 0.99, 0.5, 0.5, 0.6]))
    assert cells(seen)[: len(TILES)] == TILES
    sure = seen.probabilities.p_best_symbol()
    assert (sure[: len(TILES)] > MIN_CONFIDENCE).all()
    assert (sure[len(TILES) :] < MIN_CONFIDENCE).all()


def test_no_tile_is_told_of_a_square_beyond_the_picture() -> None:
    cut = painted([*TILES, (7, 9)])[:, : 10 * SIDE - 4]
    assert cells(told(cut, detected(TILES, [0.99] * 4), Named(0.98))) == [*TILES, (7, 9)]


def test_what_looks_like_a_tile_and_shows_hardly_anything_is_a_blank_in_doubt() -> None:
    seen = told(
        painted([*TILES, (9, 7)]),
        detected(TILES, [0.99] * 4),
        Named(p_symbol=0.02, p_blank=0.08, p_background=0.9),
    )
    assert 0.5 < seen.probabilities.p_blank[4] < 0.85


def test_squares_that_all_look_like_bare_tiles_are_print_but_for_the_blank_among_them() -> None:
    pale = [(int(row), int(col)) for row, col in np.argwhere(LAYOUT[0, 3] == LAYOUT)]
    blank = pale[5]
    frame = painted(TILES)
    row, col = (SIDE * at for at in blank)
    frame[row + 1 : row + SIDE - 1, col + 1 : col + SIDE - 1] = WOOD
    seen = detected([*TILES, *pale], [0.99] * 4 + [0.0] * len(pale))
    probabilities = replace(seen.probabilities, p_blank=np.array([0.0] * 4 + [0.97] * len(pale)))
    assert cells(told(frame, replace(seen, probabilities=probabilities))) == [*TILES, blank]


def test_where_light_burns_tiles_white_a_white_square_that_seems_no_tile_is_none() -> None:
    frame = painted([*TILES, (9, 7)])
    frame[(frame == WOOD).all(-1)] = (252, 250, 254)
    assert cells(told(frame, detected(TILES, [0.99] * 4), Named(p_background=0.99))) == TILES


BINARY = tile_set("binary")


@pytest.fixture(scope="module")
def game() -> EquationScene:
    return equation_game(np.random.default_rng(5), View(1000, 750, 24.0, 8.0, 30.0), BINARY.counts or {})


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(BINARY, "scrabble")


def seen_in(frame: NDArray[np.uint8], reader: Reader) -> tuple[FrameDetections, Board]:
    """Return what may be tiles in a picture, and its board."""
    found = reader.candidates(frame, grey(frame))[1]
    assert isinstance(found.board, Board)
    return found.kept(fits_board(found.detections, found.board)), found.board


def symbols(detected: FrameDetections, game: EquationScene) -> list[tuple[str, str | None]]:
    """Return what each detection shows, and what lies there; "" is a blank, ``None`` no tile."""
    middles = np.array([tile.corners.mean(0) for tile in game.tiles])
    told = np.array([*detected.probabilities.symbols, ""])
    chances = np.column_stack([detected.probabilities.p_symbol.sum(2), detected.probabilities.p_blank])
    away = np.linalg.norm(detected.detections.centres[:, None] - middles, axis=2)
    lie = [
        game.tiles[k].symbol or "" if far[k] < 8 else None
        for far, k in zip(away, away.argmin(1).tolist(), strict=True)
    ]
    return list(zip(told[chances.argmax(1)].tolist(), lie, strict=True))


def test_tiles_that_were_missed_are_found_by_the_colour_of_their_squares(
    game: EquationScene, reader: Reader
) -> None:
    every, board = seen_in(game.picture, reader)
    some = every.kept(np.arange(len(every.detections)) % 4 > 0)
    found = symbols(apply_board_evidence(game.picture, some, board, reader.classifier), game)
    assert all(told == there for told, there in found)
    assert len(found) >= 0.97 * len(every.detections)


def test_printed_squares_that_were_detected_are_left_out(game: EquationScene, reader: Reader) -> None:
    every, board = seen_in(game.picture, reader)
    printed = game.printed.mean(1)[::8]
    alike = every.kept(np.zeros(len(printed), int))
    probabilities = replace(
        alike.probabilities,
        p_symbol=0.6 * alike.probabilities.p_symbol,
        p_background=np.full(len(printed), 0.4),
    )
    detections = replace(alike.detections, centres=printed, scores=np.full(len(printed), 0.5))
    seen = replace(every, detections=detections, probabilities=probabilities)
    both = apply_board_evidence(game.picture, concatenate_frames(every, seen), board, reader.classifier)
    found = symbols(both, game)
    assert len(found) >= len(every.detections)
    assert all(there is not None for _, there in found)


def test_tiles_in_a_shadow_stay(game: EquationScene, reader: Reader) -> None:
    half = game.picture.copy()
    half[:, : half.shape[1] // 2] = half[:, : half.shape[1] // 2] // 2
    seen, board = seen_in(half, reader)
    found = symbols(apply_board_evidence(half, seen, board, reader.classifier), game)
    there = sum(bool(tile.symbol) and tile.visible == 1 for tile in game.tiles)
    assert sum(told == there for told, there in found if there) >= 0.97 * there
    assert all(there is not None for _, there in found)


def test_a_partial_look_reads_nothing_outside_of_its_part(
    game: EquationScene, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = reader.detect(game.picture)
    asked: list[NDArray[np.float64]] = []
    classify = reader.classifier.classify

    def noted(picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> ClassProbabilities:
        asked.append(quads)
        return classify(picture, quads)

    monkeypatch.setattr(reader.classifier, "classify", noted)
    for k in range(0, len(every.detections), 5):
        centre, side = every.detections.centres[k], every.detections.sides[k]
        left, top, right, bottom = np.concatenate([centre - 0.7 * side, centre + 0.7 * side]).astype(int)
        part = reader.detect_region(game.picture, (left, top, right, bottom), every)
        away = np.linalg.norm(part.detections.centres - centre, axis=1)
        assert len(away) == 1
        assert away[0] < 0.2 * side
        assert part.probabilities.p_background == pytest.approx(every.probabilities.p_background[k], abs=0.1)
        assert sum(map(len, asked)) <= 4
        asked.clear()


def test_the_shipped_models_are_of_the_features_that_are_measured() -> None:
    written = json.loads(MODEL_PATH.read_text())
    assert written["features"] == list(FEATURE_NAMES)
    assert written["outcomes"] == list(Outcome)
    assert set(models()) == {(where, n) for where in CandidateOrigin for n in (1, 3)} - {
        (CandidateOrigin.SQUARE, 1)
    }


def test_nothing_is_doubted_where_no_tile_is_sure() -> None:
    assert cells(told(painted(TILES), detected(TILES, [0.5] * 4))) == TILES


@pytest.mark.parametrize("chance", [0.95, 0.99])
def test_in_grey_nothing_sure_is_taken_for_print(chance: float) -> None:
    grey = painted(TILES)[..., 1].copy()
    assert cells(told(grey, detected([*TILES, (4, 4)], [0.99] * 4 + [chance]))) == [*TILES, (4, 4)]


def test_faces_of_an_empty_board_have_no_colours() -> None:
    frame = np.zeros((40, 40, 3), np.uint8)
    assert face_colours(frame, np.zeros((0, 2)), np.zeros((0, 2, 2))).shape == (0, 3)


CLOTH_SIDE = 300


def on_table(faces: dict[tuple[int, int], tuple[int, int, int]]) -> NDArray[np.uint8]:
    """Return a green cloth with faces of some colours around pixels (x, y), the first four with a stroke."""
    frame = np.full((CLOTH_SIDE, CLOTH_SIDE, 3), CLOTH, np.uint8)
    for k, ((x, y), colour) in enumerate(faces.items()):
        frame[y - 9 : y + 9, x - 9 : x + 9] = colour
        if k < 4:
            frame[y - 5 : y + 5, x - 1 : x + 2] = (20, 20, 30)
    return frame


LETTERED = {(60 + 20 * k, 60): WOOD for k in range(4)}


def faces_at(places: list[tuple[int, int]], p_blank: float) -> FrameDetections:
    """Return four sure symbols on the lettered tiles, and faces at other places that may be bare tiles."""
    centres = np.array([*LETTERED, *places], np.float64)
    n, bare = len(centres), np.arange(len(centres)) >= len(LETTERED)
    chance = np.zeros((n, 1, 4))
    chance[:, 0, 0] = np.where(bare, 0.0, 0.99)
    detections = Detections(
        centres, np.tile(np.eye(2) * 18.0, (n, 1, 1)), np.zeros(n), np.where(bare, 0.6, 0.95)
    )
    background = np.where(bare, 1 - p_blank, 0.01)
    classes = ClassProbabilities(("1",), chance, np.where(bare, p_blank, 0.0), background)
    return FrameDetections((CLOTH_SIDE, CLOTH_SIDE), detections, classes, 1.0)


def test_on_a_table_a_bare_tile_stays_and_a_patch_of_the_cloth_is_none() -> None:
    bare, patch = (60, 200), (200, 200)
    told = apply_table_evidence(on_table(LETTERED | {bare: WOOD}), faces_at([bare, patch], 0.7))
    assert told.detections.centres.tolist() == [list(map(float, place)) for place in (*LETTERED, bare)]
    assert told.probabilities.p_blank[-1] > MIN_BLANK_CONFIDENCE


def test_in_grey_a_bare_tile_stays_too() -> None:
    bare = (60, 200)
    told = apply_table_evidence(grey(on_table(LETTERED | {bare: WOOD})), faces_at([bare], 0.7))
    assert told.probabilities.p_blank[-1] > MIN_BLANK_CONFIDENCE


def test_on_a_part_of_a_table_the_tiles_beside_it_give_the_colour() -> None:
    places = [(60, 200), (200, 200)]
    every = faces_at(places, 0.7)
    frame = on_table(LETTERED | {places[0]: WOOD})
    letters, faces = every.kept(np.arange(4)), every.kept(np.arange(4, 6))
    alone, whole = apply_table_evidence(frame, faces, letters), apply_table_evidence(frame, every)
    assert alone.detections.centres.tolist() == whole.detections.centres[4:].tolist()
    assert alone.probabilities.p_blank == pytest.approx(whole.probabilities.p_blank[4:])


def test_a_table_without_a_sure_symbol_is_left_as_it_was_read() -> None:
    faces = faces_at([(60, 200)], 0.7).kept(np.array([4]))
    frame = on_table(LETTERED | {(60, 200): WOOD})
    assert apply_table_evidence(frame, faces).probabilities.p_blank.tolist() == [0.7]


def test_what_is_unlike_every_symbol_stays_in_doubt_where_it_is_surely_a_tile() -> None:
    chance = np.zeros((2, 1, 4))
    chance[:, 0, 0] = 0.5, 0.9
    none = np.array([0.1, 0.1])
    seen = ClassProbabilities(("1",), chance, np.zeros(2), none)
    again = rescaled_probabilities(seen, np.array([[0.99, 0.0, 0.01]] * 2))
    assert again.p_best_symbol() == pytest.approx([0.55, 0.99])
    assert (again.p_best_symbol() < MIN_CONFIDENCE).tolist() == [True, False]


def test_a_sure_letter_is_not_lost_to_an_unsure_detection_beside_it() -> None:
    seen = faces_at([(68, 60)], 0.7)
    scores = np.where(np.arange(5) < 4, 0.7, 0.9)
    classes = seen.probabilities
    classes = replace(
        classes,
        p_symbol=classes.p_symbol * 0.93 / 0.99,
        p_blank=np.array([0, 0, 0, 0, 0.5]),
        p_background=np.array([0.07] * 4 + [0.5]),
    )
    seen = replace(seen, detections=replace(seen.detections, scores=scores), probabilities=classes)
    told = apply_table_evidence(on_table(LETTERED), seen)
    assert told.detections.centres.tolist() == [list(map(float, place)) for place in LETTERED]
