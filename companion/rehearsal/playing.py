"""Plays one game on the simulated table, as fast as it can be read, and says what came of it."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from calibration.evaluation.figure import one_thread
from companion.bootstrap.running import Run, over
from companion.bootstrap.running import run as run_table
from companion.bootstrap.simulated.game import SimulatedGame
from companion.bootstrap.simulated.protocols import TableProtocol
from companion.bootstrap.simulated.table import SimulatedTable
from companion.bots.player import Behaviour
from companion.errors import BadCapture, BadOutput, CompanionError
from companion.model.calls import SECOND
from companion.rehearsal.far import Far, FarTable, Heeds
from companion.rehearsal.ledger import Fault, Ledger, Press
from companion.rehearsal.result import Played
from companion.rehearsal.setting_up import SettingUp
from companion.rehearsal.truth import truth
from companion.rules.event import Stamped
from companion.rules.state import Phase, State
from companion.table import Table
from companion.words.chosen import default_lexicon
from hardware.clock import Clock
from hardware.simulated.camera import SteppedClock

LONGEST_S = 3600.0
"""A game that is not over after so many seconds of the table's time does not finish."""

SLOWEST_S = 1800.0
"""And neither does one that is not over after so many seconds of real time."""

CARELESS = Behaviour(1.2, 0.08, 0.06, 0.05, early=0.06, encroaches=0.5, rests=0.15, leans=0.08)
"""How players are: like people who care for the game more than for the camera."""

LAG_S, POLL_S = 2.0, 0.001
"""How long, in real time, a table is waited for that has yet to decide something, and how often looked at."""

UNHURRIED_S = 0.01
"""How long, in real time, between two frames that are taken for nobody."""

FAST = 4.0
"""How many times as fast as people hands are where nothing waits for the time to pass."""

PROFILE, WIZARD = "profile", "wizard"
"""How a table is set up: from a profile, or by the steps of its pages, every suggestion accepted."""


def kept(result: Played, scratch: Path, faults: Sequence[Fault], under: Path) -> Path:
    """Return the folder under which a game is kept now, from what it has left in its scratch folder.

    Raises
    ------
    BadOutput
        Where it cannot be written.
    """
    folder = under / f"{result.game}-{result.players}-{result.seed}-{result.set_up}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(scratch.glob("games.db*")) + sorted(scratch.glob("*.toml")):
            if path.is_file():
                shutil.copy(path, folder)
        for fault in faults:
            for picture in scratch.glob(f"games.db.pictures/*/{fault.number}.jpg"):
                shutil.copy(picture, folder)
        told = [result.reason, *(f"event {one.number}: {one.claim} call: {one.says}" for one in faults)]
        (folder / "faults.txt").write_text("\n".join(told) + "\n", "utf-8")
    except OSError as error:
        raise BadOutput(f"--keep {under}: cannot be written: {error.strerror}") from error
    return folder


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A game to be rehearsed: ``speed`` is how many times as fast as people the hands are.

    With a ``core_share`` the table has so much of one core, and all goes on in real time.  Where it goes
    wrong it is kept in a folder under ``keep``, where one is named.
    """

    game: str
    players: int
    seed: int
    set_up: str = PROFILE
    speed: float | None = None
    core_share: float = 0.0
    keep: Path | None = None


def rehearse(asked: Rehearsal) -> Played:
    """Play a game from its beginning to its end; what stops it is told as the reason."""
    one_thread()
    begun_s, cpu_s = time.monotonic(), time.process_time()
    result = Played(asked.game, asked.players, asked.seed, asked.set_up)
    with tempfile.TemporaryDirectory(prefix="companion-rehearsal-") as scratch:
        ledger = Ledger()
        try:
            plan = SimulatedGame.of(asked.game, asked.players, asked.seed, Path(scratch))
            plan = replace(plan, uncalibrated=asked.set_up == WIZARD)
            result = judged(result, ledger, play(plan, asked, ledger))
        except CompanionError as error:
            result = replace(result, reason=str(error))
        if asked.keep and (result.reason or not result.sound):
            kept(result, Path(scratch), ledger.faults, asked.keep)
    here = 0.0 if asked.core_share else time.process_time() - cpu_s
    return replace(result, wall_s=time.monotonic() - begun_s, cpu_s=result.cpu_s + here)


@dataclass(frozen=True, slots=True)
class Evening:
    """A game that was played: its last state, how long it was, whether the players count as it does.

    ``fault`` is what stopped it; ``spent_s`` what the processor has worked for a table in another process.
    """

    state: Any
    at_ns: int
    scores_agree: bool
    fault: str = ""
    spent_s: float = 0.0


def play(plan: SimulatedGame, asked: Rehearsal, ledger: Ledger) -> Evening:
    """Play a game as fast as it can be read, or in real time where the table is held to a share of a core."""
    return in_real_time(plan, asked, ledger) if asked.core_share else at_once(plan, asked, ledger)


def at_once(plan: SimulatedGame, asked: Rehearsal, ledger: Ledger) -> Evening:
    """Play a game whose clock goes on frame by frame, in this process."""
    simulated_table = SimulatedTable(plan, SteppedClock(), asked.speed or FAST, CARELESS, spills=0.5)
    tables: list[Table] = []
    told_of(simulated_table, ledger, lambda: tables[-1] if tables else None)
    simulated_table.before_advance = lambda: kept_up(tables[-1]) if tables else None

    def on_events(events: Sequence[Stamped], state: State) -> None:
        ledger.on_events(events, state, tables[-1].clock.now() if tables else 0)
        simulated_table.on_events(events, state)

    def ready(table: Table) -> None:
        tables.append(table)
        ledger.attach(table)
        simulated_table.attach(table)

    host, late_s = setting_up(simulated_table), time.monotonic() + SLOWEST_S

    def until(table: Table) -> bool:
        late = table.clock.now() > LONGEST_S * SECOND or time.monotonic() > late_s
        return over(table) or late or bool(host.fault)

    how = Run(until=until, listener=on_events, simulation=simulated_table.simulation, ready=ready)
    with simulated_table.mock, impatient(simulated_table), host if plan.uncalibrated else nullcontext():
        table = run_table(simulated_table.config, how)
    state = table.loop.state
    return Evening(state, table.clock.now(), simulated_table.scores_agree(state), host.fault)


def in_real_time(plan: SimulatedGame, asked: Rehearsal, ledger: Ledger) -> Evening:
    """Play a game whose table has a process of its own, which is held to a share of one core."""
    simulated_table = SimulatedTable(plan, Clock(), asked.speed or 1.0, CARELESS, spills=0.5)

    def ready(table: FarTable) -> None:
        ledger.attach(table)
        simulated_table.attach(table)

    def on_events(events: Sequence[Stamped], state: State, now_ns: int) -> None:
        ledger.on_events(events, state, now_ns)
        simulated_table.on_events(events, state)

    far = Far(simulated_table.config, plan.seed, default_lexicon(), Heeds(ready, on_events), asked.core_share)
    simulated_table.buttons = far
    told_of(simulated_table, ledger, lambda: far.table)
    host, late_s = setting_up(simulated_table), time.monotonic() + SLOWEST_S
    with far, host if plan.uncalibrated else nullcontext():
        while not (far.closed.is_set() or host.fault or time.monotonic() > late_s):
            shot = simulated_table.camera.newest(0, 1.0)
            if shot is not None:
                far.frames.put(shot.frame, shot.at_ns)
    if far.table is None:
        raise BadCapture(far.fault or "the table's process has not begun")
    state = far.table.loop.state
    fault = host.fault or far.fault
    return Evening(state, far.table.clock.now(), simulated_table.scores_agree(state), fault, far.spent_s)


def told_of(
    simulated_table: SimulatedTable, ledger: Ledger, table: Callable[[], TableProtocol | None]
) -> None:
    """Have a ledger told of each call that a player makes, with what lies there then."""

    def on_call(seat: int, call: str, details: Mapping[str, Any], at_ns: int) -> None:
        if (now := table()) is not None:
            lies = truth(simulated_table.tabletop, simulated_table.players)
            ledger.pressed(Press(now.clock.at(at_ns), seat, call, details, lies))

    simulated_table.on_call = on_call


def setting_up(simulated_table: SimulatedTable) -> SettingUp:
    """Return a host who sets a party's table up, and starts the game then."""
    return SettingUp(
        Path(simulated_table.config.socket),
        lambda: simulated_table.tiles_laid_out,
        simulated_table.start_soon,
    )


def kept_up(table: Table) -> None:
    """Wait until a table has decided all that was due by the time that it is: its clock stands meanwhile."""
    late_s = time.monotonic() + LAG_S
    while table.loop.round_ns < table.clock.now() and time.monotonic() < late_s:
        table.loop.wake()
        time.sleep(POLL_S)


@contextmanager
def impatient(simulated_table: SimulatedTable) -> Iterator[None]:
    """Have frames taken one after the other while nobody plays, when the table itself is in no hurry.

    At a table that is to be set up only until its tiles are laid out: from then on every frame is its own.
    """
    over_now = threading.Event()

    def look() -> None:
        while not over_now.wait(UNHURRIED_S) and not (
            simulated_table.setup_script.tiles_laid_out
            if simulated_table.setup_script
            else simulated_table.playing
        ):
            simulated_table.camera.newest(0, 0.0)

    thread = threading.Thread(target=look, name="impatient", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over_now.set()
        thread.join()


def judged(result: Played, ledger: Ledger, evening: Evening) -> Played:
    """Return a result with what was counted, and the first thing that went wrong in words."""
    counts, finished = asdict(ledger.counts), evening.state.phase is Phase.OVER
    counts["verdict_ms"] = tuple(counts["verdict_ms"])
    reason = next((fault.says for fault in ledger.faults), "")
    if not evening.scores_agree:
        reason = reason or "the players count other scores than the table"
    if evening.fault:
        reason = evening.fault
    elif not finished:
        reason = f"the game did not end within {evening.at_ns / SECOND:.0f} s; {reason}"
    counts |= {"finished": finished, "score_right": evening.scores_agree, "cpu_s": evening.spent_s}
    return replace(result, **counts, reason=reason)
