"""What is kept of a game that went wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.errors import BadOutput
from companion.rehearsal.ledger import Claim, Fault
from companion.rehearsal.result import GameResult
from companion.rehearsal.runner import save_game

WRONG = GameResult("chew", 3, 7, "wizard", reason="Ada: flip at 1.00 s refused: it rained")
FAULT = Fault(12, Claim.HONEST, 1, "Ada: flip at 1.00 s refused: it rained")


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """The folder of a game with pictures of two calls."""
    pictures = tmp_path / "scratch" / "games.db.pictures" / "00001 demo"
    pictures.mkdir(parents=True)
    for number in (12, 13):
        (pictures / f"{number}.jpg").write_bytes(b"picture")
    (tmp_path / "scratch" / "games.db").write_bytes(b"log")
    return tmp_path / "scratch"


def test_the_log_and_the_pictures_of_the_calls_at_fault_are_kept(scratch: Path, tmp_path: Path) -> None:
    folder = save_game(WRONG, scratch, [FAULT], tmp_path / "kept")
    assert folder == tmp_path / "kept" / "chew-3-7-wizard"
    assert sorted(path.name for path in folder.iterdir()) == ["12.jpg", "faults.txt", "games.db"]


def test_each_fault_is_told_with_the_number_of_its_event(scratch: Path, tmp_path: Path) -> None:
    told = (save_game(WRONG, scratch, [FAULT], tmp_path / "kept") / "faults.txt").read_text("utf-8")
    assert told.splitlines()[1] == "event 12: honest call: Ada: flip at 1.00 s refused: it rained"


def test_a_folder_that_cannot_be_written_is_said(scratch: Path) -> None:
    with pytest.raises(BadOutput, match="--keep"):
        save_game(WRONG, scratch, [], scratch / "games.db")
