"""Counts the calls of one game: compares the table's answer to each call with the ground truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from threading import Lock
from typing import Any

from companion.bootstrap.simulated.protocols import TableProtocol
from companion.model.calls import MILLISECOND, SECOND, Called, Seen
from companion.rehearsal.ground_truth import GroundTruth
from companion.rules import event as ev
from companion.rules.confirming import is_unseen
from companion.rules.fields import details
from companion.rules.interface import RuleSystem, Words, WordSource
from companion.rules.play import step
from companion.rules.state import with_seat
from companion.table.call_queue import MAX_CALL_WAIT_S

MAX_ANSWER_LEAD_NS = 2 * SECOND
"""Greatest time between a call and its answer's stamp, in ns: a phone's call is stamped on arrival."""

MAX_ANSWER_LAG_NS = MAX_ANSWER_LEAD_NS + round(MAX_CALL_WAIT_S * SECOND)
"""The same for a call that waits for visible letters and is stamped then, in ns."""


Answer = ev.CallAccepted | ev.CallRefused

Decision = tuple[Sequence[ev.Stamped], Any, int]
"""The events of one decision, the state before it, and the game's time of it, in ns."""


class Claim(StrEnum):
    """The class of a call by the ground truth.

    ``HONEST``: the tiles allow it.  ``WRONG``: the tiles do not allow it.  ``OVERTAKEN``: the state of the
    game does not allow it, whatever the tiles.  ``EARLY``: the shared board allows it only after the caller's
    hand has laid the tiles that it moves; the table may then refuse it or accept it.
    """

    HONEST = "honest"
    WRONG = "wrong"
    EARLY = "early"
    OVERTAKEN = "overtaken"


def classify_call(
    game: RuleSystem[Any], state: Any, called: Called, truth: GroundTruth, words: WordSource
) -> Claim:
    """Return the class of a call in a state of the game, by the ground truth at the time of the call.

    A call that the rules refuse even with policy ``off`` is refused for the state of the game and not for the
    tiles: another call came first, or it is not the caller's turn.
    """
    seen = with_ground_truth(game, state, called, truth, words)
    if accepted(step(game, seen, called, words)[1], called.seat):
        return Claim.HONEST
    if truth.pending_board != truth.board:
        soon = with_ground_truth(game, state, called, replace(truth, board=truth.pending_board), words)
        if accepted(step(game, soon, called, words)[1], called.seat):
            return Claim.EARLY
    trusting = replace(seen, options={**seen.options, "policy": "off"})
    return Claim.WRONG if accepted(step(game, trusting, called, words)[1], called.seat) else Claim.OVERTAKEN


def with_ground_truth(
    game: RuleSystem[Any], state: Any, called: Called, truth: GroundTruth, words: WordSource
) -> Any:
    """Return the state after the table has seen the ground truth, without doubts."""
    judge = Words(words, state.ruled_words)
    state = replace(state, blind=())
    for number, sighting in enumerate(truth.seats, 1):
        state = with_seat(
            state, number, sighting=sighting, verdict=game.judge(state, number, sighting, judge)
        )
    if truth.board is None:
        return state
    if hasattr(state, "letters"):
        state = replace(state, letters=(None,) * len(state.letters), disputed=())
    return step(game, state, Seen(called.at_ns, None, truth.board), words)[0]


def accepted(events: Iterable[tuple[int, ev.Event]], seat: int) -> bool:
    """Return whether events accept a seat's call and do not disqualify the seat."""
    return allowed([event for _, event in events], seat)


def allowed(events: Iterable[ev.Event], seat: int) -> bool:
    """Return whether events accept a seat's call and do not disqualify the seat."""
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
class PendingCall:
    """A call without an answer yet, with its time on the game's clock and the ground truth of that time."""

    at_ns: int
    seat: int
    call: str
    details: Mapping[str, Any]
    truth: GroundTruth


@dataclass(frozen=True, slots=True)
class Fault:
    """A decision that contradicts the ground truth; ``number`` is the number of its event."""

    number: int
    claim: Claim
    seat: int
    message: str


@dataclass(slots=True)
class Counts:
    """The counts of one game."""

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
    """Records the bots' calls and the table's decisions; safe to use from any thread."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.faults: list[Fault] = []
        self._pending: list[PendingCall] = []
        self._state: Any = None
        self._table: TableProtocol | None = None
        self._lock = Lock()

    def attach(self, table: TableProtocol) -> None:
        """Attach the table that decides from now on."""
        with self._lock:
            self._table, self._state = table, table.loop.state

    def record_call(self, made: PendingCall) -> None:
        """Record a call."""
        with self._lock:
            self._pending.append(made)

    def on_events(self, events: Sequence[ev.Stamped], state: Any, now_ns: int) -> None:
        """Record the events of one decision, the state after it, and the game's time, in ns."""
        with self._lock:
            before, self._state = self._state, state
            if self._table is None or before is None:
                return
            for one in events:
                match one.event:
                    case ev.CallAccepted() | ev.CallRefused(seat=int()):
                        self._count(one, one.event, (events, before, now_ns))
                    case ev.Warned() if is_unseen([one.event]):
                        self.counts.unseen_at_call += 1
                    case ev.Ruled(ruling="read_tile"):
                        self.counts.doubts_asked += 1
                    case _:
                        continue

    def _count(self, one: ev.Stamped, answer: Answer, decision: Decision) -> None:
        """Compare a decision with the ground truth at the time of its call."""
        events, before, now_ns = decision
        if self._table is None:
            return
        match = self._table.loop.match
        parsed = partial(parsed_details, match.game)
        made = matching_call(answer, one.at_ns, self._pending, parsed)
        if made is None:
            return
        self._pending.remove(made)
        seat, called = made.seat, Called(one.at_ns, made.seat, made.call, parsed(made))
        claim = classify_call(match.game, before, called, made.truth, match.words)
        stands = allowed([event.event for event in events], seat)
        counts = self.counts
        counts.verdict_ms.append((now_ns - min(made.at_ns, one.at_ns)) / MILLISECOND)
        counts.judged_by_people += stands and seat in before.blind
        counts.honest_calls += claim is Claim.HONEST
        counts.wrong_calls += claim is Claim.WRONG
        counts.early_calls += claim is Claim.EARLY
        if claim is Claim.EARLY or stands == (claim is Claim.HONEST):
            return
        counts.honest_refused += claim is Claim.HONEST
        counts.wrong_accepted += claim is Claim.WRONG
        self.faults.append(Fault(one.number, claim, seat, fault_text(before, one.event, made)))


def parsed_details(game: RuleSystem[Any], made: PendingCall) -> Mapping[str, Any]:
    """Return the details of a call, as the game parses them."""
    kind = game.calls[made.call]
    return details(made.call, kind.takes, kind.needs, made.details)


def matching_call(
    answer: Answer,
    at_ns: int,
    pending: Sequence[PendingCall],
    parsed: Callable[[PendingCall], Mapping[str, Any]],
) -> PendingCall | None:
    """Return the pending call that an answer with a stamp belongs to, if any.

    Among calls with different details it is the one that the answer quotes, else the first; among calls with
    equal details it is the one nearest to the stamp.
    """
    near = [
        made
        for made in pending
        if (made.seat, made.call) == (answer.seat, answer.call)
        and -MAX_ANSWER_LEAD_NS <= at_ns - made.at_ns <= MAX_ANSWER_LAG_NS
    ]
    if isinstance(answer, ev.CallAccepted):
        near = [made for made in near if parsed(made).items() <= answer.details.items()]
    first = min(near, key=lambda made: made.at_ns, default=None)
    alike = [made for made in near if first and made.details == first.details]
    return min(alike, key=lambda made: abs(made.at_ns - at_ns), default=None)


def fault_text(before: Any, event: ev.Event, made: PendingCall) -> str:
    """Return the decision and the ground truth, in a sentence."""
    name = before.seat(made.seat).name
    said = f"refused: {event.reason}" if isinstance(event, ev.CallRefused) else "accepted"
    return f"{name}: {made.call} at {made.at_ns / SECOND:.2f} s {said}; there lay {truth_text(made)}"


def truth_text(made: PendingCall) -> str:
    """Return the ground truth of the caller's tiles, or of the board, in words."""
    if made.truth.board is not None:
        return f"{len(made.truth.board.cells)} tiles on the board"
    seen = made.truth.seats[made.seat - 1]
    loose = f", loose {seen.loose}" if seen.loose else ""
    return f"{'/'.join(seen.grid)}{loose}, {seen.face_down} face down"
