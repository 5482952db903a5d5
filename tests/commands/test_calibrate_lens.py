"""``companion calibrate lens`` on drawn pictures."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.drawing.lens_board import draw_lens_board, guided_poses
from calibration.profile import read_profile, write_profile
from companion.cli import main
from companion.model.profile import CameraId, Lens, Profile, TableMap, Zone, ZoneKind
from tests.calibration.lens.made import SIZE, ordinary


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of drawn pictures of the lens board, taken as somebody does who is guided."""
    folder = tmp_path_factory.mktemp("boards")
    rng = np.random.default_rng(4)
    for number, held in enumerate(islice(guided_poses(rng, ordinary(), SIZE), 9)):
        cv2.imwrite(str(folder / f"{number}.png"), draw_lens_board(rng, SIZE, ordinary(), held, severity=0.5))
    return folder


def test_a_folder_of_pictures_becomes_a_lens_in_a_profile(
    boards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, drawing = tmp_path / "camera.toml", tmp_path / "lens.png"
    call = ["calibrate", "lens", str(boards), "--profile", str(path), "--camera", "over the table"]
    assert main([*call, "--preview", str(drawing)]) == 0
    profile = read_profile(path)
    assert profile.camera == CameraId("over the table", *SIZE)
    assert profile.lens is not None
    assert profile.lens.matrix[0] == pytest.approx(700, rel=0.01)
    assert profile.lens.error_px < 0.3
    assert cv2.imread(str(drawing)) is not None
    told = capsys.readouterr()
    assert "0.png: 40 corners" in told.err
    assert "ordinary lens, kept in" in told.out


def test_a_camera_that_looks_guides_until_it_is_enough(
    boards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, path = tmp_path / "table.toml", tmp_path / "camera.toml"
    table.write_text(
        'name = "t"\ngame = "bananagrams"\nseats = ["A", "B"]\n'
        f'[[cameras]]\nkind = "folder"\nwhere = "{boards}"\npace = 0\n'
    )
    assert main(["calibrate", "lens", "--live", str(table), "--profile", str(path)]) == 0
    assert read_profile(path).lens is not None
    told = capsys.readouterr().err.splitlines()
    assert "Move the board" in told[0]
    assert told[-1].endswith("Enough pictures: the lens can be found.")


def test_what_was_measured_through_the_former_lens_is_forgotten_and_said(
    boards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "camera.toml"
    table = TableMap((1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0), 900, 700, 0.2)
    turned = Zone(ZoneKind.SEAT, 1, ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0)), 33.0)
    known = Profile(CameraId("cam", *SIZE), "2026-01-01T12:00:00+00:00", None, table, zones=(turned,))
    write_profile(known, path)
    assert main(["calibrate", "lens", str(boards), "--profile", str(path)]) == 0
    assert read_profile(path).table is None
    assert read_profile(path).zones == ()
    assert read_profile(path).camera.name == "cam"
    assert "companion calibrate table again, which divides it among" in capsys.readouterr().out


def test_too_few_pictures_are_refused_with_what_to_do_next(
    boards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "camera.toml"
    assert main(["calibrate", "lens", str(boards / "0.png"), "--profile", str(path)]) == 2
    told = capsys.readouterr().err
    assert "at least 5 pictures must show the board, better 12; there is 1" in told
    assert "Next: Move the board to the" in told
    assert not path.exists()


def test_pictures_that_show_no_board_say_so_each(
    boards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = cv2.imread(str(boards / "0.png"))
    assert picture is not None
    cv2.imwrite(str(tmp_path / "mirror.png"), picture[:, ::-1])
    cv2.imwrite(str(tmp_path / "blurred.png"), cv2.GaussianBlur(picture, (0, 0), 2))
    (tmp_path / "broken.png").write_bytes(b"no picture")
    assert main(["calibrate", "lens", str(tmp_path), "--profile", str(tmp_path / "camera.toml")]) == 2
    told = capsys.readouterr().err
    assert "mirror.png: no lens board: it is as in a mirror" in told
    assert "but blurred (edges" in told
    assert "broken.png: neither JPEG" in told
    assert "no picture shows the lens board sharply" in told


def test_a_profile_of_pictures_of_another_size_is_refused(
    boards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "camera.toml"
    lens = Lens("ordinary", ordinary().matrix, ordinary().distortion, 0.1)
    write_profile(Profile(CameraId("cam", 640, 480), "2026-01-01T12:00:00+00:00", lens), path)
    assert main(["calibrate", "lens", str(boards), "--profile", str(path)]) == 2
    assert "960 x 540" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "give pictures of the lens board, or --live"),
        (["a.png", "--live", "table.toml"], "one of the two"),
        (["a.png", "--preview", "lens.txt"], "end its name in .png or .jpg"),
        (["a.png", "--most-error", "0"], "more than 0"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused(
    options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "lens", *options, "--profile", "p.toml"]) == 2
    assert says in capsys.readouterr().err
