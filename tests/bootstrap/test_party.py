"""What a party of bots has heard when it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.bootstrap.party import Party
from companion.bootstrap.simulated import Simulated
from companion.bots.binary_scrabble import BinaryPlayer
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
