"""The Debian package in fresh Debian systems: installed, played with, upgraded, taken away; in this order."""

from __future__ import annotations

import gzip
import json
import marshal
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from companion.packaging.tree import (
    ENVIRONMENT_FOLDER,
    HALL_UNITS,
    RELEASES,
    UNCOMPILED_PATTERN,
    Package,
    md5_sums,
    write_environment,
    write_papers,
    write_system_files,
)
from companion.version import VERSION
from tests.packaging.debian import TABLE, Debian, film, lacking

pytestmark = [pytest.mark.debian, pytest.mark.skipif(bool(lacking()), reason=lacking() or "all is here")]

NAME = "tableau-companion"
LISTS = f"usr/lib/{NAME}/lib/python*/site-packages/companion/words/lists/default.txt.gz"

UPDATE = """
import sys
from companion.updating.__main__ import REQUEST_PATH, serve
from companion.updating.debian import Debian
from companion.updating.state import STATE_PATH
sys.exit(serve(Debian(starts_s=3.0, stays_s=1.0), REQUEST_PATH, STATE_PATH))
"""
"""What companion-update.service runs, with less patience."""

SYSTEMCTL = """#!/bin/sh
case "$*" in
    is-active*) [ "$(dpkg-query -W -f '${Version}' tableau-companion | cut -d . -f 1)" -lt "@below@" ] ;;
esac
"""
"""Stands for systemctl where no systemd runs: services are ready with versions below one."""

IMPORTING = """
import importlib, sys
from pathlib import Path

(site,) = Path(sys.prefix).glob("lib/python*/site-packages")
names = set()
for path in (*site.rglob("*.py"), *site.rglob("*.so")):
    *folders, name = path.relative_to(site).parts
    name = name.split(".")[0]
    names.add(".".join(folders if name == "__init__" else [*folders, name]))
missed = []
for name in sorted(one for one in names if not one.endswith("__main__")):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (site / error.name.split(".")[0]).exists():
            missed.append(f"{name}: {error}")
    except BaseException as error:
        missed.append(f"{name}: {error!r}")
print(*missed, sep="\\n")
"""
"""Tells which modules of the package cannot be imported, but for what needs another package."""

NO_MODULES = (
    *("PIL._typing", "click._winconsole", "cv2.config", "cv2.config-3", "cv2.cv2", "ifaddr._win32"),
    *("onnxruntime.capi.libonnxruntime_providers_shared", "rich._win32_console", "rich._windows_renderer"),
)
"""Those that cannot be imported where nothing is left out either."""

MOST_MB = {"amd64": 201, "arm64": 150}
"""What a package may take with its bytecode; for amd64 OpenCV brings code for several kinds of processors."""

ANSWERS_S = 30.0
"""How long the scoreboard may take to answer from a start on."""


@dataclass(frozen=True, slots=True)
class Host:
    """A system with the package in it, the package, and a later one."""

    debian: Debian
    package: Path
    later: Path
    folder: Path

    def log(self) -> str:
        """Return what the table and the pages have said so far."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def events(self) -> list[tuple[str, int, str]]:
        """Return game, number and kind of every event in the log."""
        with closing(sqlite3.connect(self.debian.at("/var/lib/companion/games.db"))) as log:
            return list(log.execute("SELECT game, number, kind FROM events ORDER BY game, number"))


@pytest.fixture(scope="module", params=RELEASES)
def host(
    request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp(request.param)
    made = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "companion.packaging",
            "--release",
            request.param,
            "--out",
            folder,
        ],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    package = Path(made.stdout.strip())
    debian = Debian.fresh(request.param, root / "build/debian")
    shutil.copy(package, debian.at("/root/now.deb"))
    shutil.copy(later(package, folder / "later"), debian.at("/root/later.deb"))
    debian.apt_get("update")
    debian.apt_get("install", "/root/now.deb")
    film(root / "companion/pictures/photograph.jpg", debian.at("/srv/film.avi"))
    yield Host(debian, package, debian.at("/root/later.deb"), folder)
    shutil.rmtree(debian.folder)


def later(package: Path, tree: Path) -> Path:
    """Return a package of a later version, whose word list has one more word."""
    subprocess.run(["dpkg-deb", "-R", str(package), str(tree)], check=True)
    description = tree / "DEBIAN/control"
    description.write_text(description.read_text().replace("Version: 0.", "Version: 99."))
    (metadata,) = tree.glob(
        f"usr/lib/{NAME}/lib/python*/site-packages/tableau_companion-*.dist-info/METADATA"
    )
    metadata.write_text(re.sub(r"^Version: 0\.", "Version: 99.", metadata.read_text(), flags=re.MULTILINE))
    (words,) = tree.glob(LISTS)
    words.write_bytes(gzip.compress(gzip.decompress(words.read_bytes()) + b"zzzzzz\n"))
    (tree / "DEBIAN/md5sums").write_text(md5_sums(tree))
    made = tree.with_suffix(".deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", str(tree), str(made)], check=True)
    return made


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def asked(port: int, path: str) -> str:
    """Return a page, as soon as it is served; raise where that takes too long."""
    until = time.monotonic() + ANSWERS_S
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                return str(answer.read().decode())
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)


def played(host: Host, *words: str) -> tuple[dict[str, Any], str]:
    """Run table and pages until they answer; return how they are, and the scoreboard."""
    port, own = free_port(), ["--host", "127.0.0.1", "--no-mdns"]
    (host.debian.at("/etc/tableau-companion/table.toml")).write_text(TABLE)
    with (
        host.debian.service("companion-table.service", host.folder / "table.log", *words),
        host.debian.service("companion-web.service", host.folder / "web.log", *own, "--port", str(port)),
    ):
        until = time.monotonic() + ANSWERS_S
        while not (well := json.loads(asked(port, "/healthz")))["well"] and time.monotonic() < until:
            time.sleep(0.5)
        return well, asked(port, "/")  # before the table is there, the pages answer with no game


def test_what_is_installed_is_what_was_packaged(host: Host) -> None:
    done = host.debian.run("dpkg", "-V", NAME)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_module_of_it_finds_what_it_imports(host: Host) -> None:
    done = host.debian.run(f"{ENVIRONMENT_FOLDER}/bin/python3", "-B", "-P", "-W", "ignore", "-c", IMPORTING)
    assert done.returncode == 0, done.stderr
    missed = done.stdout.rpartition("---\n")[2].splitlines()
    assert [line for line in missed if line and line.partition(":")[0] not in NO_MODULES] == []


def test_it_takes_no_more_than_it_may_with_its_bytecode(host: Host) -> None:
    packed = host.debian.run("dpkg", "-L", NAME).stdout.splitlines()
    files = [path for path in map(host.debian.at, packed) if path.is_symlink() or path.is_file()]
    compiled = list(host.debian.at(str(ENVIRONMENT_FOLDER)).rglob("*.pyc"))
    assert len(compiled) > 1000
    assert sum(path.lstat().st_size for path in (*files, *compiled)) < MOST_MB["amd64"] * 1e6


@pytest.mark.parametrize("release", RELEASES)
def test_the_package_for_a_pi_takes_no_more_than_it_may_with_its_bytecode(
    release: str, tmp_path: Path
) -> None:
    package = Package(release, "arm64", VERSION)
    write_environment(tmp_path, package)
    write_system_files(tmp_path)
    write_papers(tmp_path, package)
    files = sum(path.lstat().st_size for path in tmp_path.rglob("*") if not path.is_dir())
    home = tmp_path / ENVIRONMENT_FOLDER.relative_to("/")
    names = [
        path for path in home.rglob("*.py") if not re.match(UNCOMPILED_PATTERN, str(path.relative_to(home)))
    ]
    assert files + sum(bytecode(path) for path in names) < MOST_MB["arm64"] * 1e6


def bytecode(module: Path) -> int:
    """Return how many bytes a module has once it is compiled, with its header."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 16 + len(marshal.dumps(compile(module.read_bytes(), str(module), "exec", dont_inherit=True)))


@pytest.mark.skipif(shutil.which("lintian") is None, reason="lintian is not here (package lintian)")
def test_lintian_has_nothing_to_say_that_no_reason_answers(host: Host) -> None:
    command = ["lintian", "--allow-root", "--fail-on", "error,warning", str(host.package)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_its_units_are_well_formed_where_they_lie(host: Host) -> None:
    units = ["companion-table.service", "companion-web.service", "companion-web.socket", *HALL_UNITS]
    paths = [f"/usr/lib/systemd/system/{unit}" for unit in units]
    done = host.debian.run("systemd-analyze", "verify", "--man=no", *paths)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "companion" in line]) == (0, [])


def test_a_hall_waits_to_be_enabled_and_a_publisher_for_a_table_that_names_one(host: Host) -> None:
    wants = host.debian.at("/etc/systemd/system/multi-user.target.wants")
    assert not [unit for unit in HALL_UNITS if (wants / unit).is_symlink()]
    table = host.debian.at("/etc/tableau-companion/table.toml")
    before = table.read_text()
    table.write_text(f'{before}\n[hall]\nbroker = "hall.local"\n')
    host.debian.apt_get("install", "--reinstall", "/root/now.deb")
    assert [unit for unit in HALL_UNITS if (wants / unit).is_symlink()] == ["companion-publish.service"]
    table.write_text(before)


def test_the_command_is_on_everybodys_path(host: Host) -> None:
    assert "usage: companion COMMAND" in host.debian.run("companion", "--help").stdout


def test_a_game_is_played_before_a_film_and_the_scoreboard_answers(host: Host) -> None:
    well, page = played(host, "--start")
    assert (well["well"], "Anna" in page) == (True, True), host.log()
    assert {"GameSetUp", "RoundStarted"} <= {kind for *_, kind in host.events()}
    assert "Traceback" not in host.log()


def updated(host: Host, below: int) -> dict[str, str]:
    """Ask for the later package as the pages do; return what is known of updates afterwards."""
    control = host.debian.at("/usr/sbin/systemctl")
    control.write_text(SYSTEMCTL.replace("@below@", str(below)))
    control.chmod(0o755)
    shutil.copy(host.later, host.debian.at("/var/lib/tableau-companion/incoming/later.deb"))
    (version,) = re.findall(r"^Version: (.*)$", control_of(host.later), re.MULTILINE)
    host.debian.at("/var/lib/companion-web/update-request").write_text(version)
    done = host.debian.run(f"/usr/lib/{NAME}/bin/python3", "-P", "-c", UPDATE)
    control.unlink()
    assert done.returncode == 0, done.stderr
    found = json.loads(host.debian.at("/var/lib/tableau-companion/update.json").read_text())
    assert isinstance(found, dict)
    return found


def control_of(package: Path) -> str:
    command = ["dpkg-deb", "--field", str(package)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_a_later_package_with_which_the_table_does_not_start_is_taken_back(host: Host) -> None:
    before = host.events()
    known = updated(host, below=99)
    assert (known["outcome"], known["installed"].startswith("0.")) == ("rolled back", True), known
    assert host.events() == before
    assert "companion 0." in host.debian.run("companion", "--version").stdout


def test_an_upgrade_keeps_everything_and_the_game_under_way_goes_on(host: Host) -> None:
    before = host.events()
    kept = {
        path: path.read_bytes()
        for path in host.debian.at("/var/lib/companion-web").rglob("*")
        if path.is_file()
    }
    known = updated(host, below=100)
    assert (known["outcome"], known["installed"].startswith("99.")) == ("installed", True), known
    assert kept
    assert {path: path.read_bytes() for path in kept} == kept
    well, _ = played(host)
    assert well["well"], host.log()
    after = host.events()
    assert after[: len(before)] == before
    assert {game for game, *_ in after} == {before[0][0]}


def test_a_downgrade_leaves_a_newer_log_alone_and_says_so(host: Host) -> None:
    log = host.debian.at("/var/lib/companion/games.db")
    with closing(sqlite3.connect(log, isolation_level=None)) as newer:
        newer.execute("PRAGMA user_version=99")
    before = host.events()
    host.debian.apt_get(
        "install", "--allow-downgrades", "-o", "Dpkg::Options::=--force-confold", "/root/now.deb"
    )
    with host.debian.service("companion-table.service", host.folder / "downgraded.log") as table:
        assert table.wait(ANSWERS_S) != 0
    told = (host.folder / "downgraded.log").read_text()
    assert "is of format 99; this companion knows" in told
    assert "Traceback" not in told
    assert host.events() == before


def test_removing_and_purging_keep_the_games(host: Host) -> None:
    host.debian.apt_get("remove", NAME)
    assert not host.debian.at(f"/usr/lib/{NAME}").exists()
    host.debian.apt_get("purge", NAME)
    assert not host.debian.at("/etc/tableau-companion").exists()
    assert host.events()


def test_a_purge_that_is_told_so_takes_the_games_too(host: Host) -> None:
    host.debian.apt_get("install", "/root/now.deb")
    answer = f"{NAME} {NAME}/purge-games boolean true\n"
    assert host.debian.run("debconf-set-selections", given=answer).returncode == 0
    host.debian.apt_get("purge", NAME)
    assert not list(host.debian.at("/var/lib").glob("companion*"))
