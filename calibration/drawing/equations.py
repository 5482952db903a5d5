"""Drawn games of equations: binary tiles on a crossword board with its premium squares, in colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.drawing.backgrounds import background
from calibration.drawing.boards import (
    SQUARE_SIDE_PX,
    SQUARES_PER_SIDE,
    board_squares,
    draw_flat,
    letter_square,
    rule_lines,
)
from calibration.drawing.camera import Camera, View, camera
from calibration.drawing.clutter import draw_clutter
from calibration.drawing.colour import Planes, Shade, captured_in_colour, random_colour, tinted
from calibration.drawing.fonts import training_fonts
from calibration.drawing.layout import (
    FreeSpace,
    Grid,
    Jitter,
    Word,
    crossword,
    grid_extent,
    place_grid,
    place_loose,
)
from calibration.drawing.paint import Picture
from calibration.drawing.rng import Rng, choose
from calibration.drawing.scene import visible_shares
from calibration.drawing.tiles import DrawnTile
from calibration.drawing.volcano import draw_coloured_tiles, random_light_style, random_tile_colour
from companion.model.squares import PREMIUM_SQUARES_QUARTER

MIN_COLOUR_CONTRAST = 0.3
"""Least difference between tiles and squares, in logarithms: of the hue, and half of the brightness."""
WORDING = {
    "W": ("TRIPLE", "WORD", "SCORE"),
    "w": ("DOUBLE", "WORD", "SCORE"),
    "L": ("TRIPLE", "LETTER", "SCORE"),
    "l": ("DOUBLE", "LETTER", "SCORE"),
}
PREMIUM_COLOURS_BGR: dict[str, tuple[float, float, float]] = {
    "W": (50, 55, 190),
    "w": (165, 150, 225),
    "L": (140, 85, 45),
    "l": (215, 185, 140),
}
"""Blue, green and red of the premium squares, as in most makers' sets."""


@dataclass(frozen=True, slots=True)
class EquationScene:
    """A drawn picture in colour, uint8 of shape (h, w, 3), the tiles in it and the crossword by board cell.

    A blank, and a symbol that the font lacks, is ``""`` in the crossword; rows run in reading direction.
    ``squares`` are the outlines of the board's squares, row by row, (225, 4, 2) in pixels; ``printed`` those
    of the premium squares without a tile, (n, 4, 2).
    """

    picture: NDArray[np.uint8]
    tiles: tuple[DrawnTile, ...]
    grid: Grid
    squares: NDArray[np.float64]
    printed: NDArray[np.float64]


def equations(rng: Rng, many: int) -> list[Word]:
    """Return ``many`` random valid equations of one operation or a NOT, one symbol a tile."""
    found: list[Word] = []
    while len(found) < many:
        a, b = (int(n) for n in rng.integers(1, 14, 2))
        sums: dict[str, int | None] = {
            "+": a + b,
            "-": a - b if a >= b else None,
            "x": a * b if a * b < 64 else None,
            "/": a // b if a % b == 0 else None,
            "AND": a & b,
            "OR": a | b,
        }
        sign = str(rng.choice(list(sums)))
        value = sums[sign]
        if rng.random() < 0.12:
            found.append(["NOT", *f"{a:b}", "=", *f"{a ^ (2 ** len(f'{a:b}') - 1):b}"])
        elif value is not None:
            left, right = [*f"{a:b}", sign, *f"{b:b}"], [*f"{value:b}"]
            found.append([*left, "=", *right] if rng.random() < 0.7 else [*right, "=", *left])
    return found


@dataclass(frozen=True, slots=True)
class Variation:
    """Deviations from the usual game.

    ``words`` replace the equations; ``clutter`` is how often random objects are drawn below the board; with
    ``camouflage`` the squares of one kind have the tiles' colour, with that standard deviation in logarithms;
    ``line`` is the width of the lines between squares, in pixels of the board's sheet to either side;
    ``most`` the largest number of tiles, a random choice of those that lie in the same game otherwise.
    """

    words: Sequence[Word] = ()
    clutter: int = 0
    camouflage: float | None = None
    line: int | None = None
    most: int | None = None


def equation_game(
    rng: Rng,
    view: View,
    counts: Mapping[str, int],
    fonts: tuple[Path, ...] | None = None,
    variation: Variation = Variation(),
) -> EquationScene:
    """Return a scene of a game under way; ``counts`` are the tiles of the box, including blanks."""
    box = {symbol: n for symbol, n in counts.items() if symbol}
    words = variation.words or equations(rng, 150)
    tries = (
        crossword(rng, int(rng.integers(15, 60)), words, bag=box, max_extent=SQUARES_PER_SIDE)
        for _ in range(4)
    )
    grid = moved_onto_board(
        rng, max((one for one in tries if one and grid_extent(one) <= SQUARES_PER_SIDE), key=len)
    )
    blanks = rng.permutation(len(grid))[: int(rng.integers(0, counts.get("", 0) + 1))].tolist()
    shown_grid = {cell: "" if k in blanks else symbol for k, (cell, symbol) in enumerate(grid.items())}
    pitch, turn, at = float(rng.uniform(1.03, 1.2)), float(rng.uniform(0, 2 * np.pi)), rng.uniform(-3, 3, 2)
    hand = Jitter(pitch, float(rng.uniform(0, 0.035)), float(rng.uniform(0, 0.03)), 0.0)
    centre = np.mean(list(grid), axis=0) - (SQUARES_PER_SIDE - 1) / 2
    off = centre[::-1] * pitch
    c, s = np.cos(turn), np.sin(turn)
    place = at + np.array([[c, -s], [s, c]]) @ off
    placed = [
        replace(tile, symbol=tile.symbol or None)
        for tile in place_grid(rng, shown_grid, (float(place[0]), float(place[1])), turn, hand, 0)
    ]
    floor = FreeSpace(view.width / view.tile_px / 2 - 1, view.height / view.tile_px / 2 - 1)
    reach = np.arange(-8.5, 9, 1.0) * pitch
    floor.used += [(float(at[0] + x * c - y * s), float(at[1] + x * s + y * c)) for x in reach for y in reach]
    rack = [choose(rng, list(box)) for _ in range(int(rng.integers(0, 6)))]
    placed += place_loose(rng, floor, [*rack, *[None] * int(rng.integers(0, 3))], gap=1.5)
    if variation.most is not None:
        placed = [placed[k] for k in rng.spawn(1)[0].permutation(len(placed))[: variation.most]]
    grey = background(rng, view.width, view.height, view.tile_px)
    for _ in range(variation.clutter):
        draw_clutter(rng, grey, view.tile_px)
    planes = tinted(
        grey,
        random_colour(rng, (0, 0.4), rng.random() < 0.5),
        random_colour(rng, (0, 0.3), rng.random() < 0.5),
    )
    style, tone, seen = random_light_style(rng, fonts), random_tile_colour(rng), camera(view)
    sheet = board_sheets(rng, style.face * tone, variation)
    draw_board_sheet(planes, sheet, seen, (float(at[0]), float(at[1]), turn), pitch)
    tiles = draw_coloured_tiles(rng, planes, placed, (style, tone), seen)
    shares = visible_shares(np.array([tile.corners for tile in tiles]), np.zeros(grey.shape, np.uint8))
    visible = (replace(tile, visible=float(share)) for tile, share in zip(tiles, shares, strict=True))
    drawn = {tile.placed.cell: tile.symbol or "" for tile in tiles if tile.placed.group == 0}
    squares = board_squares(seen, (float(at[0]), float(at[1]), turn), pitch)
    bare = [
        premium_at(*cell) != "." and cell not in drawn
        for cell in np.ndindex(SQUARES_PER_SIDE, SQUARES_PER_SIDE)
    ]
    return EquationScene(
        captured_in_colour(planes, rng, style.face), tuple(visible), drawn, squares, squares[bare]
    )


def moved_onto_board(rng: Rng, grid: Grid) -> Grid:
    """Return a grid moved to a random place on the board."""
    rows, cols = zip(*grid, strict=True)
    top = int(rng.integers(0, SQUARES_PER_SIDE - (max(rows) - min(rows)))) - min(rows)
    left = int(rng.integers(0, SQUARES_PER_SIDE - (max(cols) - min(cols)))) - min(cols)
    return {(row + top, col + left): symbol for (row, col), symbol in grid.items()}


def premium_at(row: int, col: int) -> str:
    """Return the premium of a square: ``W``, ``w``, ``L``, ``l``, or ``.`` for a plain one."""
    return PREMIUM_SQUARES_QUARTER[min(row, SQUARES_PER_SIDE - 1 - row)][min(col, SQUARES_PER_SIDE - 1 - col)]


def draw_board_sheet(
    planes: Planes,
    sheet: Sequence[Picture],
    seen: Camera,
    pose: tuple[float, float, float],
    pitch: float,
) -> None:
    """Draw a board, one sheet for each plane; ``pose`` is centre and rotation, ``pitch`` a square's side."""
    for plane, own in zip(planes, sheet, strict=True):
        draw_flat(plane, own, seen, pose, pitch * len(own) / SQUARE_SIDE_PX)


def random_plain_colour(rng: Rng, tile: Shade) -> Shade:
    """Return a random colour of plain squares with enough contrast to the tiles' colour."""
    while True:
        plain = float(rng.uniform(60, 215)) * random_colour(rng, (0, 0.4), rng.random() < 0.5)
        if stands_out(plain, tile):
            return plain


def random_premium_colour(rng: Rng, usual: Shade, tile: Shade) -> Shade:
    """Return a random colour near the usual one of a premium, with enough contrast to the tiles' colour."""
    spread, tone = 0.12, usual
    while not stands_out(tone, tile):
        tone, spread = np.clip(usual * np.exp(rng.normal(0, spread, 3)), 5, 250), spread + 0.02
    return tone


def stands_out(tone: Shade, tile: Shade) -> bool:
    """Return whether two colours differ by more than ``MIN_COLOUR_CONTRAST``."""
    apart = np.log(tone) - np.log(tile)
    return bool(np.hypot(apart.mean() / 2, np.ptp(apart)) > MIN_COLOUR_CONTRAST)


def board_sheets(rng: Rng, tile: Shade, variation: Variation) -> list[Picture]:
    """Return a random board from above for tiles of a colour, one sheet for each of blue, green and red."""
    margin = int(rng.integers(4, 40))
    plain = random_plain_colour(rng, tile)
    tones = {
        kind: random_premium_colour(rng, np.array(tone), tile) for kind, tone in PREMIUM_COLOURS_BGR.items()
    }
    if variation.camouflage is not None:
        near, kind = tile * np.exp(rng.normal(0, variation.camouflage, 3)), str(rng.choice([".", *tones]))
        plain, tones = (near, tones) if kind == "." else (plain, tones | {kind: near})
    edge = float(rng.uniform(40, 200)) * random_colour(rng, (0, 0.3))
    inset, thick = int(rng.integers(0, 4)), int(rng.integers(1, 3))
    thick = thick if variation.line is None else variation.line
    line = plain * float(np.exp(rng.choice([-1, 1]) * rng.uniform(0.2, 0.7)))
    font, ink = choose(rng, training_fonts()[0]), float(rng.uniform(10, 90))
    lettered, share = rng.random() < 0.75, float(rng.uniform(0.5, 0.95))
    out = []
    for k in range(3):
        sheet = np.full(
            (SQUARES_PER_SIDE * SQUARE_SIDE_PX, SQUARES_PER_SIDE * SQUARE_SIDE_PX), plain[k], np.float32
        )
        for row in range(SQUARES_PER_SIDE):
            for col in range(SQUARES_PER_SIDE):
                kind = premium_at(row, col)
                if kind != ".":
                    top, left = row * SQUARE_SIDE_PX, col * SQUARE_SIDE_PX
                    square = sheet[
                        top + inset : top + SQUARE_SIDE_PX - inset,
                        left + inset : left + SQUARE_SIDE_PX - inset,
                    ]
                    square[:] = plane_shade(tones[kind], k)
                    if lettered:
                        letter_square(square, WORDING[kind], font, ink, share)
        rule_lines(sheet, thick, plane_shade(line, k))
        out.append(np.pad(sheet, margin, constant_values=float(edge[k])))
    return out


def plane_shade(tone: Shade, plane: int) -> float:
    """Return how bright a colour is in one plane, 0 to 255."""
    return float(np.clip(tone[plane], 0, 255))
