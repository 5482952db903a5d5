"""Where a camera has moved to, by the tiles alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from calibration.table.drift import DriftState
from calibration.table.drift_by_tiles import drift_by_tiles
from companion.model.profile import CameraId, Profile, TableMap
from companion.model.reading import Face, Tile
from companion.vision.grid.homography import Points, to_table

PROFILE = Profile(
    CameraId("cam", 1600, 1200), "now", None, TableMap((0.5, 0, 0, 0, 0.5, 0, 0, 0, 1), 800, 600, 0.0)
)
"""A pixel is half a millimetre."""

SIDE_PX = 38.0
LETTERS = "EEEAAITRSNOLDUBANANAGRAMSTEPQWORDS"
PLACES = np.array([(100 + 200 * (n % 7), 120 + 190 * (n // 7)) for n in range(len(LETTERS))], float)
PLACES += np.random.default_rng(1).uniform(-60, 60, PLACES.shape)


def tiles(places: Points, letters: Sequence[str] = LETTERS) -> list[Tile]:
    """Return upright tiles at some pixels, (n, 2)."""
    half = SIDE_PX / 2
    return [
        Tile(
            letter,
            Face.UP,
            ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)),
            0.999,
            doubt=False,
        )
        for (x, y), letter in zip(places.tolist(), letters, strict=True)
    ]


def moved(places: Points, turn_deg: float, shift: tuple[float, float]) -> Points:
    """Return pixels turned about the picture's middle, and shifted."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    middle = np.array([800.0, 600.0])
    turned = (places - middle) @ np.array([[c, s], [-s, c]])
    return np.asarray(turned + middle + np.array(shift))


@pytest.mark.parametrize(("turn_deg", "shift"), [(0, (60, 0)), (3, (-80, 45)), (90, (0, 0)), (180, (10, 5))])
@pytest.mark.parametrize("hidden", [0, 10])
def test_a_camera_is_followed_by_tiles_that_all_move_as_one(
    turn_deg: float, shift: tuple[float, float], hidden: int
) -> None:
    there = moved(PLACES, turn_deg, shift) + np.random.default_rng(2).normal(0, 0.5, PLACES.shape)
    found = drift_by_tiles(tiles(PLACES), tiles(there[hidden:], LETTERS[hidden:]), PROFILE)
    assert found is not None
    assert (found.state, "by the tiles" in found.text) == (DriftState.MOVED, True)
    corners = np.array([(0, 0), (1600, 0), (1600, 1200), (0, 1200)], float)
    now = to_table(moved(corners, turn_deg, shift), found.profile)
    assert now == pytest.approx(to_table(corners, PROFILE), abs=2)


def test_a_camera_stands_where_most_tiles_stay() -> None:
    known, there = tiles(PLACES), PLACES.copy()
    there[:12] = moved(PLACES[:12], 20, (90, 0))
    for now in (known, known[12:], tiles(there)):
        found = drift_by_tiles(known, now, PROFILE)
        assert found is not None
        assert (found.state, found.profile) == (DriftState.STILL, PROFILE)


def test_tiles_that_are_hidden_or_few_tell_nothing() -> None:
    known = tiles(PLACES)
    assert drift_by_tiles((), known, PROFILE) is None
    there = tiles(moved(PLACES, 2, (50, 0)))
    assert drift_by_tiles(known, there[:12], PROFILE) is None
    assert drift_by_tiles(known[:7], there[:7], PROFILE) is None


def test_a_tableau_that_somebody_pushes_is_no_motion_of_the_camera() -> None:
    there = moved(PLACES, 2, (50, 0))
    there[:10] = PLACES[:10]
    assert drift_by_tiles(tiles(PLACES), tiles(there), PROFILE) is None


@pytest.mark.parametrize("seed", range(20))
def test_tiles_that_are_dealt_anew_are_no_motion_of_the_camera(seed: int) -> None:
    there = np.random.default_rng(seed).permutation(PLACES) + 30.0
    assert drift_by_tiles(tiles(PLACES), tiles(there), PROFILE) is None
