"""``companion demo``: a simulated table that plays by itself, with all parts of a real one."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import segno

from companion import processes
from companion.bootstrap.running import RunOptions, game_over
from companion.bootstrap.running import run as run_table
from companion.bootstrap.simulated.game import GAMES, SimulatedGame
from companion.bootstrap.simulated.table import SimulatedTable
from companion.commands._signals import ending
from companion.commands.table import tell
from companion.config.examples import DEFAULT_EXAMPLE
from companion.errors import UsageError
from companion.rules.event import Stamped
from companion.rules.state import State
from companion.table import NextGame, Table
from hardware.clock import Clock
from hardware.simulated.camera import SteppedClock

HEADLESS_SPEED = 8.0
"""Speed of simulated hands relative to people's, without pages."""

WATCHED_CALLS_FACTOR = 4
"""Factor on the length of games of turns with pages."""

END_SHOWN_S = 12.0
"""Time for which the end of a game is shown before the next begins, in the table's seconds."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--game", choices=list(GAMES), help="one game over and over (default: all five in turn)"
    )
    parser.add_argument(
        "--players", type=int, metavar="N", help="how many play (default: as the game likes it)"
    )
    parser.add_argument("--speed", type=float, default=1.0, metavar="X", help="X times as fast as people")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="the same seed plays the same game")
    parser.add_argument(
        "--headless", action="store_true", help="no pages, no waiting: as fast as the table can be read"
    )
    parser.add_argument("--until", choices=["over"], help="end when the game is over (default: at Ctrl-C)")
    parser.add_argument(
        "--uncalibrated",
        action="store_true",
        help="the table is still to be set up: open /host/table, then start",
    )
    host = "the address that the pages listen on; 0.0.0.0 for all phones around (default: %(default)s)"
    parser.add_argument("--host", default="127.0.0.1", help=host)
    parser.add_argument("--port", type=int, default=8080, help="(default: %(default)s; 0: any that is free)")


def run(args: argparse.Namespace) -> int:
    """Play until stopped; the record goes to standard output."""
    if not 0.1 <= args.speed <= 20:
        raise UsageError(f"--speed is 0.1 to 20; got {args.speed}")
    if args.uncalibrated and args.headless:
        raise UsageError("--uncalibrated is for a table with its pages: leave --headless out")
    how = RunOptions(until=game_over if args.headless or args.until else RunOptions().until)
    with tempfile.TemporaryDirectory(prefix="companion-demo-") as scratch, ending(how.stop):
        folder = Path(scratch)
        with nullcontext() if args.headless else pages(args, folder):
            games = [args.game or DEFAULT_EXAMPLE] if args.game or args.uncalibrated else list(GAMES)
            for number, game in enumerate(cycle(games)):
                plan: SimulatedGame | None = plan_of(game, args, folder)
                while plan is not None:
                    plan = play(plan, args, how)
                finished = args.until or args.headless
                if how.stop.is_set() or (finished and number + 1 == len(games)):
                    return 0
    return 0


def plan_of(game: str, args: argparse.Namespace, folder: Path) -> SimulatedGame:
    """Return the plan for a game from the command's options."""
    return replace(SimulatedGame.of(game, args.players, args.seed, folder), uncalibrated=args.uncalibrated)


def play(plan: SimulatedGame, args: argparse.Namespace, how: RunOptions) -> SimulatedGame | None:
    """Play one game and print its result; return the game that a host has requested meanwhile, if any.

    It is played at a table of its own: other games need other tiles, or a board.
    """
    following: list[SimulatedGame] = []
    unread: list[BrokenPipeError] = []
    if not args.headless:
        plan = replace(plan, most_calls=plan.most_calls * WATCHED_CALLS_FACTOR)
    clock = SteppedClock() if args.headless else Clock(args.speed)
    simulated = SimulatedTable(plan, clock, HEADLESS_SPEED if args.headless else 1.0)

    def on_events(events: Sequence[Stamped], state: State) -> None:
        simulated.on_events(events, state)
        try:
            tell(events, state)
        except BrokenPipeError as error:  # nobody reads on: let the table end first
            unread.append(error)
            how.stop.set()

    def done(table: Table) -> bool:
        if args.uncalibrated and not args.until:
            return False
        return game_over(table) and (args.headless or simulated.quiet_for(END_SHOWN_S))

    def play_elsewhere(asked: NextGame) -> bool:
        another = None if plan.uncalibrated else SimulatedGame.from_request(asked, plan.seed + 1, plan.folder)
        following.extend([another] if another else [])
        return another is not None

    with simulated.mock:
        playing = RunOptions(
            until=done,
            listener=on_events,
            simulation=simulated.simulation,
            ready=simulated.attach,
            stop=how.stop,
            play_elsewhere=play_elsewhere,
        )
        table = run_table(simulated.config, playing)
    if unread:
        raise unread[0]
    state = table.loop.state
    if game_over(table):
        score = ", ".join(f"{seat.name} {seat.total:g}" for seat in state.seats)
        own = (
            "as the players count it"
            if simulated.scores_agree(state)
            else f"the players count {simulated.own_scores()}"
        )
        print(f"{table.loop.match.game.title} is over: {score}; {own}", flush=True)
    return following[-1] if following else None


@contextmanager
def pages(args: argparse.Namespace, folder: Path) -> Iterator[None]:
    """Serve the pages from a process of their own, and print their URL."""
    words = ["web", "--log", folder / "games.db", "--table", folder / "line", "--kept", folder / "web"]
    words += ["--host", args.host, "--port", args.port]
    command = [sys.executable, "-P", "-m", "companion", *map(str, words)]
    # a session of its own: Ctrl-C reaches the table, which then ends the pages
    with processes.start(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            for line in process.stdout or ():
                print(line, end="", file=sys.stderr, flush=True)
                if line.startswith("http"):
                    print_address(line.strip())
                    break
            else:
                raise UsageError("the pages could not be started; see above")
            yield
        finally:
            process.terminate()


def print_address(address: str) -> None:
    """Print an address as a QR code on a terminal."""
    if sys.stderr.isatty():
        segno.make(address, error="m").terminal(sys.stderr, compact=True)
    print(f"open {address} and watch; Ctrl-C ends it", file=sys.stderr, flush=True)
