"""How large a tile is in the picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calibration.table.finding import TRUE_MM, Told
from companion.model.phrases import phrase
from companion.model.profile import Profile
from companion.model.reading import Tile
from companion.vision.grid.homography import known_table, to_picture

ENOUGH = 4

AGREES = 0.04
"""A tile's breadth by markers and by a ruler may differ by this share: drawn ones are read up to 3 % off."""


NOT_CHECKED = phrase(
    "the sheet's scale is not checked: measure the 100 mm ruler printed on it, and unless it is 100 mm long, "
    "say what it is and find the markers again"
)


@dataclass(frozen=True, slots=True)
class Scale:
    """What is known of the scale of a printed sheet, in words; ``checked`` where another length agrees."""

    says: str
    checked: bool = True


def tile_px(profile: Profile, known_mm: float | None, seen: float | None) -> float | None:
    """Return a tile's breadth in pixels, or ``None`` where nothing tells it.

    Parameters
    ----------
    profile
        Says how many pixels a millimetre is, where it knows the table.
    known_mm
        The breadth that is known, if any is.
    seen
        The breadth in the picture, in pixels, if any is: that is believed where the two disagree, as the
        millimetres of the table may be wrong.
    """
    if known_mm is None or profile.table is None:
        return seen
    known = known_mm * px_per_mm(profile)
    return known if seen is None or agrees(seen, known) else seen


def agrees(one: float, other: float) -> bool:
    """Return whether two measures of a tile are of one tile."""
    return abs(one / other - 1) < AGREES


def seen_px(tiles: Iterable[Tile]) -> float | None:
    """Return how broad the tiles that were read in a picture are, in pixels.

    ``None`` where fewer than ``ENOUGH`` of them are read beyond doubt: patterns and markers may look like
    single ones.
    """
    sides = [side_px(tile) for tile in tiles if tile.symbol and not tile.doubt]
    return float(np.median(sides)) if len(sides) >= ENOUGH else None


def scale(profile: Profile, told: Told, known_mm: float | None, seen: float | None) -> Scale | None:
    """Return how the scale of the markers' sheet was checked, ``None`` where the table has no markers.

    A sheet that was printed at another scale makes the whole table larger or smaller alike, which its markers
    cannot tell; another known length can: a tape measure, tiles that lie in the picture, or the ruler printed
    on the sheet.  ``told`` is what was said when the markers were found, the others are as for ``tile_px``.
    """
    if profile.table is None or not profile.table.markers:
        return None
    if by_tiles := scale_by_tiles(profile, known_mm, seen):
        return by_tiles
    if told.size_mm:
        return Scale(phrase("the sheet's scale agrees with your tape measure"))
    if told.ruler_mm is not None:
        ruler = f"{told.ruler_mm:g}"
        return Scale(phrase("the sheet's scale is that of its ruler, %(ruler)s mm long", ruler=ruler))
    return Scale(NOT_CHECKED, checked=False)


def scale_by_tiles(profile: Profile, known_mm: float | None, seen: float | None) -> Scale | None:
    """Return whether tiles agree with the markers, ``None`` where there are none or tiles tell nothing."""
    if known_mm is None or seen is None or profile.table is None or not profile.table.markers:
        return None
    seen_mm = seen / px_per_mm(profile)
    known, shown = f"{known_mm:g}", f"{seen_mm:.1f}"
    if agrees(seen_mm, known_mm):
        return Scale(
            phrase(
                "the sheet's scale agrees with the tiles, by the markers %(seen)s mm broad, by measure "
                "%(known)s mm",
                seen=shown,
                known=known,
            )
        )
    return Scale(
        phrase(
            "two known lengths disagree: by the markers the tiles are %(seen)s mm broad, by measure "
            "%(known)s mm. Perhaps the sheet was not printed at 100 %%: measure its ruler, and if it is "
            "about %(ruler)s mm long, say so and find the markers again",
            seen=shown,
            known=known,
            ruler=round(TRUE_MM * known_mm / seen_mm),
        ),
        checked=False,
    )


def side_px(tile: Tile) -> float:
    """Return the mean of a tile's sides."""
    corners = np.array(tile.corners)
    return float(np.hypot(*(corners - np.roll(corners, 1, 0)).T).mean())


def px_per_mm(profile: Profile) -> float:
    """Return how many pixels a millimetre is in the middle of the table."""
    table = known_table(profile)
    x, y = table.width_mm / 2, table.height_mm / 2
    around = np.array([[x - 10, y], [x + 10, y], [x, y - 10], [x, y + 10]])
    a, b, c, d = to_picture(around, profile)
    return float(np.hypot(*(b - a)) + np.hypot(*(d - c))) / 40
