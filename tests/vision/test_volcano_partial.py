"""A look at a part of a Volcano board: what lies in it is read, all else is neither read nor changed."""

from __future__ import annotations

import random
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.bootstrap.simulated.game import PYRAMID_BASE, SimulatedGame
from companion.model.calls import SECOND
from companion.model.tiles import tile_set
from companion.vision.camera_frame import Frame, to_bgr
from companion.vision.classifier import ClassProbabilities, TrainedClassifier
from companion.vision.decoding import MIN_CONFIDENCE
from companion.vision.grid.homography import Box, points_inside
from companion.vision.grid.volcano import Volcano
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import TrackedReading, Tracker
from hardware.simulated.draw import Canvas
from hardware.simulated.tabletop import Tabletop
from tests.vision.encoded import as_jpeg

LETTERS = "TNEZG" + "RYKIE" + "PL GR" + "UEAWM" + "SSOAO"
"""What lies on the board, row by row; one tile is blank."""

SKIN = (120, 150, 200)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> SimulatedGame:
    return SimulatedGame.of("martian_boggle", 2, 1, tmp_path_factory.mktemp("plan"))


@pytest.fixture
def tabletop(plan: SimulatedGame) -> Tabletop:
    """A board full of letters, with a row of pyramids at either end and nothing beside it."""
    found = Tabletop(plan.seating, [letter.strip() for letter in LETTERS], random.Random(1))
    found.fill_board()
    for (_, tile), letter in zip(sorted(found.board.items()), LETTERS, strict=True):
        found.world.put(tile, symbol=letter.strip())
    found.line_up_pyramids(plan.pyramids, PYRAMID_BASE)
    return found


def drawn(plan: SimulatedGame, tabletop: Tabletop) -> Frame:
    return Canvas(tabletop.world, plan.table_image(), plan.tile_px, plan.seed).frame()


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(tile_set("scrabble-en"), "volcano")


@pytest.fixture
def known(reader: Reader, plan: SimulatedGame, tabletop: Tabletop) -> FrameDetections:
    return reader.detect(drawn(plan, tabletop))


def board_of(detected: FrameDetections) -> Volcano:
    assert isinstance(detected.board, Volcano)
    return detected.board


def box_of(known: FrameDetections, *cells: tuple[int, int]) -> Box:
    """Return the part of a picture that shows some cells."""
    points = np.concatenate([board_of(known).squares()[row * 5 + col] for row, col in cells])
    (left, top), (right, bottom) = points.min(0).astype(int).tolist(), points.max(0).astype(int).tolist()
    return left, top, right, bottom


def stands(board: Volcano) -> dict[tuple[int, int], str]:
    return {(one.row, one.col): one.colour for one in board.pieces}


def letters(reader: Reader, detected: FrameDetections) -> dict[tuple[int, int], str]:
    return {(cell.row, cell.col): cell.symbol for cell in reader.reading(detected).tableaux[0].cells}


def test_a_pyramid_that_was_moved_is_told_and_the_letter_that_it_bared_is_read(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    number = tabletop.pieces[0][4, 4]
    x, y = tabletop.seating.square(3, 4)
    tabletop.world.pyramids[number] = replace(tabletop.world.pyramids[number], x=x, y=y)
    detected = reader.detect_region(drawn(plan, tabletop), box_of(known, (3, 4), (4, 4)), known)
    now, before = stands(board_of(detected)), stands(board_of(known))
    assert now == {cell: colour for cell, colour in before.items() if cell != (4, 4)} | {(3, 4): "red"}
    assert letters(reader, detected)[4, 4] == "O"


def test_a_frame_with_colour_at_half_the_size_tells_as_much(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop
) -> None:
    first = as_jpeg(drawn(plan, tabletop))
    known = reader.detect(first)
    before = board_of(known)
    assert stands(before) == stands(board_of(reader.detect(to_bgr(first))))
    number = tabletop.pieces[0][4, 4]
    x, y = tabletop.seating.square(3, 4)
    tabletop.world.pyramids[number] = replace(tabletop.world.pyramids[number], x=x, y=y)
    box = box_of(known, (3, 4), (4, 4))
    detected = reader.detect_region(as_jpeg(drawn(plan, tabletop)), (box[0] + 1, *box[1:]), known)
    assert stands(board_of(detected)).keys() == stands(before).keys() - {(4, 4)} | {(3, 4)}
    assert letters(reader, detected)[4, 4] == "O"


def test_what_lies_outside_is_neither_read_nor_changed(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    frame, box = drawn(plan, tabletop), box_of(known, (0, 0))
    clean = reader.detect_region(frame, box, known)
    far = np.ones(frame.shape[:2], np.uint8)
    left, top, right, bottom = box
    reach = 4 * (right - left)
    far[max(0, top - reach) : bottom + reach, max(0, left - reach) : right + reach] = 0
    noise = np.random.default_rng(1).integers(0, 255, frame.shape, np.uint8)
    other = reader.detect_region(np.where(far[..., None] > 0, noise, frame), box, known)
    assert (other.detections.centres == clean.detections.centres).all()
    assert (other.probabilities.p_best_symbol() == clean.probabilities.p_best_symbol()).all()
    assert board_of(other).pieces == board_of(clean).pieces
    assert stands(board_of(other)) == stands(board_of(known))


def test_few_tiles_are_classified_for_a_cell_that_changed(
    reader: Reader,
    plan: SimulatedGame,
    tabletop: Tabletop,
    known: FrameDetections,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    classified: list[int] = []
    classify = TrainedClassifier.classify

    def counted(self: TrainedClassifier, picture: Frame, quads: NDArray[np.float64]) -> ClassProbabilities:
        classified.append(len(quads))
        return classify(self, picture, quads)

    monkeypatch.setattr(TrainedClassifier, "classify", counted)
    reader.detect_region(drawn(plan, tabletop), box_of(known, (2, 1)), known)
    assert 0 < sum(classified) <= 4


def test_a_cell_without_its_tile_is_empty_and_nobody_is_asked_about_it(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    tabletop.world.put(tabletop.board[2, 1], x=1.0, y=1.0)
    detected = reader.detect_region(drawn(plan, tabletop), box_of(known, (2, 1)), known)
    assert board_of(detected).holes == ((2, 1),)
    assert (2, 1) not in letters(reader, detected)


def test_a_hand_over_a_cell_is_neither_tile_nor_pyramid_and_what_stands_there_stays_known(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    frame, box = drawn(plan, tabletop), box_of(known, (4, 2))
    cv2.rectangle(frame, box[:2], box[2:], SKIN, -1)
    detected = reader.detect_region(frame, box, known)
    assert stands(board_of(detected)) == stands(board_of(known))
    assert (4, 2) not in letters(reader, detected)


def test_a_blank_tile_in_the_open_is_no_pyramid(known: FrameDetections) -> None:
    assert (2, 2) not in stands(board_of(known))


def test_a_board_stays_where_it_was_known_though_letters_lie_in_line_with_it(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    for col in range(5):
        tile = tabletop.board[1, col]
        x, y = tabletop.seating.square(5, col)
        tabletop.world.tiles[100 + col] = replace(tabletop.world.tiles[tile], x=x, y=y)
    detected = reader.detect(drawn(plan, tabletop), known)
    assert np.abs(board_of(detected).squares() - board_of(known).squares()).max() < 10


def test_a_hand_over_a_row_does_not_move_the_board_to_letters_in_line_with_it(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    for col in range(5):
        tile = tabletop.board[1, col]
        x, y = tabletop.seating.square(5, col)
        tabletop.world.tiles[100 + col] = replace(tabletop.world.tiles[tile], x=x, y=y)
    frame, box = drawn(plan, tabletop), box_of(known, (0, 0), (0, 4))
    cv2.rectangle(frame, (box[0] - 8, box[1] - 8), (box[2] + 8, box[3] + 8), SKIN, -1)
    detected = reader.detect(frame, known)
    assert np.abs(board_of(detected).squares() - board_of(known).squares()).max() < 10


def test_a_board_that_was_moved_by_a_row_is_found_there(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    x0, y0 = np.subtract(tabletop.seating.square(1, 0), tabletop.seating.square(0, 0)).tolist()
    world = tabletop.world
    for number, tile in list(world.tiles.items()):
        world.tiles[number] = replace(tile, x=tile.x + x0, y=tile.y + y0)
    for number, pyramid in list(world.pyramids.items()):
        world.pyramids[number] = replace(pyramid, x=pyramid.x + x0, y=pyramid.y + y0)
    detected = reader.detect(drawn(plan, tabletop), known)
    moved = board_of(known).squares()[5:] - board_of(detected).squares()[:-5]
    assert np.abs(moved).max() < 10


def test_a_letter_of_which_a_finger_hides_a_part_is_not_read(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    frame, box = drawn(plan, tabletop), box_of(known, (2, 1))
    left, top, right, bottom = box
    cv2.rectangle(frame, (left, top + (bottom - top) * 6 // 10), (right, bottom), SKIN, -1)
    assert (2, 1) not in letters(reader, reader.detect_region(frame, box, known))


def test_a_known_letter_on_which_a_coloured_shadow_falls_stays_read(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    frame, box = drawn(plan, tabletop), box_of(known, (2, 1))
    left, top, right, bottom = box
    shadow = np.s_[top + (bottom - top) * 6 // 10 : bottom, left:right]
    frame[shadow] = (frame[shadow] * np.array([0.55, 0.75, 0.9])).astype(np.uint8)
    assert letters(reader, reader.detect_region(frame, box, known))[2, 1] == LETTERS[11]


def test_a_new_letter_in_a_spot_of_another_light_is_read(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    frame, box = drawn(plan, tabletop), box_of(known, (2, 1))
    before = known.kept(~points_inside(known.detections.centres, box))
    assert (2, 1) not in letters(reader, before)
    left, top, right, bottom = box
    lit = frame[top:bottom, left:right]
    lit[:] = (lit * np.array([0.7, 0.95, 1.0])).astype(np.uint8)
    assert letters(reader, reader.detect_region(frame, box, before))[2, 1] == LETTERS[11]


def test_letters_in_a_light_of_another_colour_are_read_at_once(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    lit = (drawn(plan, tabletop) * np.array([0.7, 1.0, 1.0])).astype(np.uint8)
    seen = reader.detect_region(lit, box_of(known, (0, 0), (4, 4)), known)
    under = stands(board_of(known)).keys()
    now, before = (
        {at: letter for at, letter in letters(reader, one).items() if at not in under}
        for one in (seen, known)
    )
    assert stands(board_of(seen)).keys() == under
    assert now == before


def test_more_pyramids_of_a_colour_than_a_game_has_stay_in_doubt_though_only_one_is_looked_at(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop, known: FrameDetections
) -> None:
    board = board_of(known)
    alike = replace(board, pieces=tuple(replace(one, colour=board.pieces[0].colour) for one in board.pieces))
    seen = reader.detect_region(drawn(plan, tabletop), box_of(known, (0, 1)), replace(known, board=alike))
    assert [one.doubt for one in reader.reading(seen).pieces] == [True] * len(board.pieces)


def test_a_letter_under_a_pyramid_stays_in_doubt_however_often_it_is_looked_at(
    plan: SimulatedGame, tabletop: Tabletop, reader: Reader
) -> None:
    for tile, letter in zip(tabletop.board.values(), "MWNHIZAVX" * 3, strict=False):
        tabletop.world.put(tile, symbol=letter)
    tracker, frame = Tracker(reader, settle_ns=0), drawn(plan, tabletop)
    seen = [tracker.update(frame, k * SECOND // 8) for k in range(1, 60)]
    first, last = (confidences_under_pyramids(one) for one in (seen[0], seen[-1]))
    assert first
    assert max(first.values()) < MIN_CONFIDENCE
    assert last == first


@pytest.mark.parametrize(("right", "turn_deg"), [(70, 0.0), (-25, 5.0)])
def test_a_letter_read_before_a_pyramid_stood_on_it_is_known_after_a_knock(
    plan: SimulatedGame, tabletop: Tabletop, reader: Reader, right: int, turn_deg: float
) -> None:
    tracker, before = Tracker(reader, settle_ns=0), drawn(plan, tabletop)
    number, (x, y) = tabletop.pieces[0][4, 4], tabletop.seating.square(2, 1)
    tabletop.world.pyramids[number] = replace(tabletop.world.pyramids[number], x=x, y=y)
    after = drawn(plan, tabletop)
    knock = cv2.getRotationMatrix2D((after.shape[1] / 2, after.shape[0] / 2), turn_deg, 1.0)
    knock[:, 2] += (right, 20)
    shown = cv2.warpAffine(after, knock, after.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    frames = [before] * 4 + [after] * 4 + [np.asarray(shown, np.uint8)] * 4
    seen = [tracker.update(frame, k * SECOND // 8) for k, frame in enumerate(frames, 1)]
    known, knocked = (confidences_under_pyramids(one) for one in (seen[7], seen[-1]))
    assert board_of(seen[-1].detected).distance(board_of(seen[7].detected)) > 0.2
    assert known[2, 1] > MIN_CONFIDENCE
    assert {at: knocked[at] for at in known} == pytest.approx(known, abs=0.02)
    assert letters(reader, seen[-1].detected)[2, 1] == "L"


def test_a_letter_that_was_seen_through_a_pyramid_alone_is_read_anew_when_that_goes(
    plan: SimulatedGame, tabletop: Tabletop, reader: Reader
) -> None:
    tracker, frames = Tracker(reader, settle_ns=0), [drawn(plan, tabletop)] * 3
    number, (x, y) = tabletop.pieces[0][4, 2], tabletop.seating.square(3, 2)
    tabletop.world.pyramids[number] = replace(tabletop.world.pyramids[number], x=x, y=y)
    frames += [drawn(plan, tabletop)]
    seen = [tracker.update(frame, k * SECOND // 2) for k, frame in enumerate(frames, 1)]
    assert 0 < confidences_under_pyramids(seen[2])[4, 2] < MIN_CONFIDENCE
    once = Tracker(reader, settle_ns=0).update(frames[-1], SECOND)
    anew, at_once = (
        next(cell for cell in one.reading.tableaux[0].cells if (cell.row, cell.col) == (4, 2))
        for one in (seen[-1], once)
    )
    assert anew.symbol == at_once.symbol
    assert anew.confidence == pytest.approx(at_once.confidence, abs=0.02)
    assert anew.confidence > MIN_CONFIDENCE


def confidences_under_pyramids(seen: TrackedReading) -> dict[tuple[int, int], float]:
    stood = stands(board_of(seen.detected))
    cells = seen.reading.tableaux[0].cells
    return {at: cell.confidence for cell in cells if (at := (cell.row, cell.col)) in stood}


def test_a_pyramid_of_a_colour_that_none_had_yet_is_seen_at_once(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop
) -> None:
    """The first pyramids of a game: a part of the picture does not say which colours there are."""
    world, standing = tabletop.world, dict(tabletop.world.pyramids)
    seen: list[dict[tuple[int, int], str]] = []
    world.pyramids.clear()
    known = reader.detect(drawn(plan, tabletop))
    for player, cell in ((0, (4, 1)), (1, (0, 1))):
        number = tabletop.pieces[player][cell]
        world.pyramids[number] = standing[number]
        known = reader.detect_region(drawn(plan, tabletop), box_of(known, cell), known)
        seen.append(stands(board_of(known)))
    assert [set(one) for one in seen] == [{(4, 1)}, {(4, 1), (0, 1)}]
    assert len(set(seen[1].values())) == 2


def test_a_pyramid_beside_the_board_is_gone_as_soon_as_the_table_shows_again(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop
) -> None:
    world, number = tabletop.world, tabletop.pieces[0][4, 0]
    home, tracker = world.pyramids[number], Tracker(reader, settle_ns=0)
    down = home.y - world.pyramids[tabletop.pieces[1][0, 0]].y
    away = replace(home, y=home.y + down / 3)
    seen: list[list[tuple[int, int]]] = []
    for k, stands_at in enumerate([home, home, away, away, away, home, home]):
        world.pyramids[number] = stands_at
        board = board_of(tracker.update(drawn(plan, tabletop), (k + 1) * SECOND).detected)
        seen.append([at for at in stands(board) if not 0 <= at[0] < 5])
    assert [len(one) for one in seen] == [0, 0, 1, 1, 1, 0, 0]


def test_a_pyramid_beside_the_board_stays_under_a_hand_and_is_in_doubt_while_that_rests(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop
) -> None:
    world, number = tabletop.world, tabletop.pieces[0][4, 0]
    home, tracker = world.pyramids[number], Tracker(reader, settle_ns=SECOND // 4)
    down = home.y - world.pyramids[tabletop.pieces[1][0, 0]].y
    bare = drawn(plan, tabletop)
    world.pyramids[number] = replace(home, y=home.y + down / 3)
    award = drawn(plan, tabletop)
    rows, cols = np.nonzero((award != bare).any(2))
    where = np.s_[rows.min() - 40 : rows.max() + 40, cols.min() - 40 : cols.max() + 40]
    hidden, elsewhere = award.copy(), award.copy()
    hidden[where], elsewhere[where][:20] = SKIN, SKIN
    frames = [bare] * 2 + [award] * 4 + [hidden, elsewhere] * 3 + [hidden] * 5 + [award] * 4 + [bare] * 4
    told: list[list[bool]] = []
    for k, frame in enumerate(frames):
        board = board_of(tracker.update(frame, (k + 1) * SECOND // 4).detected)
        told.append([one.doubt for one in board.beside])
    assert told[:2] == [[]] * 2
    assert told[5:12] == [[False]] * 7
    assert told[16] == [True]
    assert told[20] == [False]
    assert told[24] == []


def test_a_cell_of_which_a_part_still_moves_is_looked_at_again_at_rest(
    reader: Reader, plan: SimulatedGame, tabletop: Tabletop
) -> None:
    world, number = tabletop.world, tabletop.pieces[0][4, 4]
    tracker, before = Tracker(reader, settle_ns=SECOND), drawn(plan, tabletop)
    known = tracker.update(before, SECOND).detected
    left, top, right, bottom = box_of(known, (4, 4))
    strip = np.s_[bottom - (bottom - top) // 4 : bottom, left:right]
    world.pyramids[number] = replace(world.pyramids[number], x=-50.0)
    bared = drawn(plan, tabletop)
    bared[strip] = before[strip]
    moving = bared.copy()
    moving[strip] = SKIN
    for k, frame in enumerate([bared, moving, bared, bared]):
        known = tracker.update(frame, (k + 2) * SECOND).detected
        assert ((4, 4) in stands(board_of(known))) == (k < 3)
    assert letters(reader, known)[4, 4] == "O"
