"""What the pages know of game and table: the log followed as it grows, the table asked how it is."""

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

RECENT = 400
"""Events that are kept for phones that come back; who slept longer gets the state alone."""


@dataclass(slots=True)
class Story(GameReplay):
    """What pages know of one game; ``clocks`` are what its clock showed at each event, in milliseconds."""

    clocks: list[int] = field(default_factory=lambda: [0])
    recent: deque[Stamped] = field(default_factory=lambda: deque(maxlen=RECENT))

    @property
    def names(self) -> tuple[str, ...]:
        """The players at the seats, as they are now."""
        return tuple(seat.name for seat in self.state.seats)

    @classmethod
    def of(cls, name: str, rows: Sequence[Row]) -> Self:
        """Return the story that rows tell, from the first one; raise BadLog where they are damaged."""
        if not rows:
            raise BadLog(f"there is no game {name!r}")
        found = cls.begun(name, rows[0])
        found.recent.append(Stamped(1, rows[0].at_ns, found.set_up))
        found.go_on(rows[1:])
        return found

    def go_on(self, rows: Sequence[Row]) -> list[Stamped]:
        """Take in the rows that follow and return their events; raise BadLog where they are damaged."""
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


LOOK_S = 0.02
"""Seconds between two looks at the log; one that finds nothing new costs some microseconds."""

GLANCE_S = 1.0
"""Seconds between two questions to the table how it is."""

BEHIND_S = 1.5
"""Seconds from which on pictures are too old to judge by at once; nobody at play, two a second are read."""

FAILED = N_("The pages failed at this; their own record says why.")
"""What is told where the pages' own program fails."""

T = TypeVar("T")

logger = logging.getLogger(__name__)


def run_in_threadpool(act: Callable[[], T]) -> T:
    """Return what an act returns that may block; all other phones are served meanwhile.

    The act speaks the language of whoever asked.
    """

    def tried() -> tuple[T | None, Exception | None]:
        try:
            return act(), None
        except Exception as error:  # noqa: BLE001  it is raised again below, in the thread that asked
            return None, error

    result: T
    result, fault = gevent.get_hub().threadpool.apply(copy_context().run, (tried,))
    if fault is not None:
        raise fault
    return result


def lasting(status: Status | None) -> Status | None:
    """Return what is worth telling everybody when it changes: all but the numbers that never stand still."""
    if status is None:
        return None
    cameras = tuple(
        replace(one, fps=0.0, reads_per_s=0.0, frame_age_s=None, still=False) for one in status.cameras
    )
    still = replace(status, cameras=cameras, number=0, at_ns=0, temperature_c=None, started_s=0.0)
    return replace(still, behind_s=float(is_behind(status)))


def is_behind(status: Status) -> bool:
    """Return whether the pictures that calls are judged by come late."""
    return status.behind_s is not None and status.behind_s > BEHIND_S


def to_text(error: Exception) -> str:
    """Return an error as people read it."""
    return str(error) or type(error).__name__


class Watching:
    """The game under way and the table, as last seen; ``revision`` rises with every change of either.

    Parameters
    ----------
    path
        The log that the table writes.
    table
        The way to the table, or ``None`` where only the log is shown.
    game
        The game to show; ``None`` follows the one that is played.
    clock
        Nanoseconds by the clock that stamps edges.

    ``in_trouble`` says that ``unanswered`` is for everybody to read: the table is up and cannot keep a game.
    ``looked_s`` is when the log was last looked at, by ``time.monotonic``.
    ``brought`` are games that a backup brings: they are new in the log, and were played long ago.
    ``begun`` counts the games that took the pages by beginning, ``known_begun`` those of them before the
    table was asked for ``status``: an older answer names the game before.
    """

    def __init__(
        self,
        path: Path,
        table: TableClient | None = None,
        game: str | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.following, self.table, self.game, self.clock = LogFollower(path), table, game, clock
        self.story: Story | None = None
        self.names: list[str] = []
        self.fault = ""
        self.status: Status | None = None
        self.unanswered = ""
        self.in_trouble = False
        self.revision = 0
        self.looked_s = time.monotonic()
        self.ahead_ns: int | None = None
        self.changed = Event()
        self.brought: frozenset[str] = frozenset()
        self.begun = self.known_begun = 0

    def look(self) -> bool:
        """Take in what was written to the log since; return whether anything was."""
        try:
            if not self.following.changed() and self.fault != FAILED:
                return False
            news = self.follow()
            self.fault = ""
        except CompanionError as error:
            news = self.fault != to_text(error)
            self.fault = to_text(error)
            if news:
                logger.warning("the log cannot be followed: %s", error)
        if news:
            self.announce()
        return news

    def follow(self) -> bool:
        """Read the game to be shown up to its end; return whether there was anything new."""
        names = self.following.games()
        name = self.chosen(names)
        new_names, self.names = names != self.names, names
        if name is None:
            return new_names
        if self.story is None or self.story.name != name:
            self.story, self.ahead_ns = Story.of(name, self.following.rows(name)), None
            return True
        events = self.story.go_on(self.following.rows(name, self.story.number))
        for one in events:
            ahead_ns = self.clock() - one.at_ns
            self.ahead_ns = ahead_ns if self.ahead_ns is None else min(ahead_ns, self.ahead_ns)
        return bool(events) or new_names

    def chosen(self, names: list[str]) -> str | None:
        """Return the game to show: the one asked for, a new one, the table's, the last by name."""
        if self.game is not None:
            return self.game if self.game in names else None
        if self.names and (fresh := [name for name in names if name not in self.brought.union(self.names)]):
            self.begun += 1
            return fresh[-1]
        if (tables := self.of_table()) in names:
            return tables
        if self.story is not None:
            return self.story.name
        return names[-1] if names else None

    def of_table(self) -> str | None:
        """Return the table's own game; ``None`` while nobody knows, as after another began."""
        return self.status.match if self.status is not None and self.known_begun == self.begun else None

    def glance(self) -> None:
        """Ask the table how it is."""
        if self.table is None:
            return
        before, begun = (lasting(self.status), self.unanswered), self.begun
        try:
            self.status, self.unanswered = run_in_threadpool(self.table.status), ""
            self.known_begun = begun
            self.in_trouble = False
            self.turn()
            if self.story is not None and self.status.match == self.story.name:
                self.ahead_ns = self.clock() - self.status.at_ns
        except CompanionError as error:
            self.status, self.unanswered = None, to_text(error)
            self.in_trouble = isinstance(error, TableInTrouble)
        if (lasting(self.status), self.unanswered) != before:
            self.announce()

    def turn(self) -> None:
        """Turn to the table's own game where another was taken for it before the table had answered."""
        shown, table = self.story and self.story.name, self.of_table()
        if self.game is None and table in self.names and shown != table and self.follow():
            self.announce()

    def now_ns(self) -> int | None:
        """Return what the game's clock says now, or ``None`` where nobody knows."""
        return None if self.ahead_ns is None else self.clock() - self.ahead_ns

    def announce(self) -> None:
        """Wake whoever waits for news."""
        self.revision += 1
        waiting, self.changed = self.changed, Event()
        waiting.set()

    def wait(self, revision: int, timeout_s: float) -> bool:
        """Wait until there is something newer than a revision; return whether there is."""
        if self.revision != revision:
            return True
        return bool(self.changed.wait(max(0.0, timeout_s)))

    def run(self) -> None:
        """Look at the log and at the table for ever."""
        glances = gevent.spawn(self.glances)
        try:
            while True:
                self.watched()
                gevent.sleep(LOOK_S)
        finally:
            glances.kill()

    def watched(self) -> None:
        """Look at the log; whatever goes wrong is told, and the next look follows."""
        self.looked_s = time.monotonic()
        try:
            self.look()
        except Exception:
            if self.fault != FAILED:
                logger.exception("the log could not be looked at; phones show what they had")
                self.fault = FAILED
                self.announce()
            gevent.sleep(1.0)
        else:
            self.fault = "" if self.fault == FAILED else self.fault

    def glances(self) -> None:
        """Glance at the table for ever."""
        while self.table is not None:
            self.glanced()
            gevent.sleep(GLANCE_S)

    def glanced(self) -> None:
        """Glance at the table; whatever goes wrong is told, and the next glance follows."""
        try:
            self.glance()
        except Exception:
            if self.unanswered != FAILED:
                logger.exception("the table could not be glanced at; phones show the game alone")
                self.status, self.unanswered = None, FAILED
                self.announce()
