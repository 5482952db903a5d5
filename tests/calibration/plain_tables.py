"""Tables of one shade with markers on them, drawn without noise, and what a camera knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from calibration.drawing.camera import View, camera
from calibration.drawing.marker_tables import Card, MarkedTable, draw_cards, drawn_pixels, lens_of
from calibration.table.drift import landmarks
from calibration.table.finding import KnownLengths, table_by_markers
from calibration.table.zones import default_zones
from companion.model.profile import CameraId, Profile

SIDE_MM = 20.0
WIDTH, HEIGHT = 800.0, 520.0
VIEW = View(1600, 1200, 30.0, 12.0, 2.0, -0.04)


def cards(printed: float = 1.0, numbers: Sequence[int] = (0, 1, 2, 3)) -> tuple[Card, ...]:
    """Return markers whose outer corners are exactly those of the table, printed so many times as large."""
    side = 60.0 * printed
    x, y = (WIDTH - side) / 2, (HEIGHT - side) / 2
    places = ((-x, -y), (x, -y), (x, y), (-x, y))
    return tuple(Card(number, place, 0.0, side) for number, place in zip(numbers, places, strict=True))


@cache
def table(laid: tuple[Card, ...] | None = None, view: View = VIEW, speckled: bool = False) -> MarkedTable:
    """Return a grey table, speckled where its background should be found again, seen by a bent lens."""
    laid = cards() if laid is None else laid
    picture = np.full((view.height, view.width), 120, np.float32)
    if speckled:
        speckle(picture, view)
    draw_cards(picture, laid, camera(view), SIDE_MM)
    drawn = np.clip(picture, 0, 255).astype(np.uint8)
    drawn.flags.writeable = False
    return MarkedTable(drawn, view, SIDE_MM, laid)


def speckle(picture: np.ndarray[tuple[int, ...], np.dtype[np.float32]], view: View) -> None:
    """Spread small dark squares over the table, the same ones at every call."""
    rng = np.random.default_rng(3)
    places = rng.uniform(-1, 1, (500, 2)) * (WIDTH / 2 + 60, HEIGHT / 2 + 60)
    for (x, y), size, shade in zip(
        drawn_pixels(camera(view), places, SIDE_MM),
        rng.integers(3, 9, 500),
        rng.uniform(20, 240, 500),
        strict=True,
    ):
        left, top = int(x), int(y)
        picture[max(0, top) : max(0, top + int(size)), max(0, left) : max(0, left + int(size))] = shade


def profile(drawn: MarkedTable) -> Profile:
    """Return what calibration makes of a drawn table through its true lens."""
    lens = lens_of(camera(drawn.view))
    found, _ = table_by_markers(drawn.picture, lens, KnownLengths())
    zones = default_zones(4, found.width_mm, found.height_mm)
    name = CameraId("test", drawn.view.width, drawn.view.height)
    return Profile(name, "2026-11-21T10:00:00+00:00", lens, found, 31.0, zones, landmarks(drawn.picture))


@cache
def usual() -> Profile:
    """Return what calibration makes of the usual table."""
    return profile(table())
