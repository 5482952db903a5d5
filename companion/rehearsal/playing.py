"""Plays one game on the simulated table, as fast as it can be read, and says what came of it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from companion.bench.timing import one_thread
from companion.bootstrap.party import Party
from companion.bootstrap.running import Run, over
from companion.bootstrap.running import run as run_table
from companion.bootstrap.simulated import Simulated
from companion.errors import CompanionError
from companion.rehearsal.ledger import Ledger, Press
from companion.rehearsal.result import Played
from companion.rehearsal.truth import truth
from companion.rules.event import Stamped
from companion.rules.state import State
from companion.table import Table
from hardware.simulated.camera import SteppedClock

LONGEST_S = 3600.0
"""A game that is not over after so many seconds of the table's time does not finish."""

SLOWEST_S = 1800.0
"""And neither does one that is not over after so many seconds of real time."""

PROFILE = "profile"
"""The table is set up from a profile."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A game to be rehearsed: ``speed`` is how many times as fast as people the hands are."""

    game: str
    players: int
    seed: int
    set_up: str = PROFILE
    speed: float = 4.0


def rehearse(asked: Rehearsal) -> Played:
    """Play a game from its beginning to its end; what stops it is told as the reason."""
    one_thread()
    begun_s, cpu_s = time.monotonic(), time.process_time()
    result = Played(asked.game, asked.players, asked.seed, asked.set_up)
    with tempfile.TemporaryDirectory(prefix="companion-rehearsal-") as scratch:
        ledger = Ledger()
        try:
            plan = Simulated.of(asked.game, asked.players, asked.seed, Path(scratch))
            state, right = play(plan, asked, ledger)
            result = judged(result, ledger, state, right=right)
        except CompanionError as error:
            result = replace(result, reason=str(error))
    spent = time.process_time() - cpu_s
    return replace(result, wall_s=time.monotonic() - begun_s, cpu_s=spent)


def play(plan: Simulated, asked: Rehearsal, ledger: Ledger) -> tuple[Table, bool]:
    """Play a game, and return its table, closed, and whether the players count as the table does."""
    clock = SteppedClock()
    party = Party(plan, clock, asked.speed)
    tables: list[Table] = []

    def called(seat: int, call: str, details: Mapping[str, Any], at_ns: int) -> None:
        if tables:
            lies = truth(party.stage, party.players)
            ledger.pressed(Press(tables[-1].clock.at(at_ns), seat, call, details, lies))

    def heard(events: Sequence[Stamped], state: State) -> None:
        ledger.heard(events, state)
        party.heard(events, state)

    def ready(table: Table) -> None:
        tables.append(table)
        ledger.sit_down(table)
        party.sit_down(table)

    party.called = called
    late_s = time.monotonic() + SLOWEST_S
    until = partial(ended, late_s=late_s)
    with party.mock:
        table = run_table(
            party.config, Run(until=until, listener=heard, simulation=party.simulation, ready=ready)
        )
    return table, party.agrees(table.loop.state)


def ended(table: Table, late_s: float) -> bool:
    """Return whether a game is over, or has gone on for too long."""
    return over(table) or table.clock.now() > LONGEST_S * 1e9 or time.monotonic() > late_s


def judged(result: Played, ledger: Ledger, table: Table, *, right: bool) -> Played:
    """Return a result with what was counted; a call that was never answered counts as refused."""
    counts, finished = asdict(ledger.counts), over(table)
    counts["verdict_ms"] = tuple(counts["verdict_ms"])
    reason = next((fault.says for fault in ledger.faults), "")
    if not right:
        reason = reason or "the players count other scores than the table"
    if not finished:
        reason = f"the game did not end within {table.clock.now() / 1e9:.0f} s; {reason}"
    return replace(result, **counts, finished=finished, score_right=right, reason=reason)
