"""The lens measured at the table, while somebody holds its board before the camera."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from calibration.drawing.lens_board import draw_lens_board, guided_poses
from calibration.lens import BoardDetection, LensFit, fit
from companion.errors import BadCapture
from companion.model.set_up import LensProgress, SetUpPicture
from companion.vision.camera_frame import Frame
from companion.wizard import camera as wizard_camera
from tests.calibration.lens.made import SIZE, ordinary
from tests.wizard.made import Around, Shows

DARK = np.full((SIZE[1], SIZE[0]), 90, np.uint8)


@pytest.fixture(scope="module")
def boards() -> Sequence[Frame]:
    """Pictures of the lens board as somebody holds it who is guided."""
    rng = np.random.default_rng(4)
    return [
        draw_lens_board(rng, SIZE, ordinary(), held, severity=0.5)
        for held in islice(guided_poses(rng, ordinary(), SIZE), 9)
    ]


@pytest.fixture
def around(tmp_path: Path) -> Around:
    return Around(tmp_path, Shows(DARK))


def guide(around: Around) -> LensProgress:
    found = around.wizard.state(0).guide
    assert found is not None
    return found


def looked_at(around: Around, *pictures: Frame) -> None:
    for picture in pictures:
        around.camera.picture = picture
        around.wizard.shown(0, SetUpPicture.LENS, 480)


def test_each_look_keeps_what_is_new_until_the_lens_can_be_found(
    around: Around, boards: Sequence[Frame]
) -> None:
    assert "Hold the lens board before the camera" in around.wizard.guide(0, on=True)
    looked_at(around, DARK, boards[0], boards[0])
    assert guide(around).kept == 1
    assert "Move the board" in guide(around).says
    looked_at(around, *boards[1:])
    assert guide(around).enough
    said = around.wizard.lens(0)
    assert "now find the table's corners anew" in said
    lens = around.profile.lens
    assert lens is not None
    assert lens.matrix[0] == pytest.approx(700, rel=0.01)
    assert around.wizard.state(0).lens
    assert around.wizard.state(0).guide is None


def test_looks_while_the_lens_is_found_do_not_disturb_it(
    around: Around, boards: Sequence[Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    around.wizard.guide(0, on=True)
    looked_at(around, *boards[:-1])

    def fitting(sights: Sequence[BoardDetection]) -> LensFit:
        many = len(sights)
        looked_at(around, boards[-1])
        assert len(sights) == many
        return fit(sights)

    monkeypatch.setattr(wizard_camera, "fit", fitting)
    assert "The lens is measured" in around.wizard.lens(0)


def test_a_look_that_waited_for_the_end_of_the_measuring_is_shown(
    around: Around, boards: Sequence[Frame]
) -> None:
    class EndsMeanwhile(nullcontext[None]):
        def __enter__(self) -> None:
            around.wizard.guide(0, on=False)

    around.wizard.guide(0, on=True)
    around.camera.picture = boards[0]
    waiting = replace(around.wizard, _lock=cast(Any, EndsMeanwhile()))
    assert waiting.shown(0, SetUpPicture.LENS, 480)


def test_too_few_pictures_are_refused_and_nothing_is_kept(around: Around, boards: Sequence[Frame]) -> None:
    around.wizard.guide(0, on=True)
    looked_at(around, boards[0])
    with pytest.raises(BadCapture):
        around.wizard.lens(0)
    assert around.kept() is None
    assert guide(around).kept == 1


def test_measuring_is_left_and_begun_anew(around: Around, boards: Sequence[Frame]) -> None:
    around.wizard.guide(0, on=True)
    looked_at(around, boards[0])
    assert around.wizard.guide(0, on=False) == "The lens stays as it was."
    looked_at(around, boards[1])  # nobody measures now
    with pytest.raises(BadCapture, match="begin to measure the lens first"):
        around.wizard.lens(0)
    around.wizard.guide(0, on=True)
    assert guide(around).kept == 0
