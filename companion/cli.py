"""The ``companion`` command: its first word selects the command, each in its own file."""

from __future__ import annotations

import argparse
import errno
import importlib
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from companion.commands._parser import Parser
from companion.errors import CompanionError, nearest

COMMANDS = {
    "read": "read photographs of a table: tiles, tableaux, words, verdicts",
    "words": "the word lists: add, list, show, use, remove, compare",
    "judge": "judge the words of a play: acceptable or not, never which",
    "referee": "play a written game through the table's own rules and log",
    "rules": "the games, and one of them as a card: what to say when, with the chosen options",
    "export": "a game of the log as json, csv, txt or tsh",
    "log": "verify, repair or fill the log of games",
    "sheets": "print-ready sheets: corner markers, lens board, seat cards, tile mat, button legend",
    "calibrate": "what a camera must know of its lens and its table, kept in one profile",
    "enrol": "teach the reader tiles of your own: photographs of them in, a tile set out",
    "wiring": "which wire goes where on the Pi's header: a table, a picture, and what clashes",
    "voice": "render the calls that the table speaks, with espeak-ng",
    "web": "the pages on everybody's phone: scoreboard, seats, referee, host, word judge",
    "doctor": "check everything before a game: camera, buttons, lights, disk, power, words, models",
    "table": "the table itself: camera, buttons, lights and clocks referee a game",
    "publish": "a table's log goes to a hall over MQTT, from a process beside the table",
    "hall": "many tables, one tournament: rounds, pairings and standings from what tables publish",
    "hall-demo": "simulated tables, a broker and a hall on this machine: an evening that runs by itself",
    "demo": "a simulated table that plays itself, with the pages, without a Pi",
    "rehearse": "whole games on the simulated table, held against what really lay there",
    "install": "let the table and its pages start with the machine, as services",
    "uninstall": "undo everything that install did",
    "hotspot": "a Wi-Fi of the table's own where the machine finds none that it knows: on, off",
    "bench": "measure how right and how fast this machine reads, judges and keeps games",
    "drill": "end, starve and mislead a table on purpose, and count what was lost",
    "docs": "the handbook: a list of its pages, or one of them",
}
"""Name and help of each command, in the order of the help."""

OPENBLAS_ONE_THREAD = "OPENBLAS_NUM_THREADS", "1"
"""Environment variable that limits OpenBLAS to one thread: its threads busy-wait, and on a busy machine took
up to four times as long as one to learn a set.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    if sys.stdout is None:  # closed by the shell: >&-
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  until the process ends
    words = list(sys.argv[1:] if argv is None else argv)
    name = words[0] if words else ""
    try:
        status = show_help(name) if name not in COMMANDS else run(name, words[1:])
        sys.stdout.flush()
    except CompanionError as error:
        print(f"companion {name}: {error}", file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        drop_output()
        return 141
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        drop_output()
        print(f"companion {name}: the disk is full: delete files, and try again", file=sys.stderr)
        return 2
    return status


def drop_output() -> None:
    """Send what is still to be printed nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_help(name: str) -> int:
    """Print the commands or the version where no command was named; return the exit status."""
    if name in {"-h", "--help"}:
        print(usage())
        return 0
    if name == "--version":
        from companion.version import VERSION  # noqa: PLC0415  the metadata of packages takes long to import

        print(f"tableau-companion {VERSION}")
        return 0
    fault = f"no command {name!r}{nearest(name, COMMANDS)}" if name else "which command?"
    print(f"companion: {fault}\n\n{usage()}", file=sys.stderr)
    return 2


def usage() -> str:
    """Return the list of commands for the help."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {what}" for name, what in COMMANDS.items()]
    return "\n".join(
        [
            "usage: companion COMMAND ...",
            "",
            *lines,
            "",
            "companion COMMAND --help tells more, companion --version which this is.",
        ]
    )


def run(name: str, argv: Sequence[str]) -> int:
    """Parse the rest of the command line and run the command called ``name``."""
    os.environ.setdefault(*OPENBLAS_ONE_THREAD)  # numpy asks when it is first imported
    args = parser_of(name).parse_args(argv)
    logging.basicConfig(level=logging.DEBUG if args.verbose else logging.WARNING, format="%(message)s")
    return int(command(name).run(args))


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of the command called ``name``."""
    parser = Parser(prog=f"companion {name}", description=COMMANDS[name])
    parser.add_argument("-v", "--verbose", action="store_true", help="say more on standard error")
    command(name).arguments(parser)
    return parser


def command(name: str) -> ModuleType:
    """Return the module of the command called ``name``."""
    return importlib.import_module(f"companion.commands.{name.replace('-', '_')}")
