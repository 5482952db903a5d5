"""What is drawn about the lens and its board."""

from __future__ import annotations

import numpy as np

from calibration.lens import advice, fit
from calibration.lens.overlay import bent_lines, guide_overlay, lens_overlay, report_lines
from companion.model.profile import Lens
from tests.calibration.lens.made import SIZE, ordinary, sights


def picture() -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.full(SIZE[::-1], 90, np.uint8)


def test_the_live_picture_is_handy() -> None:
    live = sights(ordinary(), 1)[0]
    shown = guide_overlay(picture(), live, [], advice([], live))
    assert shown.shape[:2] == (1200 * SIZE[1] // SIZE[0], 1200)


def test_a_corner_that_was_seen_is_marked() -> None:
    live = sights(ordinary(), 1)[0]
    shown = guide_overlay(picture(), live, [], advice([], live))
    x, y = np.round(live.corners[0] * 1200 / SIZE[0]).astype(int)
    b, g, r = shown[y, x].astype(int)
    assert g > r + 50
    assert g > b + 50


def test_the_lens_is_drawn_with_its_error_in_words() -> None:
    every = sights(ordinary())
    found = fit(every)
    assert f"within {found.lens.error_px:.2f} px" in report_lines(every, found)[0][0]
    assert lens_overlay(picture(), every, found).shape[1] == 1200


def test_pictures_left_out_are_counted_from_one() -> None:
    every = sights(ordinary())
    every[0].corners[:] += np.random.default_rng(1).normal(0, 3, every[0].corners.shape)
    assert any("picture 1 of those kept" in text for text, _ in report_lines(every, fit(every)))


def test_lines_bulge_where_the_lens_bends_them() -> None:
    straight = Lens("ordinary", ordinary().matrix, (0.0,) * 5, 0.0)
    top = bent_lines(straight, SIZE)[0]
    assert np.ptp(top[:, 1]) < 1e-6
    barrel = bent_lines(ordinary(-0.2), SIZE)[0]
    assert barrel[24, 1] < barrel[0, 1] - 5  # the upper line's middle rises above its ends
