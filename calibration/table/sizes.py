"""The size of a tile in the picture, and checks of the markers' printed scale."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calibration.markers import mean_side
from calibration.table.finding import NOMINAL_RULER_MM, KnownLengths
from companion.model.phrases import phrase
from companion.model.profile import Profile
from companion.model.reading import Tile
from companion.vision.grid.homography import known_table, to_picture

MIN_MEASURED_TILES = 4

MAX_WIDTH_DEVIATION = 0.04
"""Largest relative difference of a tile's width by markers and by a ruler; drawn tiles have up to 3 %."""


NOT_CHECKED = phrase(
    "the sheet's scale is not checked: measure the 100 mm ruler printed on it, and unless it is 100 mm long, "
    "say what it is and find the markers again"
)


@dataclass(frozen=True, slots=True)
class ScaleCheck:
    """The result of a scale check in words; ``checked`` where another length agrees."""

    text: str
    checked: bool = True


def tile_px(profile: Profile, known_mm: float | None, seen: float | None) -> float | None:
    """Return a tile's width in pixels, ``None`` where it is unknown.

    Parameters
    ----------
    profile
        Gives the pixels a millimetre where it has a table.
    known_mm
        The known width in mm, or ``None``.
    seen
        The width in the picture in pixels, or ``None``; it is used where the two disagree, as the table's
        scale may be wrong.
    """
    if known_mm is None or profile.table is None:
        return seen
    known = known_mm * px_per_mm(profile)
    return known if seen is None or lengths_agree(seen, known) else seen


def lengths_agree(one: float, other: float) -> bool:
    """Return whether two widths of a tile agree."""
    return abs(one / other - 1) < MAX_WIDTH_DEVIATION


def median_tile_px(tiles: Iterable[Tile]) -> float | None:
    """Return the median width of the surely read tiles of a picture, in pixels.

    ``None`` for fewer than ``MIN_MEASURED_TILES`` of them: patterns and markers may look like single tiles.
    """
    sides = [side_px(tile) for tile in tiles if tile.symbol and not tile.doubt]
    return float(np.median(sides)) if len(sides) >= MIN_MEASURED_TILES else None


def check_scale(
    profile: Profile, known: KnownLengths, known_mm: float | None, seen: float | None
) -> ScaleCheck | None:
    """Return the check of the markers' printed scale, ``None`` where the table has no markers.

    A sheet printed at another scale changes the whole table, which its markers do not show.  Another known
    length can: a tape measure, tiles in the picture, or the ruler printed on the sheet.  ``known`` are the
    lengths given when the markers were found; the others are as for ``tile_px``.
    """
    if profile.table is None or not profile.table.markers:
        return None
    if by_tiles := check_scale_by_tiles(profile, known_mm, seen):
        return by_tiles
    if known.size_mm:
        return ScaleCheck(phrase("the sheet's scale agrees with your tape measure"))
    if known.ruler_mm is not None:
        ruler = f"{known.ruler_mm:g}"
        return ScaleCheck(phrase("the sheet's scale is that of its ruler, %(ruler)s mm long", ruler=ruler))
    return ScaleCheck(NOT_CHECKED, checked=False)


def check_scale_by_tiles(profile: Profile, known_mm: float | None, seen: float | None) -> ScaleCheck | None:
    """Return whether tiles agree with the markers, ``None`` without markers or a known tile width."""
    if known_mm is None or seen is None or profile.table is None or not profile.table.markers:
        return None
    seen_mm = seen / px_per_mm(profile)
    known, shown = f"{known_mm:g}", f"{seen_mm:.1f}"
    if lengths_agree(seen_mm, known_mm):
        return ScaleCheck(
            phrase(
                "the sheet's scale agrees with the tiles, by the markers %(seen)s mm broad, by measure "
                "%(known)s mm",
                seen=shown,
                known=known,
            )
        )
    return ScaleCheck(
        phrase(
            "two known lengths disagree: by the markers the tiles are %(seen)s mm broad, by measure "
            "%(known)s mm. Perhaps the sheet was not printed at 100 %%: measure its ruler, and if it is "
            "about %(ruler)s mm long, say so and find the markers again",
            seen=shown,
            known=known,
            ruler=round(NOMINAL_RULER_MM * known_mm / seen_mm),
        ),
        checked=False,
    )


def side_px(tile: Tile) -> float:
    """Return the mean of a tile's sides."""
    return mean_side(np.array(tile.corners))


def px_per_mm(profile: Profile) -> float:
    """Return the scale in the middle of the table, in pixels for each mm."""
    table = known_table(profile)
    x, y = table.width_mm / 2, table.height_mm / 2
    around = np.array([[x - 10, y], [x + 10, y], [x, y - 10], [x, y + 10]])
    a, b, c, d = to_picture(around, profile)
    return float(np.hypot(*(b - a)) + np.hypot(*(d - c))) / 40
