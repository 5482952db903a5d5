"""The table's log and status, polled for the pages: a projection of the shown game, and the newest status."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypeVar

import gevent
from gevent.event import Event

from companion.errors import BadLog, CompanionError, TableInTrouble
from companion.events.following import LogFollower
from companion.events.log import Row
from companion.events.replay import GameReplay
from companion.model.status import Status
from companion.rpc import TableClient
from companion.rules.event import Stamped
from companion.rules.record import clock_shown
from companion.web.i18n.language import N_

MAX_RECENT_EVENTS = 400
"""Most events kept for phones that reconnect; a phone that has missed more gets the state alone."""


@dataclass(slots=True)
class GameProjection(GameReplay):
    """The read model of one game.

    ``clocks`` are the round clock's readings at each event, in ms; ``recent`` are the last
    ``MAX_RECENT_EVENTS`` events.
    """

    clocks: list[int] = field(default_factory=lambda: [0])
    recent: deque[Stamped] = field(default_factory=lambda: deque(maxlen=MAX_RECENT_EVENTS))

    @property
    def names(self) -> tuple[str, ...]:
        """The players at the seats, as they are now."""
        return tuple(seat.name for seat in self.state.seats)

    @classmethod
    def of(cls, name: str, rows: Sequence[Row]) -> Self:
        """Return the projection of rows from the game's first one; raise BadLog where they are damaged."""
        if not rows:
            raise BadLog(f"there is no game {name!r}")
        found = cls.begun(name, rows[0])
        found.recent.append(Stamped(1, rows[0].at_ns, found.set_up))
        found.extend(rows[1:])
        return found

    def extend(self, rows: Sequence[Row]) -> list[Stamped]:
        """Apply the rows that follow and return their events; raise BadLog where they are damaged."""
        found = []
        for row in rows:
            one = self.apply(row)
            self.clocks.append(clock_ms(self.state, one.at_ns))
            self.recent.append(one)
            found.append(one)
        return found

    def since(self, number: int) -> list[Stamped]:
        """Return the events after a number, as far back as they are kept."""
        return [one for one in self.recent if one.number > number]


def clock_ms(state: Any, at_ns: int) -> int:
    """Return what the round's clock shows, in milliseconds."""
    return clock_shown(state, at_ns) // 1_000_000


LOG_POLL_S = 0.02
"""Seconds between two polls of the log; a poll that finds nothing new costs some microseconds."""

STATUS_POLL_S = 1.0
"""Seconds between two status requests to the table."""

MAX_READING_AGE_S = 1.5
"""Age in seconds from which pictures are too old to judge calls; an idle table reads two a second."""

FAILURE_MESSAGE = N_("The pages failed at this; their own record says why.")
"""Message shown where the pages' own code fails."""

T = TypeVar("T")

logger = logging.getLogger(__name__)


def run_in_threadpool(act: Callable[[], T]) -> T:
    """Run a blocking function in a thread and return its result; other requests are served meanwhile.

    The function runs in a copy of the caller's context, so messages are in the request's language.  Its
    exception is raised again here.
    """

    def tried() -> tuple[T | None, Exception | None]:
        try:
            return act(), None
        except Exception as error:  # noqa: BLE001  it is raised again below, in the calling thread
            return None, error

    result: T
    result, fault = gevent.get_hub().threadpool.apply(copy_context().run, (tried,))
    if fault is not None:
        raise fault
    return result


def stable_part(status: Status | None) -> Status | None:
    """Return a status without the figures that change all the time: only the rest is worth a notification."""
    if status is None:
        return None
    cameras = tuple(
        replace(one, fps=0.0, reads_per_s=0.0, frame_age_s=None, still=False) for one in status.cameras
    )
    still = replace(status, cameras=cameras, number=0, at_ns=0, temperature_c=None, started_s=0.0)
    return replace(still, behind_s=float(is_behind(status)))


def is_behind(status: Status) -> bool:
    """Return whether the table's newest reading is too old to judge calls at once."""
    return status.behind_s is not None and status.behind_s > MAX_READING_AGE_S


def to_text(error: Exception) -> str:
    """Return an error's message, or its class name where it has none."""
    return str(error) or type(error).__name__


class TableMonitor:
    """Polls the log and the table; ``revision`` rises with every change of either.

    Parameters
    ----------
    path
        The log that the table writes.
    table
        The client of the table, or ``None`` where only the log is shown.
    game
        The game to show; ``None`` follows the game under way.
    clock
        Returns nanoseconds of the clock that stamps button edges.

    ``fault`` and ``table_fault`` say why log and table cannot be read, ``in_trouble`` is whether
    everybody sees ``table_fault``: the table runs but cannot play any game.
    ``polled_s`` is when the log was last polled, by ``time.monotonic``.
    ``clock_offset_ns`` is ``clock`` minus the game's clock, ``None`` while unknown.
    ``restored`` are games from a backup: they are new in the log but are not the game under way.
    ``begun`` counts the games that were shown because they began, ``begun_at_status`` is that count before
    ``status`` was requested: where they differ, ``status`` names an earlier game.
    """

    def __init__(
        self,
        path: Path,
        table: TableClient | None = None,
        game: str | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.following, self.table, self.game, self.clock = LogFollower(path), table, game, clock
        self.projection: GameProjection | None = None
        self.names: list[str] = []
        self.fault = ""
        self.status: Status | None = None
        self.table_fault = ""
        self.in_trouble = False
        self.revision = 0
        self.polled_s = time.monotonic()
        self.clock_offset_ns: int | None = None
        self.changed = Event()
        self.restored: frozenset[str] = frozenset()
        self.begun = self.begun_at_status = 0

    def poll_log(self) -> bool:
        """Read what was written to the log since the last call; return whether anything was."""
        try:
            if not self.following.changed() and self.fault != FAILURE_MESSAGE:
                return False
            news = self.read_log() or bool(self.fault)
            self.fault = ""
        except CompanionError as error:
            news = self.fault != to_text(error)
            self.fault = to_text(error)
            if news:
                logger.warning("the log cannot be followed: %s", error)
        if news:
            self.notify()
        return news

    def read_log(self) -> bool:
        """Read the game that is shown up to its end; return whether there was anything new."""
        names = self.following.games()
        name = self.choose_game(names)
        new_names, self.names = names != self.names, names
        if name is None:
            return new_names
        if self.projection is None or self.projection.name != name:
            self.projection, self.clock_offset_ns = GameProjection.of(name, self.following.rows(name)), None
            return True
        events = self.projection.extend(self.following.rows(name, self.projection.number))
        for one in events:
            clock_offset_ns = self.clock() - one.at_ns
            self.clock_offset_ns = (
                clock_offset_ns
                if self.clock_offset_ns is None
                else min(clock_offset_ns, self.clock_offset_ns)
            )
        return bool(events) or new_names

    def choose_game(self, names: list[str]) -> str | None:
        """Return the game to show: the requested one, else a new one, the table's, or the last by name."""
        if self.game is not None:
            return self.game if self.game in names else None
        if self.names and (fresh := [name for name in names if name not in self.restored.union(self.names)]):
            self.begun += 1
            return fresh[-1]
        if (tables := self.table_game()) in names:
            return tables
        if self.projection is not None:
            return self.projection.name
        return names[-1] if names else None

    def table_game(self) -> str | None:
        """Return the table's current game; ``None`` while the status is missing or too old."""
        return self.status.match if self.status is not None and self.begun_at_status == self.begun else None

    def poll_status(self) -> None:
        """Request the table's status."""
        if self.table is None:
            return
        before, begun = (stable_part(self.status), self.table_fault), self.begun
        try:
            self.status, self.table_fault = run_in_threadpool(self.table.status), ""
            self.begun_at_status = begun
            self.in_trouble = False
            self.switch_to_table_game()
            if self.projection is not None and self.status.match == self.projection.name:
                self.clock_offset_ns = self.clock() - self.status.at_ns
        except CompanionError as error:
            self.status, self.table_fault = None, to_text(error)
            self.in_trouble = isinstance(error, TableInTrouble)
        if (stable_part(self.status), self.table_fault) != before:
            self.notify()

    def switch_to_table_game(self) -> None:
        """Show the table's current game where another was shown before the table had answered."""
        shown, table = self.projection and self.projection.name, self.table_game()
        if self.game is None and table in self.names and shown != table and self.read_log():
            self.notify()

    def now_ns(self) -> int | None:
        """Return the game's clock now, in nanoseconds; ``None`` where it is unknown."""
        return None if self.clock_offset_ns is None else self.clock() - self.clock_offset_ns

    def notify(self) -> None:
        """Raise the revision and wake all waiters."""
        self.revision += 1
        waiting, self.changed = self.changed, Event()
        waiting.set()

    def wait(self, revision: int, timeout_s: float) -> bool:
        """Wait until the revision is newer than the given one; return whether it is."""
        if self.revision != revision:
            return True
        return bool(self.changed.wait(max(0.0, timeout_s)))

    def run(self) -> None:
        """Poll the log and the table for ever."""
        status_polls = gevent.spawn(self.poll_status_forever)
        try:
            while True:
                self.try_poll_log()
                gevent.sleep(LOG_POLL_S)
        finally:
            status_polls.kill()

    def try_poll_log(self) -> None:
        """Poll the log; log an unexpected error and show ``FAILURE_MESSAGE``."""
        self.polled_s = time.monotonic()
        try:
            self.poll_log()
        except Exception:
            if self.fault != FAILURE_MESSAGE:
                logger.exception("the log could not be looked at; phones show what they had")
                self.fault = FAILURE_MESSAGE
                self.notify()
            gevent.sleep(1.0)
        else:
            self.fault = "" if self.fault == FAILURE_MESSAGE else self.fault

    def poll_status_forever(self) -> None:
        """Poll the table's status for ever."""
        while self.table is not None:
            self.try_poll_status()
            gevent.sleep(STATUS_POLL_S)

    def try_poll_status(self) -> None:
        """Poll the table's status; log an unexpected error and show ``FAILURE_MESSAGE``."""
        try:
            self.poll_status()
        except Exception:
            if self.table_fault != FAILURE_MESSAGE:
                logger.exception("the table could not be glanced at; phones show the game alone")
                self.status, self.table_fault = None, FAILURE_MESSAGE
                self.notify()
