"""A game under way: its state and its log."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from companion.errors import BadLog, CompanionError, OtherWords, RulesFailed
from companion.events.log import EventLog
from companion.events.replay import history, rules_of, set_up_of
from companion.model.calls import Called, Input
from companion.model.phrases import phrase
from companion.rules.confirming import CallPreview
from companion.rules.event import Event, Stamped
from companion.rules.interface import RuleSystem, WordSource
from companion.rules.play import begin, fold, preview, step
from companion.version import VERSION

logger = logging.getLogger(__name__)

Rules = RuleSystem[Any]


@dataclass(slots=True)
class Match:
    """One game: ``handle`` decides each input and writes the events to the log before they are shown.

    ``state`` is the fold of the events numbered 1 to ``number``.
    """

    log: EventLog
    name: str
    game: Rules
    words: WordSource
    state: Any
    number: int

    @classmethod
    def begun(
        cls,
        log: EventLog,
        name: str,
        game: Rules,
        seats: Sequence[str],
        options: Mapping[str, Any],
        words: WordSource,
    ) -> Self:
        """Return a new game, its set-up in the log.

        Raises
        ------
        BadOption, BadSetUp
            As ``play.begin`` does.
        BadLog
            If the log has a game of that name already.
        """
        if log.head(name)[0]:
            raise BadLog(f"log {log.path} has a game {name!r} already; give the new one another name")
        stamped = numbered(0, [(0, event) for event in begin(game, seats, options, words.label, VERSION)])
        log.append(name, stamped)
        return cls(log, name, game, words, fold(game, stamped), len(stamped))

    @classmethod
    def resumed(cls, log: EventLog, name: str, words: WordSource) -> Self:
        """Return a game as its log has it.

        Raises
        ------
        BadLog
            If the log is damaged or has no such game.
        OtherWords
            If the word list is not the one that the game began with.
        """
        events = history(log, name)
        game, begun_with = rules_of(events), set_up_of(events).words
        if words.label != begun_with:
            raise OtherWords(f"game {name} is judged by {begun_with}; it cannot go on with {words.label}")
        return cls(log, name, game, words, fold(game, events), events[-1].number)

    def preview(self, called: Called) -> CallPreview:
        """Return the effect of a call now; if the game's own code fails, a preview that waits for nothing."""
        try:
            return preview(self.game, self.state, called, self.words)
        except Exception:
            logger.exception("the call %s cannot be previewed", called.call)
            return CallPreview(refused=True, depends_on=frozenset())

    def handle(self, received: Input) -> list[Stamped]:
        """Return the events that an input leads to; they are in the log.

        Raises
        ------
        RulesFailed
            If the game's own code fails, such as a plug-in's: then no event is written.
        """
        try:
            state, emitted = step(self.game, self.state, received, self.words)
        except CompanionError:
            raise
        except Exception as error:
            message = phrase(
                "the rules of %(game)s failed at this; the game stands as before", game=self.game.title
            )
            raise RulesFailed(message) from error
        stamped = numbered(self.number, emitted)
        if stamped:
            self.log.append(self.name, stamped)
            self.state, self.number = state, stamped[-1].number
        return stamped


def numbered(last: int, emitted: Sequence[tuple[int, Event]]) -> list[Stamped]:
    """Return stamped events, numbered from ``last + 1`` on."""
    return [Stamped(number, at_ns, event) for number, (at_ns, event) in enumerate(emitted, last + 1)]
