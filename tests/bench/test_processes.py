from __future__ import annotations

import sys
from pathlib import Path

import pytest

from companion.bench.processes import launch, launched_metrics, run_server

PYTHON = [sys.executable, "-S", "-c"]


def test_the_peak_is_what_the_command_held() -> None:
    assert 60 < launch([*PYTHON, "held = bytearray(60_000_000)"]).peak_mb < 120


def test_what_this_process_holds_does_not_count() -> None:
    held = bytearray(200_000_000)
    assert launch([*PYTHON, ""]).peak_mb < 60
    assert held


def test_a_command_that_fails_tells_why() -> None:
    found = launch([*PYTHON, "import sys; sys.exit('no such table')"])
    assert found.fault.strip() == "no such table"


def test_a_picture_that_cannot_be_read_gives_no_figures_but_the_fault(tmp_path: Path) -> None:
    (only,) = launched_metrics(tmp_path / "no.jpg", "a picture", 1)
    assert only.value_text == "not measured"
    assert "no.jpg: cannot be opened" in only.how


def test_a_server_that_ends_at_once_is_told_of() -> None:
    with pytest.raises(ChildProcessError, match="companion nope ended"), run_server(["nope"]):
        pass
