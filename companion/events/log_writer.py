"""The thread that owns a game and writes its log, so that a device thread never waits for the disk."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

from companion.events.match import Match
from companion.model.calls import SECOND, Input, Tick
from companion.rules.event import Stamped
from companion.rules.reorder import ReorderBuffer

logger = logging.getLogger(__name__)

Clock = Callable[[], int]
"""Returns the nanoseconds since the start of the game's clock, by the clock that stamps edges."""

MIN_POLL_WAIT_NS = SECOND // 1000
"""The shortest wait between two polls of the reorder buffer."""


@dataclass(frozen=True, slots=True)
class Wake:
    """A queue item that wakes the thread early; it calls ``then`` first."""

    then: Callable[[], None] = lambda: None


class LogWriter:
    """Decides a game's inputs in one thread and writes the events to the log.

    ``submit`` queues an input and returns at once.

    Parameters
    ----------
    match
        The game.  Only this thread may change it.
    clock
        Returns the game's time in nanoseconds.
    listener
        Called in this thread with the events of each decision, after they are on the disk.
    tick_ns
        The longest wait between two ticks of the game's clocks, in nanoseconds.
    buffer
        Puts the inputs in the order of their stamps; by default a ``ReorderBuffer`` with its usual window.

    ``round_ns`` is the time of the last finished round of the thread: it stops growing if the thread hangs.
    """

    def __init__(
        self,
        match: Match,
        clock: Clock,
        listener: Callable[[Sequence[Stamped]], None],
        tick_ns: int = SECOND // 20,
        buffer: ReorderBuffer | None = None,
    ) -> None:
        self.match, self.clock, self.listener, self.tick_ns = match, clock, listener, tick_ns
        self.buffer = buffer or ReorderBuffer()
        self.queue: SimpleQueue[Input | Wake | None] = SimpleQueue()
        self.round_ns = clock()
        self.failure: Exception | None = None
        self.thread = threading.Thread(target=self.run, name="log writer", daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def submit(self, received: Input) -> None:
        """Queue an input; never block."""
        self.queue.put(received)

    def wake(self, then: Callable[[], None] = lambda: None) -> None:
        """Have the thread call ``then`` after all that was queued before and then poll the buffer."""
        self.queue.put(Wake(then))

    def close(self) -> None:
        """Decide all inputs that are left, then stop; raise the error that stopped the thread, if any."""
        self.queue.put(None)
        self.thread.join()
        if self.failure is not None:
            raise self.failure

    def run(self) -> None:
        """Decide inputs until ``close`` is called; after an error nothing more is decided."""
        try:
            while self.collect():
                now_ns = self.clock()
                self.decide(self.buffer.pop_ready(now_ns))
                self.decide([Tick(self.buffer.watermark_ns(now_ns))])
                self.round_ns = now_ns
            self.decide(self.buffer.drain())
        except Exception as error:
            logger.exception(
                "the game %s stops at event %d; nothing after it is kept", self.match.name, self.match.number
            )
            self.failure = error
            self.stopped_by(error)

    def stopped_by(self, error: Exception) -> None:
        """Called in this thread after the error that stopped it, which ``failure`` holds; nothing here."""

    def collect(self) -> bool:
        """Move queued inputs to the buffer, waiting a tick at most; return False after ``close``."""
        wait_s = self.pause_s()
        try:
            while (received := self.queue.get(timeout=wait_s)) is not None:
                if isinstance(received, Wake):
                    received.then()
                else:
                    self.buffer.add(received)
                wait_s = 0
        except Empty:
            return True
        return False

    def pause_s(self) -> float:
        """Return the seconds to wait for the queue: until the next input is due, a tick at most."""
        due_ns = self.buffer.due_ns()
        if due_ns is None:
            return self.tick_ns / SECOND
        return min(max(due_ns - self.clock(), MIN_POLL_WAIT_NS), self.tick_ns) / SECOND

    def decide(self, ready: Sequence[Input]) -> None:
        """Have the game decide inputs in order; call the listener with the events of each."""
        for received in ready:
            if events := self.match.handle(received):
                self.listener(events)
