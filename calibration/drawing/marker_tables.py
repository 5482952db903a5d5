"""Drawn tables with printed markers at their corners, for a tilted camera with a distorting lens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import background
from calibration.drawing.camera import Camera, View, camera
from calibration.drawing.fonts import evaluation_fonts
from calibration.drawing.layout import Grid
from calibration.drawing.light import captured
from calibration.drawing.paint import UNIT_SQUARE, Box, Cover, Picture, Points, box_around
from calibration.drawing.rng import Rng
from calibration.drawing.scene import CaptureConditions, Scene, draw_on_background
from calibration.drawing.tables import known_words, place_four_players
from calibration.drawing.tile_style import random_style
from calibration.markers import MARKER_SIDES_MM, MODULES, TABLE_MARKER_NUMBERS, marker_pattern
from companion.model.profile import Lens
from companion.model.tiles import TileSet

CARD_TO_MARKER_RATIO = 4 / 3
"""Side of a marker's white card, in sides of the marker."""

SUPERSAMPLING = 5
"""Samples along each side of a pixel of a drawn card."""

PROJECTION_STEP_PX = 8
"""Distance of pixels that are projected through two cameras; those between are interpolated."""


@dataclass(frozen=True, slots=True)
class Card:
    """A marker on the table: its number, its middle and side in mm, its turn clockwise in radians."""

    number: int
    middle: tuple[float, float]
    turn: float
    side_mm: float

    def corners(self, share: float = 1.0) -> Points:
        """Return the corners of a square ``share`` times as large as the marker, clockwise, (4, 2) in mm."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.asarray(self.middle + UNIT_SQUARE * self.side_mm * share @ np.array([[c, s], [-s, c]]))

    def ink(self, places: Points) -> NDArray[np.bool_]:
        """Return which places of the table, (..., 2) in mm, its ink covers."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        own = (places - self.middle) @ np.array([[c, -s], [s, c]]) / self.side_mm + 0.5
        inside = ((own >= 0) & (own < 1)).all(-1)
        col, row = np.moveaxis(np.clip((own * MODULES).astype(int), 0, MODULES - 1), -1, 0)
        return np.asarray(inside & marker_pattern(self.number)[row, col])


@dataclass(frozen=True, slots=True)
class MarkedTable:
    """A drawn table with its ground truth.

    ``picture`` is uint8, (h, w); ``view`` and ``side_mm``, the side of a tile, give the camera; ``cards`` are
    in millimetres about the middle of the view.
    """

    picture: Cover
    view: View
    side_mm: float
    cards: tuple[Card, ...]

    def pixels(self, places: Points) -> Points:
        """Return the pixels of places in the table's frame, (n, 2) in mm from marker 0's corner."""
        origin, ways = self.frame()
        return drawn_pixels(camera(self.view), origin + places @ ways, self.side_mm)

    def corners_px(self, number: int) -> Points:
        """Return the true corners of a marker in the picture, (4, 2)."""
        card = next(card for card in self.cards if card.number == number)
        return drawn_pixels(camera(self.view), card.corners(), self.side_mm)

    def frame(self) -> tuple[Points, Points]:
        """Return the origin of the table's frame, (2,) in mm, and its x and y unit
        vectors, rows of (2, 2).
        """
        own = {card.number: card.corners() for card in self.cards}
        first, second = own[0][0], own[1][1]
        x = (second - first) / np.hypot(*(second - first))
        return first, np.array([x, [-x[1], x[0]]])


def drawn_pixels(view: Camera, places: Points, side_mm: float) -> Points:
    """Return the pixels of places on the table, (n, 2) in mm about the middle of the view."""
    return view.pixels(np.column_stack([places / side_mm, np.zeros(len(places))]))


def lens_of(view: Camera) -> Lens:
    """Return the true lens of a drawn camera."""
    axis = view.matrix[2, :3]
    focal = float(np.linalg.norm(view.matrix[0, :3] - (view.matrix[0, :3] @ axis) * axis))
    (x, y), (wide, high) = view.middle, view.stretch
    matrix = (focal * wide, 0.0, x * wide, 0.0, focal * high, y * high, 0.0, 0.0, 1.0)
    distortion = view.distortion * (focal / view.half_diagonal) ** 2
    return Lens("ordinary", matrix, (distortion, 0.0, 0.0, 0.0), 0.0)


def corner_cards(rng: Rng, width_mm: float, height_mm: float, printed: float = 1.0) -> tuple[Card, ...]:
    """Return a table's four hand-laid markers, their sheet printed ``printed`` times as large."""
    cards = []
    for number, vector in zip(TABLE_MARKER_NUMBERS, UNIT_SQUARE, strict=True):
        x, y = vector * (width_mm, height_mm) + rng.normal(0, 4, 2)
        cards.append(
            Card(number, (float(x), float(y)), float(rng.normal(0, 0.04)), MARKER_SIDES_MM[number] * printed)
        )
    return tuple(cards)


def marked_table(rng: Rng, view: View, side_mm: float, cards: tuple[Card, ...]) -> MarkedTable:
    """Return a drawn table with cards on it and nothing else; ``view.tile_px`` pixels are ``side_mm``."""
    picture = background(rng, view.width, view.height, view.tile_px)
    draw_cards(picture, cards, camera(view), side_mm)
    return MarkedTable(captured(picture, rng), view, side_mm, cards)


def marked_game(
    rng: Rng, view: View, side_mm: float, cards: tuple[Card, ...], words: Sequence[str], box: TileSet
) -> tuple[MarkedTable, Scene, list[Grid]]:
    """Return a table with cards at its corners and a game of four players, its scene, and its crosswords.

    The first player sits at the near side, the others follow clockwise; the scene has the tiles' ground
    truth.
    """
    bag = Counter(box.counts or {})
    known = known_words(rng, words, bag)
    reach = np.abs([card.middle for card in cards]).mean(0) / side_mm
    free = [
        (float(x), float(y))
        for card in cards
        for x, y in points_along(card.corners(CARD_TO_MARKER_RATIO) / side_mm, 4)
    ]
    placed, grids = place_four_players(rng, known, bag, (float(reach[0]), float(reach[1])), free)
    picture = background(rng, view.width, view.height, view.tile_px)
    draw_cards(picture, cards, camera(view), side_mm)
    scene = draw_on_background(
        rng, picture, view, placed, random_style(rng, evaluation_fonts()), CaptureConditions()
    )
    return MarkedTable(scene.picture, view, side_mm, cards), scene, grids


def draw_cards(picture: Picture, cards: tuple[Card, ...], view: Camera, side_mm: float) -> None:
    """Draw printed cards into a picture."""
    for card in cards:
        rim = points_along(card.corners(CARD_TO_MARKER_RATIO), 8)
        if box := box_around(drawn_pixels(view, rim, side_mm), picture):
            _print(picture, box, card, view, side_mm)


def _print(picture: Picture, box: Box, card: Card, view: Camera, side_mm: float) -> None:
    """Draw a card into a box of the picture; each pixel is the mean of ``SUPERSAMPLING`` squared samples."""
    width, height = box.size
    x, y = (((np.arange(n * SUPERSAMPLING) + 0.5) / SUPERSAMPLING - 0.5) for n in (width, height))
    pixels = np.stack(np.meshgrid(x + box.left, y + box.top), -1)
    places = view.places(pixels) * side_mm
    c, s = np.cos(card.turn), np.sin(card.turn)
    own = np.abs((places - card.middle) @ np.array([[c, -s], [s, c]])).max(-1)
    paper = (
        (own < card.side_mm * CARD_TO_MARKER_RATIO / 2)
        .reshape(height, SUPERSAMPLING, width, SUPERSAMPLING)
        .mean((1, 3))
    )
    ink = card.ink(places).reshape(height, SUPERSAMPLING, width, SUPERSAMPLING).mean((1, 3))
    area = box.of(picture)
    area += (235.0 - area) * paper.astype(np.float32) - 205.0 * ink.astype(np.float32)


def after_camera_move(picture: Cover, before: Camera, after: Camera) -> Cover:
    """Return a picture warped to a moved camera, as if everything in it lay flat on the table."""
    height, width = picture.shape
    # every eighth pixel is projected through both cameras, from beyond one edge to beyond the other
    x, y = (
        (np.arange(-1, size // PROJECTION_STEP_PX + 2) + 0.5) * PROJECTION_STEP_PX - 0.5
        for size in (width, height)
    )
    places = after.places(np.stack(np.meshgrid(x, y), -1))
    come_from = before.pixels(np.concatenate([places, np.zeros((*places.shape[:2], 1))], -1))
    fine = cv2.resize(
        come_from.astype(np.float32),
        None,
        fx=PROJECTION_STEP_PX,
        fy=PROJECTION_STEP_PX,
        interpolation=cv2.INTER_LINEAR,
    )
    across, down = cv2.split(
        fine[
            PROJECTION_STEP_PX : PROJECTION_STEP_PX + height, PROJECTION_STEP_PX : PROJECTION_STEP_PX + width
        ]
    )
    moved = cv2.remap(picture, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(moved, np.uint8)


def points_along(corners: Points, parts: int) -> Points:
    """Return points along a closed outline, ``parts`` on each side."""
    steps = np.arange(parts)[:, None] / parts
    ends = np.roll(corners, -1, 0)
    return np.concatenate([a + (b - a) * steps for a, b in zip(corners, ends, strict=True)])
