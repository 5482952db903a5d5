"""How fast games are decided, kept and replayed, and whether a kill loses anything.

What does not wait for a disk is measured in processor time of its thread.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from calibration.evaluation.figure import Figure
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

CHILDREN = multiprocessing.get_context("forkserver")
"""Where the games to be killed come from: processes without threads of ours."""

CHILDREN.set_forkserver_preload(["companion.bench.rules"])

WORDS = Lexicon.of("bench", ["aa"])

GAME = "one"


def rules_figures(folder: Path | None = None, *, kills: int = 1000) -> Iterator[Figure]:
    """Yield every figure of this module, measured in a folder on the disk that games are kept on."""
    with TemporaryDirectory(dir=folder) as place:
        yield from decision_figures()
        yield from append_figures(Path(place))
        yield replay_figure(Path(place))
        yield from kill_figures(Path(place), kills)


def stairs(tiles: int) -> Sighting:
    """Return a valid tableau of so many tiles."""
    rows = [""] * (tiles // 2 + 1)
    for n in range(tiles):
        row, col = n // 2, (n + 1) // 2
        rows[row] = rows[row] or "." * col
        rows[row] += "A"
    return Sighting(tuple(row for row in rows if row))


def evening(players: int) -> Iterator[Input]:
    """Yield what a table of so many players hears, without end: sightings, PEELs, DUMPs, refused calls."""
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


def begun(log: EventLog, players: int) -> Match:
    """Return a new game of Bananagrams; people judge, so that no PEEL waits for a camera."""
    names = [f"seat {n}" for n in range(1, players + 1)]
    return Match.begun(log, GAME, game("bananagrams"), names, {"policy": "off"}, WORDS)


def decision_figures(players: int = 8, count: int = 2000) -> Iterator[Figure]:
    """Yield how long a decision takes, call in and events out, without the disk."""
    with EventLog() as log:
        match = begun(log, players)
        took_ms = list(decision_times(match.game, match.state, players, count))
    yield Figure(f"decision, {players} players, median", statistics.median(took_ms), "ms", 0.2)
    yield Figure(f"decision, {players} players, 99 of 100", quantile(took_ms, 0.99), "ms")


def decision_times(rules: Any, opened: Any, players: int, count: int) -> Iterator[float]:
    """Yield the milliseconds of processor time that each call took, begun anew when the bunch runs low."""
    while count > 0:
        state = opened
        for heard in evening(players):
            before = time.thread_time_ns()
            state, _ = step(rules, state, heard, WORDS)
            if isinstance(heard, Called):
                yield (time.thread_time_ns() - before) / 1e6
                count -= 1
            if state.started and state.pool < 2 * players:
                break


def quantile(values: list[float], share: float) -> float:
    """Return the value that a share of all are not above."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def append_figures(folder: Path, count: int = 300) -> Iterator[Figure]:
    """Yield how long it takes until a call's events are on the disk."""
    took_ms = []
    with EventLog(folder / "appends") as log:
        match = begun(log, 8)
        for _, heard in zip(range(count), evening(8), strict=False):
            before = time.perf_counter_ns()
            match.handle(heard)
            took_ms.append((time.perf_counter_ns() - before) / 1e6)
    yield Figure("call until its events are on the disk, median", statistics.median(took_ms), "ms")
    yield Figure("call until its events are on the disk, 99 of 100", quantile(took_ms, 0.99), "ms")


def replay_figure(folder: Path, events: int = 2000) -> Figure:
    """Return how long it takes to replay a game from its log, chain checked, best of five."""
    path = folder / "replay"
    with EventLog(path) as log:
        match = begun(log, 8)
        log.connection.execute("PRAGMA synchronous=OFF")  # only the reading is measured
        for heard in evening(8):
            match.handle(heard)
            if match.number >= events:
                break
    took_ms = [timed(lambda: resumed(path)) for _ in range(5)]
    return Figure(f"replay of {match.number} events", min(took_ms), "ms", 50.0)


def resumed(path: Path) -> Match:
    """Return the game as its log has it."""
    with EventLog(path) as log:
        return Match.resumed(log, GAME, WORDS)


def timed(act: Callable[[], object]) -> float:
    """Return the milliseconds of processor time that something took."""
    before = time.thread_time_ns()
    act()
    return (time.thread_time_ns() - before) / 1e6


def kill_figures(folder: Path, count: int, seed: int = 1) -> Iterator[Figure]:
    """Yield what was lost when a running game was killed so many times at random moments.

    A child process plays and acknowledges each call once its events are on
    the disk, by writing the number of its last event and the hash of its
    state; then ``kill -9``.  The log must hold every acknowledged event, its
    chain unbroken, and the state after the acknowledged event must be that
    of the child.  Power loss is another matter: only a real one tests the
    card.
    """
    chance = random.Random(seed)
    lost = broken = 0
    for number in range(count):
        path = folder / f"kill-{number % 50}"
        for old in path.parent.glob(f"{path.name}*"):
            old.unlink()
        acknowledged = killed_game(path, chance.uniform(0.0, 0.03))
        kept = states_of(path)
        lost += sum(kept.get(number) != digest for number, digest in acknowledged)
        broken += any(one.damage is not None for one in findings(path))
    yield Figure(f"acknowledged events lost or changed in {count} kills", lost, "events", 0)
    yield Figure(f"logs damaged in {count} kills", broken, "logs", 0)


def killed_game(path: Path, after_s: float) -> list[tuple[int, str]]:
    """Return what a game acknowledged before it was killed: numbers of events and hashes of states."""
    reader, writer = CHILDREN.Pipe(duplex=False)
    child = CHILDREN.Process(target=play_until_killed, args=(path, writer), daemon=True)
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
    """Play in the child process until somebody ends it."""
    match = begun(EventLog(path), 8)
    for heard in evening(8):
        match.handle(heard)
        writer.send((match.number, digest(match.state)))


def digest(state: Any) -> str:
    """Return a hash of a state's bytes."""
    return hashlib.sha256(codec.dump(state)).hexdigest()


def states_of(path: Path) -> dict[int, str]:
    """Return the hash of the state after every event that a log holds."""
    with EventLog(path) as log:
        events = history(log, GAME)
    rules = rules_of(events)
    state = fold(rules, events[:1])
    found = {1: digest(state)}
    for one in events[1:]:
        state = rules.evolve(state, one.event, one.at_ns)
        found[one.number] = digest(state)
    return found
