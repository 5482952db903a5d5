"""The arm64 package's services under systemd, in a whole emulated machine: a game, a kill, a USB stick."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from companion.packaging.tree import RELEASES
from tests.packaging.debian import TABLE, film
from tests.packaging.emulated import Machine, Told, depends, lacking, packaged

pytestmark = pytest.mark.emulated

PROCESSOR, MEMORY_MB = "cortex-a72", 1024
TABLE_UNIT, WEB_UNIT, SOCKET = "companion-table.service", "companion-web.service", "companion-web.socket"
UNITS = (WEB_UNIT, SOCKET, "companion-update.path", "companion-update.timer")

EXPOSURE = ("security", "--no-pager", "--threshold=15")
"""Words for systemd-analyze that fail above an exposure of 1.5; the option takes ten times as much."""

CONFIGURE = f"""
systemctl stop {TABLE_UNIT} && systemctl reset-failed {TABLE_UNIT}
cp /srv/table.toml /etc/tableau-companion/table.toml
"""
"""Ends the tries to start without pins, of which systemd counts no more than some, and names a camera."""

START = f"""
mkdir -p /etc/systemd/system/{TABLE_UNIT}.d
sed -n 's/^ExecStart=\\(.*\\) --resume/[Service]\\nExecStart=\\nExecStart=\\1 --start/p' \\
    /usr/lib/systemd/system/{TABLE_UNIT} >/etc/systemd/system/{TABLE_UNIT}.d/start.conf
systemctl daemon-reload && systemctl restart {TABLE_UNIT} {WEB_UNIT}
"""
"""Starts the game with the table, which a host does on the page."""

KILL = f"""
rm -r /etc/systemd/system/{TABLE_UNIT}.d
systemctl daemon-reload && systemctl kill -s KILL {TABLE_UNIT} && sleep 5
"""
"""Kills the table; with its own unit it takes the game under way up again."""

ASK = """
import json, sys, time, urllib.request

began = time.monotonic()
while True:
    try:
        with urllib.request.urlopen("http://127.0.0.1/healthz", timeout=60) as answer:
            well = json.load(answer)
        if well["well"]:
            break
    except OSError as error:
        well = str(error)
    if time.monotonic() - began > 600:
        sys.exit(f"no answer: {well}")
    time.sleep(1)
with urllib.request.urlopen("http://127.0.0.1/", timeout=60) as answer:
    print(json.dumps({"seconds": round(time.monotonic() - began, 1), "page": answer.read().decode()}))
"""
"""Waits until table and pages are well, and prints how long that took, and the scoreboard, from port 80."""

MEMORY = """
import pathlib, subprocess

for unit in ("companion-table", "companion-web"):
    command = ["systemctl", "show", "--value", "-p", "MainPID", unit]
    pid = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    print(unit, next(int(line.split()[1]) >> 10 for line in status.splitlines() if line.startswith("VmRSS")))
"""
"""Prints the resident memory of table and pages, in MB."""

PLUG = """
disk=$(readlink -f /sys/block/sda/device)
host=$(basename "$(readlink -f "$disk/../..")")
echo 1 >"$disk/delete" && sleep 1 && echo "- - -" >"/sys/class/scsi_host/$host/scan" || exit 1
for second in $(seq 120); do
    sleep 1
    if journalctl -q -b -u 'companion-backup@*' --grep 'Finished|Failed' 2>/dev/null | grep .; then exit 0; fi
done
exit 1
"""
"""Removes the stick's disk and finds it again, as for one plugged in; waits until the backup has ended."""

EVENTS = """
import sqlite3

for row in sqlite3.connect("/var/lib/companion/games.db").execute(
    "SELECT game, number, kind FROM events ORDER BY game, number"
):
    print(*row, sep="|")
"""


@pytest.fixture(scope="module", params=RELEASES)
def told(request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    if reason := lacking(PROCESSOR):
        pytest.skip(reason)
    place = root / "build/machines"
    package = packaged(request.param, place, root)
    machine = Machine.fresh(request.param, place, depends(package))
    folder = tmp_path_factory.mktemp(f"{request.param}-services")
    given = folder / "given"
    given.mkdir()
    shutil.copy(package, given / "now.deb")
    film(root / "companion/pictures/photograph.jpg", given / "film.avi")
    for name, text in (("table.toml", TABLE), ("plug", PLUG)):
        (given / name).write_text(text)
    stick = folder / "stick"
    subprocess.run(["mkfs.vfat", "-C", str(stick), str(64 << 10)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["mmd", "-i", str(stick), "::companion-backup"], check=True)
    told = machine.do(tasks(), PROCESSOR, given, folder, memory_mb=MEMORY_MB, services=True, stick=stick)
    shutil.copy(told.folder / "told.json", place / f"{request.param}-services.json")
    copy = ["mcopy", "-s", "-i", str(stick), "::companion-backup", str(told.folder)]
    subprocess.run(copy, check=True)
    return told


def tasks() -> dict[str, list[str]]:
    """Return the name and the command of everything that the machine does."""
    return {
        "install": ["apt-get", "-q", "-y", "--no-install-recommends", "install", "/srv/now.deb"],
        "units": ["sh", "-c", f"sleep 20; systemctl is-active {' '.join(UNITS)}"],
        "configure": ["sh", "-c", CONFIGURE],
        "start": ["sh", "-c", START],
        "scoreboard": ["python3", "-c", ASK],
        "memory": ["python3", "-c", MEMORY],
        "events": ["python3", "-c", EVENTS],
        "kill": ["sh", "-c", KILL],
        "again": ["python3", "-c", ASK],
        "restarts": ["systemctl", "show", "--value", "-p", "NRestarts", TABLE_UNIT],
        "events_after": ["python3", "-c", EVENTS],
        "plug": ["sh", "/srv/plug"],
        "security": ["systemd-analyze", *EXPOSURE, TABLE_UNIT],
        "security_web": ["systemd-analyze", *EXPOSURE, WEB_UNIT],
        "journal": ["journalctl", "-q", "--no-pager", "-b", "-o", "short-monotonic", "-u", "companion-*"],
        "denied": ["sh", "-c", "dmesg | grep -E 'Out of memory|segfault|type=1326' || true"],
        "failed": ["systemctl", "list-units", "--failed", "--plain", "--no-legend"],
    }


def test_installing_ends_well_and_serves_pages_where_the_table_cannot_start_yet(told: Told) -> None:
    told.well("install")
    assert "journalctl -u 'companion-*'" in told.text("install", "err") + told.text("install")
    assert told.well("units").split() == ["active"] * len(UNITS)
    assert re.search(r"companion table: (the pins need lgpio|this is no Raspberry Pi)", told.well("journal"))


def test_a_game_starts_and_the_scoreboard_answers_on_port_80(told: Told) -> None:
    assert told.well("configure") == told.well("start") == ""
    assert "Anna" in json.loads(told.well("scoreboard"))["page"]
    kinds = {line.split("|")[2] for line in told.well("events").splitlines()}
    assert {"GameSetUp", "RoundStarted"} <= kinds


def test_a_table_that_was_killed_comes_back_with_its_game(told: Told) -> None:
    told.well("kill")
    assert "Anna" in json.loads(told.well("again"))["page"]
    assert told.well("restarts").strip() == "1"
    before, after = told.well("events").splitlines(), told.well("events_after").splitlines()
    assert after[: len(before)] == before
    assert {line.split("|")[0] for line in after} == {before[0].split("|")[0]}


def test_a_stick_that_is_plugged_in_gets_all_games(told: Told) -> None:
    assert "Finished" in told.well("plug"), told.text("journal")
    (games,) = (told.folder / "companion-backup").glob("games-*.zip")
    with zipfile.ZipFile(games) as archive:
        assert archive.testzip() is None
        assert [name for name in archive.namelist() if name.startswith("game-")] == ["game-0001.json"]
    (table,) = (told.folder / "companion-backup").glob("table-*.toml")
    assert table.read_text() == TABLE


def test_no_service_may_more_than_it_needs_and_none_was_refused_anything(told: Told) -> None:
    told.well("security")
    told.well("security_web")
    assert told.well("denied") == ""
    assert told.well("failed") == ""
    assert "Traceback" not in told.well("journal")
