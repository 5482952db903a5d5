"""``companion drill``: faults injected into tables and halls, and the losses by them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from rich.console import Console

from calibration.evaluation.metric import Progress
from companion.drill.broken_inputs import CASES, break_inputs
from companion.drill.broken_messages import send_broken_messages
from companion.drill.halls.drills import DRILLS as OF_HALL
from companion.drill.halls.drills import run_drill, run_hall_drills
from companion.drill.halls.load import PHONES, TABLES, hall_load, phones
from companion.drill.hostile_phones import measure_crowds
from companion.drill.kills import kills
from companion.drill.outcome import Outcome, fault_lines, outcome_table
from companion.drill.powercuts import powercuts
from companion.errors import UsageError

OUTPUT_COLUMNS = 150
"""Width of a table that does not go to a terminal, in columns."""

Drill = Callable[[int, int, Progress], Iterator[Outcome]]
"""Runs a drill, from the number of faults, a seed and a progress display."""


def with_single_outcome(drill: Callable[[int, int, Progress], Outcome]) -> Drill:
    """Return a drill with one outcome as a drill with any number of outcomes."""

    def only(count: int, seed: int, progress: Progress) -> Iterator[Outcome]:
        yield drill(count, seed, progress)

    return only


def broken_input_drill(kind: str) -> Drill:
    """Return the drill that breaks inputs of a kind."""
    return with_single_outcome(lambda count, seed, progress: break_inputs(kind, count, seed, progress))


DRILLS: Mapping[str, tuple[int, Drill]] = {
    "kills": (100, with_single_outcome(kills)),
    "powercuts": (50, with_single_outcome(powercuts)),
    **{kind: (200, broken_input_drill(kind)) for kind in CASES},
    "messages": (200, with_single_outcome(send_broken_messages)),
    "crowd": (250, measure_crowds),
    "hall": (20, run_hall_drills),
}
"""Every drill, and its default count."""

HALL_DRILL_PARTS: Mapping[str, tuple[int, Drill]] = {
    **{f"hall-{name}": (20, with_single_outcome(partial(run_drill, name))) for name in OF_HALL},
    "hall-phones": (PHONES, with_single_outcome(lambda count, seed, _tell: phones(count, seed))),
    "hall-crowd": (
        PHONES,
        with_single_outcome(lambda count, seed, progress: hall_load(TABLES, count, seed, progress)),
    ),
}
"""Parts of the hall's drill, each alone; the count of the last two is that of phones."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    alone = f"parts of the last one alone: {', '.join(HALL_DRILL_PARTS)}"
    names = f"which: {', '.join(DRILLS)} (default: all; power cuts and the hall's disk need root); {alone}"
    parser.add_argument("drills", nargs="*", metavar="DRILL", help=names)
    counts = ", ".join(f"{name} {many}" for name, (many, _) in DRILLS.items())
    parser.add_argument("--count", type=int, metavar="N", help=f"how often; phones of a crowd ({counts})")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one object a drill instead of the table")


def run(args: argparse.Namespace) -> int:
    """Run the drills and print their outcomes; return 1 where anything was lost."""
    names = args.drills or list(DRILLS)
    known = {**DRILLS, **HALL_DRILL_PARTS}
    if strange := [name for name in names if name not in known]:
        raise UsageError(f"there is no drill {strange[0]!r}; there are {', '.join(known)}")
    if args.count is not None and args.count < 1:
        raise UsageError(f"--count is 1 or more; got {args.count}")
    outcomes: list[Outcome] = []
    with Console(stderr=True).status("") as status:
        for name in names:
            usual, drill = known[name]
            for found in drill(args.count or usual, args.seed, status.update):
                outcomes.append(found)
                if args.json:
                    print(json.dumps(found.as_object()), flush=True)
    if not args.json:
        Console(width=None if sys.stdout.isatty() else OUTPUT_COLUMNS).print(outcome_table(outcomes))
        print(*fault_lines(outcomes), sep="\n", end="\n" if fault_lines(outcomes) else "")
    return int(any(found.faults for found in outcomes))
