"""The thread that owns a game, so that whoever stamps buttons never waits for a disk."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

from companion.events.match import Match
from companion.model.calls import SECOND, Heard, Tick
from companion.rules.event import Stamped
from companion.rules.settling import Settling

logger = logging.getLogger(__name__)

Clock = Callable[[], int]
"""Returns the nanoseconds since the start of the game's clock, by the clock that stamps edges."""

SHORTEST_NS = SECOND // 1000
"""The shortest pause between two looks at what has settled."""


@dataclass(frozen=True, slots=True)
class Wake:
    """Something has changed that may let a waiting call be decided; ``then`` is done in its turn."""

    then: Callable[[], None] = lambda: None


class Keeper:
    """A game kept by a thread of its own: ``tell`` returns at once, ``listener`` hears of what is safe.

    Parameters
    ----------
    match
        The game; nobody else may touch it from now on.
    clock
        What time it is.
    listener
        Called in the keeper's thread with the events of each decision, once
        they are on the disk.
    tick_ns
        How often the clocks are looked at while nothing happens.
    settling
        Orders what is heard; the usual window where nothing is given.

    ``round_ns`` is when the thread last had nothing left to decide: it grows as long as all is well.
    """

    def __init__(
        self,
        match: Match,
        clock: Clock,
        listener: Callable[[Sequence[Stamped]], None],
        tick_ns: int = SECOND // 20,
        settling: Settling | None = None,
    ) -> None:
        self.match, self.clock, self.listener, self.tick_ns = match, clock, listener, tick_ns
        self.settling = settling or Settling()
        self.queue: SimpleQueue[Heard | Wake | None] = SimpleQueue()
        self.round_ns = clock()
        self.failure: Exception | None = None
        self.thread = threading.Thread(target=self.keep, name="keeper", daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def tell(self, heard: Heard) -> None:
        """Hand over something heard; never waits."""
        self.queue.put(heard)

    def wake(self, then: Callable[[], None] = lambda: None) -> None:
        """Look at once whether anything has settled meanwhile; never waits.

        ``then`` is done before that, in the keeper's thread, after all that was told before.
        """
        self.queue.put(Wake(then))

    def close(self) -> None:
        """Decide what is still waiting, then stop; raise what stopped the thread before."""
        self.queue.put(None)
        self.thread.join()
        if self.failure is not None:
            raise self.failure

    def keep(self) -> None:
        """Decide what has settled, until told to stop or something fails: then nothing more is decided."""
        try:
            while self.collect():
                now_ns = self.clock()
                self.decide(self.settling.settled(now_ns))
                self.decide([Tick(self.settling.told_until(now_ns))])
                self.round_ns = now_ns
            self.decide(self.settling.rest())
        except Exception as error:
            logger.exception(
                "the game %s stops at event %d; nothing after it is kept", self.match.name, self.match.number
            )
            self.failure = error

    def collect(self) -> bool:
        """Take what was told since, waiting for a tick at most; return False when told to stop."""
        wait_s = self.pause_s()
        try:
            while (heard := self.queue.get(timeout=wait_s)) is not None:
                if isinstance(heard, Wake):
                    heard.then()
                else:
                    self.settling.add(heard)
                wait_s = 0
        except Empty:
            return True
        return False

    def pause_s(self) -> float:
        """Return how long to wait for more: until what waits has settled, and no longer than a tick."""
        due_ns = self.settling.due_ns()
        if due_ns is None:
            return self.tick_ns / SECOND
        return min(max(due_ns - self.clock(), SHORTEST_NS), self.tick_ns) / SECOND

    def decide(self, ready: Sequence[Heard]) -> None:
        """Let the game hear what is ready and tell the listener what came of it."""
        for heard in ready:
            if events := self.match.hear(heard):
                self.listener(events)
