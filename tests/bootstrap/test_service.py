"""The table as a service: what is installed, what it may do, and that all of it is undone."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from companion.bootstrap.copying import copy_program
from companion.bootstrap.notify import notify
from companion.bootstrap.service import (
    ENABLE_SOCKET,
    FILE_PATHS,
    SERVICES,
    SOCKET_UNIT,
    SOCKET_UNIT_PATH,
    UNIT_TEMPLATES_FOLDER,
    Installer,
    Service,
    install,
    uninstall,
)
from companion.cli import main
from companion.errors import CompanionError, UsageError

ANALYZE = shutil.which("systemd-analyze")
analyzed = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not here (package systemd)")


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units as they are installed."""
    install(Service(), Installer(lambda _: None, tmp_path))
    return tmp_path / "etc/systemd/system"


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    assert ANALYZE is not None
    return subprocess.run([ANALYZE, *words], capture_output=True, text=True, check=False)


@analyzed
@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("home", ["yes", "read-only"])
def test_a_service_is_as_shut_as_it_can_be(service: str, home: str, units: Path) -> None:
    unit = units / service
    unit.write_text(unit.read_text().replace("ProtectHome=yes", f"ProtectHome={home}"))
    done = analyze("security", "--offline=true", "--threshold=15", "--no-pager", str(unit))
    assert done.returncode == 0, done.stdout[-300:]


@analyzed
def test_the_units_are_well_formed(units: Path) -> None:
    done = analyze("verify", "--man=no", *(str(units / unit) for unit in (*SERVICES, SOCKET_UNIT)))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(
    shutil.which("systemd-sysusers") is None, reason="systemd-sysusers is not here (package systemd)"
)
def test_the_threads_of_a_service_share_their_memory(root: Path) -> None:
    services = sorted((root / "systemd").glob("companion-*.service"))
    assert len(services) == 4
    assert [one.name for one in services if "\nEnvironment=MALLOC_ARENA_MAX=2\n" not in one.read_text()] == []


def test_table_and_pages_have_users_of_their_own_and_one_group_in_common(tmp_path: Path) -> None:
    install(Service(), Installer(lambda _: None, tmp_path))
    command = ["systemd-sysusers", f"--root={tmp_path}", "companion.conf"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    groups = {
        line.split(":")[0]: line.split(":")[3] for line in (tmp_path / "etc/group").read_text().splitlines()
    }
    assert groups["companion"] == "companion-table,companion-web"
    assert (groups["gpio"], groups["video"]) == ("companion-table", "companion-table")
    assert "companion-web:" in (tmp_path / "etc/passwd").read_text()


def test_the_table_has_no_network_and_the_pages_no_device(units: Path) -> None:
    table, web = ((units / service).read_text() for service in SERVICES)
    assert "RestrictAddressFamilies=AF_UNIX AF_NETLINK\n" in table
    assert "IPAddressDeny=any" in table
    assert "PrivateDevices=yes" in web
    assert "DeviceAllow" not in web


def test_the_watchdog_is_fed_often_enough(units: Path) -> None:
    for service in SERVICES:
        unit = (units / service).read_text()
        assert "Type=notify" in unit
        assert "WatchdogSec=30" in unit


def test_nothing_is_left_to_be_filled_in() -> None:
    service = Service(camera="192.168.1.20")
    filled = {
        path.name: service.rendered(path.name) for path in UNIT_TEMPLATES_FOLDER.iterdir() if path.is_file()
    }
    assert len(filled) == 10
    assert [name for name, text in filled.items() if re.search("@[a-z]+@", text)] == []


def table_of_a_hall(folder: Path) -> Path:
    """A table's file with the section of a hall, and the files that it names."""
    (folder / "t1.password").write_text("secret\n")
    (folder / "authority.crt").write_text("a certificate\n")
    section = '[hall]\nbroker = "hall.local"\ntable = "t1"\npassword = "t1.password"\n'
    section += 'authority = "authority.crt"\n'
    path = folder / "table.toml"
    path.write_text('game = "bananagrams"\nseats = ["A", "B"]\n' + section)
    return path


def test_a_table_of_a_hall_is_published_by_a_service_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    root = tmp_path / "root"
    told: list[str] = []
    install(Service(table_of_a_hall(tmp_path / "given")), Installer(told.append, root))
    unit = (root / "etc/systemd/system/companion-publish.service").read_text()
    assert "LoadCredential=password:/etc/tableau-companion/t1.password\n" in unit
    assert (root / "etc/tableau-companion/t1.password").stat().st_mode & 0o777 == 0o600
    assert "systemctl enable --now companion-publish.service" in told
    uninstall(Installer(told.append, root))
    assert not (root / "etc/systemd/system/companion-publish.service").exists()


def test_without_a_hall_nothing_publishes(units: Path) -> None:
    assert not (units / "companion-publish.service").exists()


@analyzed
def test_the_publisher_is_as_shut_as_it_can_be(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    install(Service(table_of_a_hall(tmp_path / "given")), Installer(lambda _: None, tmp_path / "root"))
    unit = str(tmp_path / "root/etc/systemd/system/companion-publish.service")
    done = analyze("security", "--offline=true", "--threshold=15", "--no-pager", unit)
    assert done.returncode == 0, done.stdout[-300:]


def test_a_network_camera_is_opened_for_its_address_alone(tmp_path: Path) -> None:
    install(Service(camera="192.168.1.20"), Installer(lambda _: None, tmp_path))
    drop_in = tmp_path / "etc/systemd/system/companion-table.service.d/network-camera.conf"
    assert "IPAddressAllow=192.168.1.20\n" in drop_in.read_text()
    uninstall(Installer(lambda _: None, tmp_path))
    assert not drop_in.parent.exists()


def test_without_one_the_drop_in_is_not_there(units: Path) -> None:
    assert not (units / "companion-table.service.d").exists()


@pytest.mark.parametrize(
    ("host", "listens"),
    [
        ("0.0.0.0", "80"),
        ("::", "80"),
        ("192.168.4.1", "192.168.4.1:80"),
        ("fd00::1", "[fd00::1]:80"),
    ],
)
def test_port_80_is_opened_where_the_pages_listen(host: str, listens: str, tmp_path: Path) -> None:
    installer = Installer(lambda _: None, tmp_path)
    install(Service(host=host), installer)
    assert f"\nListenStream={listens}\n" in installer.at(SOCKET_UNIT_PATH).read_text()
    if ANALYZE is not None:
        done = analyze("verify", "--man=no", str(installer.at(SOCKET_UNIT_PATH)))
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "service", [Service(port_80=False), Service(host="127.0.0.1"), Service(host="::1")], ids=str
)
def test_port_80_is_left_to_others_where_it_is_not_wanted(service: Service, tmp_path: Path) -> None:
    told: list[str] = []
    installer = Installer(told.append, tmp_path)
    install(Service(), installer)
    assert installer.at(SOCKET_UNIT_PATH).exists()
    told.clear()
    install(service, installer)
    assert not installer.at(SOCKET_UNIT_PATH).exists()
    assert "systemctl disable --now companion-web.socket" in told
    told.clear()
    install(service, installer)
    assert not [line for line in told if SOCKET_UNIT in line]


def test_the_command_leaves_port_80_out_when_told_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "--dry-run", "--no-port-80", "--root", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert SOCKET_UNIT not in told
    assert told.splitlines()[-2] == "systemctl stop companion-web.service"


def test_a_table_that_runs_starts_again_with_its_new_file(tmp_path: Path) -> None:
    told: list[str] = []
    install(Service(), Installer(told.append, tmp_path))
    stopped = told.index("systemctl stop companion-table.service")
    assert told.index("systemctl daemon-reload") < stopped
    assert stopped < told.index("systemctl enable --now companion-table.service companion-web.service")


class Refusing(Installer):
    """Hands of a machine where something else has port 80."""

    def run(self, command: Sequence[str], *, must: bool = True) -> bool:
        super().run(command, must=must)
        return command != ENABLE_SOCKET


def test_pages_whose_port_80_is_taken_are_installed_all_the_same_and_say_so(tmp_path: Path) -> None:
    told: list[str] = []
    install(Service(port=8888), Refusing(told.append, tmp_path))
    assert told[-1] == "systemctl enable --now companion-table.service companion-web.service"
    assert told[-2].startswith("port 80 could not be opened, so the pages are at port 8888 alone; another")


def test_a_command_of_the_system_says_whether_it_worked() -> None:
    installer = Installer(lambda _: None)
    assert installer.run(("true",))
    assert not installer.run(("false",), must=False)
    with pytest.raises(CompanionError, match="false: it failed"):
        installer.run(("false",))


def test_uninstalling_takes_away_all_that_was_written_but_the_hosts_own_table(tmp_path: Path) -> None:
    installer = Installer(lambda _: None, tmp_path)
    install(Service(), installer)
    assert all(installer.at(place).is_file() for place in (*FILE_PATHS.values(), SOCKET_UNIT_PATH))
    uninstall(installer)
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert left == [tmp_path / "etc/tableau-companion/table.toml"]


def test_a_table_that_is_there_already_is_kept(tmp_path: Path) -> None:
    own = tmp_path / "etc/tableau-companion/table.toml"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    install(Service(), Installer(lambda _: None, tmp_path))
    assert own.read_text() == "mine"


def test_what_the_table_names_is_installed_with_it(tmp_path: Path) -> None:
    own, root = tmp_path / "own", tmp_path / "root"
    (own / "sets").mkdir(parents=True)
    (own / "camera.toml").write_text("profile")
    (own / "sets" / "mine.json").write_text('{"symbols": ["A", "B"]}')
    table = own / "table.toml"
    more = 'tile_set = "sets/mine.json"\n[[cameras]]\nkind = "pi"\nprofile = "camera.toml"\n'
    table.write_text('game = "chew"\nseats = ["Anna", "Bo"]\n' + more)
    install(Service(table), Installer(lambda _: None, root))
    there = root / "etc/tableau-companion"
    assert (there / "table.toml").read_text() == table.read_text()
    assert (there / "camera.toml").read_text() == "profile"
    assert (there / "sets/mine.json").is_file()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('log = "games.db"\n', "leave log and socket out"),
        ('tile_set = "../mine.json"\n', "no such file|No such file"),
        ('[[cameras]]\nkind = "pi"\nprofile = "/elsewhere/p.toml"\n', "must lie beside"),
        ('[[cameras]]\nkind = "pi"\nprofile = "p.toml"\n', "cannot be read"),
    ],
)
def test_a_table_that_a_service_could_not_have_is_refused(line: str, says: str, tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text('game = "chew"\nseats = ["Anna", "Bo"]\n' + line)
    with pytest.raises(CompanionError, match=says):
        install(Service(table), Installer(lambda _: None, tmp_path / "root"))
    assert not (tmp_path / "root").exists()


def test_a_dry_run_says_everything_and_does_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "--dry-run", "--root", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert told.splitlines()[-3:] == [
        "systemctl stop companion-web.socket companion-web.service",
        "systemctl enable --now companion-web.socket",
        "systemctl enable --now companion-table.service companion-web.service",
    ]
    assert f"write {tmp_path}/etc/sysusers.d/companion.conf" in told
    assert list(tmp_path.iterdir()) == []


def test_purging_names_all_that_it_takes_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--root", str(tmp_path)]) == 0
    assert main(["uninstall", "--purge", "--root", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    state = "/var/lib/companion /var/lib/companion-web /var/lib/companion-publish"
    state += " /var/lib/private/companion-publish"
    assert f"rm -rf {state} /etc/tableau-companion" in told
    assert "userdel companion-table" in told
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--network-camera", "my camera"], "must be an address such as 192.168.1.20"),
        (["--host", "everywhere"], "must be an address"),
        (["--port", "0"], "--port is 1024 to 65535"),
        (["none.toml"], "none.toml: No such file"),
    ],
)
def test_what_cannot_be_installed_is_said(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "--dry-run", *words]) == 2
    assert says in capsys.readouterr().err


def test_from_a_closed_folder_the_services_run_a_copy_and_a_dry_run_says_so(tmp_path: Path) -> None:
    closed, told = tmp_path / "closed" / "bin", list[str]()
    closed.mkdir(parents=True)
    closed.parent.chmod(0o700)
    install(Service(python=closed / "python"), Installer(told.append, dry=True))
    assert any(
        "is closed to other users, so the services run from a copy in /opt/companion" in one for one in told
    )
    assert "/opt/companion/run --help" in told


COPIED = {"companion", "systemd", "run", "pyproject.toml", ".requirements", ".venv"}


def test_a_copy_has_the_program_for_everybody_to_read_and_keeps_its_environment(tmp_path: Path) -> None:
    place = tmp_path / "copy"
    copy_program(place)
    (place / ".venv").mkdir()
    (place / "stale.py").touch()
    copy_program(place)
    assert {one.name for one in place.iterdir()} >= COPIED
    assert not {one.name for one in place.iterdir()} & {"stale.py", "tests", ".git"}
    assert (place / "companion/errors.py").stat().st_mode & 0o777 == 0o644


def test_a_folder_of_somebodys_own_is_not_copied_over(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="no copy of install's; move it"):
        copy_program(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_the_service_manager_is_told_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        notify("READY=1", "STATUS=chew")
        assert manager.recv(100) == b"READY=1\nSTATUS=chew"
    notify("WATCHDOG=1")  # nobody listens any more, and nobody is disturbed
