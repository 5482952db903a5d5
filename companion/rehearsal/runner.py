"""Rehearse one game at a simulated table, and return its result."""

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

from calibration.evaluation.metric import limit_to_one_thread
from companion.bootstrap.running import RunOptions, game_over
from companion.bootstrap.running import run as run_table
from companion.bootstrap.simulated.game import SimulatedGame
from companion.bootstrap.simulated.protocols import TableProtocol
from companion.bootstrap.simulated.table import SimulatedTable
from companion.bots.player import Behaviour
from companion.errors import BadCapture, BadOutput, CompanionError
from companion.model.calls import SECOND
from companion.rehearsal.ground_truth import ground_truth
from companion.rehearsal.ledger import Fault, Ledger, PendingCall
from companion.rehearsal.remote_table import RemoteTable, TableCallbacks, TableProxy
from companion.rehearsal.result import GameResult
from companion.rehearsal.wizard_host import WizardHost
from companion.rules.event import Stamped
from companion.rules.state import Phase, State
from companion.table import Table
from companion.vision.camera_frame import to_bgr
from companion.words.chosen import default_lexicon
from hardware.clock import Clock
from hardware.simulated.camera import SteppedClock

MAX_TABLE_S = 3600.0
"""Seconds of the table's time after which an unfinished game is stopped."""

MAX_REAL_S = 1800.0
"""Seconds of real time after which an unfinished game is stopped."""

CARELESS = Behaviour(1.2, 0.08, 0.06, 0.05, early=0.06, encroaches=0.5, rests=0.15, leans=0.08)
"""The bots' behaviour: that of people who do not mind the camera."""

LOOP_TIMEOUT_S, POLL_INTERVAL_S = 2.0, 0.001
"""Greatest real time to wait for the table's loop, and the time between two checks of it, in seconds."""

IDLE_FRAME_INTERVAL_S = 0.01
"""Real time between two frames that are taken while nobody plays, in seconds."""

DEFAULT_SPEED = 4.0
"""Default factor by which hands are faster than people's, with a stepped clock."""

PROFILE, WIZARD = "profile", "wizard"
"""How a table is set up: from a profile, or through the wizard with every suggestion accepted."""


def save_game(result: GameResult, scratch: Path, faults: Sequence[Fault], under: Path) -> Path:
    """Copy a game's log, profile and pictures of faults from its scratch folder, and return their folder.

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
        lines = [result.reason, *(f"event {one.number}: {one.claim} call: {one.message}" for one in faults)]
        (folder / "faults.txt").write_text("\n".join(lines) + "\n", "utf-8")
    except OSError as error:
        raise BadOutput(f"--keep {under}: cannot be written: {error.strerror}") from error
    return folder


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A game to be rehearsed; ``speed`` is the factor by which the hands are faster than people's.

    With a ``core_share`` other than 0 the table is limited to that share of one core, in real time.  A game
    that fails is saved in a folder under ``keep``, where one is given.
    """

    game: str
    players: int
    seed: int
    set_up: str = PROFILE
    speed: float | None = None
    core_share: float = 0.0
    keep: Path | None = None


def rehearse(asked: Rehearsal) -> GameResult:
    """Play a game to its end, and return its result; an error that stops it is the result's reason."""
    limit_to_one_thread()
    begun_s, cpu_s = time.monotonic(), time.process_time()
    result = GameResult(asked.game, asked.players, asked.seed, asked.set_up)
    with tempfile.TemporaryDirectory(prefix="companion-rehearsal-") as scratch:
        ledger = Ledger()
        try:
            plan = SimulatedGame.of(asked.game, asked.players, asked.seed, Path(scratch))
            plan = replace(plan, uncalibrated=asked.set_up == WIZARD)
            result = with_counts(result, ledger, play(plan, asked, ledger))
        except CompanionError as error:
            result = replace(result, reason=str(error))
        if asked.keep and (result.reason or not result.passed):
            save_game(result, Path(scratch), ledger.faults, asked.keep)
    here = 0.0 if asked.core_share else time.process_time() - cpu_s
    return replace(result, wall_s=time.monotonic() - begun_s, cpu_s=result.cpu_s + here)


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """A game that was played: its last state, its duration, and whether the bots' own scores agree.

    ``fault`` is the error that stopped it; ``cpu_s`` is the processor time of a table in another process.
    """

    state: Any
    at_ns: int
    scores_agree: bool
    fault: str = ""
    cpu_s: float = 0.0


def play(plan: SimulatedGame, asked: Rehearsal, ledger: Ledger) -> GameOutcome:
    """Play a game as fast as frames can be read, or in real time with a ``core_share``."""
    return play_real_time(plan, asked, ledger) if asked.core_share else play_stepped(plan, asked, ledger)


def play_stepped(plan: SimulatedGame, asked: Rehearsal, ledger: Ledger) -> GameOutcome:
    """Play a game in this process, on a clock that is stepped by each frame."""
    simulated = SimulatedTable(plan, SteppedClock(), asked.speed or DEFAULT_SPEED, CARELESS, spills=0.5)
    tables: list[Table] = []
    record_calls(simulated, ledger, lambda: tables[-1] if tables else None)
    simulated.before_advance = lambda: wait_for_loop(tables[-1]) if tables else None

    def on_events(events: Sequence[Stamped], state: State) -> None:
        ledger.on_events(events, state, tables[-1].clock.now() if tables else 0)
        simulated.on_events(events, state)

    def ready(table: Table) -> None:
        tables.append(table)
        ledger.attach(table)
        simulated.attach(table)

    host, late_s = make_wizard_host(simulated), time.monotonic() + MAX_REAL_S

    def until(table: Table) -> bool:
        late = table.clock.now() > MAX_TABLE_S * SECOND or time.monotonic() > late_s
        return game_over(table) or late or bool(host.fault)

    how = RunOptions(until=until, listener=on_events, simulation=simulated.simulation, ready=ready)
    with (
        simulated.mock,
        frames_while_idle(simulated),
        host if plan.uncalibrated else nullcontext(),
    ):
        table = run_table(simulated.config, how)
    state = table.loop.state
    return GameOutcome(state, table.clock.now(), simulated.scores_agree(state), host.fault)


def play_real_time(plan: SimulatedGame, asked: Rehearsal, ledger: Ledger) -> GameOutcome:
    """Play a game whose table runs in another process, limited to a share of one core."""
    simulated = SimulatedTable(plan, Clock(), asked.speed or 1.0, CARELESS, spills=0.5)

    def ready(table: TableProxy) -> None:
        ledger.attach(table)
        simulated.attach(table)

    def on_events(events: Sequence[Stamped], state: State, now_ns: int) -> None:
        ledger.on_events(events, state, now_ns)
        simulated.on_events(events, state)

    remote = RemoteTable(
        simulated.config,
        plan.seed,
        default_lexicon(),
        TableCallbacks(ready, on_events),
        asked.core_share,
    )
    simulated.buttons = remote
    record_calls(simulated, ledger, lambda: remote.table)
    host, late_s = make_wizard_host(simulated), time.monotonic() + MAX_REAL_S
    with remote, host if plan.uncalibrated else nullcontext():
        while not (remote.closed.is_set() or host.fault or time.monotonic() > late_s):
            shot = simulated.camera.newest(0, 1.0)
            if shot is not None:
                remote.frames.put(to_bgr(shot.frame), shot.at_ns)
    if remote.table is None:
        raise BadCapture(remote.fault or "the table's process has not begun")
    state = remote.table.loop.state
    fault = host.fault or remote.fault
    return GameOutcome(state, remote.table.clock.now(), simulated.scores_agree(state), fault, remote.cpu_s)


def record_calls(
    simulated: SimulatedTable, ledger: Ledger, table: Callable[[], TableProtocol | None]
) -> None:
    """Have a ledger record each call of a bot, with the ground truth of its time."""

    def on_call(seat: int, call: str, details: Mapping[str, Any], at_ns: int) -> None:
        if (now := table()) is not None:
            truth = ground_truth(simulated.tabletop, simulated.players)
            ledger.record_call(PendingCall(now.clock.at(at_ns), seat, call, details, truth))

    simulated.on_call = on_call


def make_wizard_host(simulated: SimulatedTable) -> WizardHost:
    """Return a host that sets the simulated table up, and then starts the game."""
    return WizardHost(
        Path(simulated.config.socket),
        lambda: simulated.tiles_laid_out,
        simulated.start_soon,
    )


def wait_for_loop(table: Table) -> None:
    """Wait until the table's loop has handled everything up to its clock's time, which is stopped."""
    late_s = time.monotonic() + LOOP_TIMEOUT_S
    while table.loop.round_ns < table.clock.now() and time.monotonic() < late_s:
        table.loop.wake()
        time.sleep(POLL_INTERVAL_S)


@contextmanager
def frames_while_idle(simulated: SimulatedTable) -> Iterator[None]:
    """Take frames continuously, which steps the clock, while nobody plays and the table takes few.

    On a table that is to be set up this ends when its tiles are laid out.
    """
    over_now = threading.Event()

    def look() -> None:
        while not over_now.wait(IDLE_FRAME_INTERVAL_S) and not (
            simulated.setup_script.tiles_laid_out if simulated.setup_script else simulated.playing
        ):
            simulated.camera.newest(0, 0.0)

    thread = threading.Thread(target=look, name="idle frames", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over_now.set()
        thread.join()


def with_counts(result: GameResult, ledger: Ledger, outcome: GameOutcome) -> GameResult:
    """Return a result with the ledger's counts, the outcome, and the first fault as its reason."""
    counts, finished = asdict(ledger.counts), outcome.state.phase is Phase.OVER
    counts["verdict_ms"] = tuple(counts["verdict_ms"])
    reason = next((fault.message for fault in ledger.faults), "")
    if not outcome.scores_agree:
        reason = reason or "the players count other scores than the table"
    if outcome.fault:
        reason = outcome.fault
    elif not finished:
        reason = f"the game did not end within {outcome.at_ns / SECOND:.0f} s; {reason}"
    counts |= {"finished": finished, "score_right": outcome.scores_agree, "cpu_s": outcome.cpu_s}
    return replace(result, **counts, reason=reason)
