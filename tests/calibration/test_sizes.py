"""How large tiles are, and how the scale of a printed sheet is checked."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from calibration.drawing.backgrounds import background
from calibration.drawing.camera import View, camera
from calibration.drawing.fonts import training_fonts
from calibration.drawing.layout import PlacedTile
from calibration.drawing.marker_tables import corner_cards, draw_cards
from calibration.drawing.scene import CaptureConditions, draw_on_background
from calibration.drawing.tile_style import random_style
from calibration.table.finding import KnownLengths, table_by_markers
from calibration.table.sizes import (
    ScaleCheck,
    check_scale,
    check_scale_by_tiles,
    median_tile_px,
    px_per_mm,
    tile_px,
)
from companion.model.profile import CameraId, Profile
from companion.model.tiles import tile_set
from companion.vision.camera_frame import Frame
from companion.vision.pipeline.reader import Reader

BOX = tile_set("bananagrams-en")
VIEW = View(1600, 1200, 40, 5.0, 0.0)
TILE_MM = 20.0


@cache
def measured(printed: float, letters: str = "COUNTRYSIDE") -> tuple[Frame, Profile]:
    """Return a table with tiles of 20 mm on it, and its profile by sheets printed so many times as large."""
    rng = np.random.default_rng(4)
    picture = background(rng, VIEW.width, VIEW.height, VIEW.tile_px)
    draw_cards(picture, corner_cards(rng, 640, 460, printed), camera(VIEW), TILE_MM)
    laid = [PlacedTile(-6 + 1.2 * k, 0.4 * math.sin(k), 0.1 * k, letter) for k, letter in enumerate(letters)]
    look = replace(random_style(rng, training_fonts().plain), aspect=1.0)
    seen = draw_on_background(rng, picture, VIEW, laid, look, CaptureConditions(0, 0.3)).picture
    table, _ = table_by_markers(seen, None, KnownLengths())
    return seen, Profile(CameraId("test", VIEW.width, VIEW.height), "2026-11-21", None, table)


@cache
def broad(printed: float, letters: str = "COUNTRYSIDE") -> float | None:
    """Return how broad the tiles of such a table are seen, in pixels."""
    return median_tile_px(Reader(BOX).read(measured(printed, letters)[0]).tiles)


def told_of(
    known_mm: float | None,
    told: KnownLengths | None = None,
    printed: float = 1.0,
    letters: str = "COUNTRYSIDE",
    profile: Profile | None = None,
) -> ScaleCheck:
    """Return what is told of the scale of the sheet in a picture."""
    found = check_scale(
        profile or measured(printed, letters)[1], told or KnownLengths(), known_mm, broad(printed, letters)
    )
    assert found is not None
    return found


def test_tiles_as_broad_as_the_ruler_says_agree_with_the_sheet() -> None:
    found = told_of(TILE_MM)
    assert found.checked
    assert found.text.startswith("the sheet's scale agrees with the tiles, by the markers ")


@pytest.mark.parametrize(("printed", "says"), [(0.93, 93), (1.08, 108)])
def test_sheets_printed_at_another_scale_are_noticed_by_the_tiles(printed: float, says: int) -> None:
    found = told_of(TILE_MM, printed=printed)
    assert not found.checked
    assert found.text.startswith("two known lengths disagree: by the markers the tiles are ")
    ruler = int(found.text.split("if it is about ")[1].split()[0])
    assert abs(ruler - says) <= 3


def test_where_the_sheet_is_off_tiles_are_as_broad_as_they_are_seen() -> None:
    _, profile = measured(0.93)
    seen = broad(0.93)
    assert tile_px(profile, TILE_MM, seen) == seen
    assert tile_px(profile, TILE_MM, None) == TILE_MM * px_per_mm(profile)
    assert tile_px(profile, None, seen) == seen


def test_a_printed_ruler_that_was_measured_settles_it() -> None:
    picture, profile = measured(0.93)
    told = KnownLengths(ruler_mm=93.0)
    table, _ = table_by_markers(picture, None, told)
    by_ruler = Profile(profile.camera, profile.made_at, None, table)
    assert told_of(TILE_MM, told, printed=0.93, profile=by_ruler).checked


def test_a_scale_that_nothing_has_checked_is_said_to_be_so_and_how_to_check_it() -> None:
    for letters, tile_mm in (("COUNTRYSIDE", None), ("CAT", TILE_MM)):
        found = told_of(tile_mm, printed=0.93, letters=letters)
        assert not found.checked
        assert "is not checked: measure the 100 mm ruler printed on it" in found.text


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (KnownLengths((640, 460)), "the sheet's scale agrees with your tape measure"),
        (KnownLengths(ruler_mm=100.0), "the sheet's scale is that of its ruler, 100 mm long"),
    ],
)
def test_a_tape_measure_and_a_ruler_check_the_scale(told: KnownLengths, says: str) -> None:
    assert told_of(None, told, letters="CAT") == ScaleCheck(says)


def test_a_table_without_markers_has_no_sheet_to_check() -> None:
    _, profile = measured(0.93)
    unknown = Profile(profile.camera, profile.made_at)
    assert check_scale(unknown, KnownLengths(), TILE_MM, 40.0) is None
    assert check_scale_by_tiles(unknown, TILE_MM, 40.0) is None


def test_the_tiles_are_measured_in_the_picture() -> None:
    _, profile = measured(1.0)
    side = broad(1.0)
    assert side is not None
    assert side / px_per_mm(profile) == pytest.approx(TILE_MM, rel=0.03)
