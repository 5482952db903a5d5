"""Sheets drawn by a process of its own, so that the pages answer meanwhile and keep no fonts in memory.

``python -m companion.hall.printer`` reads a sheet as a line of JSON and writes its PDF in base64.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from subprocess import PIPE

from companion import processes
from companion.config.parse import parsed
from companion.errors import BadOutput, CompanionError
from companion.hall.on_paper import Sheet
from companion.paper import PAPERS
from companion.rules.record import to_jsonable

NICE = 10
"""How much less urgent drawing is than the pages."""

COMMAND = (sys.executable, "-P", "-m", __name__)


def drawn(sheet: Sheet, paper: str, *, apart: bool = False) -> bytes:
    """Return a sheet as a PDF on a paper of ``PAPERS``; ``apart`` begins a page with each block.

    Raises
    ------
    BadOutput
        With what the process says, where it fails: a name may need fonts that are not here.
    """
    asked = json.dumps({"sheet": to_jsonable(sheet), "paper": paper, "apart": apart})
    try:
        with processes.start(COMMAND, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
            made, told = process.communicate(asked)
    except OSError as error:
        raise BadOutput(f"{COMMAND[0]}: {error.strerror}") from error
    if process.returncode:
        raise BadOutput(told.strip()[-300:])
    return base64.b64decode(made)


def main() -> int:
    """Draw the sheet that standard input holds; return 1 where it cannot be drawn."""
    from companion.hall.sheets import printed  # noqa: PLC0415  the pages load this module, not the fonts

    os.nice(NICE)
    asked = json.load(sys.stdin)
    try:
        made = printed(parsed(asked["sheet"], Sheet), PAPERS[asked["paper"]], apart=asked["apart"])
    except CompanionError as error:
        sys.stderr.write(str(error))
        return 1
    sys.stdout.write(base64.b64encode(made).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
