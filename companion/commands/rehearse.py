"""``companion rehearse``: whole games on the simulated table, compared with the simulation's truth."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from companion.bootstrap.simulated.game import GAMES
from companion.errors import UsageError
from companion.rehearsal.result import GameResult, summary
from companion.rehearsal.runner import DEFAULT_SPEED, PROFILE, WIZARD, Rehearsal, rehearse

DEFAULT_PLAYER_COUNTS = (2, 3, 4, 5, 6, 8)
"""Default numbers of players, as far as a game allows them."""

PARENT_CHECK_INTERVAL_S = 1.0
"""Seconds between two checks of a worker whether its parent still runs."""

OUTPUT_COLUMNS = 170
"""Columns of a table that does not go to a terminal."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--games", nargs="+", choices=list(GAMES), default=list(GAMES), help="(default: all five)"
    )
    parser.add_argument(
        "--players", nargs="+", type=int, metavar="N", help="(default: 2 3 4 5 6 8, as the game allows)"
    )
    parser.add_argument(
        "--seeds", type=seeds, default=range(1, 2), metavar="FROM-TO", help="the games' seeds (default: 1)"
    )
    ways = "set up from a profile, by the steps of the pages with every suggestion accepted, or both ways"
    parser.add_argument(
        "--set-up", choices=[PROFILE, WIZARD, "both"], default="both", help=f"{ways} (default: %(default)s)"
    )
    speed = f"hands X times as fast as people (default: {DEFAULT_SPEED:g}; with --core-share 1)"
    parser.add_argument("--speed", type=float, metavar="X", help=speed)
    share = (
        "hold the table's process to this share of one core, 0.25 as on a Pi 4, and play in real time; "
        "the players and the drawing of their world do not count"
    )
    parser.add_argument("--core-share", type=float, default=0.0, metavar="SHARE", help=share)
    jobs = "games played side by side (default: the processor's cores)"
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help=jobs)
    keep = "keep the log of each game that went wrong, what lay there, and the pictures of those calls"
    parser.add_argument("--keep", type=Path, metavar="DIR", help=keep)
    parser.add_argument("--json", action="store_true", help="one object a game instead of the table")


def seeds(text: str) -> range:
    """Return the seeds that an option names: ``7`` or ``FROM-TO``, the last one included."""
    first, _, last = text.partition("-")
    try:
        found = range(int(first), int(last or first) + 1)
    except ValueError:
        found = range(0)
    if not found:
        raise argparse.ArgumentTypeError(f"seeds are a number, or FROM-TO such as 1-10; got {text!r}")
    return found


def run(args: argparse.Namespace) -> int:
    """Play the requested games; return 1 where a game did not finish or a score is wrong."""
    if args.speed is not None and not 0.5 <= args.speed <= 20:
        raise UsageError(f"--speed is 0.5 to 20; got {args.speed}")
    if args.core_share and not 0.05 <= args.core_share <= 1:
        raise UsageError(f"--core-share is 0.05 to 1; got {args.core_share}")
    if not 1 <= args.jobs <= 64:
        raise UsageError(f"--jobs is 1 to 64; got {args.jobs}")
    asked = list(chosen(args))
    if not asked:
        raise UsageError("no game is for so many players; see companion rules")
    played: list[GameResult] = []
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("games", total=len(asked))
        for one in results(asked, args.jobs):
            played.append(one)
            progress.advance(task)
            if args.json:
                print(json.dumps(one.as_json(), ensure_ascii=False), flush=True)
            if one.reason:
                where = f"{one.game}, {one.players} players, seed {one.seed}, {one.set_up}"
                progress.console.print(f"{where}: {one.reason}", markup=False, highlight=False)
    if not args.json:
        Console(width=None if sys.stdout.isatty() else OUTPUT_COLUMNS).print(summary(played))
    return 0 if all(one.passed for one in played) else 1


def chosen(args: argparse.Namespace) -> Iterator[Rehearsal]:
    """Yield the games to play: every seed of all before the next seed of any."""
    ways = (PROFILE, WIZARD) if args.set_up == "both" else (args.set_up,)
    how = args.speed, args.core_share, args.keep
    for seed in args.seeds:
        for game in args.games:
            for players in args.players or DEFAULT_PLAYER_COUNTS:
                if GAMES[game].min_players <= players <= GAMES[game].max_players:
                    yield from (Rehearsal(game, players, seed, way, *how) for way in ways)


def results(asked: Sequence[Rehearsal], jobs: int) -> Iterator[GameResult]:
    """Yield the result of each game as it ends; ``jobs`` games are played in parallel."""
    if jobs == 1 or len(asked) == 1:
        yield from map(rehearse, asked)
        return
    fresh = multiprocessing.get_context("spawn")
    many, parent = min(jobs, len(asked)), (os.getpid(),)
    with ProcessPoolExecutor(many, fresh, end_with, parent) as pool:
        for done in as_completed([pool.submit(rehearse, one) for one in asked]):
            yield done.result()


def end_with(parent: int) -> None:
    """End this process when its parent ends, even during a game."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_INTERVAL_S)
        os._exit(1)

    threading.Thread(target=look, name="parent", daemon=True).start()
