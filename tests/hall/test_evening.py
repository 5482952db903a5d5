"""Whole evenings: simulated tables, a real broker, a hall, and nobody who types."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from companion.events.checking import findings
from companion.events.log import EventLog
from companion.events.replay import replayed
from companion.hall.entries import AutopilotSet
from companion.hall.formats.values import Outcome
from companion.hall.hall import Hall
from companion.hall.register import PlayerRow
from companion.hall.simulated import SimulatedTables
from companion.hall.tournament import Tournament, current_handicaps, outcome_of, standings
from tests.hall.broker import mosquitto, needs_mosquitto, until

NAMES = [f"table-{number}" for number in range(1, 9)]


@dataclass
class Memory:
    """Keeps secrets for as long as a test lasts."""

    values: dict[str, Any] = field(default_factory=dict)

    def read(self, name: str, default: Any) -> Any:
        return self.values.get(name, default)

    def write(self, name: str, value: Any) -> None:
        self.values[name] = value


def from_logs(state: Tournament, folder: Path) -> Mapping[tuple[str, str], Outcome]:
    """The results as the tables' own logs have them."""
    found = {}
    for one in state.rounds:
        for table in one.tables:
            with EventLog(folder / f"{table.table}.db", writable=False) as log:
                game = replayed(table.game, list(log.rows(table.game)))
            outcome = outcome_of(game.game, game.state)
            assert outcome is not None
            found[table.table, table.game] = outcome
    return found


def told(state: Tournament, results: Mapping[tuple[str, str], Outcome]) -> bytes:
    lines = [[one.rank, one.player, dict(one.figures)] for one in standings(state, results)]
    return json.dumps([lines, current_handicaps(state, results)]).encode()


@needs_mosquitto
@pytest.mark.slow
def test_an_evening_of_32_players_runs_by_itself_and_stands_as_the_tables_logs_say(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    with mosquitto(tmp_path) as broker, Hall(tmp_path / "hall", Memory()) as hall:
        hall.connect(broker.broker)
        party = SimulatedTables(tables, dict.fromkeys(NAMES, broker.broker), 0.02)
        until(lambda: len(hall.conductor.tables()) == 8)
        hall.service.open("Evening", "chew_evening", {"rounds": 4})
        hall.service.enter([PlayerRow(f"Player {number}") for number in range(1, 33)])
        hall.service.add(AutopilotSet("director", on=True))
        until(lambda: hall.service.tournament.ended, 90)
        party.close()
        state, results = hall.service.tournament, hall.conductor.results()
    assert [len(one.tables) for one in state.rounds] == [8] * 4
    assert told(state, results) == told(state, from_logs(state, tables))
    assert sum(line.figures["points"] for line in standings(state, results)) == 4 * 8 * (4 + 3 + 2 + 1)
    assert [one for one in findings(tmp_path / "hall" / "hall.db") if one.damage] == []


@needs_mosquitto
@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGINT])
def test_the_demo_that_is_ended_while_its_certificates_are_made_leaves_nothing(
    tmp_path: Path, ended_by: signal.Signals
) -> None:
    words = ["-m", "companion", "hall-demo", "--tables", "1", "--port", "0"]
    command = ["env", "--default-signal=INT", sys.executable, *words]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, start_new_session=True
    ) as demo:
        until(lambda: any(tmp_path.glob("companion-hall-*/broker/*")))
        os.killpg(demo.pid, ended_by)
        _, said = demo.communicate(timeout=60)
    assert b"Traceback" not in said
    assert b"openssl" not in said
    assert list(tmp_path.glob("companion-hall-*")) == []
