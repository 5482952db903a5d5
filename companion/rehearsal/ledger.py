"""Counts the calls of one game: each is held, from its press to the table's answer, against the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from threading import Lock
from typing import Any

from companion.bootstrap.simulated.protocols import TableProtocol
from companion.model.calls import MILLISECOND, SECOND, Called, Seen
from companion.rehearsal.truth import Truth
from companion.rules import event as ev
from companion.rules.confirming import UNSEEN
from companion.rules.fields import details
from companion.rules.interface import RuleSystem, Words, WordSource
from companion.rules.play import step
from companion.rules.state import with_seat
from companion.table.waiting import MOST_WAIT_S

NEAR_NS = 2 * SECOND
"""A decision belongs to a press at most so far from its stamp: a phone's call is stamped when it arrives."""

LATER_NS = NEAR_NS + round(MOST_WAIT_S * SECOND)
"""And so far before it: a call that waits for letters to be shown is stamped when they are."""


Answer = ev.CallAccepted | ev.CallRefused

Decision = tuple[Sequence[ev.Stamped], Any, int]
"""What one decision led to, the state before it, and the game's time when it was made."""


class Claim(StrEnum):
    """What a call is: honest or wrong by what lies there, early, or refused whatever lies there.

    Early is a call about a shared board that the caller makes while laying the tiles that make it good.  In
    a game of turns it overtakes nobody, so the table may refuse it for what lies there or take what lies
    there once the hand has gone.
    """

    HONEST = "honest"
    WRONG = "wrong"
    EARLY = "early"
    OVERTAKEN = "overtaken"


def judged(game: RuleSystem[Any], state: Any, called: Called, lies: Truth, words: WordSource) -> Claim:
    """Return what a call is in a state of the game, by what lay on the table when it was made.

    A call that the rules refuse even where people judge is refused for the state of the game, not for the
    tiles: another call came first, or it is not the caller's turn.
    """
    seen = seeing(game, state, called, lies, words)
    if accepted(step(game, seen, called, words)[1], called.seat):
        return Claim.HONEST
    if lies.soon != lies.board:
        soon = seeing(game, state, called, replace(lies, board=lies.soon), words)
        if accepted(step(game, soon, called, words)[1], called.seat):
            return Claim.EARLY
    trusting = replace(seen, options={**seen.options, "policy": "off"})
    return Claim.WRONG if accepted(step(game, trusting, called, words)[1], called.seat) else Claim.OVERTAKEN


def seeing(game: RuleSystem[Any], state: Any, called: Called, lies: Truth, words: WordSource) -> Any:
    """Return a state in which the table has seen all that lies there, and has no doubt."""
    judge = Words(words, state.ruled_words)
    state = replace(state, blind=())
    for number, sighting in enumerate(lies.seats, 1):
        state = with_seat(
            state, number, sighting=sighting, verdict=game.judge(state, number, sighting, judge)
        )
    if lies.board is None:
        return state
    if hasattr(state, "letters"):
        state = replace(state, letters=(None,) * len(state.letters), asked=())
    return step(game, state, Seen(called.at_ns, None, lies.board), words)[0]


def accepted(emitted: Iterable[tuple[int, ev.Event]], seat: int) -> bool:
    """Return whether events accept a seat's call, and do not turn the caller out for it."""
    return allowed([event for _, event in emitted], seat)


def allowed(events: Iterable[ev.Event], seat: int) -> bool:
    """Return whether a decision was in the caller's favour."""
    stands = False
    for event in events:
        match event:
            case ev.CallRefused() | ev.Disqualified() if event.seat == seat:
                return False
            case ev.CallAccepted() if event.seat == seat:
                stands = True
            case _:
                continue
    return stands


@dataclass(frozen=True, slots=True)
class Press:
    """A call on its way: when it was made by the game's clock, and what lay on the table then."""

    at_ns: int
    seat: int
    call: str
    details: Mapping[str, Any]
    lies: Truth


@dataclass(frozen=True, slots=True)
class Fault:
    """A decision that the truth does not bear out, in words; ``number`` is that of the event."""

    number: int
    claim: Claim
    seat: int
    says: str


@dataclass(slots=True)
class Counts:
    """What was counted in one game."""

    honest_calls: int = 0
    honest_refused: int = 0
    wrong_calls: int = 0
    wrong_accepted: int = 0
    early_calls: int = 0
    unseen_at_call: int = 0
    judged_by_people: int = 0
    doubts_asked: int = 0
    verdict_ms: list[float] = field(default_factory=list)


class Ledger:
    """Hears of presses from the players and of decisions from the table; any thread may tell it."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.faults: list[Fault] = []
        self.wronged: Callable[[Fault], None] = lambda _fault: None
        self._pending: list[Press] = []
        self._state: Any = None
        self._table: TableProtocol | None = None
        self._lock = Lock()

    def attach(self, table: TableProtocol) -> None:
        """Take in the table that decides from now on."""
        with self._lock:
            self._table, self._state = table, table.loop.state

    def pressed(self, press: Press) -> None:
        """Take in that a call was made."""
        with self._lock:
            self._pending.append(press)

    def on_events(self, events: Sequence[ev.Stamped], state: Any, now_ns: int) -> None:
        """Take in what one decision of the table led to, the state after it, and the game's time then."""
        with self._lock:
            before, self._state = self._state, state
            if self._table is None or before is None:
                return
            for one in events:
                match one.event:
                    case ev.CallAccepted() | ev.CallRefused(seat=int()):
                        self._decided(one, one.event, (events, before, now_ns))
                    case ev.Warned(text=text) if str(text) == str(UNSEEN):
                        self.counts.unseen_at_call += 1
                    case ev.Ruled(ruling="read_tile"):
                        self.counts.doubts_asked += 1
                    case _:
                        continue

    @property
    def unanswered(self) -> int:
        """How many calls have had no answer."""
        with self._lock:
            return len(self._pending)

    def _decided(self, one: ev.Stamped, answer: Answer, decision: Decision) -> None:
        """Hold a decision against what lay there when the call was made."""
        events, before, now_ns = decision
        if self._table is None:
            return
        match = self._table.loop.match
        parsed = partial(said, match.game)
        press = press_of(answer, one.at_ns, self._pending, parsed)
        if press is None:
            return
        self._pending.remove(press)
        seat, called = press.seat, Called(one.at_ns, press.seat, press.call, parsed(press))
        claim = judged(match.game, before, called, press.lies, match.words)
        stands = allowed([event.event for event in events], seat)
        counts = self.counts
        counts.verdict_ms.append((now_ns - min(press.at_ns, one.at_ns)) / MILLISECOND)
        counts.judged_by_people += stands and seat in before.blind
        counts.honest_calls += claim is Claim.HONEST
        counts.wrong_calls += claim is Claim.WRONG
        counts.early_calls += claim is Claim.EARLY
        if claim is Claim.EARLY or stands == (claim is Claim.HONEST):
            return
        counts.honest_refused += claim is Claim.HONEST
        counts.wrong_accepted += claim is Claim.WRONG
        fault = Fault(one.number, claim, seat, told(before, one.event, press))
        self.faults.append(fault)
        self.wronged(fault)


def said(game: RuleSystem[Any], press: Press) -> Mapping[str, Any]:
    """Return what a press says, as the game reads it."""
    kind = game.calls[press.call]
    return details(press.call, kind.takes, kind.needs, press.details)


def press_of(
    answer: Answer, at_ns: int, pending: Sequence[Press], parsed: Callable[[Press], Mapping[str, Any]]
) -> Press | None:
    """Return the press that a call's answer of that stamp belongs to, if any.

    Of presses that say different things it is the one that the answer quotes, or that came first; of those
    that say the same it is the one nearest to the stamp.
    """
    near = [
        press
        for press in pending
        if (press.seat, press.call) == (answer.seat, answer.call)
        and -NEAR_NS <= at_ns - press.at_ns <= LATER_NS
    ]
    if isinstance(answer, ev.CallAccepted):
        near = [press for press in near if parsed(press).items() <= answer.details.items()]
    first = min(near, key=lambda press: press.at_ns, default=None)
    alike = [press for press in near if first and press.details == first.details]
    return min(alike, key=lambda press: abs(press.at_ns - at_ns), default=None)


def told(before: Any, event: ev.Event, press: Press) -> str:
    """Return what the table decided and what lay there, in a sentence."""
    name = before.seat(press.seat).name
    said = f"refused: {event.reason}" if isinstance(event, ev.CallRefused) else "accepted"
    return f"{name}: {press.call} at {press.at_ns / SECOND:.2f} s {said}; there lay {lying(press)}"


def lying(press: Press) -> str:
    """Return what lay before the caller, or on the board, in words."""
    if press.lies.board is not None:
        return f"{len(press.lies.board.cells)} tiles on the board"
    seen = press.lies.seats[press.seat - 1]
    loose = f", loose {seen.loose}" if seen.loose else ""
    return f"{'/'.join(seen.grid)}{loose}, {seen.face_down} face down"
