"""``companion doctor``: what is right and wrong before a game, and how to mend it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import cv2
import numpy as np
import pytest

from companion.bootstrap.readiness import machine
from companion.bootstrap.readiness import port as checked_pages
from companion.bootstrap.readiness.machine import MachineFiles, machine_checks
from companion.bootstrap.readiness.port import port_check
from companion.bootstrap.readiness.table import log_text, no_other_table
from companion.bootstrap.tile_set_choice import TileSetChoice
from companion.cli import main
from companion.config.table import TableConfig, load
from companion.errors import BadLog
from companion.rpc import serve
from hardware.cameras.checks import Check
from tests.rpc.simple_desk import SimpleDesk

TABLE = """
game = "{game}"
seats = ["Anna", "Bo"]
policy = "strict"
log = "games.db"
socket = "line"
[[cameras]]
kind = "folder"
where = "frames"
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table whose camera is a folder with one sharp, well lit picture."""
    frames = tmp_path / "frames"
    frames.mkdir()
    picture = np.full((480, 640), 190, np.uint8)
    picture[100:300:20, 100:500] = 40
    cv2.imwrite(str(frames / "1.png"), picture)
    path = tmp_path / "table.toml"
    path.write_text(TABLE.format(game="chew"))
    return path


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    """Return every check that was printed as JSON, by what it is about."""
    return {one["what"]: one for one in map(json.loads, capsys.readouterr().out.splitlines())}


def test_a_profile_that_was_cut_off_is_to_be_made_anew(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (table.parent / "lamp.toml").write_text("profile = 1\nmade_at =")
    table.write_text(f'{table.read_text()}profile = "lamp.toml"\n')
    assert main(["doctor", str(table), "--alone", "--json"]) == 1
    found = told(capsys)["profile"]
    assert "is no profile" in str(found["says"])
    assert found["mend"] == "Set the table up again at /host/table."


def test_tiles_that_are_gone_are_told_of_the_reader_alone(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text(f'tile_set = "gone.json"\n{table.read_text()}')
    assert main(["doctor", str(table), "--alone", "--json"]) == 1
    found = told(capsys)
    assert (found["reader"]["fine"], found["picture"]["fine"]) == (False, True)


def test_a_table_that_is_well_can_be_played_at(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(table), "--alone"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("a game can start\n")
    assert "✓ table: game: Chew" in out
    assert "✓ folder" in out


def test_without_a_table_the_machine_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    checks = told(capsys)
    assert {"versions", "disk space", "disk", "clock", "port 80", "words", "reader"} <= checks.keys()


@pytest.mark.parametrize(
    ("change", "what", "says"),
    [
        (("strict", "stric"), "file", "must be one of strict, advise, off"),
        (("chew", "chw"), "game", "did you mean 'chew'"),
        (("frames", "none"), "picture", "cannot be listed"),
    ],
)
def test_no_game_can_start_without_an_essential(
    change: tuple[str, str], what: str, says: str, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text(table.read_text().replace(*change))
    assert main(["doctor", str(table), "--json", "--alone"]) == 1
    check = told(capsys)[what]
    assert (check["fine"], check["essential"]) == (False, True)
    assert says in str(check["says"])
    assert check["mend"]


def test_tiles_that_were_chosen_on_the_page_are_those_that_are_looked_for(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    TileSetChoice(load(table)).save("chew", "binary")
    assert main(["doctor", str(table), "--json", "--alone"]) == 0
    assert "of binary" in str(told(capsys)["reader"]["says"])
    TileSetChoice(load(table)).save("chew", "a-set-that-is-gone")
    assert main(["doctor", str(table), "--json", "--alone"]) == 1
    reader = told(capsys)["reader"]
    assert "a-set-that-is-gone.json: No such file" in str(reader["says"])
    assert "Set a game up with other tiles" in str(reader["mend"])


def test_what_is_wrong_is_marked_with_how_to_mend_it(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(table.read_text().replace("chew", "chw"))
    assert main(["doctor", str(table), "--alone"]) == 1
    out = capsys.readouterr().out
    assert "✗ table: game: no game 'chw'" in out
    assert "    → See companion rules GAME" in out


def test_a_button_whose_call_no_game_has_is_told_of_and_no_table_starts(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    buttons = '[{ pin = 17, short = ["split", "peell"] }, { pin = 27, double = ["drw"] }]'
    table.write_text(f"{table.read_text()}[[controls.seats]]\nbuttons = {buttons}\n")
    says = [
        "controls.seats[0].buttons[0]: no game has the call 'peell'; did you mean 'peel'?",
        "controls.seats[0].buttons[1]: no game has the call 'drw'; did you mean 'draw_three'?",
    ]
    assert main(["doctor", str(table), "--alone", "--json"]) == 1
    assert str(told(capsys)["game"]["says"]).splitlines() == says
    assert main(["table", str(table)]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == says[1]


def checks_of(folder: Path, **files: str) -> dict[str, Check]:
    """Return the checks of a machine that tells this of itself."""
    for name, text in files.items():
        (folder / name).write_text(text)
    told_by = {name: folder / name for name in ("thermometer", "sensors", "synchronized", "memory")}
    return {check.what: check for check in machine_checks(folder / "games.db", MachineFiles(**told_by))}


@pytest.mark.parametrize(
    ("bits", "fine", "says"),
    [
        (0x0, True, "enough since it was started"),
        (0x50005, False, "too little voltage, throttled now"),
        (0x50000, True, "too little voltage, throttled since it was started"),
        (None, None, "only a Raspberry Pi tells it"),
    ],
)
def test_a_pis_firmware_tells_whether_it_has_enough_power(
    bits: int | None, fine: bool | None, says: str, tmp_path: Path
) -> None:
    power = machine.power_check(tmp_path, bits)
    assert (power.fine, power.says) == (fine, says)


@pytest.mark.parametrize(("alarm", "fine"), [("0", True), ("1", False)])
def test_the_kernels_sensor_tells_of_too_little_voltage(alarm: str, fine: bool, tmp_path: Path) -> None:
    for number, name in enumerate(("cpu_thermal", "rpi_volt")):
        sensor = tmp_path / f"hwmon{number}"
        sensor.mkdir()
        (sensor / "name").write_text(name)
        (sensor / "in0_lcrit_alarm").write_text(alarm)
    assert machine.power_check(tmp_path, None).fine is fine


@pytest.mark.parametrize(
    ("told_by", "fine"), [("45000", True), ("78000", True), ("85000", False), ("hot", None)]
)
def test_a_hot_machine_is_told_of(told_by: str, fine: bool | None, tmp_path: Path) -> None:
    check = checks_of(tmp_path, thermometer=told_by)["temperature"]
    assert check.fine is fine
    assert bool(check.mend) == (told_by in {"78000", "85000"})


@pytest.mark.parametrize(("free", "fine"), [(800_000, True), (200_000, True), (90_000, False)])
def test_a_machine_without_memory_is_told_of(free: int, fine: bool, tmp_path: Path) -> None:
    assert checks_of(tmp_path, memory=f"MemTotal: 1 kB\nMemAvailable: {free} kB\n")["memory"].fine is fine


@pytest.mark.parametrize(("total", "told"), [(426_000, True), (921_000, False)])
def test_a_machine_of_little_memory_says_that_its_pictures_are_smaller(
    total: int, told: bool, tmp_path: Path
) -> None:
    check = checks_of(tmp_path, memory=f"MemTotal: {total} kB\nMemAvailable: 385000 kB\n")["memory"]
    assert ("at most 2304 × 1296 here" in check.says) is told


def test_a_clock_that_was_never_set_is_told_of() -> None:
    assert machine.clock_check(datetime(1970, 1, 1, tzinfo=UTC), False).fine is False
    assert "set by the network" in machine.clock_check(datetime(2026, 11, 21, tzinfo=UTC), True).says


def test_a_disk_that_stalls_or_is_not_there_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "synced_ms", lambda _folder: 2500.0)
    assert machine.disk_speed_check(tmp_path).fine is False
    monkeypatch.setattr(machine, "synced_ms", lambda _folder: 500.0)
    assert (machine.disk_speed_check(tmp_path).fine, bool(machine.disk_speed_check(tmp_path).mend)) == (
        True,
        True,
    )
    assert machine.disk_space_check(tmp_path / "none").fine is False


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy this machine is, an answer is waited for."""
    monkeypatch.setattr(checked_pages, "ANSWER_TIMEOUT_S", 120.0)


@contextmanager
def answering(body: bytes) -> Iterator[int]:
    """A program of this machine that answers whatever it is asked with the same, and its port."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


OK = b"HTTP/1.0 200 OK\r\n\r\n"


@pytest.mark.parametrize(
    "body", [OK + b"It works!", OK + b"[]", OK + b'{"well": true}', b"SSH-2.0-OpenSSH_9.2\r\n", b""]
)
def test_a_port_that_another_program_has_is_told_of(body: bytes) -> None:
    with answering(body) as port:
        check = port_check(port)
    assert (check.fine, check.essential) == (False, False)
    assert "another program answers there" in check.says
    assert f"sport = :{port}" in check.mend


def test_a_port_that_nobody_has_is_said_with_what_would_open_it() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    check = port_check(port)
    assert check.fine is None
    assert "sudo ./run install" in check.mend


@pytest.mark.usefixtures("patient")
def test_a_port_that_leads_to_the_pages_is_told_even_where_they_are_not_well(tmp_path: Path) -> None:
    words = ["web", "--log", tmp_path / "log", "--kept", tmp_path / "kept", "--port", 0]
    command = [sys.executable, "-P", "-m", "companion", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        port = int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        check = port_check(port)
        process.terminate()
    assert (check.fine, check.says) == (True, "leads to the pages: their address needs no port")


def test_a_damaged_log_is_told_of(tmp_path: Path) -> None:
    log = tmp_path / "games.db"
    log.write_bytes(b"no log at all" * 100)
    with pytest.raises(BadLog, match="is no log of games"):
        log_text(log)


def test_a_table_that_runs_already_is_told_of(tmp_path: Path) -> None:
    config = TableConfig("chew", ("A", "B"), socket=str(tmp_path / "line"))
    assert no_other_table(config).fine
    with serve(tmp_path / "line", SimpleDesk()):
        assert "plays g1 already" in no_other_table(config).says
