"""What a simulated table has delivered to its bots."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.bootstrap.simulated.game import SimulatedGame
from companion.bootstrap.simulated.table import SimulatedTable, laid_symbol
from companion.bots.binary_scrabble import BinaryPlayer
from companion.bots.host import Host
from companion.rules import event as ev
from companion.rules.binary_scrabble.values import EquationsMade
from companion.rules.state import State
from hardware.simulated.camera import SteppedClock


def test_a_play_told_just_before_the_end_counts_in_the_players_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BinaryPlayer, "laid_score", lambda _player: 7.0)
    simulated_table = SimulatedTable(SimulatedGame.of("binary_scrabble", 2, 1, tmp_path), SteppedClock())
    told = [ev.CallAccepted(1, "play"), EquationsMade(1, (), ("1=1",), 7, 0, None)]
    simulated_table.on_events(
        [ev.Stamped(number, 0, one) for number, one in enumerate(told, 1)], State("binary_scrabble", (), {})
    )
    assert simulated_table.own_scores() == [7.0, 0.0]


def test_a_simulated_player_that_fails_is_named_once_and_the_others_hear_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(player: BinaryPlayer, *_: object) -> None:
        delivered.append(player.number)
        if player.number == 1:
            raise ZeroDivisionError("it divided the bunch")

    delivered: list[int] = []
    monkeypatch.setattr(BinaryPlayer, "on_events", fails)
    monkeypatch.setattr(Host, "on_events", lambda *_: delivered.append(0))
    simulated_table = SimulatedTable(SimulatedGame.of("binary_scrabble", 2, 1, tmp_path), SteppedClock())
    for number in (1, 2):
        simulated_table.on_events(
            [ev.Stamped(number, 0, ev.Announced("hear"))], State("binary_scrabble", (), {})
        )
        simulated_table.camera.newest(0, 0.0)
    assert delivered == [1, 2, 0, 2, 0]
    assert [one.getMessage() for one in caplog.records] == [
        "the simulated player of seat 1 has failed and does nothing more in this demo; people may go on"
    ]
    assert "it divided the bunch" in caplog.text


def test_a_look_at_a_tile_finds_it_where_the_first_row_was_not_seen() -> None:
    laid = {(2, 3): "O", (3, 3): "R", (3, 4): "U", (3, 5): "M", (4, 4): "H", (4, 5): "E", (4, 6): "X"}
    seen = {(0, 0): "R", (0, 1): "U", (0, 2): "M", (1, 1): "M", (1, 2): "E", (1, 3): "X"}
    assert [laid_symbol(cell, seen, laid) for cell in ((1, 1), (1, 2), (0, 0))] == ["H", "E", "R"]


def test_a_tile_that_nobody_laid_there_is_told_as_it_is_seen() -> None:
    assert laid_symbol((0, 1), {(0, 0): "A", (0, 1): "B"}, {(5, 5): "A"}) == "B"
    assert laid_symbol((0, 0), {(0, 0): "A"}, {}) == "A"
