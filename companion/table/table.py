"""The table: cameras, buttons and requests in, one game, lights and sounds out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
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
from companion.table.call_queue import CALL_SOURCE_KEY, CallQueue
from companion.table.camera_thread import CameraRig, CameraThread
from companion.table.devices import GameClock, Lights, NoLights, NoSound, Now, Press, Sound
from companion.table.evidence import Evidence, pictures_folder
from companion.table.feedback import Feedback
from companion.table.loop import Loop
from companion.table.pictures import AnnotatedPictures, Judge, words_hidden
from companion.table.publisher import SightingPublisher, names_text
from companion.table.remarks import Remarks, Troubles
from companion.table.seating_plan import FirstCameraPlan
from companion.table.views import SHARED_BOARD, View

logger = logging.getLogger(__name__)

TABLE_RESTARTED = phrase(
    "the table was started again in the middle of the game; nothing that was decided is lost"
)
CLOCKS_PAUSED = phrase("the clocks are paused: the host says resume")

NO_CAMERA_NOTE = phrase("no camera looks at the table: people judge")

ALL_SEATS_ADVICE = phrase("Set the table up at /host/table for all players.")

SET_UP_ADVICE = phrase("Set the table up at /host/table, or choose the policy advise.")

MAX_STALL_S = 10.0
"""Longest time without progress of a running part, in seconds: SD cards stall for seconds."""

Listener = Callable[[Sequence[ev.Stamped], State], None]


@dataclass(frozen=True, slots=True)
class Devices:
    """A table's devices: its clock, cameras, lights and sound, and the judge of tableaux in pictures.

    ``temperature`` returns the machine's in degrees Celsius, or ``None``; ``unfit`` returns why the machine
    cannot run a game, or an empty text.  ``troubles`` are shown to the host.
    """

    now: Now
    rig: CameraRig = field(default_factory=CameraRig)
    lights: Lights = field(default_factory=NoLights)
    sound: Sound = field(default_factory=NoSound)
    judge: Judge = lambda _reading: ()
    temperature: Callable[[], float | None] = lambda: None
    unfit: Callable[[], str] = lambda: ""
    troubles: Troubles = field(default_factory=Troubles)


class Table:
    """One game at a table, from ``with`` to the end of its block.

    ``button_touched`` is called when a button is touched, ``pressed`` with the press that it becomes.
    Requests of pages are handled by ``companion.table.request_handler``.  ``stuck`` returns the seats with a
    stuck button, ``deaf`` whether the buttons are no longer listened to.

    Parameters
    ----------
    config
        The table's configuration.
    match
        The game: begun, or resumed from its log.
    devices
        The table's devices.
    listener
        Called with the events of each decision, once they are in the log, and the state after them.
    """

    def __init__(
        self, config: TableConfig, match: Match, devices: Devices, listener: Listener | None = None
    ) -> None:
        self.config, self.devices, self._listener = config, devices, listener
        self.controls = config.controls.calling(match.game.buttons, match.game.calls)
        self.clock = GameClock.going_on(devices.now, last_stamp(match))
        cameras = devices.rig.cameras
        views = {camera.name: camera.view for camera in cameras}
        plan = devices.rig.plan or FirstCameraPlan(views)
        wait_ns = round(config.wait_s * SECOND)
        self.call_queue = CallQueue(lambda: match.state, plan.places, wait_ns, match.preview)
        self.loop = Loop(match, self.clock, self._publish, self.call_queue, devices.troubles)
        self.publisher = SightingPublisher(plan, views, self.clock, self.loop)
        self.cameras = tuple(
            CameraThread(one, self.clock, self.publisher, devices.troubles) for one in cameras
        )
        self.call_queue.request_detection = self._request_detection
        self.call_queue.repeated = self._repeated
        self.remarks = Remarks(lambda text: self.loop.submit(Noted(self.clock.now(), text)))
        self.feedback = Feedback(devices.lights, devices.sound)
        self.evidence = Evidence(pictures_folder(match.log.path), match.name, config.pictures)
        self.drawing = AnnotatedPictures(devices.judge, lambda: words_hidden(self.loop.state))
        self.last_press: Pressed | None = None
        self.stuck: Callable[[], AbstractSet[int]] = frozenset
        self.deaf: Callable[[], bool] = lambda: False
        self.started_ns = devices.now()
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        self._note_start()
        with ExitStack() as undo:
            undo.enter_context(self.evidence)
            undo.enter_context(self.loop)
            for camera in self.cameras:
                undo.enter_context(camera)
            self._undo = undo.pop_all()
        self.feedback.settle(self.loop.state, self.clock.now())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.close()

    def pressed(self, press: Press) -> None:
        """Submit the call of a button press; first the picture of its moment is held, if it can be."""
        calls = self.controls.calls(press.seat, press.button, Gesture(press.gesture))
        at_ns = self.clock.at(press.at_ns)
        call = self._first_possible(calls)
        self.last_press = Pressed(press.seat, press.button, str(press.gesture), call, at_ns)
        if call is None or press.seat > len(self.loop.state.seats):
            logger.info("seat %d pressed button %d, which calls nothing now", press.seat, press.button)
            return
        details = {CALL_SOURCE_KEY: "a button found late"} if press.late else {}
        try:
            self.note(press.seat, at_ns)
        finally:  # whatever becomes of its picture, no call is lost
            self.loop.submit(Called(at_ns, press.seat, call, details))

    def defer_to(self, undecided: Callable[[], int | None]) -> None:
        """Decide nothing stamped after an undecided press, which may still become another gesture."""

        def began() -> int | None:
            at_ns = undecided()
            return None if at_ns is None else self.clock.at(at_ns)

        self.call_queue.undecided = began

    def button_touched(self, seat: int) -> None:
        """Acknowledge a touched button by the seat's light at once."""
        self.feedback.acknowledge(seat)

    def note(self, seat: int, at_ns: int) -> None:
        """Hold the picture of a call until it is decided; one that sees nothing has only old ones."""
        seeing = [one for one in self.cameras if one.health().sees]
        cameras = sorted(seeing, key=lambda one: -self.publisher.coverage(one.camera.name, seat))
        newest = next((one.newest for one in cameras if one.newest is not None), None)
        if newest is not None:
            self.evidence.note(seat, at_ns, newest.shot.frame)

    def readiness(self) -> tuple[CheckLine, ...]:
        """Return the open readiness checks of a game, those that forbid its start first."""
        policy = self.loop.state.options["policy"]
        reason = self.devices.unfit() or camera_fault(policy, self.cameras, self.publisher)
        forbids = (CheckLine("table", "start", False, reason, essential=True),) if reason else ()
        if not self.cameras:
            return forbids
        unwatched = unwatched_note(self.loop.state, self.publisher)
        return (*forbids, *calibration_notes(policy, self.publisher.plan.view, unwatched))

    def unfit(self) -> str:
        """Return why no game can be started now, or an empty text."""
        return next((line.says for line in self.readiness() if line.grave), "")

    @property
    def busy(self) -> bool:
        """Whether a game is being played, so that the table's setup must not change."""
        return self.loop.state.started and self.loop.state.phase is not Phase.OVER

    def watch(self) -> None:
        """Update lights and remarks to the present time; raise the error that stopped the loop, if any."""
        if self.loop.failure is not None:
            raise self.loop.failure
        self.feedback.settle(self.loop.state, self.clock.now())
        self.remarks.update(self.loop.state, self.publisher.layout, self.clock.now())

    def _request_detection(self, at_ns: int) -> None:
        """Request a detection pass over every camera's whole picture, as it is at or after a stamp."""
        for camera in self.cameras:
            camera.request_detection(self.clock.table_at(at_ns))

    def _repeated(self, called: Called) -> None:
        """Answer a call that repeats one which waits, and drop its picture."""
        self.evidence.drop(called.seat, called.at_ns)
        self.loop.answer_repeat(called)

    def _first_possible(self, calls: Sequence[str]) -> str | None:
        """Return the first of some calls that is possible in this phase, else the first that the game has."""
        known = {name: kind for name, kind in self.loop.match.game.calls.items() if name in calls}
        there = [name for name in calls if name in known]
        phase = self.loop.state.phase
        return next((name for name in there if phase in known[name].during), next(iter(there), None))

    def _note_start(self) -> None:
        """Note at the start that the table was restarted during a game, and the seats that no camera sees."""
        match, at_ns = self.loop.match, self.clock.from_ns
        if at_ns and match.state.started:
            paused = match.state.phase is Phase.PLAYING
            if paused:
                match.handle(Ordered(at_ns, Order.PAUSE))
            match.handle(
                Noted(at_ns, joined([TABLE_RESTARTED, CLOCKS_PAUSED], "; ") if paused else TABLE_RESTARTED)
            )
        if not self.cameras:
            match.handle(Noted(at_ns, NO_CAMERA_NOTE, sees=False))
        elif note := unwatched_note(match.state, self.publisher):
            match.handle(Noted(at_ns, note, False, unwatched_seats(match.state, self.publisher)))

    def _publish(self, events: Sequence[ev.Stamped]) -> None:
        """Show events that are in the log, keep the pictures of calls, and notify the listener."""
        state = self.loop.state
        self.feedback.show(events, state, self.clock.now())
        if any(isinstance(one.event, ev.RoundEnded) for one in events):
            self._request_detection(self.clock.now())
        for one in events:
            match one.event:
                case ev.CallAccepted(seat=seat) | ev.CallRefused(seat=int(seat)):
                    self.evidence.decided(seat, one.at_ns, one.number)
                case ev.RoundStarted() | ev.RulingUndone():
                    self.publisher.publish_again()
                case _:
                    continue
        if self._listener is not None:
            self._listener(events, state)


def last_stamp(match: Match) -> int:
    """Return the latest stamp of a game's log; 0 for one that has just begun."""
    return max(row.at_ns for row in match.log.rows(match.name))


def stall_reason(table: Table) -> str | None:
    """Return what has stopped at a table, or ``None``.

    The loop, which also writes the log, the buttons and each camera's frames are checked.  A camera that is
    known to be missing is reported elsewhere and is no reason for a restart.
    """
    if table.loop.failure is not None:
        return f"the game has stopped: {table.loop.failure}"
    if (age := (table.clock.now() - table.loop.round_ns) / SECOND) > MAX_STALL_S:
        return f"nothing was decided or written for {age:.0f} s"
    if table.deaf():
        return "the buttons are no longer listened to"
    for thread in table.cameras:
        name, now_ns = thread.camera.name, table.devices.now()
        if (age := (now_ns - thread.round_ns) / SECOND) > MAX_STALL_S:
            return f"the camera {name} was not looked at for {age:.0f} s"
        age = (now_ns - thread.fresh_ns) / SECOND
        if age > MAX_STALL_S and str(thread.health().state) == "ok":
            return f"the camera {name} seems well, but sent no frame for {age:.0f} s"
    return None


def camera_fault(policy: str, cameras: Sequence[CameraThread], publisher: SightingPublisher) -> str:
    """Return why the cameras do not see what a policy needs, or an empty text."""
    if policy == "off":
        return ""
    if not cameras:
        return phrase(
            '%(says)s; name a camera in the table\'s file, or set policy = "off"', says=NO_CAMERA_NOTE
        )
    healths = {one.camera.name: one.health() for one in cameras}
    well = [name for name, health in healths.items() if health.sees or str(health.state) == "ended"]
    for one in cameras:
        if one.camera.name not in well and publisher.lacks_place(well):
            return phrase(
                "the camera %(name)s %(says)s; companion doctor tells more, "
                "and with the policy off people judge",
                name=one.camera.name,
                says=healths[one.camera.name].says,
            )
    return ""


def unwatched_seats(state: State, publisher: SightingPublisher) -> tuple[int, ...]:
    """Return the seats whose part of the table no camera sees; the shared board belongs to all seats."""
    places = publisher.plan.places
    return () if SHARED_BOARD in places else tuple(n for n in state.numbers if n not in places)


def unwatched_note(state: State, publisher: SightingPublisher) -> str:
    """Return who has no part of the table that a camera sees, so that people judge; or an empty text."""
    names = [state.seat(number).name for number in unwatched_seats(state, publisher)]
    if not names:
        return ""
    return phrase(
        "the cameras see no part of the table that belongs to %(name)s: people judge there",
        name=names_text(names),
    )


def calibration_notes(policy: str, view: View, unwatched: str) -> Iterator[CheckLine]:
    """Yield what calibration lacks for a policy; the table may start without it.

    ``unwatched`` says who has no part of the table that a camera sees, if anybody.
    """
    if unwatched and policy != "off":
        yield CheckLine("table", "parts", False, unwatched, ALL_SEATS_ADVICE)
    if policy != "strict" or (view.counts and view.has_pool):
        return
    if not view.counts:
        says = phrase(
            "nobody has told which part of the table is whose: a tableau is given to the player "
            "whom it faces, and face-down tiles are not counted"
        )
        yield CheckLine("table", "parts", False, says, SET_UP_ADVICE)
        return
    says = phrase("nobody has told where the pool lies: its tiles are not counted")
    yield CheckLine("table", "pool", False, says, SET_UP_ADVICE)
