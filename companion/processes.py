"""Starts other programs; the only place that does, except measurements and drills.

A command is a list of words and never goes through a shell.  Its words come from the code, the
configuration and the command line; none comes from a page or from the network.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from typing import Any


def run(
    command: Sequence[str], *, timeout_s: float | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; return its status and its output.

    Raises
    ------
    OSError
        Where the program cannot be started.
    subprocess.TimeoutExpired
        Where it takes longer than ``timeout_s`` seconds; it is killed.
    """
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_s, env=env)  # noqa: S603


def start(command: Sequence[str], **how: Any) -> subprocess.Popen[str]:
    """Start a command and return its process; ``how`` are further arguments of ``subprocess.Popen``.

    Raises OSError where the program cannot be started.
    """
    return subprocess.Popen(command, text=True, **how)  # noqa: S603
