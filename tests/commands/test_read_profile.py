"""``companion read --profile``."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View, camera
from calibration.drawing.layout import PlacedTile
from calibration.drawing.tiles import draw_tiles
from calibration.profile import write_profile
from companion.cli import main
from companion.model.profile import CameraId, Profile, TableMap, Zone, ZoneKind
from tests.calibration.simple import look, rng

EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
LEFT = Zone(ZoneKind.SEAT, 2, ((0.0, 0.0), (400.0, 0.0), (400.0, 600.0), (0.0, 600.0)), 90.0)


def profile(width: int) -> Profile:
    """Return one whose table has a millimetre a pixel, and tiles of 40 px."""
    table = TableMap(EYE, 800.0, 600.0, 0.1)
    return Profile(CameraId("above", width, 600), "now", None, table, 40.0, (LEFT,))


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """CAT, laid on the left of a dark table."""
    frame = np.full((600, 800), 60, np.float32)
    laid = [
        PlacedTile(-6.0 + column, 0.0, 0.0, letter, 0, (0, column)) for column, letter in enumerate("CAT")
    ]
    draw_tiles(frame, laid, look(), camera(View(800, 600, 40.0, 0.0, 0.0)), rng())
    path = tmp_path_factory.mktemp("read") / "table.png"
    cv2.imwrite(str(path), frame)
    return path


def test_a_tableau_is_given_to_the_seat_in_whose_zone_it_lies(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_profile(profile(800), tmp_path / "p.toml")
    assert main(["read", "--json", "--alone", "--profile", str(tmp_path / "p.toml"), str(picture)]) == 0
    (tableau,) = json.loads(capsys.readouterr().out)["tableaux"]
    assert (tableau["rows"], tableau["seat"]) == (["CAT"], "2")


def test_people_are_told_the_seat(picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_profile(profile(800), tmp_path / "p.toml")
    assert main(["read", "--alone", "--profile", str(tmp_path / "p.toml"), str(picture)]) == 0
    assert "seat 2" in capsys.readouterr().out


def test_a_picture_of_another_size_is_not_read_with_it(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_profile(profile(1600), tmp_path / "p.toml")
    assert main(["read", "--alone", "--profile", str(tmp_path / "p.toml"), str(picture)]) == 2
    assert "set the camera to that size" in capsys.readouterr().err
