"""``companion calibrate table|show|check|export|import`` on drawn pictures."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import camera
from calibration.drawing.marker_tables import MarkedTable, lens_of
from calibration.profile import read_profile, write_profile
from companion.cli import main
from companion.model.profile import CameraId, Profile
from companion.vision.picture import decode
from tests.calibration.plain_tables import HEIGHT, VIEW, WIDTH, cards, table
from tests.calibration.test_sizes import measured as with_letters

SIZE = f"{WIDTH:.0f}x{HEIGHT:.0f}"
Out = pytest.CaptureFixture[str]


def calibrate(*words: str | Path) -> int:
    return main(["calibrate", *map(str, words)])


def saved(drawn: MarkedTable, path: Path) -> Path:
    cv2.imwrite(str(path), drawn.picture)
    return path


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A drawn table with its markers."""
    return saved(table(), tmp_path_factory.mktemp("drawn") / "table.png")


@pytest.fixture
def known(picture: Path, tmp_path: Path) -> Path:
    """A profile with the true lens, and the table as calibration finds it."""
    path = tmp_path / "above.toml"
    write_profile(Profile(CameraId("above", 1600, 1200), "then", lens_of(camera(VIEW))), path)
    assert calibrate("table", picture, "--profile", path, "--tile-mm", "20") == 0
    return path


def test_a_table_is_found_and_kept_with_its_zones(known: Path) -> None:
    profile = read_profile(known)
    assert profile.table
    assert (round(profile.table.width_mm), round(profile.table.height_mm)) == (WIDTH, HEIGHT)
    assert [zone.seat for zone in profile.zones] == [1, 2, 3, 4, None]
    assert profile.tile_px == pytest.approx(30, rel=0.02)
    assert profile.lens is not None
    assert profile.made_at != "then"


def test_it_is_said_what_was_found(picture: Path, tmp_path: Path, capsys: Out) -> None:
    assert (
        calibrate("table", picture, "--profile", tmp_path / "p.toml", "--tile-mm", "20", "--seats", "2") == 0
    )
    told = capsys.readouterr().out
    assert " mm, by 4 markers, within " in told
    assert "zones: 2 seats" in told
    assert "companion calibrate lens makes" in told


def test_a_scale_that_nothing_has_checked_is_a_warning(picture: Path, known: Path, capsys: Out) -> None:
    capsys.readouterr()
    assert calibrate("table", picture, "--profile", known) == 0
    told = capsys.readouterr()
    assert "scale: the sheet's scale is not checked: measure the 100 mm ruler" in told.err
    assert "--ruler says what it is; --size or --tile-mm check it" in told.err
    assert "scale:" not in told.out
    for words, says in (
        (("--ruler", "100"), "of its ruler, 100 mm"),
        (("--size", SIZE), "your tape measure"),
    ):
        assert calibrate("table", picture, "--profile", known, *words) == 0
        told = capsys.readouterr()
        assert says in told.out
        assert not told.err


def test_a_set_that_knows_how_broad_its_tiles_are_checks_the_sheet(tmp_path: Path, capsys: Out) -> None:
    own, lying = tmp_path / "own.json", tmp_path / "lying.png"
    own.write_text(json.dumps({"symbols": [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ"], "side_mm": 20}))
    cv2.imwrite(str(lying), with_letters(1.08)[0])
    assert calibrate("table", lying, "--profile", tmp_path / "p.toml", "--tiles", own) == 0
    told = capsys.readouterr().err
    assert "scale: two known lengths disagree: by the markers the tiles are 1" in told
    assert ", by measure 20 mm." in told
    assert calibrate("table", lying, "--profile", tmp_path / "p.toml", "--tiles", own, "--ruler", "108") == 0
    assert "scale: the sheet's scale agrees with the tiles" in capsys.readouterr().out


def test_zones_that_were_arranged_stay_unless_the_table_is_to_be_shared_anew(
    known: Path, picture: Path
) -> None:
    profile = read_profile(known)
    moved = (replace(profile.zones[0], facing_deg=7.0), *profile.zones[1:])
    write_profile(replace(profile, zones=moved), known)
    assert calibrate("table", picture, "--profile", known) == 0
    assert read_profile(known).zones == moved
    assert calibrate("table", picture, "--profile", known, "--seats", "4") == 0
    assert read_profile(known).zones[0].facing_deg == 0.0


def test_a_preview_is_drawn(picture: Path, tmp_path: Path) -> None:
    preview = tmp_path / "seen.png"
    words = ("table", picture, "--profile", tmp_path / "p.toml", "--tile-mm", "20", "--preview", preview)
    assert calibrate(*words) == 0
    assert decode(preview, colour=True).shape[0] > 1200


def test_of_several_pictures_a_bad_one_does_no_harm(picture: Path, tmp_path: Path) -> None:
    half = saved(table(cards()[:2]), tmp_path / "half.png")
    assert calibrate("table", half, picture, "--profile", tmp_path / "p.toml", "--tile-mm", "20") == 0


def test_a_bad_picture_alone_is_told_and_nothing_is_kept(tmp_path: Path, capsys: Out) -> None:
    half = saved(table(cards()[:2]), tmp_path / "half.png")
    assert calibrate("table", half, "--profile", tmp_path / "p.toml") == 2
    assert "half.png: marker 2 (bottom right), marker 3 (bottom left)" in capsys.readouterr().err
    assert not (tmp_path / "p.toml").exists()


def test_a_table_is_found_by_four_taps(picture: Path, tmp_path: Path) -> None:
    corners = table().pixels(np.array([[0.0, 0.0], [WIDTH, 0.0], [WIDTH, HEIGHT], [0.0, HEIGHT]]))
    taps = [f"{x:.1f},{y:.1f}" for x, y in corners]
    path = tmp_path / "p.toml"
    words = ("--size", f"{WIDTH:.0f}x{HEIGHT:.0f}", "--profile", path, "--tile-mm", "20")
    assert calibrate("table", picture, "--taps", *taps, *words) == 0
    found = read_profile(path).table
    assert found
    assert (found.width_mm, found.markers) == (WIDTH, ())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--taps", "1,2", "3,4", "5,6", "7,8"], "--taps needs --size"),
        (["--taps", "9,2", "1,4", "5,6", "7,8", "--size", "9x9"], "clockwise"),
        (["--seats", "40"], "1 to 13 seats"),
        (["--seats", "0"], "1 to 13 seats; got 0"),
        (["--board", "900x300"], "the board must be smaller than the table"),
        (["--ruler", "20"], "50 to 150"),
        (["--tile-mm", "1"], "5 to 100"),
        (["--tile-mm", "20", "--preview", "x.gif"], "end its name in .png or .jpg"),
        (["--tiles-only"], "too few tiles are seen"),
    ],
)
def test_options_that_make_no_sense_are_told(
    words: list[str], says: str, picture: Path, tmp_path: Path, capsys: Out
) -> None:
    assert calibrate("table", picture, *words, "--profile", tmp_path / "p.toml") == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "p.toml").exists()


def test_a_profile_of_another_size_of_picture_is_refused(known: Path, tmp_path: Path, capsys: Out) -> None:
    small = tmp_path / "small.png"
    cv2.imwrite(str(small), np.zeros((600, 800), np.uint8))
    assert calibrate("table", small, "--profile", known) == 2
    told = capsys.readouterr().err
    assert "set the camera to that size" in told
    assert "To begin anew, give --profile the name of a new file" in told


def test_a_profile_that_was_cut_off_says_how_to_begin_anew(known: Path, picture: Path, capsys: Out) -> None:
    known.write_bytes(cut := known.read_bytes()[:300])
    assert calibrate("table", picture, "--profile", known) == 2
    assert "To begin anew, give --profile the name of a new file" in capsys.readouterr().err
    assert known.read_bytes() == cut


def test_a_profile_of_another_camera_is_refused(known: Path, picture: Path, capsys: Out) -> None:
    assert calibrate("table", picture, "--profile", known, "--camera", "left") == 2
    assert "is of the camera 'above', not 'left'" in capsys.readouterr().err


def test_what_a_profile_knows_is_shown(known: Path, picture: Path, tmp_path: Path, capsys: Out) -> None:
    capsys.readouterr()
    assert calibrate("show", "--profile", known, "--picture", picture, "--preview", tmp_path / "t.jpg") == 0
    told = capsys.readouterr().out
    assert "camera  above, 1600 x 1200 px" in told
    assert "table   800 x 520 mm, by 4 markers" in told
    assert "seat 4" in told
    assert (tmp_path / "t.jpg").exists()


def test_a_camera_that_stands_still_is_fine(known: Path, picture: Path, capsys: Out) -> None:
    assert calibrate("check", picture, "--profile", known) == 0
    assert "the camera stands as it did" in capsys.readouterr().out


def test_a_bumped_camera_is_told_and_corrected_only_when_asked_to(known: Path, tmp_path: Path) -> None:
    bumped = saved(table(view=replace(VIEW, turn_deg=4.0)), tmp_path / "bumped.png")
    before = read_profile(known)
    assert calibrate("check", bumped, "--profile", known) == 1
    assert calibrate("check", bumped, "--profile", known, "--correct", "--preview", "seen.gif") == 2
    assert read_profile(known) == before
    assert calibrate("check", bumped, "--profile", known, "--correct") == 0
    assert calibrate("check", bumped, "--profile", known) == 0


def test_one_tap_corrects_what_nothing_else_can(known: Path, picture: Path, capsys: Out) -> None:
    assert calibrate("check", picture, "--profile", known, "--tap", "300,250") == 0
    assert "by one tap" in capsys.readouterr().out


def test_an_exported_profile_can_be_taken_in(known: Path, tmp_path: Path, capsys: Out) -> None:
    out, new = tmp_path / "out.toml", tmp_path / "new.toml"
    assert calibrate("export", "--profile", known, "--out", out) == 0
    assert calibrate("import", out, "--profile", new) == 0
    assert read_profile(new) == read_profile(known)
    capsys.readouterr()
    assert calibrate("export", "--profile", known) == 0
    assert capsys.readouterr().out == known.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--camera", "left"], "'above', not 'left'.*--lens-only"),
        (["--replace", "--picture", "small.png"], "1600 x 1200 pixels, the picture has 800 x 600"),
        ([], "is there already; --replace"),
    ],
)
def test_a_profile_that_does_not_fit_is_not_taken_in(
    words: list[str], says: str, known: Path, tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("small.png", np.zeros((600, 800), np.uint8))
    target = known if not words else tmp_path / "target.toml"
    assert calibrate("import", known, *words, "--profile", target) == 2
    assert re.search(says, capsys.readouterr().err)


def test_the_lens_alone_holds_for_another_camera_of_the_kind(known: Path, tmp_path: Path) -> None:
    new = tmp_path / "left.toml"
    assert calibrate("import", known, "--lens-only", "--camera", "left", "--profile", new) == 0
    profile = read_profile(new)
    assert (profile.camera.name, profile.lens, profile.table) == ("left", read_profile(known).lens, None)


def test_the_help_names_every_step_with_its_options(capsys: Out) -> None:
    with pytest.raises(SystemExit):
        calibrate("--help")
    told = capsys.readouterr().out
    assert all(option in told for option in ("--taps", "--correct", "--lens-only", "--out"))
