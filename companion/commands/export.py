"""``companion export``: a game of the log as a file for others."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from companion.errors import BadExport, BadLog
from companion.events.exported import ENCODINGS, FORMATS
from companion.events.log import EventLog
from companion.events.replay import verified_rows


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("game", metavar="GAME", help="the game's name in the log")
    parser.add_argument("--to", choices=list(FORMATS), default="json", help="the form (default: json)")
    parser.add_argument("--log", type=Path, required=True, metavar="LOG", help="the log that holds the game")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it here (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Write the game; return the exit status."""
    with EventLog(args.log, writable=False) as log:
        rows = list(verified_rows(args.game, log.rows(args.game)))
        if not rows:
            raise BadLog(
                f"log {args.log} has no game {args.game!r}; it has {', '.join(log.games()) or 'none'}"
            )
    data = FORMATS[args.to](args.game, rows).encode(ENCODINGS[args.to])
    if args.out is None:
        sys.stdout.buffer.write(data)
        return 0
    try:
        args.out.write_bytes(data)
    except OSError as error:
        raise BadExport(f"{args.out}: {error.strerror}") from error
    return 0
