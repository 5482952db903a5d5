"""Keeps what is needed to mend a game that went wrong: its log, pictures of calls, what lay there."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from companion.errors import BadOutput
from companion.rehearsal.ledger import Fault
from companion.rehearsal.result import Played


def kept(result: Played, scratch: Path, faults: Sequence[Fault], under: Path) -> Path:
    """Return the folder under which a game is kept now, from what it has left in its scratch folder.

    Raises
    ------
    BadOutput
        Where it cannot be written.
    """
    folder = under / f"{result.game}-{result.players}-{result.seed}-{result.set_up}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(scratch.glob("games.db*")) + sorted(scratch.glob("*.toml")):
            if path.is_file():
                shutil.copy(path, folder)
        for fault in faults:
            for picture in scratch.glob(f"games.db.pictures/*/{fault.number}.jpg"):
                shutil.copy(picture, folder)
        told = [result.reason, *(f"event {one.number}: {one.claim} call: {one.says}" for one in faults)]
        (folder / "faults.txt").write_text("\n".join(told) + "\n", "utf-8")
    except OSError as error:
        raise BadOutput(f"--keep {under}: cannot be written: {error.strerror}") from error
    return folder
