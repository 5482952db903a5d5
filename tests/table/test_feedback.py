"""What lights and sounds make of events."""

from __future__ import annotations

import pytest

from companion.events.replay import decoded_events
from companion.model.calls import SECOND
from companion.model.patterns import Pattern
from companion.rules import event as ev
from companion.rules.state import Phase
from companion.table.feedback import Feedback
from tests.rules.playing import Table, started
from tests.table.playing import Lamps, Voice


def shown(*events: ev.Event, seats: int = 2, now_ns: int = 0) -> tuple[Lamps, Voice]:
    """Return lights and voice after events in a game of two."""
    lamps, voice = Lamps(), Voice()
    shows = Feedback(lamps, voice)
    state = Table("bananagrams", seats).state
    shows.settle(state, now_ns)
    lamps.shown.clear()
    shows.show([ev.Stamped(n, now_ns, event) for n, event in enumerate(events, 1)], state, now_ns)
    return lamps, voice


@pytest.mark.parametrize(
    ("event", "lights"),
    [
        (ev.CallAccepted(2, "peel"), [(Pattern.ACCEPTED, 2, 0)]),
        (ev.CallRefused(1, "peel", "no"), [(Pattern.REFUSED, 1, 0)]),
        (ev.CallRefused(None, "start", "no"), []),
        (ev.TilesDrawn((1, 3)), [(Pattern.DRAW, 1, 1), (Pattern.DRAW, 2, 3)]),
        (ev.TilesDrawn((0, -1)), []),
        (ev.TilesTurned((1, 1)), [(Pattern.TURN, 1, 1), (Pattern.TURN, 2, 1)]),
        (ev.TilesTurned((1, 0)), [(Pattern.TURN, 1, 1)]),
        (ev.RoundStarted(1, (21, 21), (21, 21), False), [(Pattern.DRAW, 1, 21), (Pattern.DRAW, 2, 21)]),
        (ev.WinnerNamed(2), [(Pattern.WINNER, 2, 0)]),
        (ev.WinnerNamed(None), []),
        (ev.GameEnded(1), [(Pattern.WINNER, 1, 0)]),
        (ev.TimeWarned(None, 10), [(Pattern.WARNING, 1, 0), (Pattern.WARNING, 2, 0)]),
        (ev.TimeWarned(2, 10), [(Pattern.WARNING, 2, 0)]),
        (ev.Warned(1, "look"), [(Pattern.WARNING, 1, 0)]),
        (ev.Announced("SPLIT!"), []),
    ],
)
def test_each_event_lights_whom_it_concerns(event: ev.Event, lights: list[tuple[Pattern, int, int]]) -> None:
    assert shown(event)[0].shown == lights


@pytest.mark.parametrize(
    ("events", "light", "clips"),
    [
        (
            (ev.CallAccepted(1, "flip"), ev.TilesDrawn((1, 1))),
            Pattern.ACCEPTED,
            ("flip", "left_144", "draw_1"),
        ),
        ((ev.CallAccepted(1, "dump"), ev.TilesDrawn((3, 0))), Pattern.ACCEPTED, ("dump", "left_144")),
        ((ev.CallRefused(1, "peel", "no"),), Pattern.REFUSED, ("refused",)),
        ((ev.TimeWarned(None, 60),), Pattern.WARNING, ("warn_60",)),
        ((ev.TimeUp(None),), Pattern.WARNING, ("time_up",)),
        ((ev.CallAccepted(1, "bananas"), ev.GameEnded(1)), Pattern.WINNER, ("bananas", "winner")),
    ],
)
def test_what_happens_at_once_is_said_in_one_breath(
    events: tuple[ev.Event, ...], light: Pattern, clips: tuple[str, ...]
) -> None:
    assert shown(*events)[1].said == [(light, clips)]


def test_a_flip_lights_every_seat_and_says_how_many_tiles_everyone_has_face_down() -> None:
    """chew.txt: "Flip, X left" makes all turn one over, and X lie face down for everyone after it."""
    table, lamps, voice = started(3, flips=2, policy="off"), Lamps(), Voice()
    table.call(1, 2, "flip")
    rows = decoded_events(table.log.rows("test"))
    Feedback(lamps, voice).show([one for one in rows if one.at_ns == SECOND], table.state, SECOND)
    assert [seat for light, seat, _ in lamps.shown if light is Pattern.TURN] == [1, 2, 3]
    assert voice.said == [(Pattern.ACCEPTED, ("flip", "left_7"))]


def test_a_warning_goes_out_after_a_while_and_the_seat_is_as_it_was() -> None:
    lamps = Lamps()
    shows, state = Feedback(lamps, Voice()), Table("bananagrams", 2).state
    shows.show([ev.Stamped(1, 0, ev.TimeWarned(1, 10))], state, 0)
    shows.settle(state, 5 * SECOND)
    assert lamps.of(1) == [Pattern.WARNING, Pattern.IDLE]


def test_who_is_out_and_a_game_that_is_over_are_dark() -> None:
    table = Table("bananagrams", 2)
    table.host(0, "start")
    table.rule(1, "disqualify", seat=1)
    lamps = Lamps()
    Feedback(lamps, Voice()).settle(table.state, 0)
    assert (lamps.of(1), lamps.of(2)) == ([Pattern.OFF], [Pattern.IDLE])
    table.host(2, "end")
    assert table.state.phase is Phase.OVER
    Feedback(lamps, Voice()).settle(table.state, 0)
    assert lamps.of(2)[-1] is Pattern.OFF
