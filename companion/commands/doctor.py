"""``companion doctor``: readiness checks before a game, each fault with its remedy.

Exit status: 0 where a game can start, 1 where an essential check fails.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from companion.bootstrap.paths import log_path
from companion.bootstrap.readiness import (
    camera_checks,
    control_checks,
    judging_checks,
    machine_checks,
    table_checks,
)
from companion.bootstrap.readiness.port import port_check
from companion.bootstrap.tile_set_choice import TileSetChoice, tile_set_reference
from companion.config.examples import DEFAULT_EXAMPLE
from companion.config.table import TableConfig, load
from companion.errors import CompanionError
from hardware.cameras.checks import Check

MARKS = {True: ("✓", "32"), False: ("✗", "31"), None: ("·", "33")}
"""Sign of each outcome, and its colour on a terminal; the signs differ for colour-blind people."""

MINIMAL = TableConfig(DEFAULT_EXAMPLE, ("host",), policy="off")
"""Configuration for the checks without a table: the machine, the words and the reader."""


@dataclass(frozen=True, slots=True)
class PartCheck:
    """A check with the part of the table that it is about."""

    part: str
    check: Check


def as_lines(shown: PartCheck, *, colour: bool) -> Iterator[str]:
    """Yield a check as a line, and below it the remedy for a fault or a weakness."""
    check = shown.check
    mark, code = MARKS[check.fine]
    if colour:
        mark = f"\033[{code}m{mark}\033[0m"
    grave = " (essential)" if check.fine is False and check.essential else ""
    first, *more = check.says.splitlines() or [""]
    yield f"{mark} {shown.part}: {check.what}: {first}{grave}"
    yield from (f"    {line}" for line in more)
    if check.mend and (check.fine is not True or shown.check.mend):
        yield f"    → {check.mend}"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    missing = "the table (without one: only the machine, the words and the reader)"
    parser.add_argument("config", nargs="?", type=Path, metavar="CONFIG.toml", help=missing)
    alone = "ask nobody to press buttons and look at lights"
    parser.add_argument("--alone", action="store_true", help=alone)
    parser.add_argument("--json", action="store_true", help="one JSON object a line for each check")


def run(args: argparse.Namespace) -> int:
    """Run all checks and print each result at once."""
    fit = True
    for part, check in all_checks(args):
        fit &= check.fine is not False or not check.essential
        if args.json:
            print(json.dumps({"part": part, **asdict(check)}, ensure_ascii=False), flush=True)
        else:
            for line in as_lines(PartCheck(part, check), colour=sys.stdout.isatty()):
                print(line, flush=True)
    if not args.json:
        print(
            "\na game can start" if fit else "\nno game can start until what is marked ✗ essential is mended"
        )
    return 0 if fit else 1


def all_checks(args: argparse.Namespace) -> Iterator[tuple[str, Check]]:
    """Yield every check with the part of the table that it is about."""
    if args.config is None:
        config = MINIMAL
    else:
        try:
            config = load(args.config)
            config = replace(config, tile_set=tile_set_reference(TileSetChoice(config).chosen(config.game)))
        except CompanionError as error:
            mend = "Correct the file; companion table --example GAME prints one to compare with."
            yield "table", Check("file", False, str(error), mend, essential=True)
            return
    log = log_path(config)
    yield from (("machine", check) for check in (*machine_checks(log), port_check()))
    yield from (("reading", check) for check in judging_checks(config))
    if args.config is None:
        return
    own = list(table_checks(config, log))
    yield from (("table", check) for check in own)
    if any(check.what == "line" and check.fine is False for check in own):
        return
    yield from camera_checks(config)
    asking = sys.stdin.isatty() and not args.alone
    yield from control_checks(config, ask_host, input if asking else None)


def ask_host(text: str) -> None:
    """Ask the host to do something."""
    print(text, file=sys.stderr, flush=True)
