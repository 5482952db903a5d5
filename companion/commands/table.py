"""``companion table``: the table itself, from one configuration file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from companion.bootstrap.running import RunOptions, game_over, recordings_ended
from companion.bootstrap.running import run as run_table
from companion.commands._signals import ending
from companion.config.examples import example, examples
from companion.config.table import load
from companion.errors import UsageError
from companion.rules.event import Stamped
from companion.rules.record import record
from companion.rules.state import State
from companion.table import Table

END_CONDITIONS = {"over": game_over, "film": recordings_ended}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("config", nargs="?", type=Path, metavar="CONFIG.toml", help="the table")
    again = "go on with the newest game where it was not finished, its clocks paused"
    parser.add_argument("--resume", action="store_true", help=again)
    parser.add_argument(
        "--start", action="store_true", help="start the game at once, without the host's order"
    )
    until = "end when the game is over, or when the film or folder that stands for the camera has ended"
    parser.add_argument("--until", choices=list(END_CONDITIONS), help=until)
    names = f"print an example of a configuration: {', '.join(examples())}"
    parser.add_argument("--example", metavar="GAME", help=names)


def run(args: argparse.Namespace) -> int:
    """Run the table until it is stopped; its record goes to standard output."""
    if args.example:
        print(example(args.example), end="")
        return 0
    if args.config is None:
        raise UsageError("which table? Give its CONFIG.toml; --example GAME prints one to begin with")
    how = RunOptions(args.resume, args.start, listener=tell, ready=ready)
    if args.until:
        how.until = END_CONDITIONS[args.until]
    with ending(how.stop):
        run_table(load(args.config), how)
    return 0


def tell(events: Sequence[Stamped], state: State) -> None:
    """Print events as a referee would note them."""
    for line in record(state, events):
        print(line, flush=True)


def ready(table: Table) -> None:
    """Print which game is played, and where."""
    match = table.loop.match
    print(f"{match.game.title}: game {match.name} in {match.log.path}", file=sys.stderr, flush=True)
