"""``companion log``: verification of a log's hash chains, its repair, and import of a game."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from companion.errors import BadExport
from companion.events.checking import findings, repair_log
from companion.events.log import EventLog
from companion.events.restoring import read_game

MAX_EXPORT_BYTES = 256 * 1024 * 1024
"""Largest size of an exported game, in bytes; a long evening has less than 10**6."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    verify = actions.add_parser("verify", help="say of every game whether its chain of events is unbroken")
    verify.add_argument("log", type=Path, metavar="LOG")
    repair = actions.add_parser(
        "repair",
        help="keep what is good of a damaged log, and the damaged file beside it (stop the table first)",
    )
    repair.add_argument("log", type=Path, metavar="LOG")
    bring = actions.add_parser("import", help="put a game that was exported as JSON into a log")
    bring.add_argument("log", type=Path, metavar="LOG")
    bring.add_argument("file", type=Path, metavar="FILE")


def run(args: argparse.Namespace) -> int:
    """Run the requested action; return 1 where a log is damaged."""
    return {"verify": verify, "repair": repair, "import": bring}[args.action](args)


def verify(args: argparse.Namespace) -> int:
    """Print a line for every game; return 1 where one is damaged."""
    found = list(findings(args.log))
    for one in found:
        print(one)
    if not found:
        print(f"log {args.log} is sound and holds no game")
    return int(any(one.damage is not None for one in found))


def repair(args: argparse.Namespace) -> int:
    """Replace a log by its undamaged part and print the path of the damaged file."""
    kept = repair_log(args.log)
    print(f"the damaged log is kept as {kept}; {args.log} now holds:", file=sys.stderr)
    return verify(args)


def bring(args: argparse.Namespace) -> int:
    """Write an exported game into a log."""
    try:
        with args.file.open("rb") as file:
            body = file.read(MAX_EXPORT_BYTES + 1)
    except (OSError, ValueError) as error:
        raise BadExport(f"{args.file}: {error}") from error
    if len(body) > MAX_EXPORT_BYTES:
        raise BadExport(
            f"{args.file} is larger than {MAX_EXPORT_BYTES // 2**20} MB; that is no exported game"
        )
    name, rows = read_game(str(args.file), body)
    with EventLog(args.log) as log:
        log.insert(name, rows)
    print(f"game {name}: {len(rows)} events")
    return 0
