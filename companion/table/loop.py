"""The thread that owns the game's state: inputs become events in the log, then are shown and answered."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from companion.errors import BadLog, CompanionError, RulesFailed
from companion.events.log_writer import LogWriter
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Input, Ordered, Ruling
from companion.model.phrases import joined, phrase
from companion.model.status import Answer
from companion.rules import event as ev
from companion.rules.event import Stamped
from companion.table.call_queue import CallQueue
from companion.table.devices import GameClock
from companion.table.remarks import Troubles

logger = logging.getLogger(__name__)

FEEDBACK_FAILED = phrase(
    "the lights or sounds failed to show what happened: go by the pages; if it happens again, restart the "
    "table and send the diagnostics of the host's page"
)

Listener = Callable[[Sequence[Stamped]], None]


class Loop(LogWriter):
    """A log writer that also answers requests, and continues after an invalid one."""

    def __init__(
        self,
        match: Match,
        clock: GameClock,
        listener: Listener,
        call_queue: CallQueue,
        troubles: Troubles,
    ) -> None:
        super().__init__(match, clock.now, listener, SECOND // 50, call_queue)
        self.call_queue, self._troubles = call_queue, troubles
        self._pending: dict[int, Future[Answer]] = {}
        self._failure = ""

    @property
    def state(self) -> Any:
        """The game's newest state, which is immutable."""
        return self.match.state

    def request(self, received: Called | Ordered | Ruling) -> Future[Answer]:
        """Submit an input and return the future of its answer; it is refused once the loop has failed."""
        answer: Future[Answer] = Future()
        self._pending[request_key(received)] = answer
        self.submit(received)
        if self.failure is not None:
            self.stopped_by(self.failure)
        return answer

    def stopped_by(self, error: Exception) -> None:
        """Answer all requests, which are never decided now: they were not kept."""
        while self._pending:
            with suppress(KeyError):  # emptied meanwhile by the other thread that may be here
                _, answer = self._pending.popitem()
                answer.set_result(
                    Answer(False, phrase("this was not kept, try it again: %(why)s", why=error))
                )

    def answer_repeat(self, called: Called) -> None:
        """Answer a call that repeats one which is not decided yet."""
        if (answer := self._pending.pop(request_key(called), None)) is not None:
            answer.set_result(Answer(None, phrase("heard; it is not decided yet")))

    def decide(self, ready: Sequence[Input]) -> None:
        """Decide inputs; once the events are in the log, notify the listener and answer the requests."""
        for received in ready:
            try:
                events = self.match.handle(received)
            except BadLog:
                raise
            except RulesFailed as error:
                self._note_failure(error)
                events, result = [], Answer(False, str(error))
            except CompanionError as error:
                logger.warning("not understood: %s", error)
                events, result = [], Answer(False, str(error))
            else:
                result = answer_of(events)
            if events:
                self._notify(events)
            if (answer := self._pending.pop(request_key(received), None)) is not None:
                answer.set_result(result)

    def _note_failure(self, error: RulesFailed) -> None:
        """Log the failure of a game's code, once if it repeats with every tick."""
        cause = repr(error.__cause__)
        if cause != self._failure:
            logger.error("%s", error, exc_info=error.__cause__)
        self._failure = cause

    def _notify(self, events: Sequence[Stamped]) -> None:
        """Call the listener; an error there is logged and does not stop the game."""
        try:
            self.listener(events)
        except Exception:
            logger.exception("event %d is kept, but could not be shown", events[-1].number)
            self._troubles.note(FEEDBACK_FAILED)


def request_key(received: Input) -> int:
    """Return the key of a request among those pending; a call keeps its key when it gets a new stamp."""
    return id(received.details) if isinstance(received, Called) else id(received)


def answer_of(events: Sequence[Stamped]) -> Answer:
    """Return the answer to a request, from its events."""
    for one in events:
        match one.event:
            case ev.CallRefused():
                return Answer(False, one.event.reason, one.number)
            case ev.CallAccepted() | ev.HostOrdered() | ev.Ruled() | ev.RulingUndone():
                return Answer(True, warning_text(events), one.number)
            case _:
                continue
    return Answer(True, "", events[-1].number if events else None)


def warning_text(events: Sequence[Stamped]) -> str:
    """Return the warnings among events as one text, empty if there are none."""
    texts = [one.event.text for one in events if isinstance(one.event, ev.Warned)]
    return joined(texts, "; ") if texts else ""
