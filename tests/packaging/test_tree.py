"""What a Debian package is made of, before any Debian sees it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.bootstrap.service import (
    CONFIG_PATH,
    HALL_FOLDER,
    SERVICES,
    Installer,
    Service,
    install,
    uninstall,
)
from companion.cli import COMMANDS, parser_of
from companion.config.table import load
from companion.errors import UsageError
from companion.packaging.manual import manual
from companion.packaging.site import LOCK_FILES
from companion.packaging.tree import (
    HALL_UNITS,
    MAINTAINER_SCRIPTS,
    ON_REQUEST_UNITS,
    PACKAGE_NAME,
    RELEASES,
    UPDATES,
    Package,
    write_control,
    write_papers,
    write_system_files,
)
from companion.updating.__main__ import REQUEST_PATH
from companion.updating.debian import MIN_READY_S, PACKAGE_CACHE, START_TIMEOUT_S, UNITS
from companion.updating.state import INCOMING_FOLDER, STATE_PATH

MADE = datetime(2026, 11, 1, tzinfo=UTC)
PACKAGE = Package("bookworm", "arm64", "0.1.0", MADE)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package without its Python packages."""
    folder = tmp_path_factory.mktemp("tree")
    write_system_files(folder)
    write_papers(folder, PACKAGE)
    write_control(folder, PACKAGE)
    return folder


def test_the_package_of_a_later_debian_is_the_higher_version() -> None:
    older, newer = (Package(release, "amd64", "0.1.0", MADE).full_version for release in RELEASES)
    command = ["dpkg", "--compare-versions", older, "lt", newer]
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize("release", RELEASES)
def test_a_package_asks_for_the_python_that_its_packages_were_built_for(release: str, tmp_path: Path) -> None:
    write_control(tmp_path, Package(release, "amd64", "0.1.0", MADE))
    told = (tmp_path / "DEBIAN/control").read_text()
    minor = int(RELEASES[release][1].split(".")[1])
    assert f"python3 (>= 3.{minor}), python3 (<< 3.{minor + 1})," in told


def test_every_kind_of_machine_has_its_lock_file(root: Path) -> None:
    assert all((root / f".requirements/{lock}.txt").is_file() for _, lock in LOCK_FILES.values())


def test_nothing_of_the_package_is_left_to_be_filled_in(tree: Path) -> None:
    written = [path for path in tree.rglob("*") if path.is_file() and path.suffix != ".gz"]
    assert len(written) > 15
    assert [path.name for path in written if re.search("@[a-z]+@", path.read_text())] == []


def test_its_units_run_its_own_python_and_lie_where_packages_have_them(tree: Path) -> None:
    unit = (tree / "usr/lib/systemd/system/companion-table.service").read_text()
    assert (
        "\nExecStart=/usr/lib/tableau-companion/bin/python3 -P -m companion table /etc/tableau-companion/"
        in unit
    )
    assert {path.name for path in tree.glob("etc/**/*") if path.is_file()} == {"table.toml"}


def test_its_table_is_one_that_can_be_played_at_and_a_setting_of_the_hosts(tree: Path) -> None:
    assert load(tree / "etc/tableau-companion/table.toml").game == "bananagrams"
    assert (tree / "DEBIAN/conffiles").read_text() == "/etc/tableau-companion/table.toml\n"


def test_the_sums_are_those_of_the_files(tree: Path) -> None:
    command = ["md5sum", "--check", "DEBIAN/md5sums"]
    done = subprocess.run(command, cwd=tree, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units that only a package has, and those that it shares, with an interpreter that is here."""
    service = Service(python=Path(sys.executable))
    for unit in (*UPDATES, *ON_REQUEST_UNITS):
        (tmp_path / unit.replace("@.", "@sda1.")).write_text(service.rendered(f"packaged/{unit}"))
    return tmp_path


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
@pytest.mark.parametrize("unit", [*SERVICES, *HALL_UNITS])
def test_each_service_of_the_package_is_as_shut_as_it_can_be(unit: str, tree: Path) -> None:
    words = ["--offline=true", "--threshold=15", "--no-pager", str(tree / "usr/lib/systemd/system" / unit)]
    done = subprocess.run(
        ["systemd-analyze", "security", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-300:]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_the_units_of_halls_are_well_formed(tmp_path: Path) -> None:
    service = Service(python=Path(sys.executable))
    for unit in HALL_UNITS:
        (tmp_path / unit).write_text(service.rendered(unit))
    command = ["systemd-analyze", "verify", "--man=no", *map(str, tmp_path.iterdir())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_hall_and_its_publisher_take_what_is_laid_beside_the_tables_file(tree: Path) -> None:
    publish, hall = ((tree / "usr/lib/systemd/system" / unit).read_text() for unit in HALL_UNITS)
    assert f"LoadCredential=password:{CONFIG_PATH.parent}/hall.password\n" in publish
    assert " --pages-port 8080\n" in publish
    assert f"ConditionPathExists={HALL_FOLDER}/hall.env\n" in hall
    assert f"LoadCredential=authority:{HALL_FOLDER}/authority.crt\n" in hall


def test_a_unit_of_halls_is_enabled_by_the_package_only_where_the_tables_file_names_a_hall(
    tree: Path, tmp_path: Path
) -> None:
    script = (tree / "DEBIAN/postinst").read_text()
    enabling = script[script.index("if grep") : script.index("if [ -d /run")]
    helper = tmp_path / "deb-systemd-helper"
    helper.write_text('#!/bin/sh\ncase "$*" in *debian-installed*) exit "$KNOWN";; esac\necho "$@" >>told\n')
    helper.chmod(0o755)
    for section, known, wanted in (
        ("", "1", []),
        ("# [hall]\n", "1", []),
        ('[hall]\nbroker = "b"\n', "1", ["enable companion-publish.service"]),
        ('[hall]\nbroker = "b"\n', "0", []),
    ):
        (tmp_path / "table.toml").write_text(f'game = "chew"\n{section}')
        (tmp_path / "told").write_text("")
        code = enabling.replace("/etc/tableau-companion", str(tmp_path)).replace(">/dev/null", "")
        subprocess.run(
            ["sh", "-ec", code],
            cwd=tmp_path,
            env={"PATH": f"{tmp_path}:/usr/bin:/bin", "KNOWN": known},
            check=True,
        )
        assert (tmp_path / "told").read_text().splitlines() == wanted


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_the_units_of_updates_and_backups_are_well_formed(units: Path) -> None:
    command = ["systemd-analyze", "verify", "--man=no", *map(str, units.iterdir())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# apt needs most of the system to write to; what mounts a stick needs the right to mount, and no more
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
@pytest.mark.parametrize(
    ("unit", "most"), [("companion-update.service", 51), ("companion-backup@sda1.service", 24)]
)
def test_what_runs_as_root_is_shut_as_far_as_it_can_be(unit: str, most: int, units: Path) -> None:
    words = ["--offline=true", f"--threshold={most}", "--no-pager", str(units / unit)]
    done = subprocess.run(
        ["systemd-analyze", "security", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-300:]


def test_the_pages_ask_where_the_unit_looks_and_read_what_it_writes(units: Path) -> None:
    path = (units / "companion-update.path").read_text()
    assert f"PathExists={REQUEST_PATH}\n" in path
    assert f"PathChanged={INCOMING_FOLDER}\n" in path
    web = Service(python=Path(sys.executable)).rendered("companion-web.service")
    assert f" --kept {REQUEST_PATH.parent} " in web
    service = (units / "companion-update.service").read_text()
    assert f"\nStateDirectory={STATE_PATH.parent.name}\n" in service
    assert f"\nCacheDirectory={PACKAGE_CACHE.name}\n" in service


def test_services_are_given_as_long_as_their_units_give_them() -> None:
    texts = [Service(python=Path(sys.executable)).rendered(unit) for unit in UNITS]
    starts = [int(found) for text in texts for found in re.findall(r"^TimeoutStartSec=(\d+)$", text, re.M)]
    feeds = [int(found) for text in texts for found in re.findall(r"^WatchdogSec=(\d+)$", text, re.M)]
    assert (len(starts), len(feeds)) == (2, 2)
    assert max(starts) < START_TIMEOUT_S
    assert max(feeds) < MIN_READY_S


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not here")
@pytest.mark.parametrize("script", MAINTAINER_SCRIPTS)
def test_a_script_of_the_package_is_sound(script: str, tree: Path) -> None:
    command = ["shellcheck", "--exclude=SC1091,SC2154", str(tree / "DEBIAN" / script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_manual_has_every_command_and_option() -> None:
    page = manual("0.1.0", "2026-11-01")
    for name in COMMANDS:
        assert ".SS companion {}\n".format(name.replace("-", r"\-")) in page
        options = re.findall(r"--[a-z][a-z0-9-]+", parser_of(name).format_usage())
        assert [one for one in options if one.replace("-", r"\-") not in page] == []


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not here")
def test_the_manual_is_well_formed(tmp_path: Path) -> None:
    page = tmp_path / "companion.1"
    page.write_text(manual("0.1.0", "2026-11-01"))
    command = ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_checkout_leaves_the_services_of_a_package_alone(tree: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in tree.rglob("*")}
    for undertaken in (lambda installer: install(Service(), installer), uninstall):
        with pytest.raises(UsageError, match=f"the Debian package {PACKAGE_NAME} has these services"):
            undertaken(Installer(lambda _: None, tree))
    assert {path: path.stat().st_mtime_ns for path in tree.rglob("*")} == before
