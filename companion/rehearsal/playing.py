"""Plays one game on the simulated table, as fast as it can be read, and says what came of it."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from companion.bench.timing import one_thread
from companion.bootstrap.party import Party
from companion.bootstrap.running import Run, over
from companion.bootstrap.running import run as run_table
from companion.bootstrap.simulated import Simulated
from companion.bots.player import Temper
from companion.errors import CompanionError
from companion.rehearsal.ledger import Ledger, Press
from companion.rehearsal.result import Played
from companion.rehearsal.setting_up import SettingUp
from companion.rehearsal.truth import truth
from companion.rules.event import Stamped
from companion.rules.state import State
from companion.table import Table
from hardware.simulated.camera import SteppedClock

LONGEST_S = 3600.0
"""A game that is not over after so many seconds of the table's time does not finish."""

SLOWEST_S = 1800.0
"""And neither does one that is not over after so many seconds of real time."""

CARELESS = Temper(1.2, 0.08, 0.06, 0.05, early=0.06, drifts=0.5, rests=0.15, leans=0.08)
"""How players are: like people who care for the game more than for the camera."""

LAG_S, POLL_S = 2.0, 0.001
"""How long, in real time, a table is waited for that has yet to decide something, and how often looked at."""

UNHURRIED_S = 0.01
"""How long, in real time, between two frames that are taken for nobody."""

PROFILE, WIZARD = "profile", "wizard"
"""How a table is set up: from a profile, or by the steps of its pages, every suggestion accepted."""


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
            plan = replace(plan, uncalibrated=asked.set_up == WIZARD)
            result = judged(result, ledger, play(plan, asked, ledger))
        except CompanionError as error:
            result = replace(result, reason=str(error))
    spent = time.process_time() - cpu_s
    return replace(result, wall_s=time.monotonic() - begun_s, cpu_s=spent)


@dataclass(frozen=True, slots=True)
class Evening:
    """A game that was played: its table, closed, whether the players count as it does, and what failed."""

    table: Table
    agrees: bool
    fault: str = ""


def play(plan: Simulated, asked: Rehearsal, ledger: Ledger) -> Evening:
    """Play a game."""
    clock = SteppedClock()
    party = Party(plan, clock, asked.speed, CARELESS, spills=0.5)
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

    def lead() -> None:
        party.hosted = True

    party.called = called
    party.before_live = lambda: kept_up(tables[-1]) if tables else None
    late_s = time.monotonic() + SLOWEST_S
    host = SettingUp(Path(party.config.socket), lambda: party.laid_out, lead)
    until = partial(ended, late_s=late_s, host=host)
    how = Run(until=until, listener=heard, simulation=party.simulation, ready=ready)
    with party.mock, impatient(party), host if plan.uncalibrated else nullcontext():
        table = run_table(party.config, how)
    return Evening(table, party.agrees(table.loop.state), host.fault)


def kept_up(table: Table) -> None:
    """Wait until a table has decided all that was due by the time that it is: its clock stands meanwhile."""
    late_s = time.monotonic() + LAG_S
    while table.loop.round_ns < table.clock.now() and time.monotonic() < late_s:
        table.loop.wake()
        time.sleep(POLL_S)


@contextmanager
def impatient(party: Party) -> Iterator[None]:
    """Have frames taken one after the other while nobody plays, when the table itself is in no hurry."""
    over_now = threading.Event()

    def look() -> None:
        while not over_now.wait(UNHURRIED_S) and not party.playing:
            party.camera.newest(0, 0.0)

    thread = threading.Thread(target=look, name="impatient", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over_now.set()
        thread.join()


def ended(table: Table, late_s: float, host: SettingUp) -> bool:
    """Return whether a game is over, or will not be."""
    late = table.clock.now() > LONGEST_S * 1e9 or time.monotonic() > late_s
    return over(table) or late or bool(host.fault)


def judged(result: Played, ledger: Ledger, evening: Evening) -> Played:
    """Return a result with what was counted, and the first thing that went wrong in words."""
    counts, finished = asdict(ledger.counts), over(evening.table)
    counts["verdict_ms"] = tuple(counts["verdict_ms"])
    reason = next((fault.says for fault in ledger.faults), "")
    if not evening.agrees:
        reason = reason or "the players count other scores than the table"
    if evening.fault:
        reason = f"the table could not be set up: {evening.fault}"
    elif not finished:
        reason = f"the game did not end within {evening.table.clock.now() / 1e9:.0f} s; {reason}"
    return replace(result, **counts, finished=finished, score_right=evening.agrees, reason=reason)
