"""Where what is known of a camera is kept, and which of two files counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from calibration.profile import write_profile
from companion.bootstrap.paths import load_profile, profile_path
from companion.config.cameras import CameraConfig, CameraKind
from companion.model.profile import CameraId, Profile


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The table's own folder."""
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    return tmp_path / "state"


def camera(path: Path | None = None, where: int = 0) -> CameraConfig:
    return CameraConfig(CameraKind.USB, where, profile=str(path) if path else None)


def written(path: Path, name: str, age_s: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_profile(Profile(CameraId(name, 640, 480), "2026-11-21"), path)
    os.utime(path, (10**9 - age_s, 10**9 - age_s))


def test_before_anybody_set_a_camera_up_nothing_is_known(tmp_path: Path) -> None:
    assert load_profile(camera()) is None
    assert load_profile(camera(tmp_path / "camera.toml")) is None


def test_a_profile_is_kept_where_the_configuration_says(tmp_path: Path) -> None:
    assert profile_path(camera(tmp_path / "camera.toml")) == tmp_path / "camera.toml"


def test_a_camera_without_a_file_of_its_own_is_kept_among_the_tables_state(state: Path) -> None:
    one, other = profile_path(camera()), profile_path(camera(where=1))
    assert one.parent == state / "cameras"
    assert one.name.startswith("usb-0-")
    assert one != other


def test_where_the_configurations_folder_is_closed_the_tables_state_keeps_it(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "etc"
    closed.mkdir()
    # root may write everywhere, so the answer of the system is given here
    monkeypatch.setattr(os, "access", lambda path, _how: closed not in (path, *Path(path).parents))
    assert profile_path(camera(closed / "camera.toml")).parent == state / "cameras"


def test_of_two_files_the_one_that_was_written_last_counts(tmp_path: Path) -> None:
    named = camera(tmp_path / "camera.toml")
    own = profile_path(camera())
    written(tmp_path / "camera.toml", "named", age_s=60)
    written(own, "own")
    known = load_profile(named)
    assert known is not None
    assert known.camera.name == "own"
    written(tmp_path / "camera.toml", "named again", age_s=-60)
    known = load_profile(named)
    assert known is not None
    assert known.camera.name == "named again"
