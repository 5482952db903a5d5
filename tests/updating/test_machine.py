"""Debian as an update sees it, with dpkg itself where it only reads, and tools that are made up elsewhere."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO

import pytest

from companion.updating.debian import MIN_READY_S, PACKAGE_NAME, START_TIMEOUT_S, Debian, run
from companion.updating.update import Failed, Offer

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not here")


@dataclass
class Tools:
    """Version 1.0 is installed on an amd64 machine; what only reads packages is done by dpkg itself."""

    listed: str = "(none)"
    ready: list[bool] = field(default_factory=lambda: [True])
    calls: list[Sequence[str]] = field(default_factory=list)
    now_s: float = 0.0
    status: str = "ii "

    def run(self, command: Sequence[str], timeout_s: float) -> CompletedProcess[str]:
        self.calls.append(command)
        told, status = "", 0
        match command[0], command[1]:
            case "dpkg-query", _:
                told = self.status if "${db:Status-Abbrev}" in command[2] else "1.0"
            case "dpkg", "--force-confold":
                pass
            case "dpkg", "--print-architecture":
                told = "amd64\n"
            case "apt-cache", _:
                told = f"{PACKAGE_NAME}:\n  Installed: 1.0\n  Candidate: {self.listed}\n"
            case "systemctl", "is-active":
                status = 0 if (self.ready.pop(0) if len(self.ready) > 1 else self.ready[0]) else 3
            case "setpriv", _:
                return run(command[command.index("--") + 1 :], timeout_s)
            case "dpkg" | "dpkg-deb", _:
                return run(command, timeout_s)
        return CompletedProcess(command, status, told, "")

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.fixture
def tools() -> Tools:
    return Tools()


@pytest.fixture
def machine(tools: Tools, tmp_path: Path) -> Debian:
    (tmp_path / "incoming").mkdir()
    places = (tmp_path / "incoming", tmp_path / "cache", tmp_path / "games.db")
    return Debian(tools.run, *places, clock=lambda: tools.now_s, sleep=tools.sleep)


def laid(machine: Debian, version: str, name: str = PACKAGE_NAME, arch: str = "amd64") -> Path:
    """Lay a package with nothing in it into the folder."""
    tree = machine.incoming.parent / f"{name}-{version}-{arch}"
    (tree / "DEBIAN").mkdir(parents=True)
    told = f"Package: {name}\nVersion: {version}\nArchitecture: {arch}\n"
    (tree / "DEBIAN/control").write_text(f"{told}Maintainer: a <a@b.invalid>\nDescription: x\n")
    made = machine.incoming / f"{tree.name}.deb"
    command = ["dpkg-deb", "--build", str(tree), str(made)]
    subprocess.run(command, check=True, capture_output=True)
    return made


def test_packages_in_the_folder_and_in_apts_lists_are_offered_the_newest_last(
    machine: Debian, tools: Tools
) -> None:
    tools.listed = "1.9"
    newest = laid(machine, "1.10")
    laid(machine, "0.9")
    assert machine.offers() == [Offer("1.9"), Offer("1.10", newest)]


def test_packages_of_others_and_for_other_machines_are_not_offered(machine: Debian) -> None:
    laid(machine, "2.0", name="something-else")
    laid(machine, "2.0", arch="arm64")
    (machine.incoming / "torn.deb").write_bytes(b"!<arch>\n")
    assert machine.offers() == []


def test_packages_that_are_not_newer_are_discarded_and_no_other_file(machine: Debian) -> None:
    for version in ("0.9", "1.0"):
        laid(machine, version)
    stay = {laid(machine, "1.10"), laid(machine, "0.9", arch="arm64"), machine.incoming / "torn.deb"}
    (machine.incoming / "torn.deb").write_bytes(b"!<arch>\n")
    machine.discard_outdated()
    assert set(machine.incoming.iterdir()) == stay


def test_a_package_that_others_may_write_is_not_offered(machine: Debian) -> None:
    laid(machine, "2.0").chmod(0o666)
    assert machine.offers() == []


def test_a_package_is_installed_from_roots_own_copy(machine: Debian) -> None:
    laid(machine, "2.0")
    (offer,) = machine.offers()
    assert machine.package(offer) == machine.cache / "2.0.deb"
    assert machine.kept("2.0").read_bytes() == (offer.file or Path()).read_bytes()


def test_a_package_that_a_full_disk_cut_short_is_never_kept(
    machine: Debian, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(_file: IO[bytes], copy: IO[bytes], *_: object) -> None:
        copy.write(b"!<arch>")
        raise OSError(28, "no space left on device")

    laid(machine, "2.0")
    with monkeypatch.context() as disk:
        disk.setattr(shutil, "copyfileobj", cut_short)
        with pytest.raises(OSError, match="no space left"):
            machine.package(machine.offers()[-1])
    assert not machine.kept("2.0").exists()


def test_earlier_packages_but_the_installed_one_make_room(machine: Debian) -> None:
    machine.cache.mkdir()
    for version in ("0.8", "0.9", "1.0"):
        machine.kept(version).touch()
    (machine.cache / ".2.0.deb.1a2b3c4d").touch()  # of a copy that a power cut ended
    (machine.cache / "dpkg-repack-4711/usr").mkdir(parents=True)  # of a dpkg-repack
    laid(machine, "2.0")
    machine.package(machine.offers()[-1])
    assert {path.stem for path in machine.cache.iterdir()} == {"1.0", "2.0"}


def test_services_that_stay_ready_are_up(machine: Debian, tools: Tools) -> None:
    tools.ready = [False] * 20 + [True]
    assert machine.up(["a"])
    assert MIN_READY_S + 20 <= tools.now_s < START_TIMEOUT_S


def test_services_that_start_again_and_again_are_not_up(machine: Debian, tools: Tools) -> None:
    tools.ready = [index % 30 != 0 for index in range(300)]
    assert not machine.up(["a"])
    assert tools.now_s >= START_TIMEOUT_S + MIN_READY_S


def test_a_log_that_the_newer_version_did_not_change_stays_with_what_was_played_since(
    machine: Debian,
) -> None:
    logged(machine.log, 3)
    machine.keep_log()
    logged(machine.log, 3, "later")
    machine.return_log()
    assert kept(machine.log) == [("later",)]


def test_a_log_of_a_newer_format_gives_way_to_the_copy(machine: Debian) -> None:
    logged(machine.log, 3, "before")
    machine.keep_log()
    logged(machine.log, 4)
    machine.return_log()
    assert kept(machine.log) == [("before",)]
    assert machine.log.with_name("games.db.newer").exists()


CUT_SHORT = """#!/bin/sh
left=$(cat {folder}/left)
[ "$left" -gt 0 ] || {{ kill -KILL $PPID; exit 1; }}
echo $((left - 1)) > {folder}/left
PATH=/usr/bin:/bin exec {name} "$@"
"""
"""A tool that kills the script that calls it once ``left`` calls were made."""


@pytest.mark.parametrize("calls", range(4))
def test_a_power_cut_while_the_copy_comes_back_leaves_a_log(
    machine: Debian, tools: Tools, tmp_path: Path, calls: int
) -> None:
    logged(machine.log, 3, "before")
    machine.keep_log()
    logged(machine.log, 4, "newer")
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "left").write_text(str(calls))
    for name in ("mv", "rm", "ln", "cp"):
        (folder / name).write_text(CUT_SHORT.format(folder=folder, name=name))
        (folder / name).chmod(0o755)

    def run_cut_short(command: Sequence[str], timeout_s: float) -> CompletedProcess[str]:
        cut = command.index("--") + 1
        return tools.run([*command[:cut], "env", f"PATH={folder}:/usr/bin:/bin", *command[cut:]], timeout_s)

    with suppress(Failed):
        replace(machine, run=run_cut_short).return_log()
    assert kept(machine.log) in ([("before",), ("newer",)], [("before",)])


def test_events_that_were_not_yet_in_the_file_are_of_their_own_copy_alone(machine: Debian) -> None:
    wal = machine.log.with_name("games.db-wal")
    with closing(sqlite3.connect(machine.log, isolation_level=None)) as log:
        log.execute("PRAGMA journal_mode=WAL")
        log.execute("CREATE TABLE words (word)")
        log.execute("INSERT INTO words VALUES ('first')")
        machine.keep_log()  # of a table that was killed: its last events are in the WAL
        assert wal.exists()
        log.execute("INSERT INTO words VALUES ('second')")
    assert not wal.exists()
    machine.keep_log()
    logged(machine.log, 4)
    machine.return_log()
    assert kept(machine.log) == [("first",), ("second",)]


def test_a_copy_that_a_full_disk_cut_short_never_replaces_the_log(machine: Debian, tools: Tools) -> None:
    logged(machine.log, 3, "played")
    copy, plain = machine.log.with_name("games.db.before-update"), tools.run
    logged(copy, 2, "of the update before")

    def run_on_full_disk(command: Sequence[str], timeout_s: float) -> CompletedProcess[str]:
        if command[0] == "setpriv":
            script = 'trap "" XFSZ; ulimit -f 0; exec "$@"'
            command = ["setpriv", "--", "sh", "-c", script, "sh", *command[command.index("--") + 1 :]]
        return plain(command, timeout_s)

    with pytest.raises(Failed, match="before-update"):
        replace(machine, run=run_on_full_disk).keep_log()
    machine.return_log()
    assert kept(machine.log) == [("played",)]


@pytest.mark.parametrize(("status", "whole"), [("ii ", True), ("iF ", False), ("iHR", False)])
def test_dpkg_finishes_what_was_cut_short_before_apt_is_asked(
    status: str, whole: bool, machine: Debian, tools: Tools
) -> None:
    tools.status = status
    assert machine.repair() is whole
    machine.install(Path("1.0.deb"))
    asked = [command[2] for command in tools.calls if command[0] in {"dpkg", "apt-get"}]
    assert asked == ["--configure"] * 2 + ["--install"] * (not whole) + ["-y"]


def logged(path: Path, version: int, word: str = "") -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as log:
        log.execute("CREATE TABLE IF NOT EXISTS words (word)")
        if word:
            log.execute("INSERT INTO words VALUES (?)", (word,))
        log.execute(f"PRAGMA user_version={version}")


def kept(path: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as log:
        return list(log.execute("SELECT word FROM words"))


def test_a_tool_that_fails_is_quoted(machine: Debian) -> None:
    with pytest.raises(Failed, match=r"dpkg: .*unknown option"):
        machine.asked("dpkg", "--frobnicate")
