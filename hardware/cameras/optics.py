"""What a camera above a table sees; ``python -m hardware.cameras.optics`` prints which fits which table.

The camera looks straight down and its picture's long side lies along the table's.  A lens without
distortion is assumed; a wide one bends the picture and shows a little more at the edges.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from calibration.light.check import GOOD_SIDE_PX, LEAST_SIDE_PX

TILE_MM = 20.0
"""Breadth of a tile."""

MARGIN = 1.1
"""The picture is so many times as large as the table: markers lie at its corners, no mast is straight."""

LEAST_MM, MAST_MM, CEILING_MM = 500.0, 1300.0, 1700.0
"""Heights above the table: hands stay below the first, a mast reaches the second, a ceiling is at the third.

A ceiling of 2.45 m above a table of 0.75 m.
"""


@dataclass(frozen=True, slots=True)
class Optics:
    """A camera's picture and lens.

    Parameters
    ----------
    name
        As it is sold.
    width, height
        Of the picture, in pixels.
    focal_px
        The focal length in pixels: focal length over the pitch of the pixels.
    usd
        The price in US dollars that its maker recommends, without taxes; 0 where there is none.
    """

    name: str
    width: int
    height: int
    focal_px: float
    usd: int = 0

    @classmethod
    def of(cls, name: str, size: tuple[int, int], focal_mm: float, pitch_um: float, usd: int) -> Optics:
        """Return a camera from what its data sheet says of lens and sensor."""
        return cls(name, *size, focal_mm * 1000 / pitch_um, usd)

    def halved(self) -> Optics:
        """Return the same camera with half as many pixels each way, as a machine of 512 MB has it."""
        return Optics(f"{self.name}, on a Zero 2 W", self.width // 2, self.height // 2, self.focal_px / 2)

    def distance_mm(self, table: tuple[float, float]) -> float:
        """Return how far above a table (breadth and depth, in mm) the whole of it is in the picture."""
        return MARGIN * self.focal_px * max(table[0] / self.width, table[1] / self.height)

    def tile_px(self, table: tuple[float, float]) -> float:
        """Return how broad a tile is in the picture of a whole table, in pixels."""
        return self.focal_px * TILE_MM / max(LEAST_MM, self.distance_mm(table))


WIDE = Optics.of("Camera Module 3 Wide", (4608, 2592), 2.75, 1.4, 35)
CAMERAS = (
    Optics.of("Camera Module 3", (4608, 2592), 4.74, 1.4, 25),
    WIDE,
    Optics.of("HQ Camera, 6 mm lens", (4056, 3040), 6.0, 1.55, 75),
    Optics.of("Camera Module 2", (3280, 2464), 3.04, 1.12, 25),
    Optics("USB, 3840 x 2160, 70 degrees across", 3840, 2160, 2742.0),
    Optics("USB, 1920 x 1080, 70 degrees across", 1920, 1080, 1371.0),
    WIDE.halved(),
)
"""Sizes, focal lengths and pitches: Raspberry Pi documentation, camera hardware specifications."""

TABLES = ((800, 600), (1200, 800), (1600, 900), (1800, 1000))
"""Breadth and depth of tables, in mm: for two, four, six and eight players."""


def judged(camera: Optics, table: tuple[float, float]) -> str:
    """Return how far above a table a camera hangs, on what, and how broad tiles are then, as a cell."""
    distance, side = max(LEAST_MM, camera.distance_mm(table)), camera.tile_px(table)
    if distance > CEILING_MM:
        return "too low a ceiling"
    if side < LEAST_SIDE_PX:
        return f"tiles of {side:.0f} px: two cameras"
    mount = "mast" if distance <= MAST_MM else "ceiling"
    mark = "" if side >= GOOD_SIDE_PX else ", just enough"
    return f"{distance / 1000:.2f} m, {mount}, {side:.0f} px{mark}"


def rows() -> Iterator[str]:
    """Yield the table of cameras and tables, in Markdown."""
    heads = [f"{width / 1000:g} x {depth / 1000:g} m" for width, depth in TABLES]
    yield f"| camera | price | {' | '.join(heads)} |"
    yield "|---|---|" + "---|" * len(heads)
    for camera in CAMERAS:
        price = f"{camera.usd} USD" if camera.usd else ""
        yield f"| {camera.name} | {price} | {' | '.join(judged(camera, table) for table in TABLES)} |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(rows()) + "\n")
