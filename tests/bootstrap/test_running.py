"""A table put together and run: games one after the other, resumed, and killed without loss."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from companion.bootstrap import running as running_module
from companion.bootstrap.devices import Simulation
from companion.bootstrap.games import new_game_name, new_match, newest_game, resume_match
from companion.bootstrap.paths import log_path, socket_path
from companion.bootstrap.running import RunOptions, run
from companion.bootstrap.tile_set_choice import TileSetChoice
from companion.config.controls import Button, Controls, Light, LightKind, Place
from companion.config.table import TableConfig
from companion.errors import BadTileSet, Unanswered
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.replay import history
from companion.model.calls import Order, Ordered
from companion.model.status import Status
from companion.rpc import TableClient
from companion.rules import event as ev
from companion.table import NextGame, Table, TableRequestHandler
from companion.table.request_handler import BeginGame, RunChecks, Sets
from companion.words.chosen import main_store
from companion.words.lexicon import WordList
from hardware.buttons import Buttons
from hardware.clock import Clock
from hardware.simulated.pins import SimulatedControls
from tests.events.logs import packed
from tests.table.playing import patiently


def config_in(folder: Path, game: str = "bananagrams", policy: str = "off") -> TableConfig:
    """Return a table of two, each with a button and a light, without a camera."""
    places = tuple(
        Place((Button(pin, short=("split", "peel")),), Light(LightKind.SINGLE, (pin + 1,))) for pin in (4, 22)
    )
    return TableConfig(
        game,
        ("Anna", "Bo"),
        options={"policy": policy},
        log=str(folder / "games.db"),
        socket=str(folder / "line"),
        controls=Controls(places),
    )


@contextmanager
def running(
    config: TableConfig, *, start: bool = False, resume: bool = False
) -> Iterator[tuple[TableClient, SimulatedControls]]:
    """Yield the line and the wires of a table that runs in a thread."""
    mock = SimulatedControls(config.controls)
    made = RunOptions(resume, start, simulation=Simulation(mock.pins))
    opened = threading.Event()
    made.ready = lambda _table: opened.set()
    thread = threading.Thread(target=run, args=(config, made))
    with mock:
        thread.start()
        try:
            assert opened.wait(20)
            yield TableClient(socket_path(config)), mock
        finally:
            made.stop.set()
            thread.join(20)
    assert not thread.is_alive()


def status_when(line: TableClient, match: str) -> Status:
    """Return the status of a table once it plays a game of some name."""
    found: list[Status] = []

    def there() -> bool:
        try:
            found.append(line.status())
        except Unanswered:  # the line is closed for a moment between two games
            return False
        return match in found[-1].match

    patiently(there, match)
    return found[-1]


def test_a_pressed_button_is_a_call_in_the_log_and_a_light_before_the_seat(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    with running(config, start=True) as (line, mock):
        patiently(lambda: line.status().number >= 4)
        at_ns = mock.press(2, 1)
        patiently(lambda: any(mock.light_colours(2)))
        patiently(lambda: line.status().last_press is not None)
        assert at_ns
    with EventLog(log_path(config), writable=False) as log:
        calls = [one.event for one in history(log, log.games()[0]) if isinstance(one.event, ev.CallAccepted)]
    assert calls == [ev.CallAccepted(2, "split")]


def test_a_press_that_is_lost_to_a_fault_is_told_to_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, "pressed", lambda *_: 1 // 0)
    with running(config_in(tmp_path), start=True) as (line, mock):
        mock.press(2, 1)
        patiently(lambda: any("press of seat 2 was lost" in note for note in line.status().notes))


def test_a_table_whose_buttons_are_dead_is_not_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Buttons, "dead", True)
    with running(config_in(tmp_path)):
        patiently(lambda: "the buttons are no longer listened to" in caplog.text)


def test_another_game_follows_when_the_host_asks_for_it(tmp_path: Path) -> None:
    with running(config_in(tmp_path), start=True) as (line, _):
        patiently(lambda: line.status().number >= 4)
        assert "end it first" in line.set_up("chew", ["Cleo", "Dan", "Eve"]).text
        assert line.order("end").accepted
        with pytest.raises(Unanswered, match="every seat needs a name of its own"):
            line.set_up("chew", ["Cleo", "Cleo"])
        assert line.set_up("chew", ["Cleo", "Dan", "Eve"]).accepted
        status = status_when(line, "00002")
        assert (status.game, [seat.name for seat in status.seats]) == ("chew", ["Cleo", "Dan", "Eve"])


def test_a_game_begins_though_its_choice_of_tiles_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise BadTileSet("tiles.json cannot be written: No space left on device")

    monkeypatch.setattr(TileSetChoice, "save", full)
    config = config_in(tmp_path)
    with running(config) as (line, _):
        assert line.set_up("chew", ["Cleo", "Dan", "Eve"]).accepted
        assert status_when(line, "00002").game == "chew"
    with EventLog(log_path(config), writable=False) as log:
        events = [one.event for one in history(log, newest_game(log) or "")]
    (note,) = (event.text for event in events if isinstance(event, ev.Announced))
    assert "the choice of tiles is not kept: tiles.json cannot be written" in str(note)


def test_a_set_up_that_the_rules_refuse_is_told_and_the_table_goes_on(tmp_path: Path) -> None:
    with running(config_in(tmp_path)) as (line, _mock):
        before = line.status().match
        with pytest.raises(Unanswered, match="164 tiles, and the box holds 144"):
            line.set_up("chew", ["Cleo", "Dan"], {"handicaps": [10, 134], "policy": "off"})
        assert line.status().match == before


def test_a_game_that_is_asked_for_while_another_begins_is_played_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins: list[BeginGame] = []

    class Recorded(TableRequestHandler):
        def __init__(self, table: Table, begin: BeginGame, look: RunChecks, tile_sets: Sets) -> None:
            begins.append(begin)
            super().__init__(table, begin, look, tile_sets)

    def asked_for_meanwhile(config: TableConfig, log: EventLog) -> Match:
        if config.seats[0] == "Cleo":
            begins[0](NextGame("bananagrams", ("Eve", "Fay"), {"policy": "off"}, "default"))
        return new_match(config, log)

    monkeypatch.setattr(running_module, "TableRequestHandler", Recorded)
    monkeypatch.setattr(running_module, "new_match", asked_for_meanwhile)
    with running(config_in(tmp_path)) as (line, _mock):
        assert line.set_up("bananagrams", ["Cleo", "Dan"], {"policy": "off"}).accepted
        status = status_when(line, "00003 ")
        assert [seat.name for seat in status.seats] == ["Eve", "Fay"]


def test_a_game_that_is_played_elsewhere_ends_the_table(tmp_path: Path) -> None:
    config, asked = config_in(tmp_path), list[NextGame]()

    def taken(following: NextGame) -> bool:
        asked.append(following)
        return True

    how = RunOptions(play_elsewhere=taken)
    how.ready = lambda _table: threading.Thread(
        target=asking, args=(TableClient(socket_path(config)),)
    ).start()

    def asking(line: TableClient) -> None:
        assert line.set_up("chew", ["Cleo", "Dan"], {"rounds": 2}).accepted

    table = run(replace(config, controls=Controls()), how)
    assert asked == [NextGame("chew", ("Cleo", "Dan"), {"rounds": 2}, "default", "bananagrams-en")]
    assert table.loop.match.game.name == "bananagrams"
    with EventLog(log_path(config), writable=False) as log:
        assert len(log.games()) == 1


def test_a_table_goes_on_with_the_newest_game_that_is_not_over(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    with EventLog(tmp_path / "games.db") as log:
        assert resume_match(config, log) is None
        match = new_match(config, log)
        again = resume_match(config, log)
        assert again is not None
        assert (again[1].name, again[0].seats) == (match.name, ("Anna", "Bo"))
        match.handle(Ordered(0, Order.START))
        match.handle(Ordered(1, Order.END))
        assert resume_match(config, log) is None


def test_a_restored_game_of_a_higher_number_does_not_replace_the_one_at_the_table(tmp_path: Path) -> None:
    config, backup = config_in(tmp_path), tmp_path / "other.db"
    with EventLog(backup) as other:
        for _ in range(3):
            new_match(config, other)
    with running(config) as (line, _):
        first = status_when(line, "00001 ").match
        assert line.restore(packed(backup).getvalue()).accepted
        assert line.order("start").accepted
    with running(config, resume=True) as (line, _):
        assert status_when(line, "0").match == first
        assert line.order("end").accepted
        assert line.set_up("bananagrams", ["Cleo", "Dan"], {"policy": "off"}).accepted
        following = status_when(line, "00004 ").match
    with EventLog(log_path(config)) as log:
        again = resume_match(config, log)
    assert again is not None
    assert again[1].name == following


def test_a_table_whose_games_list_is_gone_begins_a_new_one_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    main_store().add(WordList.written("club", ["cat"]))
    config = config_in(tmp_path)
    with EventLog(log_path(config)) as log:
        new_match(replace(config, words="club"), log)
    main_store().remove("club")
    with running(config, resume=True) as (line, _):
        assert "00002 " in status_when(line, "00002 ").match
    with EventLog(log_path(config)) as log:
        events = [one.event for one in history(log, newest_game(log) or "")]
    (told,) = (event.text for event in events if isinstance(event, ev.Announced))
    assert "is judged by club" in str(told)


def test_games_are_numbered_whatever_the_clock_says(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    with EventLog(tmp_path / "games.db") as log:
        for n in range(3):
            assert new_game_name(config, log).startswith(f"{n + 1:05} table ")
            new_match(config, log)
        assert (newest_game(log) or "").startswith("00003")


def test_the_service_says_where_log_and_line_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = TableConfig("chew", ("A", "B"))
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    assert (log_path(config), socket_path(config)) == (tmp_path / "state/games.db", tmp_path / "run/line")
    for name in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "own"))
    assert (log_path(config), socket_path(config)) == (tmp_path / "own/games.db", tmp_path / "own/line")


TABLE = """
game = "bananagrams"
seats = ["Anna", "Bo"]
policy = "off"
log = "games.db"
socket = "line"
"""


@contextmanager
def table_process(folder: Path) -> Iterator[tuple[subprocess.Popen[str], TableClient]]:
    """Yield the process of a table, and its line."""
    (folder / "table.toml").write_text(TABLE)
    command = [sys.executable, "-m", "companion", "table", str(folder / "table.toml"), "--resume"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    ) as process:
        line = TableClient(folder / "line")
        until = time.monotonic() + 60
        while not answers(line):
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.05)
        try:
            yield process, line
        finally:
            process.kill()


def answers(line: TableClient) -> bool:
    try:
        line.status()
    except Unanswered:
        return False
    return True


def test_pulling_the_plug_costs_nothing_that_was_answered(tmp_path: Path) -> None:
    with table_process(tmp_path) as (process, line):
        assert line.order("start").accepted
        assert line.call(1, "split").accepted
        answered = [line.call(1 + n % 2, "peel").number for n in range(5)]
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    with table_process(tmp_path) as (process, line):
        with EventLog(tmp_path / "games.db", writable=False) as log:
            events = history(log, log.games()[0])
        kept = [events[(number or 0) - 1].event for number in answered]
        assert [one.call for one in kept if isinstance(one, ev.CallAccepted)] == ["peel"] * 5
        assert any(isinstance(one.event, ev.PlayPaused) for one in events)
        assert line.order("resume").accepted
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_a_table_may_run_faster_than_life(tmp_path: Path) -> None:
    seen: list[Table] = []

    def looked(table: Table) -> bool:
        seen.append(table)
        return len(seen) > 3

    config = config_in(tmp_path)
    simulation = Simulation(SimulatedControls(config.controls).pins, clock=Clock(4.0))
    table = run(config, RunOptions(simulation=simulation, until=looked))
    assert table is seen[-1]
    assert table.loop.failure is None


def test_a_running_table_tells_the_doctors_lines_of_itself(tmp_path: Path) -> None:
    with running(config_in(tmp_path)) as (line, _):
        patiently(lambda: line.status().number >= 1)
        found = {(one.part, one.what): one for one in line.checkup().lines}
        assert found["table", "log"].says.endswith("1 game, whole")
        assert found["reading", "reader"].fine
        assert found["machine", "disk"].essential
        assert found["table", "buttons"].says == "2 are there, and nobody was asked to press them"
        assert [one for one in found.values() if one.grave] == []


def test_while_a_game_is_played_a_checkup_takes_no_time_from_it(tmp_path: Path) -> None:
    with running(config_in(tmp_path), start=True) as (line, _):
        patiently(lambda: line.status().number >= 4)
        parts = {(one.part, one.what) for one in line.checkup().lines}
    assert ("machine", "disk space") in parts
    assert parts.isdisjoint({("machine", "disk"), ("reading", "reader"), ("table", "log")})
