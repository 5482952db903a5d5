"""A look at a part of a known Volcano board: the cells that it touches are read, the rest is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.model.reading import Piece
from companion.vision.classifier.probabilities import Classifier, crop_source
from companion.vision.classifier.rotation import refine_rotation
from companion.vision.detector.detections import WORKING_PX, detect_at_scale
from companion.vision.detector.pyramid_colours import Tints
from companion.vision.detector.pyramid_occlusion import FACE, OTHER, Cover, covers_by
from companion.vision.detector.pyramids import awards
from companion.vision.grid.volcano.board import CELLS, Volcano, on_board
from companion.vision.grid.volcano.finding import holes, in_colour, standing
from companion.vision.grid.volcano.rectified import Picture
from companion.vision.layout.boards import is_no_pyramid
from companion.vision.networks import Detector
from companion.vision.picture import grey
from companion.vision.pipeline.board_evidence import judged_beside
from companion.vision.pipeline.frame import (
    Box,
    FrameDetections,
    centres_inside,
    concatenated,
    padded,
    translated,
)
from companion.vision.pipeline.occluded_letters import (
    Cells,
    cells_of,
    fill_open_cells,
    read_through_pyramids,
)
from companion.vision.pipeline.second_pass import FEW, LOOSE, apart, cell_shapes, in_cells, refine_each_size
from companion.vision.pipeline.volcano import LIKELY, likely, shown, surely
from companion.vision.pipeline.volcano_doubts import doubt_unread_cells

COLOURS = 2
"""Colours of pyramids in a game, one of each player."""

AROUND = 3.0
"""How far around a change the table is seen, in cells: by it a pyramid beside the board is told."""

Networks = tuple[Detector, Classifier]


def detect_volcano_region(
    frame: Picture, box: Box, known: FrameDetections, networks: Networks
) -> FrameDetections | None:
    """Return the tiles whose middle lies in a part of a picture, with the pyramids on the cells it touches.

    ``None`` where only a look at the whole picture can tell: no board is known, or something has a colour
    that no pyramid had yet.
    """
    board = known.board
    if not isinstance(board, Volcano) or known.scale is None:
        return None
    if board.palette is None or not board.palette.side:
        return None
    some = touched(board, box)
    left, top, right, bottom = around(board, box, some, known)
    corner = np.array([left, top])
    here = replace(
        known,
        size=(right - left, bottom - top),
        detections=translated(known.detections, -corner),
        board=board.shifted(-corner),
    )
    part = box[0] - left, box[1] - top, box[2] - left, box[3] - top
    look = read(np.ascontiguousarray(frame[top:bottom, left:right]), part, here, some, networks)
    if look is None or not isinstance(look.board, Volcano):
        return None
    detections = translated(look.detections, corner)
    return replace(look, size=known.size, detections=detections, board=look.board.shifted(corner))


def read(
    frame: Picture, box: Box, known: FrameDetections, some: Cells, networks: Networks
) -> FrameDetections | None:
    """Return what is seen in a part of a small picture of which some cells are ``touched``."""
    board, plane = known.board, grey(frame)
    if not isinstance(board, Volcano) or board.palette is None:
        return None
    look = detected(plane, box, known, board, networks)
    look = of_its_colour(frame, box, look.kept(likely(look) & shown(look, board)), known)
    lettered = look.detections.kept(surely(look, LIKELY))
    cover = covers_by(board.palette, in_colour(frame), board, lettered)
    shows = cover.tints.of
    if len(board.palette.shifts) < COLOURS and (shows[some] == OTHER).any():
        return None
    now = told(frame, box, board, cover, some, look)
    plain = some & (shows != OTHER)
    tiles = replace(look, board=now).kept(is_no_pyramid(look.detections, now))
    tiles = read_through_pyramids(frame, tiles, now, networks, plain)
    tiles = fill_open_cells(frame, tiles, now, networks, plain)
    hidden = cells_of(tiles.detections, now, some & ~plain) >= 0
    tiles = tiles.kept(is_no_pyramid(tiles.detections, now) & likely(tiles) & shown(tiles, now) & ~hidden)
    return doubt_unread_cells(tiles, now, some & (shows == FACE))


def of_its_colour(frame: Picture, box: Box, look: FrameDetections, known: FrameDetections) -> FrameDetections:
    """Return a look at a part of a picture without what has another colour than the tiles on the board."""
    board = known.board
    if not isinstance(board, Volcano):
        return look
    beside = known.kept(
        centres_inside(known.detections, (0, 0, *known.size)) & ~centres_inside(known.detections, box)
    )
    every = replace(
        known,
        detections=concatenated(look.detections, beside.detections),
        probabilities=concatenated(look.probabilities, beside.probabilities),
    )
    every = judged_beside(frame, every, ~board.holds(every.detections.centres), surely(every))
    return every.kept(centres_inside(every.detections, box))


def detected(
    plane: Picture, box: Box, known: FrameDetections, board: Volcano, networks: Networks
) -> FrameDetections:
    """Return the tiles whose middle lies in a part of a grey picture, as large as the known ones."""
    detector, classifier = networks
    scale = known.scale or 1.0
    middle = WORKING_PX / scale
    found = detect_at_scale(detector, plane, scale, (LOOSE[0] * middle, LOOSE[1] * middle))
    found = found.kept(centres_inside(found, box))
    side = board.palette.side if board.palette else 0.0
    beside = known.detections.kept(~board.holds(known.detections.centres))
    side_beside = float(np.median(in_cells(beside, board))) if len(beside) >= FEW else side
    broad = np.where(board.holds(found.centres), side, side_beside)
    found = replace(found, shapes=cell_shapes(board, found.centres) * broad[:, None, None])
    probabilities = classifier.classify(*crop_source(plane, found))
    found, probabilities = refine_rotation(classifier, plane, found, probabilities)
    best = apart(found, probabilities)
    look = replace(known, detections=found.kept(best), probabilities=probabilities.kept(best))
    return refine_each_size(plane, look, classifier)


def told(
    frame: Picture, box: Box, board: Volcano, cover: Cover, some: Cells, look: FrameDetections
) -> Volcano:
    """Return a board with the pyramids on some cells, and those beside it in a part of the picture."""
    palette = board.palette
    if palette is None:
        return board
    seen = some & (cover.tints.of != OTHER)
    kept = replace(board, pieces=standing(cover, board), holes=holes(cover)).kept_from(board, ~seen)
    areas = [palette.large] * len(palette.shifts)
    faces = look.detections.kept(surely(look, LIKELY))
    new = awards(in_colour(frame), board, of_board(cover, kept), faces, areas)
    old = [one for one in board.pieces if not on_board(one.row, one.col) and not within(one, box)]
    pieces = sorted(
        (*kept.pieces, *old, *(one for one in new if within(one, box))),
        key=lambda one: (one.row, one.col, one.colour),
    )
    return replace(kept, pieces=tuple(pieces))


def of_board(cover: Cover, board: Volcano) -> Cover:
    """Return what covers each cell as the pyramids of a board have it."""
    names, of = cover.tints.names, np.full(CELLS**2, FACE)
    for piece in board.pieces:
        if on_board(piece.row, piece.col) and piece.colour in names:
            of[piece.row * CELLS + piece.col] = names.index(piece.colour)
    return replace(cover, tints=Tints(cover.tints.shifts, of, cover.tints.doubt))


def within(piece: Piece, box: Box) -> bool:
    """Return whether a pyramid's middle lies in a part of a picture."""
    left, top, right, bottom = box
    return piece.at is not None and left <= piece.at[0] < right and top <= piece.at[1] < bottom


def touched(board: Volcano, box: Box) -> Cells:
    """Return the cells of which a part of a picture shows something, (25,)."""
    squares = board.squares()
    return np.asarray(((squares.max(1) >= box[:2]) & (squares.min(1) < box[2:])).all(1))


def around(board: Volcano, box: Box, some: Cells, known: FrameDetections) -> Box:
    """Return the part of a picture that shows another with some cells, and what tells it from its ground."""
    points = np.vstack([np.array(box, np.float64).reshape(2, 2), board.squares()[some].reshape(-1, 2)])
    (left, top), (right, bottom) = np.floor(points.min(0)).astype(int), np.ceil(points.max(0)).astype(int)
    cell = float(np.sqrt(np.abs(np.linalg.det(cell_shapes(board, points.mean(0)[None]))[0])))
    return padded((int(left), int(top), int(right), int(bottom)), AROUND * cell, known.size)
