"""The table: cameras, buttons and pages in, one game, lights and sounds out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from companion.config.controls import Gesture
from companion.config.table import TableConfig
from companion.events.match import Match
from companion.model.calls import SECOND, Called, Noted, Order, Ordered
from companion.model.phrases import joined, phrase
from companion.model.status import CheckLine, Pressed
from companion.rules import event as ev
from companion.rules.state import Phase, State
from companion.table.clock import GameClock
from companion.table.devices import Lights, NoLights, NoSound, Now, Press, Sound
from companion.table.drawing import Drawing, Judge, hushed
from companion.table.evidence import Evidence, beside
from companion.table.eyes import Eye, watched
from companion.table.loop import Loop
from companion.table.overview import Overview
from companion.table.readiness import NOBODY_SEES, blinded, unmeasured
from companion.table.remarks import Remarks
from companion.table.shows import Shows
from companion.table.sights import Sights
from companion.table.waiting import BY, Waiting

logger = logging.getLogger(__name__)

AGAIN = phrase("the table was started again in the middle of the game; nothing that was decided is lost")
PAUSED = phrase("the clocks are paused: the host says resume")

Listener = Callable[[Sequence[ev.Stamped], State], None]


@dataclass(frozen=True, slots=True)
class Devices:
    """What a table has: a clock that stamps, eyes, lights, sound, and who judges what is drawn.

    ``temperature`` returns that of the machine in degrees Celsius, where it tells; ``unfit`` why the machine
    cannot carry a game, or nothing.
    """

    now: Now
    eyes: tuple[Eye, ...] = ()
    lights: Lights = field(default_factory=NoLights)
    sound: Sound = field(default_factory=NoSound)
    judge: Judge = lambda _reading: ()
    temperature: Callable[[], float | None] = lambda: None
    unfit: Callable[[], str] = lambda: ""


class Table:
    """One game at a table, from ``with`` to the end of its block.

    ``felt`` hears that a button is touched, ``pressed`` what press came of it; pages are answered by
    ``companion.table.desk``.  ``stuck`` returns the seats with a button that is stuck.

    Parameters
    ----------
    config
        The table.
    match
        The game: begun, or resumed from its log.
    devices
        What the table has.
    listener
        Told of everything that is safe in the log, with the state after it.
    """

    def __init__(
        self, config: TableConfig, match: Match, devices: Devices, listener: Listener | None = None
    ) -> None:
        self.config, self.devices, self._listener = config, devices, listener
        self.controls = config.controls.calling(match.game.buttons)
        self.clock = GameClock.going_on(devices.now, last_stamp(match))
        places = [place for eye in devices.eyes for place in (eye.outlook or eye.view).places]
        self.waiting = Waiting(lambda: match.state, places, round(config.wait_s * SECOND), match.foresees)
        self.loop = Loop(match, self.clock, self._told, self.waiting)
        self.sights = Sights(self.loop, self.clock)
        self.eyes = watched(devices.eyes, self.clock, self.sights)
        self.waiting.look_again = self._look_again
        self.remarks = Remarks(lambda text: self.loop.tell(Noted(self.clock.now(), text)))
        self.shows = Shows(devices.lights, devices.sound)
        self.evidence = Evidence(beside(match.log.path), match.name, config.pictures)
        self.drawing = Drawing(devices.judge, lambda: hushed(self.loop.state))
        self.last_press: Pressed | None = None
        self.stuck: Callable[[], AbstractSet[int]] = frozenset
        self.started_ns = devices.now()
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        self._go_on()
        with ExitStack() as undo:
            undo.enter_context(self.evidence)
            undo.enter_context(self.loop)
            for watching in self.eyes:
                undo.enter_context(watching)
            self._undo = undo.pop_all()
        self.shows.settle(self.loop.state, self.clock.now())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.close()

    def pressed(self, press: Press) -> None:
        """Hear a press: it is on its way before anything else is done."""
        calls = self.controls.calls(press.seat, press.button, Gesture(press.gesture))
        at_ns = self.clock.at(press.at_ns)
        call = self._meant(calls)
        self.last_press = Pressed(press.seat, press.button, str(press.gesture), call, at_ns)
        if call is None or press.seat > len(self.loop.state.seats):
            logger.info("seat %d pressed button %d, which calls nothing now", press.seat, press.button)
            return
        details = {BY: "a button found late"} if press.late else {}
        self.loop.tell(Called(at_ns, press.seat, call, details))
        self.note(press.seat, at_ns)

    def wait_for(self, undecided: Callable[[], int | None]) -> None:
        """Decide nothing stamped after a press that may still become another gesture; told when."""

        def began() -> int | None:
            at_ns = undecided()
            return None if at_ns is None else self.clock.at(at_ns)

        self.waiting.undecided = began

    def felt(self, seat: int) -> None:
        """Let a seat's light answer a finger at once, whatever will come of it."""
        self.shows.heard(seat)

    def note(self, seat: int, at_ns: int) -> None:
        """Hold what the cameras show of a call until it is decided."""
        eyes = sorted(self.eyes, key=lambda one: -one.overview.worth(one.eye.name, seat))
        look = next((one.look for one in eyes if one.look is not None), None)
        if look is not None:
            self.evidence.note(seat, at_ns, look.shot.frame)

    @property
    def overviews(self) -> tuple[Overview, ...]:
        """What the eyes see together, each once."""
        return tuple({id(one.overview): one.overview for one in self.eyes}.values())

    def readiness(self) -> tuple[CheckLine, ...]:
        """Return what is open before a game may start, what forbids it first; nothing where all is ready."""
        policy = self.loop.state.options["policy"]
        reason = self.devices.unfit() or blinded(policy, self.eyes)
        forbids = (CheckLine("table", "start", False, reason, essential=True),) if reason else ()
        return (*forbids, *unmeasured(policy, self.eyes))

    def unfit(self) -> str:
        """Return why no game may be started now, or nothing: without its essentials none is."""
        return next((line.says for line in self.readiness() if line.grave), "")

    @property
    def busy(self) -> bool:
        """Whether a game is being played, so that nobody may change the table under it."""
        return self.loop.state.started and self.loop.state.phase is not Phase.OVER

    def watch(self) -> None:
        """Let what is shown grow old, and remark what is amiss; raise what stopped the loop, if anything."""
        if self.loop.failure is not None:
            raise self.loop.failure
        self.shows.settle(self.loop.state, self.clock.now())
        self.remarks.look(self.loop.state, self.sights.layout, self.clock.now())

    def _look_again(self) -> None:
        """Have every camera's whole picture looked at again."""
        for watching in self.eyes:
            watching.look_again()

    def _meant(self, calls: Sequence[str]) -> str | None:
        """Return the first of some calls that means anything now, else the first that the game has."""
        known = {name: kind for name, kind in self.loop.match.game.calls.items() if name in calls}
        there = [name for name in calls if name in known]
        phase = self.loop.state.phase
        return next((name for name in there if phase in known[name].during), next(iter(there), None))

    def _go_on(self) -> None:
        """Say what there is to be said at the start: that nobody sees, that power came back."""
        match, at_ns = self.loop.match, self.clock.from_ns
        if at_ns and match.state.started:
            paused = match.state.phase is Phase.PLAYING
            if paused:
                match.hear(Ordered(at_ns, Order.PAUSE))
            match.hear(Noted(at_ns, joined([AGAIN, PAUSED], "; ") if paused else AGAIN))
        if not self.devices.eyes:
            match.hear(Noted(at_ns, NOBODY_SEES, sees=False))

    def _told(self, events: Sequence[ev.Stamped]) -> None:
        """Show what is safe in the log, keep the pictures of calls, and tell whoever listens."""
        state = self.loop.state
        self.shows.tell(events, state, self.clock.now())
        if any(isinstance(one.event, ev.RoundEnded) for one in events):
            self._look_again()
        for one in events:
            match one.event:
                case ev.CallAccepted(seat=seat) | ev.CallRefused(seat=int(seat)):
                    self.evidence.decided(seat, one.at_ns, one.number)
                case ev.RoundStarted() | ev.RulingUndone():
                    for overview in self.overviews:
                        overview.tell_again()
                case _:
                    continue
        if self._listener is not None:
            self._listener(events, state)


def last_stamp(match: Match) -> int:
    """Return the latest stamp of a game's log; 0 for one that has just begun."""
    return max(row.at_ns for row in match.log.rows(match.name))
