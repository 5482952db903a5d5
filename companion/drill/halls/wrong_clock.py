"""Run a command of the companion whose wall clock is wrong: ``python -m ... FILE COMMAND ...``.

The clock is ahead by the number of seconds in the file.  The monotonic clock, which the system itself uses,
is not changed.
"""

from __future__ import annotations

import runpy
import sys
import time
from pathlib import Path

TRUE_NS = time.time_ns


def shift_clock(path: Path) -> None:
    """Shift this process's wall clock by the seconds in a file."""

    def time_ns() -> int:
        text = path.read_text("ascii") if path.exists() else ""
        return TRUE_NS() + int(float(text or "0") * 1e9)

    time.time_ns = time_ns
    time.time = lambda: time_ns() / 1e9


if __name__ == "__main__":
    shift_clock(Path(sys.argv[1]))
    del sys.argv[1]
    runpy.run_module("companion", run_name="__main__", alter_sys=True)
