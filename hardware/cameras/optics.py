"""Which camera suits which table; ``python -m hardware.cameras.optics`` prints the comparison.

The camera looks straight down, and its picture's long side lies along the table's.  A lens without distortion
is assumed; a wide one shows a little more at the edges.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from calibration.lens import data_sheets
from calibration.light.check import GOOD_SIDE_PX, MIN_SIDE_PX

TILE_MM = 20.0
"""Side of a tile, in millimetres."""

FRAME_TO_TABLE_RATIO = 1.1
"""Ratio of the picture's size to the table's: room for markers and for a mount that is not straight."""

MIN_CAMERA_HEIGHT_MM, MAX_MAST_HEIGHT_MM, MAX_CAMERA_HEIGHT_MM = 500.0, 1300.0, 1700.0
"""Heights above the table in mm: clear of hands, of the highest mast, and of a ceiling.

The ceiling is at 2.45 m, the table at 0.75 m.
"""


@dataclass(frozen=True, slots=True)
class CameraSpec:
    """A camera's data: its name, picture, lens and price.

    Parameters
    ----------
    name
        The product's name.
    width, height
        Size of the picture, in pixels.
    focal_px
        The focal length divided by the pixel pitch, in pixels.
    usd
        The maker's list price in US dollars, without taxes; 0 where there is none.
    """

    name: str
    width: int
    height: int
    focal_px: float
    usd: int = 0

    @classmethod
    def of(cls, name: str, sheet: str, usd: int) -> CameraSpec:
        """Return a camera by the name of its data sheet."""
        data = data_sheets.CAMERAS[sheet]
        return cls(name, data.width, data.height, data.focal_px(data.width), usd)

    def halved(self) -> CameraSpec:
        """Return the same camera at half size each way, as used on a machine with 512 MB."""
        return CameraSpec(f"{self.name}, on a Zero 2 W", self.width // 2, self.height // 2, self.focal_px / 2)

    def distance_mm(self, table: tuple[float, float]) -> float:
        """Return the height in mm at which a whole table (width and depth, in mm) is in the picture."""
        return FRAME_TO_TABLE_RATIO * self.focal_px * max(table[0] / self.width, table[1] / self.height)

    def tile_px(self, table: tuple[float, float]) -> float:
        """Return the side of a tile in the picture of a whole table, in pixels."""
        return self.focal_px * TILE_MM / max(MIN_CAMERA_HEIGHT_MM, self.distance_mm(table))


WIDE = CameraSpec.of("Camera Module 3 Wide", "module-3-wide", 35)
CAMERAS = (
    CameraSpec.of("Camera Module 3", "module-3", 25),
    WIDE,
    CameraSpec.of("HQ Camera, 6 mm lens", "hq-6mm", 75),
    CameraSpec.of("Camera Module 2", "module-2", 25),
    CameraSpec("USB, 3840 x 2160, 70 degrees across", 3840, 2160, 2742.0),
    CameraSpec("USB, 1920 x 1080, 70 degrees across", 1920, 1080, 1371.0),
    WIDE.halved(),
)

TABLE_SIZES_MM = ((800, 600), (1200, 800), (1600, 900), (1800, 1000))
"""Width and depth of tables for two, four, six and eight players, in mm."""


def fit_text(camera: CameraSpec, table: tuple[float, float]) -> str:
    """Return the height and mount of a camera for a table and the tiles' side, as a table cell."""
    distance, side = max(MIN_CAMERA_HEIGHT_MM, camera.distance_mm(table)), camera.tile_px(table)
    if distance > MAX_CAMERA_HEIGHT_MM:
        return "too low a ceiling"
    if side < MIN_SIDE_PX:
        return f"tiles of {side:.0f} px: two cameras"
    mount = "mast" if distance <= MAX_MAST_HEIGHT_MM else "ceiling"
    mark = "" if side >= GOOD_SIDE_PX else ", just enough"
    return f"{distance / 1000:.2f} m, {mount}, {side:.0f} px{mark}"


def rows() -> Iterator[str]:
    """Yield the comparison as lines of a Markdown table."""
    heads = [f"{width / 1000:g} x {depth / 1000:g} m" for width, depth in TABLE_SIZES_MM]
    yield f"| camera | price | {' | '.join(heads)} |"
    yield "|---|---|" + "---|" * len(heads)
    for camera in CAMERAS:
        price = f"{camera.usd} USD" if camera.usd else ""
        fits = " | ".join(fit_text(camera, table) for table in TABLE_SIZES_MM)
        yield f"| {camera.name} | {price} | {fits} |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(rows()) + "\n")
