"""The one thread that owns the game's state: what is heard goes into the log, then is shown and answered."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from companion.errors import BadLog, CompanionError, RulesFailed
from companion.events.log_writer import LogWriter
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Input, Ordered, Ruling
from companion.model.phrases import joined, phrase
from companion.model.status import Answer
from companion.rules import event as ev
from companion.rules.event import Stamped
from companion.table.devices import GameClock
from companion.table.remarks import Troubles
from companion.table.waiting import Waiting

logger = logging.getLogger(__name__)

NOT_SHOWN = phrase(
    "the lights or sounds failed to show what happened: go by the pages; if it happens again, restart the "
    "table and send the diagnostics of the host's page"
)

Listener = Callable[[Sequence[Stamped]], None]


class Loop(LogWriter):
    """A log writer that also answers requests, and goes on after one that it cannot understand."""

    def __init__(
        self,
        match: Match,
        clock: GameClock,
        listener: Listener,
        waiting: Waiting,
        troubles: Troubles,
    ) -> None:
        super().__init__(match, clock.now, listener, SECOND // 50, waiting)
        self.waiting, self._troubles = waiting, troubles
        self._asked: dict[int, Future[Answer]] = {}
        self._failure = ""
        waiting.repeated = self._repeated

    @property
    def state(self) -> Any:
        """The game's state as last decided; it never changes, a new one takes its place."""
        return self.match.state

    def ask(self, heard: Called | Ordered | Ruling) -> Future[Answer]:
        """Hand over something heard, and return what will be its answer."""
        answer: Future[Answer] = Future()
        self._asked[key(heard)] = answer
        self.submit(heard)
        return answer

    def _repeated(self, called: Called) -> None:
        """Answer who has called again what is not decided yet."""
        if (answer := self._asked.pop(key(called), None)) is not None:
            answer.set_result(Answer(None, phrase("heard; it is not decided yet")))

    def decide(self, ready: Sequence[Input]) -> None:
        """Let the game hear what is ready; once that is safe, tell the listener and who asked."""
        for heard in ready:
            answer = self._asked.pop(key(heard), None)
            try:
                events = self.match.handle(heard)
            except BadLog as error:
                if answer is not None:
                    answer.set_result(Answer(False, phrase("the log cannot be written: %(why)s", why=error)))
                raise
            except RulesFailed as error:
                self._note_failure(error)
                events, told = [], Answer(False, str(error))
            except CompanionError as error:
                logger.warning("not understood: %s", error)
                events, told = [], Answer(False, str(error))
            else:
                told = answer_in(events)
            if events:
                self._told(events)
            if answer is not None:
                answer.set_result(told)

    def _note_failure(self, error: RulesFailed) -> None:
        """Write down where a game's code failed; a clock that ticks into the same fault does so once."""
        cause = repr(error.__cause__)
        if cause != self._failure:
            logger.error("%s", error, exc_info=error.__cause__)
        self._failure = cause

    def _told(self, events: Sequence[Stamped]) -> None:
        """Tell the listener; what it cannot show costs a light, never the game."""
        try:
            self.listener(events)
        except Exception:
            logger.exception("event %d is kept, but could not be shown", events[-1].number)
            self._troubles.note(NOT_SHOWN)


def key(heard: Input) -> int:
    """Return what tells a question from all others that wait; a call keeps it when it is stamped anew."""
    return id(heard.details) if isinstance(heard, Called) else id(heard)


def answer_in(events: Sequence[Stamped]) -> Answer:
    """Return what came of a question, from the events that it led to."""
    for one in events:
        match one.event:
            case ev.CallRefused():
                return Answer(False, one.event.reason, one.number)
            case ev.CallAccepted() | ev.HostOrdered() | ev.Ruled() | ev.RulingUndone():
                return Answer(True, warned(events), one.number)
            case _:
                continue
    return Answer(True, "", events[-1].number if events else None)


def warned(events: Sequence[Stamped]) -> str:
    """Return what the table holds against something that stands, or nothing."""
    texts = [one.event.text for one in events if isinstance(one.event, ev.Warned)]
    return joined(texts, "; ") if texts else ""
