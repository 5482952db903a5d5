"""A backup to a USB stick: a folder stands for the stick, and a loop device where one can be had."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO

import pytest

from companion.bootstrap import stick
from companion.bootstrap.stick import (
    BACKUP_FOLDER,
    Light,
    asks_for_backup,
    back_up,
    collect_packages,
    main,
    mounted,
)
from companion.events.log import EventLog
from companion.events.restoring import preview_restore
from tests.web.made import begun

NOW = datetime(2026, 11, 23, 20, 15, tzinfo=UTC)


@pytest.fixture
def plugged(tmp_path: Path) -> Path:
    """A stick that asks for a backup."""
    (tmp_path / "stick" / BACKUP_FOLDER).mkdir(parents=True)
    return tmp_path / "stick"


@pytest.fixture
def light(tmp_path: Path) -> Light:
    """A light as the kernel shows it, which tells of the SD card."""
    folder = tmp_path / "ACT"
    folder.mkdir()
    (folder / "trigger").write_text("none timer [mmc0] heartbeat\n")
    return Light(folder)


def shown(light: Light, name: str) -> str:
    assert light.folder
    return (light.folder / name).read_text()


def games(file: IO[bytes]) -> None:
    file.write(b"games")


def test_games_and_the_tables_file_are_on_the_stick(plugged: Path, tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("seats = []")
    back_up(plugged, games, tmp_path / "table.toml", NOW)
    found = {path.name: path.read_bytes() for path in (plugged / BACKUP_FOLDER).iterdir()}
    assert found == {
        "games-2026-11-23-201500.zip": b"games",
        "table-2026-11-23-201500.toml": b"seats = []",
    }


def test_a_backup_that_fails_leaves_no_file_that_looks_like_one(plugged: Path, tmp_path: Path) -> None:
    def torn(file: IO[bytes]) -> None:
        file.write(b"ga")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        back_up(plugged, torn, tmp_path / "table.toml", NOW)
    assert list((plugged / BACKUP_FOLDER).glob("*.zip")) == []


def test_a_stick_without_the_folder_asks_for_nothing(tmp_path: Path) -> None:
    assert not asks_for_backup(tmp_path)


def test_a_link_on_a_stick_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / BACKUP_FOLDER).symlink_to(tmp_path / "elsewhere")
    (tmp_path / "tableau-companion_9.deb").symlink_to("/etc/passwd")
    (tmp_path / "incoming").mkdir()
    assert not asks_for_backup(tmp_path)
    assert collect_packages(tmp_path, tmp_path / "incoming") == []


def test_packages_of_the_companion_are_taken_from_the_stick(plugged: Path, tmp_path: Path) -> None:
    (plugged / "tableau-companion_9_arm64.deb").write_bytes(b"new")
    (plugged / "holiday.deb").write_bytes(b"other")
    (tmp_path / "incoming").mkdir()
    assert collect_packages(plugged, tmp_path / "incoming") == ["tableau-companion_9_arm64.deb"]
    assert [path.name for path in (tmp_path / "incoming").iterdir()] == ["tableau-companion_9_arm64.deb"]


def test_the_light_blinks_stays_lit_and_tells_of_the_card_again(light: Light) -> None:
    with light.borrowed():
        light.blink(200)
        assert (shown(light, "trigger"), shown(light, "delay_on")) == ("timer", "100")
        light.stay()
        assert (shown(light, "trigger"), shown(light, "brightness")) == ("none", "1")
    assert shown(light, "trigger") == "mmc0"


def test_a_machine_without_a_light_backs_up_all_the_same(tmp_path: Path) -> None:
    with Light.found([tmp_path / "none"]).borrowed() as light:
        light.blink(200)
        light.stay()
    assert light.folder is None


def test_a_light_that_refuses_everything_hinders_no_backup(
    plugged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ACT/trigger").mkdir(parents=True)  # the kernel refuses a trigger that it lacks
    monkeypatch.setattr(stick, "mounted", lambda _device, _place: nullcontext(plugged))
    monkeypatch.setattr(stick, "pack_as_pages", games)
    with Light(tmp_path / "ACT").borrowed() as light:
        assert main("/dev/sda1", light, lambda _s: None) == 0
    assert list((plugged / BACKUP_FOLDER).glob("*.zip"))


def test_a_stick_is_unmounted_where_writing_fails(tmp_path: Path) -> None:
    calls: list[str] = []

    def run(command: Sequence[str]) -> CompletedProcess[str]:
        calls.append(command[0])
        return CompletedProcess(command, 0, "", "")

    with pytest.raises(OSError, match="full"), mounted("/dev/sda1", tmp_path / "sda1", run):
        raise OSError("full")
    assert calls == ["mount", "umount"]


def test_a_stick_that_cannot_be_mounted_is_told_by_the_light(
    light: Light, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stick, "MOUNT_POINT", tmp_path)
    waited: list[float] = []
    assert main(str(tmp_path / "no-such-device"), light, waited.append) == 1
    assert (shown(light, "trigger"), shown(light, "delay_on"), len(waited)) == ("timer", "1000", 1)


def test_the_games_are_on_the_stick_though_the_card_has_no_room_for_a_package(
    plugged: Path, light: Light, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_stick: Path, _incoming: Path) -> list[str]:
        raise OSError("no space left on device")

    monkeypatch.setattr(stick, "mounted", lambda _device, _place: nullcontext(plugged))
    monkeypatch.setattr(stick, "pack_as_pages", games)
    monkeypatch.setattr(stick, "collect_packages", full)
    assert main("/dev/sda1", light, lambda _s: None) == 1
    assert [path.read_bytes() for path in (plugged / BACKUP_FOLDER).glob("*.zip")] == [b"games"]
    assert shown(light, "delay_on") == "1000"


def test_the_archive_is_one_that_the_hosts_page_brings_back(tmp_path: Path, root: Path) -> None:
    with EventLog(tmp_path / "games.db") as log:
        begun(log, "monday")
    command = [sys.executable, "-P", "-m", "companion.bootstrap.stick", "--pack", str(tmp_path / "games.db")]
    with (tmp_path / "games.zip").open("wb") as file:
        subprocess.run(command, check=True, stdout=file, cwd=root)
    with (tmp_path / "games.zip").open("rb") as file:
        assert [one.game for one in preview_restore(file, tmp_path / "other.db", "")] == ["monday"]


def loop_refused() -> str:
    """Return why no image can be mounted here, or nothing."""
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        return "root and mkfs.ext4 are needed to mount an image"
    done = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=False)
    return done.stderr.strip()


@pytest.mark.skipif(bool(loop_refused()), reason=loop_refused() or "all is here")
def test_a_real_file_system_is_mounted_written_and_unmounted(tmp_path: Path) -> None:
    image, made = tmp_path / "stick.img", tmp_path / "made"
    (made / BACKUP_FOLDER).mkdir(parents=True)
    subprocess.run(["truncate", "-s", "8M", image], check=True)
    subprocess.run(["mkfs.ext4", "-q", "-d", made, image], check=True)
    for _ in range(2):
        with mounted(str(image), tmp_path / "place") as found:
            assert asks_for_backup(found)
            back_up(found, games, tmp_path / "none", NOW)
        assert list((tmp_path / "place").iterdir()) == []
    with mounted(str(image), tmp_path / "place") as found:
        assert [path.read_bytes() for path in (found / BACKUP_FOLDER).glob("*.zip")] == [b"games"]
