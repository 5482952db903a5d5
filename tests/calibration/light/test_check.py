"""Faults of the light, drawn into a table of which everything is known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.drawing.light_faults import flickering, with_glare, with_shadow
from calibration.light import Aspect, Grade, check
from calibration.light.check import saturated_patches
from calibration.light.report import LightReport
from tests.calibration.light.made import report, table, taken

CORNER = np.array([[0.6, 0.0], [1.0, 0.0], [1.0, 0.6], [0.7, 0.6]])


def bad(found: LightReport) -> set[Aspect]:
    return {finding.aspect for finding in found.findings if finding.grade in {Grade.BAD, Grade.FAIR}}


def covered(found: LightReport, aspect: Aspect) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return where a fault was found, (h, w)."""
    mask = np.zeros((found.height, found.width), np.uint8)
    for ring in found.of(aspect).where:
        cv2.fillPoly(mask, [np.round(ring).astype(np.int32)], 1)
    return mask > 0


def test_good_light_has_nothing_to_be_mended() -> None:
    found = report(*(taken(table().picture, seed=seed) for seed in range(3)))
    assert found.grade is Grade.GOOD
    assert {finding.grade for finding in found.findings} == {Grade.GOOD}
    assert not any(finding.mend for finding in found.findings)
    assert [finding.aspect for finding in found.findings] == list(Aspect)


@pytest.mark.parametrize("middle", [(0.3, 0.4), (0.75, 0.6), (0.5, 0.5)])
def test_a_mirrored_lamp_is_found_where_it_is(middle: tuple[float, float]) -> None:
    picture, truth = with_glare(table().picture, middle, 0.09)
    found = report(taken(picture))
    assert bad(found) == {Aspect.GLARE}
    seen = covered(found, Aspect.GLARE)
    assert np.count_nonzero(seen & truth) / np.count_nonzero(seen | truth) > 0.7
    assert "Move or shade the lamp" in found.of(Aspect.GLARE).mend


def test_a_lamp_mirrored_in_one_tile_alone_is_found() -> None:
    x, y = table().quads[10].mean(0) / table().size
    picture, _ = with_glare(table().picture, (float(x), float(y)), 0.016)
    finding = report(taken(picture)).of(Aspect.GLARE)
    assert finding.grade is Grade.BAD
    assert "; 1 tile lies in it" in finding.says


def test_a_white_tile_is_no_glare() -> None:
    assert report(taken(table().picture * np.float32(1.15))).of(Aspect.GLARE).grade is Grade.GOOD


def test_a_shadow_is_told_by_the_tiles_in_it() -> None:
    picture, truth = with_shadow(table().picture, CORNER)
    found = report(taken(picture))
    assert bad(found) == {Aspect.SHADOW}
    finding = found.of(Aspect.SHADOW)
    assert finding.value == pytest.approx(35, abs=6)  # so much light is left in it
    middles = np.round(table().quads.mean(1)).astype(int)
    inside = [truth[y, x] for x, y in middles]
    outlined = [tuple(np.round(np.mean(ring, 0)).astype(int)) for ring in finding.where]
    assert len(outlined) == pytest.approx(sum(inside), abs=2)
    assert all(truth[y, x] for x, y in outlined)


def test_light_that_falls_off_gently_is_good_enough() -> None:
    falling = np.linspace(1.0, 0.75, table().size[0], dtype=np.float32)
    assert report(taken(table().picture * falling)).of(Aspect.SHADOW).grade is Grade.GOOD


@pytest.mark.parametrize(("times", "says"), [(0.25, "Too dark"), (0.5, "Too dark"), (1.6, "Too bright")])
def test_a_wrong_exposure_is_told_with_what_to_do(times: float, says: str) -> None:
    found = report(taken(table().picture * np.float32(times)))
    assert Aspect.EXPOSURE in bad(found)
    assert found.of(Aspect.EXPOSURE).mend.startswith(says)


def test_pale_letters_on_bright_tiles_are_not_called_dark() -> None:
    pale = 205 - (205 - table().picture) * np.float32(0.2)  # letters 33 grey levels darker than their tiles
    finding = report(taken(pale)).of(Aspect.EXPOSURE)
    assert finding.grade is not Grade.GOOD
    assert finding.mend.startswith("Letters hardly stand out")


def test_a_picture_that_is_too_bright_cannot_tell_glare() -> None:
    found = report(taken(table().picture * np.float32(1.6)))
    assert found.of(Aspect.GLARE).grade is Grade.UNKNOWN


@pytest.mark.parametrize(("blur_px", "grade"), [(0.8, Grade.GOOD), (2.0, Grade.GOOD), (5.0, Grade.BAD)])
def test_blurred_letters_are_told(blur_px: float, grade: Grade) -> None:
    assert report(taken(table().picture, blur_px)).of(Aspect.FOCUS).grade is grade


def test_one_side_of_the_table_out_of_focus_is_shown_there() -> None:
    sharp, soft = taken(table().picture), taken(table().picture, 5.0)
    half = table().size[0] // 2
    finding = report(np.concatenate([sharp[:, :half], soft[:, half:]], 1)).of(Aspect.FOCUS)
    assert finding.grade is not Grade.GOOD
    assert finding.where
    assert min(x for ring in finding.where for x, _ in ring) > half - 30


@pytest.mark.parametrize(("tile_px", "grade"), [(40.0, Grade.GOOD), (21.0, Grade.FAIR), (14.0, Grade.BAD)])
def test_tiles_that_are_too_small_are_told(tile_px: float, grade: Grade) -> None:
    finding = report(taken(table(tile_px).picture), tile_px=tile_px).of(Aspect.RESOLUTION)
    assert finding.grade is grade
    assert finding.value == pytest.approx(tile_px, rel=0.1)


def test_a_flickering_lamp_is_told() -> None:
    frames = [taken(picture) for picture in flickering(table().picture, 3, 0.1, 2.0)]
    finding = report(*frames).of(Aspect.FLICKER)
    assert finding.grade is Grade.BAD
    assert finding.value == pytest.approx(10, abs=2)
    assert "in 2 bands" in finding.says
    assert "mains_hz" in finding.mend


def test_a_camera_that_sets_its_exposure_anew_for_each_picture_is_told_to_be_locked() -> None:
    frames = [taken(table().picture * np.float32(times)) for times in (0.9, 1.0, 1.1)]
    finding = report(*frames).of(Aspect.FLICKER)
    assert finding.says.endswith("from picture to picture")
    assert finding.mend.startswith("Lock the camera")


def test_one_picture_cannot_tell_flicker() -> None:
    finding = report(taken(table().picture)).of(Aspect.FLICKER)
    assert finding.grade is Grade.UNKNOWN
    assert "3 pictures" in finding.says


def test_without_tiles_it_asks_for_some() -> None:
    found = check([taken(table().picture)], np.zeros((0, 4, 2)))
    assert found.grade is Grade.FAIR
    assert found.of(Aspect.RESOLUTION).grade is Grade.UNKNOWN
    assert "Lay a dozen tiles" in found.of(Aspect.FOCUS).mend


def test_tiles_that_reach_beyond_the_picture_are_not_measured() -> None:
    quads = np.concatenate([table().quads, table().quads[:1] - 500])
    assert check([taken(table().picture)], quads).tiles == len(table().quads)


def test_blank_tiles_tell_no_focus() -> None:
    plain = np.full((540, 960), 80, np.uint8)
    for quad in table().quads:
        cv2.fillConvexPoly(plain, np.round(quad).astype(np.int32), 200)
    assert check([plain], table().quads).of(Aspect.FOCUS).grade is Grade.UNKNOWN


def test_a_burnt_patch_smaller_than_asked_does_not_count() -> None:
    picture = np.zeros((200, 200), np.uint8)
    cv2.circle(picture, (60, 60), 20, 255, -1)
    cv2.circle(picture, (150, 150), 5, 255, -1)
    patches, share = saturated_patches(picture, 20)
    assert len(patches) == 1
    assert share == pytest.approx(np.pi * 20**2 / 200**2, rel=0.05)
