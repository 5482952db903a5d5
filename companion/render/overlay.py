"""A reading drawn on its picture: tiles, symbols, doubts, words, verdicts, and a caption below.

The picture is dimmed except where a tile was read, so that a missed one stays dark.  Colour is never the only
sign: a tile in doubt is dashed with a question mark, an invalid word is a wave, a word that the table has to
decide is dotted, a face-down tile is hatched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.model.grid import Direction, Place
from companion.model.reading import Corners, Face, Piece, Point, Reading, Tile
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.render.pen import (
    CAPITAL_HEIGHT,
    DOUBT,
    DOWN,
    HATCH,
    INK,
    INVALID,
    LOOSE,
    MUTED,
    PAPER,
    SUBPIXEL_BITS,
    UNSURE,
    VALID,
    Pen,
    Points,
    bgr,
    label_size,
    tableau_ink,
    text_length,
    to_fixed_point,
)
from companion.render.report import board_sentence, counts, is_judged, sentence
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import distances

KEPT_SHARE = 0.5
"""Share of its light, and then of its colour, that the picture keeps outside the tiles."""

MIN_TILE_SIDE_PX = 46.0
"""Least side of a tile with a legible label, in pixels; smaller pictures are drawn enlarged."""

PYRAMID_LIGHT_REACH = 0.85
"""Radius of the light around a pyramid, in tile sides."""

PYRAMID_LABEL_HEIGHT = 7.0
"""Height of a pyramid's label, in widths of the pen."""

MAX_ENLARGED_SIDE_PX = 4000
"""Longest side that a picture is enlarged to, in pixels."""

OUTLINE_POINTS = ((0.03, 0.03), (0.97, 0.03), (0.97, 0.97), (0.03, 0.97), (0.03, 0.03))
"""Corners of the closed outline on a tile's face, in tile sides."""

LABEL_POSITION = (0.17, 0.17)
"""Position of the label on a tile's face, in tile sides: it shows the rotation and hides little."""

MIN_FONT_PX, MAX_FONT_PX = 12, 40
"""Font sizes of the caption, in pixels; between them a line holds about eighty letters."""

MAX_LISTED_TABLEAUX = 12
"""Largest number of tableaux listed; a table has room for fewer, but a carpet may look like many."""


def overlay(picture: Frame, reading: Reading, verdicts: Sequence[TableauVerdict], title: str) -> Frame:
    """Return a copy of the picture, uint8 (h, w, 3) BGR, with its reading drawn on it and a caption below.

    It is enlarged where the tiles are too small for labels.  ``verdicts`` are in the order of the reading's
    tableaux; ``title`` names the picture in the caption.
    """
    scale = enlargement(reading)
    if scale > 1:
        larger = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        picture = np.asarray(larger, np.uint8)
    seen = [DrawnTile.of(tile, scale) for tile in reading.tiles]
    side = median_tile_side(seen)
    pyramids = [(piece, enlarged(piece.at, scale)) for piece in reading.pieces if piece.at]
    frame = dimmed(picture, seen, [at for _, at in pyramids], round(PYRAMID_LIGHT_REACH * side))
    pen = Pen(frame, max(1.0, side / 28))
    for one in seen:
        draw_outline(pen, one)
    tags = []
    for number, verdict in enumerate(verdicts):
        cells = cells_of(seen, number)
        for word in verdict.words:
            draw_word(pen, cells, word)
        if cells:
            tags.append(draw_number(pen, number, cells[min(cells)]))
    for one in seen:
        if one.tile.face is Face.UP:
            draw_label(pen, one, seen, tags)
    for piece, at in pyramids:
        draw_pyramid_label(pen, piece, at)
    for place in unread_places(reading):
        draw_unread(pen, enlarged(place, scale), side)
    return np.concatenate([frame, caption(frame.shape[1], reading, verdicts, title)])


def enlarged(points: Point | Corners, scale: float) -> Points:
    """Return points of the picture, (..., 2), on the picture enlarged by ``scale``."""
    return (np.array(points, dtype=np.float64) + 0.5) * scale - 0.5


@dataclass(frozen=True, slots=True)
class DrawnTile:
    """A tile with its corners on the drawing, shape (4, 2)."""

    tile: Tile
    corners: Points

    @classmethod
    def of(cls, tile: Tile, scale: float) -> DrawnTile:
        """Return a tile on a picture enlarged by ``scale``."""
        return cls(tile, enlarged(tile.corners, scale))

    @property
    def side(self) -> float:
        """Its mean side in pixels."""
        return float(np.hypot(*(self.corners - np.roll(self.corners, 1, axis=0)).T).mean())

    def at(self, *places: tuple[float, float]) -> Points:
        """Return points of its face: (0, 0) is the symbol's top left, (1, 1) its bottom right."""
        a, b, c, d = self.corners
        return np.array([(a * (1 - u) + b * u) * (1 - v) + (d * (1 - u) + c * u) * v for u, v in places])


def draw_pyramid_label(pen: Pen, piece: Piece, at: Points) -> None:
    """Label a pyramid below its middle; one in doubt gets a question mark."""
    height = PYRAMID_LABEL_HEIGHT * pen.width
    text = f"{piece.size[0].upper()} {piece.colour}{'?' * piece.doubt}"
    x, y = at
    pen.label(text, (x, y + 1.6 * height), height, INK, DOUBT if piece.doubt else PAPER)


def unread_places(reading: Reading) -> list[Point]:
    """Return the places of unread tiles beside tableaux, in pixels."""
    return [place.at for tableau in reading.tableaux for place in tableau.unread]


def draw_unread(pen: Pen, at: Points, side: float) -> None:
    """Mark a place where a tile was not read: a dashed square around a question mark."""
    square = at + side / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])
    pen.dashes(square, DOUBT, 1.6)
    pen.label("?", at, 0.6 * side, INK, DOUBT)


def median_tile_side(tiles: Sequence[DrawnTile]) -> float:
    """Return the median side of tiles, or a default without tiles."""
    return float(np.median([tile.side for tile in tiles])) if tiles else MIN_TILE_SIDE_PX


def enlargement(reading: Reading) -> float:
    """Return the factor by which a picture is enlarged, 1 or more."""
    side = median_tile_side([DrawnTile.of(tile, 1.0) for tile in reading.tiles])
    largest = MAX_ENLARGED_SIDE_PX / max(reading.width, reading.height)
    return max(1.0, min(MIN_TILE_SIDE_PX / max(side, 1.0), largest))


def dimmed(picture: Frame, seen: Sequence[DrawnTile], stands: Sequence[Points], reach: int) -> Frame:
    """Return a darker and greyer copy of a picture that keeps its light on tiles and near ``stands``."""
    lit = np.zeros(picture.shape[:2], np.uint8)
    for one in seen:
        cv2.fillConvexPoly(lit, to_fixed_point(one.corners), 255, cv2.LINE_AA, SUBPIXEL_BITS)
    for x, y in stands:
        cv2.circle(lit, (round(x), round(y)), reach, 255, -1, cv2.LINE_AA)
    grey = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    dark = cv2.addWeighted(picture, KEPT_SHARE * KEPT_SHARE, grey, KEPT_SHARE * (1 - KEPT_SHARE), 0)
    return np.asarray(cv2.copyTo(picture, lit, dark), np.uint8)


def draw_outline(pen: Pen, seen: DrawnTile) -> None:
    """Draw a tile's edge, dashed for a doubt; hatch a face-down tile."""
    edge = seen.at(*OUTLINE_POINTS)
    if seen.tile.face is Face.DOWN:
        pen.hatch(edge, HATCH, seen.side / 7)
    if seen.tile.doubt:
        pen.dashes(edge, DOUBT, 1.6)
    else:
        pen.line(edge, colours(seen.tile)[0])


def colours(tile: Tile) -> tuple[str, str]:
    """Return the colour of a tile's edge and label, and that of the writing on it."""
    if tile.doubt:
        return DOUBT, INK
    if tile.face is Face.DOWN:
        return DOWN, INK
    return (LOOSE, INK) if tile.tableau is None else (tableau_ink(tile.tableau), PAPER)


def draw_label(pen: Pen, seen: DrawnTile, every: Sequence[DrawnTile], tags: Sequence[Points]) -> None:
    """Label a tile with its symbol.

    A doubt is written beside the tile, at the edge farthest from the symbols and labels of ``every`` other
    tile and from the ``tags``.
    """
    paper, ink = colours(seen.tile)
    text, height = symbol_text(seen.tile), max(14.0, seen.side * 0.36)
    (middle,) = seen.at(LABEL_POSITION)
    if seen.tile.doubt:
        others = (other.at(LABEL_POSITION, (0.5, 0.5)) for other in every if other is not seen)
        edges = seen.at((0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5))
        room = distances(edges, np.concatenate([np.empty((0, 2)), *tags, *others])).min(1, initial=np.inf)
        middle = edges[room.argmax()]
        away = middle - seen.corners.mean(axis=0)
        away /= max(float(np.hypot(*away)), 1e-9)
        middle = middle + away * 0.4 * (np.abs(away) @ [label_size(text, height)[1], height])
    pen.label(text, middle, height, ink, paper)


def symbol_text(tile: Tile) -> str:
    """Return the text of a tile's label; a blank is an empty box."""
    symbol = tile.symbol or "□"
    if not tile.doubt:
        return symbol
    return f"{symbol}?" if tile.alternative is None else f"{symbol}/{tile.alternative or '□'}?"


def cells_of(seen: Sequence[DrawnTile], tableau: int) -> dict[Place, DrawnTile]:
    """Return the tiles of one tableau by row and column."""
    return {
        (one.tile.row, one.tile.col): one
        for one in seen
        if one.tile.tableau == tableau and one.tile.row is not None and one.tile.col is not None
    }


def draw_word(pen: Pen, cells: Mapping[Place, DrawnTile], word: JudgedWord) -> None:
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


def draw_number(pen: Pen, number: int, first: DrawnTile) -> Points:
    """Number a tableau above its first tile; return the number's position, shape (1, 2)."""
    place = first.at((0.5, -0.55))
    pen.label(str(number + 1), place[0], first.side * 0.6, PAPER, tableau_ink(number))
    return place


def caption(width: int, reading: Reading, verdicts: Sequence[TableauVerdict], title: str) -> Frame:
    """Return a strip to set below an overlay, uint8 (h, width, 3) BGR."""
    size = int(np.clip(width / 50, MIN_FONT_PX, MAX_FONT_PX))
    listed = verdicts[:MAX_LISTED_TABLEAUX]
    frame = np.empty((round(size * (5.3 + 1.7 * len(listed))), width, 3), np.uint8)
    frame[:] = bgr(INK)
    pen = Pen(frame, max(1.0, size / 12))
    y = size * 1.6
    room = width - 2 * size
    x = pen.write(fit_text(title, size, room), (size, y), size, PAPER)
    about = f"{reading.tile_set}, {reading.width} × {reading.height}"
    if x + 2 * size + text_length(about, size) < room:
        pen.write(about, (x + size, y), size, MUTED)
    y += size * 1.6
    pen.write(fit_text(counts(reading), size, room), (size, y), size, PAPER)
    for number, verdict in enumerate(listed, 1):
        y += size * 1.7
        label = size * 1.7, y - size * CAPITAL_HEIGHT / 2
        pen.label(str(number), label, size * 1.4, PAPER, tableau_ink(number - 1))
        judged = is_judged(number, reading)
        line = sentence(verdict, reading.tableaux[number - 1]) if judged else board_sentence(reading)
        pen.write(fit_text(line, size, room - size * 2), (size * 3, y), size, PAPER)
    legend(pen, (size, y + size * 1.5), round(size * 0.8), reading, verdicts)
    return frame


def fit_text(text: str, size: int, room: float) -> str:
    """Return the part of a text that fits into ``room`` pixels."""
    if text_length(text, size) <= room:
        return text
    fits = [end for end in range(len(text)) if text_length(f"{text[:end]}…", size) <= room]
    return f"{text[: max(fits, default=0)]}…"


def legend(pen: Pen, origin: Point, size: int, reading: Reading, verdicts: Sequence[TableauVerdict]) -> None:
    """Explain the signs that occur on this picture, as many as there is room for."""
    found = {word.valid for verdict in verdicts for word in verdict.words}
    edges = {colours(tile)[0] for tile in reading.tiles}
    down, unread = any(tile.face is Face.DOWN for tile in reading.tiles), unread_places(reading)
    signs: list[tuple[bool, str, Callable[[Points], None]]] = [
        (True in found, "valid word", lambda line: pen.line(line, VALID, 1.5)),
        (False in found, "not a word", lambda line: pen.waves(line, INVALID)),
        (None in found, "unsure", lambda line: pen.dots(line, UNSURE)),
        (bool(unread), "tile not read", lambda line: draw_unread(pen, line.mean(0), 1.5 * size)),
        (DOUBT in edges, "doubted tile", lambda line: pen.dashes(line, DOUBT, 1.6)),
        (LOOSE in edges, "loose tile", lambda line: pen.line(line, LOOSE)),
        (down, "face down", lambda line: draw_hatched(pen, line)),
    ]
    x, y = origin
    middle = y - size * CAPITAL_HEIGHT / 2
    for occurs, name, draw in signs:
        right = x + 2.6 * size
        if not occurs:
            continue
        if right + text_length(name, size) > pen.frame.shape[1] - size:
            return
        draw(np.array([[x, middle], [x + 2 * size, middle]]))
        x = pen.write(name, (right, y), size, MUTED) + 1.5 * size


def draw_hatched(pen: Pen, line: Points) -> None:
    """Draw a hatched box along a line."""
    half = np.array([0.0, 0.25 * (line[1, 0] - line[0, 0])])
    box = np.array([line[0] - half, line[1] - half, line[1] + half, line[0] + half])
    cv2.fillPoly(pen.frame, [np.round(box).astype(np.int32)], bgr(MUTED))
    pen.hatch(box, HATCH, 2.5 * pen.width)
    pen.line(box[[0, 1, 2, 3, 0]], DOWN)
