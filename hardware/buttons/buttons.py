"""All buttons of a table: what the kernel stamps goes through a queue to the one thread that hears it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

from gpiozero import InputDevice
from gpiozero.pins import Factory

from companion.config.controls import Controls
from hardware.buttons.edge import Edge, Press
from hardware.buttons.key import Key, KeyState, Times
from hardware.clock import Clock
from hardware.pins import opened

log = logging.getLogger(__name__)

QUIET_NS = 1_000_000_000
"""After so long without an edge every pin is looked at again."""

AGAIN_NS = 20_000_000
"""How long a pin that is not as its edges left it must stay so: an edge may still be on its way."""

SECOND = 1_000_000_000

LOOK = Edge(0, -1, closed=False)
"""Stands for no edge: it is time to do something without one."""

STUCK = "the button of seat %d, number %d (GPIO %d) is stuck: see whether something lies on it"

Heard = Callable[[Press], None]
Felt = Callable[[int], None]


class Line:
    """The pin of one button.  What the pin calls only stamps and enqueues."""

    def __init__(self, number: int, pins: Factory, edges: SimpleQueue[Edge | None], clock: Clock) -> None:
        self.number = number
        self.device = InputDevice(number, pull_up=True, pin_factory=pins)
        self._edges, self._clock = edges, clock

    def listen(self) -> None:
        """Have every change of the contact put on the queue."""
        self.device.pin.edges = "both"
        self.device.pin.when_changed = self.changed  # held weakly: this object keeps it alive

    def changed(self, ticks: float, high: int) -> None:
        """Enqueue a change, at the kernel's time in seconds; a pressed button pulls its pin low."""
        now_ns, at_ns = self._clock.now_ns(), round(ticks * SECOND)
        strange = abs(now_ns - at_ns) > SECOND
        self._edges.put(Edge(now_ns if strange else at_ns, self.number, not high, late=strange))

    @property
    def closed(self) -> bool:
        """Whether the contact is closed now."""
        return bool(self.device.is_active)

    def close(self) -> None:
        """Let go of the pin, which would go on calling otherwise."""
        self.device.pin.when_changed = None
        self.device.close()


class Buttons:
    """The buttons of a table, as a context manager; ``heard`` gets every press.

    ``heard`` is called on the thread that watches the buttons, one press at a time, and should only put it on
    a queue.  Edges that the kernel lost are found by looking again at pins after a quiet second, and the
    presses made of them are marked ``late``.

    Parameters
    ----------
    controls
        Which pins, and which gestures are listened for.
    heard
        Gets every press.
    pins
        Where the pins are; the Pi's own where nothing is given.
    clock
        What the edges are stamped by.
    felt
        Told at once of a seat whose button is touched, before anybody knows what will come of it: so that its
        light can answer a finger.  It should take no time.
    lost
        Told of a press at which ``heard`` failed.

    Raises
    ------
    NoPins
        On entering, where there are no pins or somebody else has them.
    """

    def __init__(
        self,
        controls: Controls,
        heard: Heard,
        pins: Factory | None = None,
        clock: Clock | None = None,
        felt: Felt | None = None,
        lost: Heard | None = None,
    ) -> None:
        self._heard, self._pins, self._clock = heard, pins, clock or Clock()
        self._felt = felt or (lambda _seat: None)
        self._lost = lost or (lambda _press: None)
        times = Times.of(controls)
        self._all = [
            Key(KeyState(seat, number, button.pin), button.gestures, times)
            for seat, place in controls.places.items()
            for number, button in enumerate(place.buttons, 1)
        ]
        self._keys = {key.pin: key for key in self._all}
        self._edges: SimpleQueue[Edge | None] = SimpleQueue()
        self._lines: list[Line] = []
        self._odd: dict[int, int] = {}
        self._dues: dict[int, int] = {}
        self._undecided: dict[int, int | None] = dict.fromkeys(self._keys)
        self._lock_ns, self._look_ns = times.lock_ns, 0
        self._undo = ExitStack()
        self._thread = threading.Thread(target=self._watch, name="buttons", daemon=True)

    def __enter__(self) -> Self:
        with opened(self._pins) as pins, ExitStack() as undo:
            for key in self._all:
                line = Line(key.pin, pins, self._edges, self._clock)
                undo.callback(line.close)
                self._lines.append(line)
                if line.closed:
                    key.hold(self._clock.now_ns())
                    self._plan(key)
                line.listen()
            self._undo = undo.pop_all()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._edges.put(None)
        self._thread.join()
        self._undo.close()

    def states(self) -> tuple[KeyState, ...]:
        """Return what is known of each button, in the order of seats and buttons."""
        return tuple(key.state for key in self._all)

    def undecided_ns(self) -> int | None:
        """Return when the oldest press began of which it is not known yet what it is, if there is one.

        Until it is known, nothing stamped later may be decided on who was first.  That takes no longer than a
        long press and the wait for a second one.
        """
        return min((at_ns for at_ns in self._undecided.values() if at_ns is not None), default=None)

    def _watch(self) -> None:
        """Make presses of edges until there are no more."""
        self._look_ns = self._clock.now_ns() + QUIET_NS
        while True:
            try:
                edge = self._edges.get(timeout=self._clock.wait_s(self._due_ns()))
            except Empty:
                edge = LOOK
            if edge is None:
                return
            if edge is not LOOK:
                self._feel(edge)
            if self._edges.empty():  # else the time would be told of what earlier edges may still change
                self._wait(self._clock.now_ns())

    def _due_ns(self) -> int:
        """Return when there is something to do even without an edge."""
        return min(self._look_ns, min(self._dues.values(), default=self._look_ns))

    def _feel(self, edge: Edge) -> None:
        """Take an edge, and look soon whether its contact stays as it left it."""
        key = self._keys[edge.pin]
        presses = key.feel(edge)
        self._hand_over(presses)
        if key.touched:
            self._felt(key.state.seat)
        self._plan(key)
        self._look_ns = min(self._look_ns, self._clock.now_ns() + 2 * self._lock_ns)

    def _plan(self, key: Key) -> None:
        """Remember, once all is handed over, what is undecided, and when time alone will tell."""
        self._undecided[key.pin] = key.undecided_ns
        due_ns = key.due_ns()
        if due_ns is None:
            self._dues.pop(key.pin, None)
        else:
            self._dues[key.pin] = due_ns

    def _wait(self, now_ns: int) -> None:
        """Take note of the time, and look at the pins when it is time to."""
        for pin in [pin for pin, due_ns in self._dues.items() if due_ns <= now_ns]:
            key = self._keys[pin]
            stuck = key.stuck
            self._hand_over(key.wait(now_ns))
            self._plan(key)
            if key.stuck and not stuck:
                log.warning(STUCK, key.state.seat, key.state.button, key.pin)
        if now_ns >= self._look_ns and self._edges.empty():
            self._look_ns = now_ns + QUIET_NS
            self._look(now_ns)

    def _look(self, now_ns: int) -> None:
        """Look at every pin; what is twice found as no edge told is taken as an edge that was lost."""
        odd = {line.number: self._keys[line.number].raw_ns for line in self._lines if self._differs(line)}
        for pin, raw_ns in odd.items():
            if self._odd.get(pin) == raw_ns:
                log.info("GPIO %d: an edge was lost and is made up for", pin)
                self._feel(Edge(now_ns, pin, not self._keys[pin].raw, late=True))
        self._odd = odd
        if odd:
            self._look_ns = now_ns + AGAIN_NS

    def _differs(self, line: Line) -> bool:
        """Return whether a contact is not as its newest edge left it."""
        return line.closed != self._keys[line.number].raw

    def _hand_over(self, presses: list[Press]) -> None:
        """Tell of presses; a listener that fails loses its press, not the buttons."""
        for press in presses:
            try:
                self._heard(press)
            except Exception:
                log.exception("lost: %s", press)
                self._lost(press)
