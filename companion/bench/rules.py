"""Time to decide, store and replay games, and losses after ``kill -9``.

Times without the disk are processor times.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from calibration.evaluation.metric import Metric, cpu_timed, quantile
from companion.events import codec
from companion.events.checking import findings
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.replay import history, rules_of
from companion.model.calls import SECOND, Called, Input, Order, Ordered, Seen
from companion.model.sightings import Sighting
from companion.rules.play import fold, step
from companion.rules.registry import game
from companion.words.lexicon import Lexicon

PROCESS_CONTEXT = multiprocessing.get_context("forkserver")
"""Starts the games that are killed, as processes without threads of this one."""

PROCESS_CONTEXT.set_forkserver_preload(["companion.bench.rules"])

WORDS = Lexicon.of("bench", ["aa"])

GAME_NAME = "one"

KILLS, SEED = 1000, 1
"""Number of games that are killed, and the seed of the moments."""


def rules_metrics() -> Iterator[Metric]:
    """Yield every metric of this module, measured in a temporary folder."""
    with TemporaryDirectory() as place:
        yield from decision_metrics()
        yield from append_metrics(Path(place))
        yield replay_metric(Path(place))
        yield from kill_metrics(Path(place), KILLS)


def stairs(tiles: int) -> Sighting:
    """Return a valid tableau of ``tiles`` tiles."""
    rows = [""] * (tiles // 2 + 1)
    for n in range(tiles):
        row, col = n // 2, (n + 1) // 2
        rows[row] = rows[row] or "." * col
        rows[row] += "A"
    return Sighting(tuple(row for row in rows if row))


def calls_of_evening(players: int) -> Iterator[Input]:
    """Yield an endless game of ``players`` players: sightings, PEELs, DUMPs and refused calls."""
    yield Ordered(0, Order.START)
    yield Called(SECOND, 1, "split")
    hand, at_s = 11 if players > 6 else 21, 2
    while True:
        seat = 1 + at_s % players
        at_ns = at_s * SECOND
        yield Seen(at_ns, seat, stairs(hand))
        yield Called(at_ns + 1, seat, "peel")
        yield Called(at_ns + 2, 1 + seat % players, "bananas")
        yield Called(at_ns + 3, 1 + seat % players, "dump")
        at_s += 2


def new_match(log: EventLog, players: int) -> Match:
    """Return a new game of Bananagrams; people judge, so that no PEEL waits for a camera."""
    names = [f"seat {n}" for n in range(1, players + 1)]
    return Match.begun(log, GAME_NAME, game("bananagrams"), names, {"policy": "off"}, WORDS)


def decision_metrics(players: int = 8, count: int = 2000) -> Iterator[Metric]:
    """Yield the time of a decision, from a call to its events, without the disk."""
    with EventLog() as log:
        match = new_match(log, players)
        took_ms = list(decision_times(match.game, match.state, players, count))
    yield Metric(f"decision, {players} players, median", statistics.median(took_ms), "ms", 0.2)
    yield Metric(f"decision, {players} players, 99 of 100", quantile(took_ms, 0.99), "ms")


def decision_times(rules: Any, opened: Any, players: int, count: int) -> Iterator[float]:
    """Yield the processor time of each call in ms; the game begins again when the bunch runs low."""
    while count > 0:
        state = opened
        for heard in calls_of_evening(players):
            before = time.thread_time_ns()
            state, _ = step(rules, state, heard, WORDS)
            if isinstance(heard, Called):
                yield (time.thread_time_ns() - before) / 1e6
                count -= 1
            if state.started and state.pool < 2 * players:
                break


def append_metrics(folder: Path, count: int = 300) -> Iterator[Metric]:
    """Yield the time until a call's events are on the disk."""
    took_ms = []
    with EventLog(folder / "appends") as log:
        match = new_match(log, 8)
        for _, heard in zip(range(count), calls_of_evening(8), strict=False):
            before = time.perf_counter_ns()
            match.handle(heard)
            took_ms.append((time.perf_counter_ns() - before) / 1e6)
    yield Metric("call until its events are on the disk, median", statistics.median(took_ms), "ms")
    yield Metric("call until its events are on the disk, 99 of 100", quantile(took_ms, 0.99), "ms")


def replay_metric(folder: Path, events: int = 2000) -> Metric:
    """Return the time to replay a game from its log and check its hash chain, best of five."""
    path = folder / "replay"
    with EventLog(path) as log:
        match = new_match(log, 8)
        log.connection.execute("PRAGMA synchronous=OFF")  # only the reading is measured
        for heard in calls_of_evening(8):
            match.handle(heard)
            if match.number >= events:
                break
    took_ms = [cpu_timed(lambda: resume_game(path))[1] for _ in range(5)]
    return Metric(f"replay of {match.number} events", min(took_ms), "ms", 50.0)


def resume_game(path: Path) -> Match:
    """Return the game that a log holds."""
    with EventLog(path) as log:
        return Match.resumed(log, GAME_NAME, WORDS)


def kill_metrics(folder: Path, count: int) -> Iterator[Metric]:
    """Yield the losses of ``count`` games that were killed at random moments.

    A child process plays, and after each call whose events are on the disk it sends the number of its last
    event and the hash of its state, until ``kill -9``.  The log must hold every acknowledged event, its hash
    chain must be intact, and the state after each acknowledged event must be that of the child.  This does
    not test power loss.
    """
    chance = random.Random(SEED)
    lost = broken = 0
    for number in range(count):
        path = folder / f"kill-{number % 50}"
        for old in path.parent.glob(f"{path.name}*"):
            old.unlink()
        acknowledged = killed_game(path, chance.uniform(0.0, 0.03))
        kept = states_of(path)
        lost += sum(kept.get(number) != digest for number, digest in acknowledged)
        broken += any(one.damage is not None for one in findings(path))
    yield Metric(f"acknowledged events lost or changed in {count} kills", lost, "events", 0)
    yield Metric(f"logs damaged in {count} kills", broken, "logs", 0)


def killed_game(path: Path, after_s: float) -> list[tuple[int, str]]:
    """Return what a game acknowledged before it was killed: event numbers and hashes of states."""
    reader, writer = PROCESS_CONTEXT.Pipe(duplex=False)
    child = PROCESS_CONTEXT.Process(target=play_until_killed, args=(path, writer), daemon=True)
    child.start()
    writer.close()
    acknowledged = [reader.recv()]
    time.sleep(after_s)
    child.kill()
    child.join()
    with reader, suppress(EOFError):
        while True:
            acknowledged.append(reader.recv())
    return acknowledged


def play_until_killed(path: Path, writer: Connection) -> None:
    """Play in the child process until it is killed."""
    match = new_match(EventLog(path), 8)
    for heard in calls_of_evening(8):
        match.handle(heard)
        writer.send((match.number, digest(match.state)))


def digest(state: Any) -> str:
    """Return a hash of a state's bytes."""
    return hashlib.sha256(codec.dump(state)).hexdigest()


def states_of(path: Path) -> dict[int, str]:
    """Return the hash of the state after every event that a log holds."""
    with EventLog(path) as log:
        events = history(log, GAME_NAME)
    rules = rules_of(events)
    state = fold(rules, events[:1])
    found = {1: digest(state)}
    for one in events[1:]:
        state = rules.evolve(state, one.event, one.at_ns)
        found[one.number] = digest(state)
    return found
