"""``companion hall-demo``: an evening of many simulated tables on this machine, run by the autopilot."""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from pathlib import Path

from companion.bootstrap.mosquitto import mosquitto
from companion.commands._signals import ending
from companion.errors import CompanionError, UsageError
from companion.hall.entries import AutopilotSet
from companion.hall.hall import Hall
from companion.hall.pages.app import create_app, serve_until
from companion.hall.register import PlayerRow
from companion.hall.setup import HALL_ACCOUNT
from companion.hall.simulated import SimulatedTables
from companion.hall.tournament import standings
from companion.web.auth.pins import Pins
from companion.web.keeping import Kept

MAX_TABLES = 100
POLL_INTERVAL_S = 0.2
FIRST_NAMES = (
    "Ada Bo Chi Dan Eve Finn Gil Hana Ivo June Kai Lea Max Nia Oli Pia Quin Rosa Sam Tia Uma Vic Wim Xenia"
)
CLUBS = ("North", "East", "South", "West")
LAST_NAMES = "Adler Berg Costa Dvorak Ekdal Fischer Garcia Horvat Ito Jansen"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("--tables", type=int, default=8, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=4, metavar="N", help="(default: %(default)s)")
    pace = "seconds between two calls at a table, on average (default: %(default)s)"
    parser.add_argument("--pace", type=float, default=1.0, metavar="S", help=pace)
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="decides who calls when")
    host = "the address that the pages listen on; 0.0.0.0 for all phones around (default: %(default)s)"
    parser.add_argument("--host", default="127.0.0.1", help=host)
    parser.add_argument("--port", type=int, default=8090, help="(default: %(default)s; 0: any that is free)")
    parser.add_argument("--until", choices=["over"], help="end when the tournament is over")


def run(args: argparse.Namespace) -> int:
    """Play until stopped, or until the tournament is over; print the standings."""
    if not 1 <= args.tables <= MAX_TABLES or not 1 <= args.rounds <= 20 or not 0.01 <= args.pace <= 60:
        raise UsageError(f"--tables is 1 to {MAX_TABLES}, --rounds 1 to 20, --pace 0.01 to 60")
    stop = threading.Event()
    try:
        play(args, stop)
    except CompanionError:
        if not stop.is_set():  # a command that the same Ctrl-C has ended is no fault
            raise
    return 0


def play(args: argparse.Namespace, stop: threading.Event) -> None:
    """Play in a folder that is deleted afterwards, until ``stop`` is set or the tournament is over."""
    names = tuple(f"table-{number}" for number in range(1, args.tables + 1))
    with tempfile.TemporaryDirectory(prefix="companion-hall-") as scratch, ending(stop):
        folder = Path(scratch)
        kept = Kept(folder / "web")
        with (
            mosquitto(folder / "broker", names) as brokers,
            Hall(folder / "hall", kept) as hall,
        ):
            hall.connect(brokers[HALL_ACCOUNT])
            party = SimulatedTables(folder, {name: brokers[name] for name in names}, args.pace, args.seed)
            try:
                began_s = open_evening(hall, args, stop)
                serve_pages(hall, kept, args, stop, began_s)
                print_standings(hall)
            finally:
                party.close()


def open_evening(hall: Hall, args: argparse.Namespace, stop: threading.Event) -> float:
    """Open an evening with four players a table and automatic rounds; return the time."""
    hall.service.open("Evening of the demo", "chew_evening", {"rounds": args.rounds})
    hall.service.enter([PlayerRow(invented(number), CLUBS[number % 4]) for number in range(4 * args.tables)])
    while len(hall.conductor.tables()) < args.tables and not stop.is_set():
        stop.wait(POLL_INTERVAL_S)
    hall.service.add(AutopilotSet("director", on=True))
    return time.monotonic()


def invented(number: int) -> str:
    """Return a player's name, a different one for each number."""
    firsts, lasts = FIRST_NAMES.split(), LAST_NAMES.split()
    many, first = divmod(number, len(firsts))
    again = f" {many // len(lasts) + 1}" if many >= len(lasts) else ""
    return f"{firsts[first]} {lasts[(first + 3 * many) % len(lasts)]}{again}"


def serve_pages(
    hall: Hall, kept: Kept, args: argparse.Namespace, stop: threading.Event, began_s: float
) -> None:
    """Serve the hall's pages and print when the tournament is over; end then with ``--until over``."""
    app = create_app(hall, kept)
    pins: Pins = app.extensions["pins"]

    def ready(port: int) -> None:
        print(f"open http://{args.host}:{port}/ and watch; Ctrl-C ends it", file=sys.stderr, flush=True)
        print(f"the director's code is {pins.first}; the evening needs nobody", file=sys.stderr, flush=True)

    over = False

    def done() -> bool:
        nonlocal over
        if hall.service.tournament.ended and not over:
            over = True
            took = time.monotonic() - began_s
            print(f"over after {took:.0f} s; 0 keystrokes of the director", file=sys.stderr, flush=True)
        return stop.is_set() or (over and bool(args.until))

    serve_until(app, args.host, args.port, ready, done)


def print_standings(hall: Hall) -> None:
    """Print the standings."""
    state, results = hall.service.tournament, hall.conductor.results()
    for line in standings(state, results):
        print(f"{line.rank:>3}  {state.name_of(line.player):<24} {line.figures['points']:g}")
