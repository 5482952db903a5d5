"""The demo: every game played to its end by bots, through pictures, buttons, rules, log and lights."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion.bootstrap.simulated.game import GAMES
from companion.cli import main
from companion.rules.registry import entries


def test_the_demo_has_every_game_that_ships(root: Path) -> None:
    told = (root / "pyproject.toml").read_text("utf-8")
    assert all(f'"{game}"' in told or f"{game} =" in told for game in GAMES)
    assert set(GAMES) <= set(entries())
    assert len(GAMES) == 5


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_headless_and_its_score_is_the_players_own(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--headless", "--until", "over", "--game", game]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert re.search(r"is over: \w+ \d.*; as the players count it$", last), last


def test_a_number_of_players_that_find_no_room_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--headless", "--game", "martian_boggle", "--players", "3"]) == 2
    assert "for 2 to 2 players; got 3" in capsys.readouterr().err


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGHUP])
def test_the_demo_serves_pages_on_loopback_and_ends_in_peace(
    ended_by: signal.Signals, tmp_path: Path
) -> None:
    at_a_terminal = ["env", "--default-signal=INT,HUP"]  # a job in the background ignores them
    command = [
        *at_a_terminal,
        sys.executable,
        "-m",
        "companion",
        "demo",
        "--game",
        "bananagrams",
        "--port",
        "0",
    ]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
    ) as demo:
        lines = iter(demo.stderr or ())
        address = next(line for line in lines if line.startswith("http"))
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\n", address)
        next(line for line in lines if line.startswith("open"))
        demo.send_signal(ended_by)
        assert demo.wait(60) == 0
    assert [left.name for left in tmp_path.iterdir() if not left.name.startswith(".")] == []


def test_the_demo_ends_in_peace_where_nobody_reads_on() -> None:
    command = [sys.executable, "-m", "companion", "demo", "--headless", "--game", "bananagrams"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        assert demo.stderr is not None
        assert "start" in demo.stdout.readline()
        demo.stdout.close()
        assert demo.wait(60) == 141
        assert "Traceback" not in demo.stderr.read()
