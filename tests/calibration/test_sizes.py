"""How large tiles are, and whether they contradict the markers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.drawing.backgrounds import background
from calibration.drawing.camera import View, camera
from calibration.drawing.fonts import reporting_fonts
from calibration.drawing.layout import Laid
from calibration.drawing.looks import random_look
from calibration.drawing.marked import corner_cards, lay_cards
from calibration.drawing.scene import Shot, tiled
from calibration.table.finding import Told, by_markers
from calibration.table.sizes import contradiction, px_per_mm, seen_px
from companion.model.profile import CameraId, Profile
from companion.model.tiles import tile_set
from companion.reading.picture import Frame

BOX = tile_set("bananagrams-en")
VIEW = View(1600, 1200, 40, 5.0, 0.0)
TILE_MM = 20.0


def measured(printed: float, letters: str = "COUNTRYSIDE") -> tuple[Frame, Profile]:
    """Return a table with tiles of 20 mm on it, and its profile by sheets printed so many times as large."""
    rng = np.random.default_rng(4)
    picture = background(rng, VIEW.width, VIEW.height, VIEW.tile_px)
    lay_cards(picture, corner_cards(rng, 640, 460, printed), camera(VIEW), TILE_MM)
    laid = [Laid(-6 + 1.2 * k, 0.4 * math.sin(k), 0.1 * k, letter) for k, letter in enumerate(letters)]
    look = replace(random_look(rng, reporting_fonts()), aspect=1.0)
    seen = tiled(rng, picture, VIEW, laid, look, Shot(0, 0.3)).picture
    table, _ = by_markers(seen, None, Told())
    return seen, Profile(CameraId("test", VIEW.width, VIEW.height), "2026-11-21", None, table)


def test_tiles_as_broad_as_the_ruler_says_contradict_nothing() -> None:
    picture, profile = measured(1.0)
    assert contradiction(picture, profile, BOX, TILE_MM) is None


@pytest.mark.parametrize(("printed", "says"), [(0.93, 93), (1.08, 108)])
def test_sheets_printed_at_another_scale_are_noticed_by_the_tiles(printed: float, says: int) -> None:
    picture, profile = measured(printed)
    told = contradiction(picture, profile, BOX, TILE_MM)
    assert told is not None
    assert told.startswith("two known lengths disagree: by the markers the tiles are ")
    ruler = int(told.split("--ruler ")[1].split()[0])
    assert abs(ruler - says) <= 3


def test_a_printed_ruler_that_was_measured_settles_it() -> None:
    picture, profile = measured(0.93)
    table, _ = by_markers(picture, None, Told(ruler_mm=93.0))
    settled = Profile(profile.camera, profile.made_at, None, table)
    assert contradiction(picture, settled, BOX, TILE_MM) is None


def test_where_few_tiles_or_no_markers_are_seen_nothing_is_said() -> None:
    picture, profile = measured(0.93, "CAT")
    assert contradiction(picture, profile, BOX, TILE_MM) is None
    picture, profile = measured(0.93)
    unknown = Profile(profile.camera, profile.made_at)
    assert contradiction(picture, unknown, BOX, TILE_MM) is None


def test_the_tiles_are_measured_in_the_picture() -> None:
    picture, profile = measured(1.0)
    side = seen_px(picture, BOX)
    assert side is not None
    assert side / px_per_mm(profile) == pytest.approx(TILE_MM, rel=0.03)
