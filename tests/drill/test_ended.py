"""Tables that are killed, or whose power is cut."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from companion.drill.kills import kills
from companion.drill.powercuts import Card, powercuts
from companion.errors import UsageError


def progress(_what: str) -> None:
    """Say nothing."""


@pytest.mark.slow
def test_a_killed_table_has_lost_nothing_that_it_answered() -> None:
    found = kills(3, 5, progress)
    assert found.faults == []
    assert found.measured["answers"] > 0
    assert found.measured["states compared"] > 0


def mountable(folder: Path) -> bool:
    """Whether a file system in a file can be mounted here."""
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        return False
    try:
        card = Card(folder / "card", folder / "mounted")
        card.make()
    except UsageError:
        return False
    card.unmount()
    return True


@pytest.mark.slow
def test_what_was_answered_is_there_after_the_power_was_cut(tmp_path: Path) -> None:
    if not mountable(tmp_path):
        pytest.skip("no file system can be mounted here")
    found = powercuts(2, 5, progress)
    assert found.faults == []
    assert found.measured["answers"] > 0


@pytest.mark.slow
def test_a_copy_of_the_card_lacks_what_was_not_synced(tmp_path: Path) -> None:
    if not mountable(tmp_path):
        pytest.skip("no file system can be mounted here")
    (tmp_path / "own").mkdir()
    card = Card(tmp_path / "own" / "card", tmp_path / "own" / "mounted")
    card.make()
    try:
        for name, synced in (("kept", True), ("lost", False)):
            with (card.place / name).open("wb") as file:
                file.write(name.encode())
                if synced:
                    file.flush()
                    os.fsync(file.fileno())
        left = tmp_path / "left"
        card.copy(left)
        card.unmount()
        left.replace(card.image)
        card.mount()
        assert (card.place / "kept").read_bytes() == b"kept"
        assert not (card.place / "lost").exists() or (card.place / "lost").read_bytes() == b""
    finally:
        card.unmount()


def test_who_may_not_mount_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UsageError, match="sudo"):
        powercuts(1, 1, progress)
