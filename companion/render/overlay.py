"""What was seen, drawn on the picture: every tile, its symbol, doubts, words and verdicts.

The picture is dimmed except where a tile was read, so that a missed one
stays dark.  Nothing is told by colour alone: a doubted tile is dashed and its
label asks, an invalid word is a wave, a word that the table has to decide is
dotted, a tile lying face down is hatched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.model.grid import Direction, Place
from companion.model.judged import JudgedWord, TableauVerdict
from companion.model.reading import Face, Piece, Point, Reading, Tile
from companion.render.caption import caption
from companion.render.inks import (
    DOUBT,
    DOWN,
    HATCH,
    INK,
    INVALID,
    LOOSE,
    PAPER,
    UNSURE,
    VALID,
    tableau_ink,
)
from companion.render.pen import SHIFT, Pen, Points, fixed, label_size
from companion.vision.picture import Frame

LIGHT, COLOUR = 0.5, 0.5
"""How much of its light, and then of its colour, the picture keeps outside the tiles."""

SIDE_MIN = 46.0
"""Pixels that a tile's side should have for its label to be read; smaller pictures are drawn enlarged."""

PIECE_REACH = 0.85
"""How far the light falls around a pyramid, in tile sides."""

PIECE_LABEL = 7.0
"""Height of a pyramid's label, in widths of the pen."""

ENLARGED_MAX = 4000
"""Pixels of the longest side that a picture is enlarged to."""

EDGE = ((0.03, 0.03), (0.97, 0.03), (0.97, 0.97), (0.03, 0.97))
"""Where on a tile's face its outline runs."""

LABEL = (0.17, 0.17)
"""Where on a tile's face its label lies: it hides little of the symbol and shows which way it is turned."""


def overlay(picture: Frame, reading: Reading, verdicts: Sequence[TableauVerdict], title: str) -> Frame:
    """Return the picture with what was read drawn on it and a caption below.

    Parameters
    ----------
    picture
        The picture that was read, uint8 (h, w, 3) BGR; it stays as it is.
    reading
        What was read from it.
    verdicts
        Those of its tableaux, in their order.
    title
        What the caption calls the picture.

    Returns
    -------
    Frame
        uint8 (h, w, 3) BGR, the picture at its top left; enlarged where the
        tiles are too small for labels.
    """
    scale = enlargement(reading)
    if scale > 1:
        picture = np.asarray(
            cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8
        )
    seen = [Seen.of(tile, scale) for tile in reading.tiles]
    stands = [((x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5) for x, y in placed(reading.pieces)]
    frame = dimmed(picture, seen, stands)
    pen = Pen(frame, max(1.0, typical([one.side for one in seen]) / 28))
    for one in seen:
        outline(pen, one)
    tags = []
    for number, verdict in enumerate(verdicts):
        cells = cells_of(seen, number)
        for word in verdict.words:
            spell(pen, cells, word)
        if cells:
            tags.append(tag(pen, number, cells[min(cells)]))
    for one in seen:
        if one.tile.face is Face.UP:
            name(pen, one, [*tags, *(other.at(LABEL, (0.5, 0.5)) for other in seen if other is not one)])
    for piece in reading.pieces:
        stand(pen, piece, scale)
    return np.concatenate([frame, caption(frame.shape[1], reading, verdicts, title)])


@dataclass(frozen=True, slots=True)
class Seen:
    """A tile with its corners on the drawing, shape (4, 2)."""

    tile: Tile
    corners: Points

    @classmethod
    def of(cls, tile: Tile, scale: float) -> Seen:
        """Return a tile as it lies on a picture enlarged by ``scale``."""
        return cls(tile, (np.array(tile.corners, dtype=np.float64) + 0.5) * scale - 0.5)

    @property
    def side(self) -> float:
        """Its mean side in pixels."""
        return float(np.hypot(*(self.corners - np.roll(self.corners, 1, axis=0)).T).mean())

    def at(self, *places: tuple[float, float]) -> Points:
        """Return points of its face: (0, 0) is the symbol's top left, (1, 1) its bottom right."""
        a, b, c, d = self.corners
        return np.array([(a * (1 - u) + b * u) * (1 - v) + (d * (1 - u) + c * u) * v for u, v in places])


def stand(pen: Pen, piece: Piece, scale: float) -> None:
    """Name a pyramid below its middle; one in doubt asks."""
    if piece.at is None:
        return
    height = PIECE_LABEL * pen.width
    x, y = ((side + 0.5) * scale - 0.5 for side in piece.at)
    text = f"{piece.size[0].upper()} {piece.colour}{'?' * piece.doubt}"
    pen.label(text, (x, y + 1.6 * height), height, INK, DOUBT if piece.doubt else PAPER)


def typical(sides: Sequence[float]) -> float:
    """Return the median side of tiles, or a usual one where there is none."""
    return float(np.median(sides)) if sides else SIDE_MIN


def enlargement(reading: Reading) -> float:
    """Return by how much a picture is drawn enlarged, 1 or more."""
    side = typical([Seen.of(tile, 1.0).side for tile in reading.tiles])
    return max(1.0, min(SIDE_MIN / max(side, 1.0), ENLARGED_MAX / max(reading.width, reading.height)))


def placed(pieces: Sequence[Piece]) -> list[Point]:
    """Return where pyramids stand, in pixels, of those of which it is known."""
    return [piece.at for piece in pieces if piece.at]


def dimmed(picture: Frame, seen: Sequence[Seen], stands: Sequence[Point] = ()) -> Frame:
    """Return a darker and greyer copy of a picture that keeps its light on the tiles and pyramids."""
    lit = np.zeros(picture.shape[:2], np.uint8)
    for one in seen:
        cv2.fillConvexPoly(lit, fixed(one.corners), 255, cv2.LINE_AA, SHIFT)
    reach = round(PIECE_REACH * typical([one.side for one in seen]))
    for x, y in stands:
        cv2.circle(lit, (round(x), round(y)), reach, 255, -1, cv2.LINE_AA)
    grey = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    dark = np.asarray(cv2.addWeighted(picture, LIGHT * COLOUR, grey, LIGHT * (1 - COLOUR), 0), np.uint8)
    cv2.copyTo(picture, lit, dark)
    return dark


def outline(pen: Pen, seen: Seen) -> None:
    """Draw a tile's edge: dashed for a doubt, hatched lying face down."""
    edge = seen.at(*EDGE, EDGE[0])
    if seen.tile.face is Face.DOWN:
        pen.hatch(edge[:4], HATCH, seen.side / 7)
    if seen.tile.doubt:
        for start in range(4):
            pen.dashes(edge[start : start + 2], DOUBT, 1.6)
    else:
        pen.line(edge, colours(seen.tile)[0])


def colours(tile: Tile) -> tuple[str, str]:
    """Return the colour of a tile's edge and label, and that of the writing on it."""
    if tile.doubt:
        return DOUBT, INK
    if tile.face is Face.DOWN:
        return DOWN, INK
    return (LOOSE, INK) if tile.tableau is None else (tableau_ink(tile.tableau), PAPER)


def name(pen: Pen, seen: Seen, taken: Sequence[Points]) -> None:
    """Label a tile with its symbol; a doubt is spelt out beside the tile, off the ``taken`` places."""
    paper, ink = colours(seen.tile)
    text, height = symbol_text(seen.tile), max(14.0, seen.side * 0.36)
    middle = seen.at(LABEL)[0]
    if seen.tile.doubt:
        middle = free_edge(seen, np.concatenate([np.empty((0, 2)), *taken]))
        away = middle - seen.corners.mean(axis=0)
        away /= max(float(np.hypot(*away)), 1e-9)
        middle = middle + away * 0.4 * (np.abs(away) @ [label_size(text, height)[1], height])
    pen.label(text, (middle[0], middle[1]), height, ink, paper)


def free_edge(seen: Seen, taken: Points) -> Points:
    """Return the middle of the tile's edge farthest from the ``taken`` points, shape (2,)."""
    edges = seen.at((0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5))
    room = np.linalg.norm(edges[:, None] - taken, axis=-1).min(axis=1, initial=np.inf)
    return np.asarray(edges[room.argmax()])


def symbol_text(tile: Tile) -> str:
    """Return what a tile's label says; a blank is an empty box."""
    symbol = tile.symbol or "□"
    if not tile.doubt:
        return symbol
    return f"{symbol}?" if tile.alternative is None else f"{symbol}/{tile.alternative or '□'}?"


def cells_of(seen: Sequence[Seen], tableau: int) -> dict[Place, Seen]:
    """Return the tiles of one tableau by row and column."""
    return {
        (one.tile.row, one.tile.col): one
        for one in seen
        if one.tile.tableau == tableau and one.tile.row is not None and one.tile.col is not None
    }


def spell(pen: Pen, cells: Mapping[Place, Seen], word: JudgedWord) -> None:
    """Draw a line along a word: under it, or to its right where it runs down."""
    ends = ((0.1, 0.92), (0.9, 0.92)) if word.direction is Direction.ACROSS else ((0.92, 0.1), (0.92, 0.9))
    (down, right), place, line = word.direction.step, (word.row, word.col), []
    while place in cells:
        line.append(cells[place].at(*ends))
        place = place[0] + down, place[1] + right
    if not line:
        return
    if word.valid is None:
        pen.dots(np.concatenate(line), UNSURE)
    elif word.valid:
        pen.line(np.concatenate(line), VALID, 1.5)
    else:
        pen.waves(np.concatenate(line), INVALID)


def tag(pen: Pen, number: int, first: Seen) -> Points:
    """Number a tableau above its first tile; return where, shape (1, 2)."""
    place = first.at((0.5, -0.55))
    pen.label(str(number + 1), (place[0, 0], place[0, 1]), first.side * 0.6, PAPER, tableau_ink(number))
    return place
