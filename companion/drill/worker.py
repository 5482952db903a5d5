"""A process that runs commands one after the other; it is separate, as a command may crash it.

Every line that it reads is a JSON list of the words of a command line, or ``["restore", BACKUP, LOG]``; every
line that it writes is a JSON list of exit status and fault.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self, cast

from companion.errors import CompanionError
from companion.events.restoring import restore_backup

COMMAND_TIMEOUT_S = 120.0
"""Longest time of a command on a busy machine, in seconds."""

EXPECTED_STATUSES = {0, 1, 2, 3}
"""Documented exit statuses: done, done with findings, refused, something is missing on this machine."""


@dataclass(slots=True)
class Worker:
    """The process; one that crashed or was too slow is replaced.  ``home`` is the folder of the commands'
    data.
    """

    home: Path
    process: subprocess.Popen[str] | None = None
    status: int | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def fault(self, words: Sequence[str]) -> str:
        """Run a command; return its fault, ``""`` where it succeeded or refused properly."""
        process = self.process = self.process or self.started()
        to, back = cast(IO[str], process.stdin), cast(IO[str], process.stdout)  # both are pipes
        self.status, ready = None, [back]
        try:
            to.write(json.dumps(list(words)) + "\n")
            to.flush()
            ready = select.select([back], [], [], COMMAND_TIMEOUT_S)[0]
            line = back.readline() if ready else ""
        except BrokenPipeError:
            line = ""
        if not line:
            self.__exit__()
            return "took longer than two minutes" if not ready else "ended the whole process"
        self.status, fault = json.loads(line)
        return str(fault)

    def started(self) -> subprocess.Popen[str]:
        """Start the process."""
        command = [sys.executable, "-P", "-m", __name__]
        given = {**os.environ, "COMPANION_HOME": str(self.home)}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.home.parent, env=given, stdin=pipe, stdout=pipe, text=True)


def run_command(words: Sequence[str]) -> int:
    """Run one command, and return its exit status."""
    if words[0] == "restore":
        try:
            with Path(words[1]).open("rb") as backup:
                restore_backup(backup, Path(words[2]))
        except CompanionError as error:
            return error.exit_status
        return 0
    main: Any = importlib.import_module("companion.cli").main  # through the command line's own entry point
    try:
        return int(main(words))
    except SystemExit as error:  # raised by argparse for bad arguments
        return error.code if isinstance(error.code, int) else 1


def run_and_judge(words: Sequence[str]) -> tuple[int | None, str]:
    """Run one command; return its exit status and its fault."""
    with tempfile.TemporaryFile() as error_output:
        sys.stderr.flush()
        os.dup2(error_output.fileno(), 2)
        try:
            status = run_command(words)
        except Exception:  # noqa: BLE001  any is what is looked for
            return None, traceback.format_exc(limit=-3).replace("\n", " | ")
        finally:
            sys.stderr.flush()
        error_output.seek(0)
        text = error_output.read().decode("utf-8", "replace")
    if "Traceback" in text:
        return status, text[text.index("Traceback") :].replace("\n", " | ")[-400:]
    return status, "" if status in EXPECTED_STATUSES else f"ended with status {status}"


def serve() -> None:
    """Run the commands of standard input, line by line."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        out.write(json.dumps(run_and_judge(json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    serve()
