"""Tiles on a Volcano board and beside it, and the pyramids, in a whole picture or in a part of one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.model.reading import Piece
from companion.vision.camera_frame import CameraFrame, Frame, as_grey
from companion.vision.classifier import (
    LIKELY,
    MIN_P_EVIDENCE,
    Classifier,
    ClassProbabilities,
    crop_source,
    p_tile,
)
from companion.vision.colour import is_overexposed
from companion.vision.detector.detections import (
    SCORE_THRESHOLD,
    Detections,
    concatenate_detections,
    detect_at_scale,
    map_arrays,
    nms,
    working_scale,
)
from companion.vision.detector.perspective import TILE_PX, RectifiedView
from companion.vision.detector.pyramids import (
    ALL_CELLS,
    Cells,
    detect_pyramids,
    empty_cells,
    face_shifts,
    faces,
    find_pyramids,
    has_other_light,
    likely,
    pyramids_beside,
    pyramids_on_board,
    shows_whole_face,
    stand_on_board,
    tile_side,
)
from companion.vision.detector.scale_search import Networks
from companion.vision.grid.homography import Box, Points, distances, points_inside, project
from companion.vision.grid.volcano import (
    CELL_CENTRES,
    CELLS_PER_SIDE,
    Palette,
    Volcano,
    find_volcano,
    is_no_pyramid,
    place_of,
)
from companion.vision.pipeline.evidence import CandidateOrigin, with_face_evidence
from companion.vision.pipeline.frame import FrameDetections, Window, concatenate_frames, padded

SIZE_FACTORS = np.arange(0.6, 1.35, 0.05)
"""Tile sizes that are tried, relative to the detector's estimate."""
SIZE_TOLERANCE = 0.05
"""Largest loss in mean log probability of a size that equals the best."""
DETECTION_SCALES = (1.0, 0.75)
"""Scales of detection: tiles at their size, and smaller, as a detector that expects wider ones misses those
of a word.
"""
OCCLUSION_FACTOR = 0.84
"""Factor on the probability of a letter under a pyramid: below ``decoding.MIN_CONFIDENCE``, so that it is
always in doubt."""
RIDGE_LOOKALIKES = frozenset("X")
"""Letters that a pyramid's four edges look like from above: under a pyramid they are no evidence of a
letter."""
MIN_OCCLUDED_P = 0.34
"""Least probability of a letter under a pyramid."""
UNREAD_P_TILE = 0.6
"""Probability that a cell with neither a letter nor a pyramid holds a tile: it makes a doubt."""
PLAYER_COLOURS = 2
"""Number of pyramid colours in a game, one for each player."""


def detect_on_volcano(
    frame: CameraFrame, detected: FrameDetections, networks: Networks, known: FrameDetections | None
) -> FrameDetections:
    """Return the detections in a whole picture, with its board where one is certain.

    A picture in grey shows no pyramids.  ``known`` is the result of earlier pictures.
    """
    before = known.board if known and isinstance(known.board, Volcano) else None
    stands = likely(detect_pyramids(frame, detected.scale or 1.0, networks.detector, (1.0,)))
    first = detected.kept(is_lettered(detected))
    found = find_volcano(first.detections, stands, detected.size)
    board = confirm_board(stands, first, found, known)
    if board is None:
        return replace(detected, board=None)
    window = window_of(board_view(frame, board, first, networks.classifier), detected.size)
    detections, probabilities = detect_in_window(window.rectify_grey(frame), window, networks)
    scale = working_scale(float(np.median(detections.sides))) if len(detections) else detected.scale
    fresh = replace(detected, detections=detections, probabilities=probabilities, scale=scale, board=board)
    fresh = with_evidence_beside(frame, fresh.kept(fresh.p_tile > SCORE_THRESHOLD), board)
    fresh = doubt_overexposed_faces(frame, fresh)
    sure = fresh.detections.kept(is_lettered(fresh))
    if frame.ndim == 3 and board.holds(sure.centres).any():
        stands = pyramids_off_tiles(frame, window, fresh, board, networks)
        board = find_pyramids(frame, board, stands, sure, before.palette if before else None)
    whole = read_through_pyramids(frame, replace(fresh, board=board), board, window, networks)
    return doubt_unread_cells(whole, board, ~board.mask(board.holes))


def pyramids_off_tiles(
    frame: CameraFrame, window: Window, tiles: FrameDetections, board: Volcano, networks: Networks
) -> Detections:
    """Return the pyramids in a window, without those beside the board that lie on a likelier tile."""
    found = detect_pyramids(window.rectify(frame), window.scale, networks.detector)
    stands = window.to_picture(found)
    away = distances(stands.centres, tiles.detections.centres)
    likelier = ((away < stands.sides[:, None] / 2) & (tiles.p_tile > stands.scores[:, None])).any(1)
    return stands.kept(~likelier | board.holds(stands.centres))


def known_palette(known: FrameDetections) -> Palette | None:
    """Return the colours of a known board, ``None`` where no part of it can be read alone."""
    palette = known.board.palette if isinstance(known.board, Volcano) else None
    return palette if palette and palette.side else None


def detect_volcano_region(
    frame: CameraFrame, box: Box, known: FrameDetections, networks: Networks
) -> FrameDetections | None:
    """Return the tiles whose middle lies in a part of a picture, with the pyramids on the cells it touches.

    ``None`` where a pass over the whole picture is needed: no board is known, a colour appears that no
    pyramid had yet, or most faces have another colour, as under a lamp.
    """
    board, palette = known.board, known_palette(known)
    if not isinstance(board, Volcano) or palette is None:
        return None
    squares = board.squares()
    some = np.asarray(((squares.max(1) >= box[:2]) & (squares.min(1) < box[2:])).all(1))
    outline = np.vstack([np.array(box, np.float64).reshape(2, 2), squares[some].reshape(-1, 2)])
    whole = window_of(view_of(board, palette.side, known.size), known.size)
    window = whole.part(box_around(board, outline, known.size))
    detections, probabilities = detect_in_window(window.rectify_grey(frame), window, networks, box)
    detected = replace(known, detections=detections, probabilities=probabilities)
    beside = known.kept(~points_inside(known.detections.centres, box))
    every = with_evidence_beside(frame, concatenate_frames(detected, beside), board)
    detected = doubt_overexposed_faces(frame, every.kept(points_inside(every.detections.centres, box)))
    stands = pyramids_off_tiles(frame, window, detected, board, networks)
    now = update_board(frame, box, board, stands, detected, some)
    if now is None:
        return None
    bare = now.lie_in(~now.covered(), detected.detections)
    shifts = face_shifts(frame, now, now.places(detected.detections.centres))
    if has_other_light(shifts[bare]):
        return None
    hidden = bare & ~shows_whole_face(shifts)
    changed = letters_on(now, detected) != letters_on(board, known)  # else a shadow lies there
    hidden &= changed[now.cells(detected.detections)[0]]
    detected = replace(detected.kept(~hidden), board=now)
    detected = read_through_pyramids(frame, detected, now, window, networks, some)
    unread = some & ~now.mask(now.holes) & shows_whole_face(face_shifts(frame, now, CELL_CENTRES))
    return doubt_unread_cells(detected, now, unread)


def board_view(
    frame: CameraFrame, board: Volcano, first: FrameDetections, classifier: Classifier
) -> RectifiedView:
    """Return the view of a table from above, at the size at which the board's tiles are read best."""
    on = first.detections.kept(board.holds(first.detections.centres))
    view = view_of(board, tile_side(board, on), first.size)
    view = view.part(project(board.homography, Volcano.outline()), TILE_PX)
    picture = view.rectify(as_grey(frame))
    tiles = squares(view.to_view(on), TILE_PX)
    chances = []
    for size in SIZE_FACTORS:
        classes = classifier.classify_once(*crop_source(picture, squares(tiles, TILE_PX * float(size))))
        chances.append(float(np.log(classes.p_best_symbol() + MIN_P_EVIDENCE).mean()))
    best = float(SIZE_FACTORS[np.array(chances) > max(chances) - SIZE_TOLERANCE].mean())
    return view_of(board, tile_side(board, on) * best, first.size)


def view_of(board: Volcano, side: float, size: tuple[int, int]) -> RectifiedView:
    """Return the view from above of a picture's table, with tiles of a side, in cells of the board."""
    times = TILE_PX / side
    matrix = np.diag([times, times, 1.0]) @ np.linalg.inv(board.homography)
    return RectifiedView.whole(matrix / matrix[2, 2], size, TILE_PX)


def window_of(view: RectifiedView, size: tuple[int, int]) -> Window:
    """Return the window of a view of a whole picture, given its width and height."""
    return Window((0, 0, *size), working_scale(TILE_PX), view)


def squares(detections: Detections, side: float) -> Detections:
    """Return detections as squares of one side, in pixels."""
    return replace(detections, shapes=np.tile(np.eye(2) * side, (len(detections), 1, 1)))


def detect_in_window(
    picture: Frame, window: Window, networks: Networks, box: Box | None = None
) -> tuple[Detections, ClassProbabilities]:
    """Return the detections, with probabilities, in a window's picture, (h, w).

    With a ``box`` of the picture, only detections with their middle in it are classified.
    """
    scales = [working_scale(size * TILE_PX) for size in DETECTION_SCALES]
    found = [detect_at_scale(networks.detector, picture, scale) for scale in scales]
    detections = squares(concatenate_detections(*found), TILE_PX)
    if box:
        detections = detections.kept(points_inside(window.to_picture(detections).centres, box))
    probabilities = networks.classifier.classify(*crop_source(picture, detections))
    best = nms(detections, p_tile(detections, probabilities) * probabilities.p_best_face())
    return window.to_picture(detections.kept(best)), probabilities.kept(best)


def confirm_board(
    stands: Detections, tiles: FrameDetections, found: Volcano | None, known: FrameDetections | None
) -> Volcano | None:
    """Return the detected board, or the known one where that was detected elsewhere but is still there.

    A board that is still there shows the known letters, though a hand may hide a row of it.  A board moved by
    a row leaves a row of cells without letters and pyramids.
    """
    board = known.board if known else None
    if known is None or not isinstance(board, Volcano) or board.palette is None:
        return found
    middles = project(board.homography, CELL_CENTRES)
    if found and (np.floor(found.places(middles)) == np.floor(CELL_CENTRES)).all():
        return found
    now, before = letters_on(board, tiles), letters_on(board, known)
    both = (now >= 0) & (before >= 0)
    if both.any() and (now == before)[both].mean() > 0.5:
        return board
    bare = stand_on_board(board, stands) < 0
    return board if (bare & (now < 0)).sum() < CELLS_PER_SIDE else found


def letters_on(board: Volcano, detected: FrameDetections) -> NDArray[np.int_]:
    """Return the number of the likeliest symbol in each cell of a board, -1 without a tile, (25,)."""
    letters = np.full(CELLS_PER_SIDE**2, -1)
    cells, _, fits = board.cells(detected.detections)
    symbols = detected.probabilities.p_symbol.sum(2).argmax(1)
    letters[cells[fits]] = symbols[fits]
    return letters


def read_through_pyramids(
    frame: CameraFrame,
    detected: FrameDetections,
    board: Volcano,
    window: Window,
    networks: Networks,
    some: Cells = ALL_CELLS,
) -> FrameDetections:
    """Return detections with the letters read through pyramids in place of those detected on some cells.

    A translucent side transmits its own colour best: in the brightest of each pixel's three channels the
    contrast of the letter is highest.  It is sure where the grey picture shows it too.
    """
    covered = board.covered() & some
    if frame.ndim != 3 or not covered.any():
        return detected
    rest = detected.kept(~board.lie_in(covered, detected.detections))
    points = board.squares()[covered].reshape(-1, 2)
    part = window.part(box_around(board, points, detected.size))
    detections, bright = detect_in_window(part.rectify(frame).max(2), part, networks, box_of(points))
    under = board.lie_in(covered, detections)
    detections, bright = detections.kept(under), bright.kept(under)
    dim = networks.classifier.classify(*crop_source(part.rectify_grey(frame), part.to_view(detections)))
    both = map_arrays(lambda one, other: OCCLUSION_FACTOR * (one + other) / 2, bright, dim)
    ridges = np.array([symbol in RIDGE_LOOKALIKES for symbol in both.symbols])[both.p_symbol.sum(2).argmax(1)]
    plain = (both.p_best_symbol() > MIN_OCCLUDED_P) & ~ridges
    return concatenate_frames(rest, replace(rest, detections=detections, probabilities=both).kept(plain))


def update_board(
    frame: CameraFrame, box: Box, board: Volcano, stands: Detections, detected: FrameDetections, some: Cells
) -> Volcano | None:
    """Return a board with the pyramids on some cells, and those beside it in a part of the picture.

    A cell that shows neither pyramid nor tile nor the bare board keeps its state.  ``None`` where a pyramid
    has a colour that no known one has.
    """
    palette = board.palette
    if palette is None:
        return None
    on, stand = pyramids_on_board(frame, board, stands, palette), stand_on_board(board, likely(stands))
    if len(palette.shifts) < PLAYER_COLOURS and (
        len(on) < (stand >= 0).sum() or any(one.doubt for one in on)
    ):
        return None
    old = [one for one in board.beside if not is_in_box(one, box)]
    now = replace(board, pieces=(*on, *old))
    now = replace(now, holes=empty_cells(frame, now, detected.detections))
    _, tiles = faces(now, detected.detections)
    known = now.covered() | tiles | now.mask(now.holes)
    now = now.kept_from(board, ~some | ~known)
    new = [one for one in pyramids_beside(frame, now, stands, palette) if is_in_box(one, box)]
    return replace(now, pieces=tuple(sorted((*now.pieces, *new), key=place_of)))


def box_of(points: Points) -> Box:
    """Return the bounding box of points of the picture, (n, 2)."""
    (left, top), (right, bottom) = np.floor(points.min(0)).tolist(), np.ceil(points.max(0)).tolist()
    return int(left), int(top), int(right), int(bottom)


def box_around(board: Volcano, points: Points, size: tuple[int, int]) -> Box:
    """Return the box of points of a picture of a size, (n, 2), and of the widest cell there around it.

    The detector needs that much of the picture beside what it detects.
    """
    return padded(box_of(points), float(board.cell_sides(points).max()), size)


def is_in_box(piece: Piece, box: Box) -> bool:
    """Return whether a pyramid's middle lies in a part of a picture."""
    return piece.at is not None and bool(points_inside(np.array([piece.at]), box)[0])


def doubt_unread_cells(detected: FrameDetections, board: Volcano, some: Cells = ALL_CELLS) -> FrameDetections:
    """Return the likely tiles, with one in doubt on each of some cells without a letter or a pyramid.

    Each holds one or the other: glare may hide it, or it was missed.
    """
    likely_tile = detected.p_tile > SCORE_THRESHOLD
    detected = detected.kept(is_no_pyramid(detected.detections, board) & likely_tile)
    cells, _, fits = board.cells(detected.detections)
    lacking = ~board.covered() & some
    lacking[cells[fits]] = False
    places = CELL_CENTRES[lacking]
    n, symbols = len(places), detected.probabilities.symbols
    side = tile_side(board, detected.detections) or UNREAD_P_TILE
    centres, turns = project(board.homography, places), np.full(n, np.radians(board.turn_deg))
    shapes = np.eye(2) * (board.cell_sides(centres) * side)[:, None, None]
    chance = np.full(n, UNREAD_P_TILE)
    new = Detections(centres, shapes, turns, chance)
    probabilities = ClassProbabilities(symbols, np.zeros((n, len(symbols), 4)), chance, np.zeros(n))
    return concatenate_frames(detected, replace(detected, detections=new, probabilities=probabilities))


def doubt_overexposed_faces(frame: CameraFrame, detected: FrameDetections) -> FrameDetections:
    """Return the likely tiles, of which blank faces are in doubt where glare may hide a letter."""
    detected = detected.kept(detected.p_tile > SCORE_THRESHOLD)
    overexposed = is_overexposed(frame, detected.detections.centres, detected.detections.vectors())
    p_blank = detected.probabilities.p_blank * np.where(overexposed, UNREAD_P_TILE, 1.0)
    return replace(detected, probabilities=replace(detected.probabilities, p_blank=p_blank))


def with_evidence_beside(frame: CameraFrame, detected: FrameDetections, board: Volcano) -> FrameDetections:
    """Return detections of which those beside the board, and faces without a letter, are re-scored."""
    some = ~board.holds(detected.detections.centres) | detected.probabilities.is_blank()
    return with_face_evidence(frame, detected, some, is_lettered(detected), CandidateOrigin.BESIDE)


def is_lettered(detected: FrameDetections) -> NDArray[np.bool_]:
    """Return which detections are likely tiles with a symbol, (n,)."""
    return np.asarray(detected.p_tile * detected.probabilities.p_best_symbol() > LIKELY)
