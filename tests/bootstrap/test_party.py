"""What a party of bots has heard when it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.bootstrap.party import Party
from companion.bootstrap.simulated import Simulated
from companion.bots.binary_scrabble import BinaryPlayer
from companion.bots.host import Host
from companion.rules import event as ev
from companion.rules.state import State
from hardware.simulated.camera import SteppedClock


def test_a_play_told_just_before_the_end_counts_in_the_players_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BinaryPlayer, "worth", lambda _player: 7.0)
    party = Party(Simulated.of("binary_scrabble", 2, 1, tmp_path), SteppedClock())
    party.heard([ev.Stamped(1, 0, ev.CallAccepted(1, "play"))], State("binary_scrabble", (), {}))
    assert party.accounts() == [7.0, 0.0]


def test_a_simulated_player_that_fails_is_named_once_and_the_others_hear_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(player: BinaryPlayer, *_: object) -> None:
        heard.append(player.number)
        if player.number == 1:
            raise ZeroDivisionError("it divided the bunch")

    heard: list[int] = []
    monkeypatch.setattr(BinaryPlayer, "hear", fails)
    monkeypatch.setattr(Host, "hear", lambda *_: heard.append(0))
    party = Party(Simulated.of("binary_scrabble", 2, 1, tmp_path), SteppedClock())
    for number in (1, 2):
        party.heard([ev.Stamped(number, 0, ev.Announced("hear"))], State("binary_scrabble", (), {}))
        party.camera.newest(0, 0.0)
    assert heard == [1, 2, 0, 2, 0]
    assert [one.getMessage() for one in caplog.records] == [
        "the simulated player of seat 1 has failed and does nothing more in this demo; people may go on"
    ]
    assert "it divided the bunch" in caplog.text
