"""The buttons of a table: edges stamped by the kernel go through a queue to one thread."""

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
from hardware.buttons.button import ButtonDecoder, ButtonStatus, ButtonTimes, Press
from hardware.buttons.contact import Edge
from hardware.clock import Clock
from hardware.pins import open_pins

log = logging.getLogger(__name__)

LEVEL_CHECK_INTERVAL_NS = 1_000_000_000
"""Time without an edge after which every pin's level is checked, in ns."""

LEVEL_RECHECK_DELAY_NS = 20_000_000
"""Time for which a level must differ from the last edge to count as a lost edge, in ns."""

EDGE_DELAY_NS = 20_000_000
"""Real time in which an edge reaches the buttons' thread, in ns, unless the machine stands still.

The 99th percentile that ``companion bench table`` prints from an edge to its press is 3 to 5 ms.
"""

SECOND = 1_000_000_000

NO_EDGE = Edge(0, -1, closed=False)
"""Stands for no edge, after a timeout."""

STUCK_BUTTON_MESSAGE = "the button of seat %d, number %d (GPIO %d) is stuck: see whether something lies on it"

OnPress = Callable[[Press], None]
OnTouch = Callable[[int], None]


class ButtonPin:
    """The pin of one button; its callback only stamps and enqueues edges."""

    def __init__(self, number: int, pins: Factory, edges: SimpleQueue[Edge | None], clock: Clock) -> None:
        self.number = number
        self.device = InputDevice(number, pull_up=True, pin_factory=pins)
        self._edges, self._clock = edges, clock
        self._opened_ns = clock.now_ns()

    def listen(self) -> None:
        """Have every edge put on the queue."""
        self.device.pin.edges = "both"
        self.device.pin.when_changed = self.changed  # gpiozero holds it weakly: this object keeps it alive

    def changed(self, ticks: float, high: int) -> None:
        """Enqueue an edge with the kernel's time in seconds; a pressed button pulls its pin low.

        An edge may come long after its stamp where the machine stood still.  A stamp of a time when nobody
        listened yet, or of the future, is of another clock.
        """
        now_ns, at_ns = self._clock.now_ns(), round(ticks * SECOND)
        strange = not self._opened_ns - SECOND <= at_ns <= now_ns + SECOND
        self._edges.put(Edge(now_ns if strange else at_ns, self.number, not high, late=strange))

    @property
    def closed(self) -> bool:
        """Whether the contact is closed now."""
        return bool(self.device.is_active)

    def close(self) -> None:
        """Release the pin, whose callback would go on otherwise."""
        self.device.pin.when_changed = None
        self.device.close()


class Buttons:
    """The buttons of a table, as a context manager; ``on_press`` receives every press.

    ``on_press`` is called on the buttons' thread, one press at a time, and should only put it on a queue.
    Edges that the kernel lost are found by checking the pins after a second without edges; their presses are
    marked ``late``.

    Parameters
    ----------
    controls
        The pins, and the gestures that are detected.
    on_press
        Receives every press.
    pins
        The pin factory; by default the Pi's own.
    clock
        The clock of the edges' stamps.
    on_touch
        Receives the seat of a button at its touch, before the gesture is known, so that a light can respond.
        It must return quickly; an error of it is logged.
    on_lost
        Receives a press for which ``on_press`` raised an error.

    Raises
    ------
    NoPins
        On entering, where there are no pins or somebody else has them.
    """

    def __init__(
        self,
        controls: Controls,
        on_press: OnPress,
        pins: Factory | None = None,
        clock: Clock | None = None,
        on_touch: OnTouch | None = None,
        on_lost: OnPress | None = None,
    ) -> None:
        self._on_press, self._pins, self._clock = on_press, pins, clock or Clock()
        self._on_touch = on_touch or (lambda _seat: None)
        self._on_lost = on_lost or (lambda _press: None)
        times = ButtonTimes.of(controls)
        self._decoders = [
            ButtonDecoder(ButtonStatus(seat, number, button.pin), button.gestures, times)
            for seat, place in controls.places.items()
            for number, button in enumerate(place.buttons, 1)
        ]
        self._decoder_of_pin = {decoder.pin: decoder for decoder in self._decoders}
        self._edges: SimpleQueue[Edge | None] = SimpleQueue()
        self._button_pins: list[ButtonPin] = []
        self._mismatched: dict[int, int] = {}
        self._dues: dict[int, int] = {}
        self._undecided: dict[int, int | None] = dict.fromkeys(self._decoder_of_pin)
        self._lock_ns, self._check_ns = times.lock_ns, 0
        self._hold_ns = 0
        self._undo = ExitStack()
        self._thread = threading.Thread(target=self._watch, name="buttons", daemon=True)

    def __enter__(self) -> Self:
        with open_pins(self._pins) as pins, ExitStack() as undo:
            for decoder in self._decoders:
                button_pin = ButtonPin(decoder.pin, pins, self._edges, self._clock)
                undo.callback(button_pin.close)
                self._button_pins.append(button_pin)
                if button_pin.closed:
                    decoder.set_held(self._clock.now_ns())
                    self._schedule(decoder)
                button_pin.listen()
            self._undo = undo.pop_all()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._edges.put(None)
        self._thread.join()
        self._undo.close()

    def states(self) -> tuple[ButtonStatus, ...]:
        """Return the status of each button, in the order of seats and buttons."""
        return tuple(decoder.state for decoder in self._decoders)

    @property
    def dead(self) -> bool:
        """Whether the buttons' thread has ended."""
        return self._thread.ident is not None and not self._thread.is_alive()

    def undecided_ns(self) -> int | None:
        """Return the time of the oldest press whose gesture is not known yet, ``None`` where there is none.

        Until it is known, no later event may be decided by its order.  That takes at most the time of a long
        press and the wait for a second one.
        """
        return min((at_ns for at_ns in self._undecided.values() if at_ns is not None), default=None)

    def _watch(self) -> None:
        """Decode edges until the end."""
        self._check_ns = self._clock.now_ns() + LEVEL_CHECK_INTERVAL_NS
        while True:
            expected_ns = self._due_ns()
            try:
                edge = self._edges.get(timeout=self._clock.wait_s(expected_ns))
            except Empty:
                edge = NO_EDGE
            if edge is None:
                return
            if edge is not NO_EDGE:
                expected_ns = edge.at_ns
                self._handle_edge(edge)
            now_ns = self._clock.now_ns()
            if self._edges.empty() and not self._is_held(expected_ns, now_ns):  # else edges are before now
                self._handle_time(now_ns)

    def _due_ns(self) -> int:
        """Return the time of the next action without an edge."""
        return max(self._hold_ns, min(self._check_ns, min(self._dues.values(), default=self._check_ns)))

    def _is_held(self, expected_ns: int, now_ns: int) -> bool:
        """Return whether edges may still come that were made while the machine stood still.

        An edge or a time that is handled much later than ``expected_ns`` shows that it did.  What time alone
        would decide then waits: a press whose release is still on its way is no long one.
        """
        delay_ns = round(EDGE_DELAY_NS * self._clock.speed)
        if now_ns - expected_ns > delay_ns and expected_ns > self._hold_ns:
            self._hold_ns = now_ns + delay_ns
        return now_ns < self._hold_ns

    def _handle_edge(self, edge: Edge) -> None:
        """Decode an edge, and schedule a check of its pin."""
        decoder = self._decoder_of_pin[edge.pin]
        presses = decoder.on_edge(edge)
        self._report(presses)
        if decoder.touched:
            self._touch(decoder.state.seat)
        self._schedule(decoder)
        self._check_ns = min(self._check_ns, self._clock.now_ns() + 2 * self._lock_ns)

    def _schedule(self, decoder: ButtonDecoder) -> None:
        """Store a button's undecided press and the time of its next action."""
        self._undecided[decoder.pin] = decoder.undecided_ns
        due_ns = decoder.due_ns()
        if due_ns is None:
            self._dues.pop(decoder.pin, None)
        else:
            self._dues[decoder.pin] = due_ns

    def _handle_time(self, now_ns: int) -> None:
        """Handle the passing of time, and check the pins when that is due."""
        for pin in [pin for pin, due_ns in self._dues.items() if due_ns <= now_ns]:
            decoder = self._decoder_of_pin[pin]
            stuck = decoder.stuck
            self._report(decoder.on_time(now_ns))
            self._schedule(decoder)
            if decoder.stuck and not stuck:
                log.warning(STUCK_BUTTON_MESSAGE, decoder.state.seat, decoder.state.button, decoder.pin)
        if now_ns >= self._check_ns and self._edges.empty():
            self._check_ns = now_ns + LEVEL_CHECK_INTERVAL_NS
            self._check_pins(now_ns)

    def _check_pins(self, now_ns: int) -> None:
        """Check every pin; a level that differs from the last edge in two checks is taken as a lost edge."""
        mismatched = {
            button_pin.number: self._decoder_of_pin[button_pin.number].raw_ns
            for button_pin in self._button_pins
            if self._is_mismatched(button_pin)
        }
        for pin, raw_ns in mismatched.items():
            if self._mismatched.get(pin) == raw_ns:
                log.info("GPIO %d: an edge was lost and is made up for", pin)
                self._handle_edge(Edge(now_ns, pin, not self._decoder_of_pin[pin].raw, late=True))
        self._mismatched = mismatched
        if mismatched:
            self._check_ns = now_ns + LEVEL_RECHECK_DELAY_NS

    def _is_mismatched(self, button_pin: ButtonPin) -> bool:
        """Return whether a contact's level differs from its newest edge."""
        return button_pin.closed != self._decoder_of_pin[button_pin.number].raw

    def _touch(self, seat: int) -> None:
        """Tell of a touch; an error of the listener is logged, and its button is still decoded."""
        try:
            self._on_touch(seat)
        except Exception:
            log.exception("the touch of seat %d was not shown", seat)

    def _report(self, presses: list[Press]) -> None:
        """Report presses; an error of the listener loses its press only."""
        for press in presses:
            try:
                self._on_press(press)
            except Exception:
                log.exception("lost: %s", press)
                self._on_lost(press)
