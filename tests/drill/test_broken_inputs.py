"""Broken input, and whether a drill would notice that a command bears it badly."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.drill import broken_inputs as drilled
from companion.drill.broken_inputs import CASES, break_inputs
from companion.drill.broken_messages import send_broken_messages
from companion.drill.worker import Worker
from companion.errors import UsageError


def progress(_what: str) -> None:
    """Say nothing."""


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    (tmp_path / "work").mkdir()
    with Worker(tmp_path / "work" / "home") as found:
        yield found


def test_commands_are_done_one_after_the_other_and_their_status_is_told(worker: Worker) -> None:
    assert (worker.fault(["rules"]), worker.status) == ("", 0)
    assert (worker.fault(["read", "/nowhere.jpg"]), worker.status) == ("", 2)
    assert (worker.fault(["read", "--nothing"]), worker.status) == ("", 2)


def test_a_traceback_is_a_fault_and_the_next_command_is_done_all_the_same(worker: Worker) -> None:
    assert "FileNotFoundError" in worker.fault(["restore", "/nowhere.zip", "/nowhere.db"])
    assert worker.status is None
    assert worker.fault(["rules"]) == ""


def test_a_command_that_ends_its_process_is_a_fault_and_another_goes_on(worker: Worker) -> None:
    assert worker.fault(["rules"]) == ""
    assert worker.process is not None
    os.kill(worker.process.pid, signal.SIGKILL)
    assert worker.fault(["rules"]) == "ended the whole process"
    assert worker.fault(["rules"]) == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", CASES)
def test_broken_input_is_refused_in_words(kind: str) -> None:
    found = break_inputs(kind, 3, 5, progress)
    assert found.faults == []
    assert sum(found.measured.values()) >= found.count == 3


@pytest.mark.slow
def test_broken_messages_do_not_end_the_table() -> None:
    found = send_broken_messages(25, 5, progress)
    assert found.faults == []
    assert found.measured["refused"] > 0


def test_without_written_games_the_drill_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(drilled, "SCRIPTS", tmp_path)
    with pytest.raises(UsageError, match="needs the whole checkout"):
        break_inputs("toml", 1, 1, progress)
