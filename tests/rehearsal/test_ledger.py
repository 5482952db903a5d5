"""What is counted of a game's calls."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from companion.model.calls import SECOND
from companion.model.seats import Seat
from companion.model.sightings import Sighting
from companion.rehearsal.ground_truth import GroundTruth
from companion.rehearsal.ledger import Claim, Ledger, PendingCall, matching_call
from companion.rules import event as ev
from companion.rules.bananagrams import GAME, BananagramsState
from companion.rules.confirming import UNSEEN_WARNING
from companion.rules.options import option_values
from companion.rules.state import Phase

CAT, LOOSE = Sighting(("CAT",)), Sighting(("CA",), "T")
STATE = BananagramsState(
    "bananagrams",
    (Seat("Ada", 3), Seat("Ben", 3)),
    option_values(GAME.options, {}),
    pool=10,
    phase=Phase.PLAYING,
    started=True,
)
ACCEPTED, REFUSED = ev.CallAccepted(1, "peel"), ev.CallRefused(1, "peel", "1 tile is not placed yet: T")


class Anything:
    """Takes every word for good."""

    label = "anything"

    def accepts(self, _word: str) -> bool:
        return True

    def covers(self, _letters: int) -> bool:
        return True

    def is_rare(self, _word: str) -> bool:
        return False


@pytest.fixture
def ledger() -> Ledger:
    """A ledger at a table whose game takes every word."""
    table: Any = SimpleNamespace(
        loop=SimpleNamespace(state=STATE, match=SimpleNamespace(game=GAME, words=Anything())),
    )
    one = Ledger()
    one.attach(table)
    return one


def counted(ledger: Ledger, before: Sighting, event: ev.Event) -> tuple[int, int, int, int]:
    """Return the counts after one call with some tiles and the table's decision on it."""
    ledger.record_call(PendingCall(SECOND, 1, "peel", {}, GroundTruth((before, CAT))))
    ledger.on_events([ev.Stamped(7, SECOND, event)], STATE, 3 * SECOND // 2)
    counts = ledger.counts
    return counts.honest_calls, counts.honest_refused, counts.wrong_calls, counts.wrong_accepted


@pytest.mark.parametrize(
    ("before", "event", "counts"),
    [
        (CAT, ACCEPTED, (1, 0, 0, 0)),
        (CAT, REFUSED, (1, 1, 0, 0)),
        (LOOSE, ACCEPTED, (0, 0, 1, 1)),
        (LOOSE, REFUSED, (0, 0, 1, 0)),
    ],
)
def test_a_decision_is_counted_by_what_lay_there_when_the_button_was_touched(
    ledger: Ledger, before: Sighting, event: ev.Event, counts: tuple[int, int, int, int]
) -> None:
    assert counted(ledger, before, event) == counts


def test_a_fault_says_who_called_what_and_what_lay_there(ledger: Ledger) -> None:
    counted(ledger, CAT, REFUSED)
    assert [fault.message for fault in ledger.faults] == [
        "Ada: peel at 1.00 s refused: 1 tile is not placed yet: T; there lay CAT, None face down"
    ]


def test_a_verdict_takes_from_the_press_to_the_decision(ledger: Ledger) -> None:
    counted(ledger, CAT, ACCEPTED)
    assert ledger.counts.verdict_ms == [500.0]


def test_a_call_that_stands_though_its_tiles_were_not_seen_in_time_is_counted(ledger: Ledger) -> None:
    ledger.record_call(PendingCall(SECOND, 1, "peel", {}, GroundTruth((CAT, CAT))))
    warned = ev.Warned(1, UNSEEN_WARNING)
    ledger.on_events([ev.Stamped(7, SECOND, ACCEPTED), ev.Stamped(8, SECOND, warned)], STATE, SECOND)
    assert ledger.counts.unseen_at_call == 1


def test_a_tile_that_somebody_looked_at_is_a_doubt_asked(ledger: Ledger) -> None:
    ruled = ev.Ruled("read_tile", "somebody looked", 1, {"cell": (0, 0), "symbol": "C"})
    ledger.on_events([ev.Stamped(7, SECOND, ruled)], STATE, SECOND)
    assert ledger.counts.doubts_asked == 1


def test_a_call_that_came_early_is_counted_and_held_against_nobody(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.rehearsal.ledger.classify_call", lambda *_: Claim.EARLY)
    assert counted(ledger, LOOSE, ACCEPTED) == (0, 0, 0, 0)
    assert counted(ledger, LOOSE, REFUSED) == (0, 0, 0, 0)
    assert ledger.counts.early_calls == 2
    assert not ledger.faults


def test_a_call_that_waited_for_letters_is_held_against_its_press_and_timed_from_it(ledger: Ledger) -> None:
    ledger.record_call(PendingCall(SECOND, 1, "peel", {}, GroundTruth((CAT, CAT))))
    ledger.on_events([ev.Stamped(7, 5 * SECOND, ACCEPTED)], STATE, 6 * SECOND)
    assert (ledger.counts.honest_calls, ledger.counts.verdict_ms) == (1, [5000.0])


@pytest.mark.parametrize(
    ("answer", "at_s"),
    [
        (ev.CallRefused(1, "word", "UNFUR is not under your pieces"), 1.0),
        (ev.CallAccepted(1, "word", {"word": "obeah", "by": "phone"}), 2.5),
        (ev.CallRefused(2, "word", "it is Ada's turn"), None),
        (ev.CallRefused(1, "roll", "you have rolled already"), None),
    ],
)
def test_an_answer_belongs_to_the_call_that_it_quotes_or_to_the_first(
    answer: ev.CallAccepted | ev.CallRefused, at_s: float | None
) -> None:
    truth = GroundTruth((CAT, CAT))
    pending = [
        PendingCall(round(press_s * SECOND), 1, "word", {"word": word}, truth)
        for press_s, word in ((1.0, "unfur"), (2.5, "obeah"))
    ]
    found = matching_call(answer, round(2.2 * SECOND), pending, lambda press: press.details)
    assert (found and found.at_ns) == (at_s and round(at_s * SECOND))
