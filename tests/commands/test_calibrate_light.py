"""``companion calibrate light`` on drawn pictures."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.drawing.light_faults import with_shadow
from companion.cli import main
from tests.calibration.light.made import table, taken


def saved(path: Path, shadow: bool = False, count: int = 3) -> Path:
    """Save pictures of a table one after another."""
    picture = table().picture
    if shadow:
        picture, _ = with_shadow(picture, np.array([[0.6, 0], [1, 0], [1, 0.6], [0.7, 0.6]]))
    path.mkdir(exist_ok=True)
    for number in range(count):
        cv2.imwrite(str(path / f"{number}.png"), taken(picture, seed=number))
    return path


def test_good_light_is_told_and_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "light", str(saved(tmp_path))]) == 0
    told = capsys.readouterr().out
    assert "960 x 540 px, 28 tiles" in told
    assert "→" not in told


def test_bad_light_is_drawn_and_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawing = tmp_path / "light.png"
    assert main(["calibrate", "light", str(saved(tmp_path / "dark", True)), "--preview", str(drawing)]) == 1
    assert "!  shadow: the darkest tile gets" in capsys.readouterr().out
    assert cv2.imread(str(drawing)) is not None


def test_a_program_may_read_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["calibrate", "light", str(saved(tmp_path, count=1) / "0.png"), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["grade"] == "fair"  # one picture tells no flicker
    assert [finding["aspect"] for finding in told["findings"]][:2] == ["resolution", "focus"]


def test_a_camera_may_look_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures, file = saved(tmp_path / "pictures"), tmp_path / "table.toml"
    file.write_text(
        'name = "t"\ngame = "bananagrams"\nseats = ["A", "B"]\n'
        f'[[cameras]]\nkind = "folder"\nwhere = "{pictures}"\npace = 0\n'
    )
    assert main(["calibrate", "light", "--live", str(file)]) == 0
    assert "+  flicker" in capsys.readouterr().out


def test_pictures_of_two_sizes_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved(tmp_path, count=2)
    cv2.imwrite(str(tmp_path / "1.png"), np.zeros((48, 64), np.uint8))
    assert main(["calibrate", "light", str(tmp_path)]) == 2
    assert "pictures of 960 x 540 and 64 x 48 pixels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "give pictures of the table, or --live"),
        (["a.png", "--live", "table.toml"], "one of the two"),
        (["a.png", "--preview", "light.txt"], "end its name in .png or .jpg"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused(
    options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "light", *options]) == 2
    assert says in capsys.readouterr().err
