"""GPIO pins in memory: presses bounce on the pins of the buttons, and lights are read back."""

from __future__ import annotations

import heapq
import random
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from gpiozero.pins import SPI, Factory
from gpiozero.pins.mock import MockFactory, MockPWMPin

from companion.config.controls import Common, Controls, Gesture, Light, LightKind
from hardware.clock import SECOND, Clock
from hardware.lights.lamps import decode_led_strip
from hardware.lights.patterns import DARK, Colour
from hardware.worker_thread import WorkerThread

MILLISECOND = 1_000_000

MEAN_BOUNCE_NS, MAX_BOUNCE_NS = 1_560_000, 6_200_000
"""Mean and greatest length of a contact's bouncing, in ns.

Ganssle (A Guide to Debouncing, 2004) pressed 18 kinds of switches 300 times each: 1.56 ms on average, 6.2 ms
at most, without one faulty switch.
"""

GAMMA_SHAPE = 1.2
"""Shape of the gamma distribution of bounce lengths: most are short, few are long."""

MIN_LEVEL_NS = 5_000
"""Shortest time for which a bouncing contact stays open or closed, in ns."""

MAX_PIN_STATES = 64
"""Length of a mock pin's list of changes, which gpiozero does not limit."""


class SimulatedPin(MockPWMPin):
    """A mock pin whose edges carry a time stamp, as the kernel's do."""

    states: Any
    _state: Any
    pushed = False
    """Whether a finger holds it low, whatever its pull resistor."""

    def clear_states(self) -> None:
        """Clear the list of changes, and limit its length."""
        super().clear_states()
        self.states = deque(self.states, MAX_PIN_STATES)

    def _set_pull(self, value: str) -> None:
        pushed, self.pushed = self.pushed, False
        super()._set_pull(value)
        if pushed:
            self.stamped(time.monotonic_ns(), high=False)

    def stamped(self, at_ns: int, *, high: bool) -> None:
        """Pull an input high or low and report the edge with its time, which may be a little in the past."""
        self.pushed = not high
        if self._state == high:
            return
        self._state, self._last_change = high, at_ns / SECOND
        if self.when_changed is not None:
            self._call_when_changed()


class SimulatedSpi(SPI):
    """An SPI bus that keeps the bytes that were sent last."""

    def __init__(self, pin_factory: Any, **pins: Any) -> None:
        super().__init__(pin_factory=pin_factory)
        self.sent, self._closed = b"", False
        self.pin_factory.reserve_pins(self, *pins.values())
        pin_factory.spis.append(self)

    def write(self, data: Sequence[int]) -> int:
        """Keep the bytes that were sent, and return their number."""
        self.sent = bytes(data)
        return len(data)

    @property
    def closed(self) -> bool:
        """Whether its pins were released."""
        return self._closed

    def close(self) -> None:
        """Release the pins."""
        self._closed = True
        self.pin_factory.release_all(self)
        super().close()

    def _set_rate(self, value: int) -> None:
        """Accept any bit rate."""


class SimulatedPins(MockFactory):
    """gpiozero's mock pins, with an SPI bus that takes whole bytes in place of bits on mock pins."""

    def __init__(self) -> None:
        super().__init__(revision="c04170", pin_class=SimulatedPin)  # a Pi 5
        self.spis: list[SimulatedSpi] = []

    def _get_spi_class(self, *_: bool, **_named: bool) -> type[SimulatedSpi]:
        return SimulatedSpi


class SimulatedControls(WorkerThread):
    """A table's buttons and lights without a Pi, as a context manager: it presses buttons and reads lights.

    Pass ``pins`` to ``Buttons`` and ``Lights``.  The same seed gives the same bounces.

    Parameters
    ----------
    controls
        The wiring.
    seed
        Seed of the bounces and of the lengths of presses.
    clock
        The clock of the edges' stamps.
    """

    def __init__(self, controls: Controls, seed: int = 1, clock: Clock | None = None) -> None:
        super().__init__("fingers")
        self.pins: Factory = SimulatedPins()
        self._controls, self._clock = controls, clock or Clock()
        self._chance = random.Random(seed)
        self._edges: list[tuple[int, int, int, bool]] = []
        self._free_ns: dict[int, int] = {}
        self._count = 0

    def press(
        self, seat: int, button: int, gesture: Gesture = Gesture.SHORT, at_ns: int | None = None
    ) -> int:
        """Press a button now or at ``at_ns``, and return when its contact closes first, in ns.

        It returns at once: a thread makes the edges, after those of an earlier press of the same button.
        """
        pin = self._controls.button(seat, button).pin
        with self._changed:
            begun_ns = max(at_ns or 0, self._clock.now_ns(), self._free_ns.get(pin, 0))
            for edge_ns, closed in self._motion(begun_ns, gesture):
                self._count += 1
                heapq.heappush(self._edges, (edge_ns, self._count, pin, closed))
                self._free_ns[pin] = edge_ns + 100 * MILLISECOND
            self._changed.notify()
        return begun_ns

    @property
    def idle(self) -> bool:
        """Whether no edges are queued; held buttons stay held."""
        with self._changed:
            return not self._edges

    def hold(self, seat: int, button: int) -> None:
        """Hold a button down, without bouncing, until it is released."""
        self._pull(seat, button, high=False)

    def release(self, seat: int, button: int) -> None:
        """Release a button that is held."""
        self._pull(seat, button, high=True)

    def _pull(self, seat: int, button: int, *, high: bool) -> None:
        """Pull a button's pin high or low now."""
        pin = self.pins.pin(self._controls.button(seat, button).pin)
        pin.stamped(self._clock.now_ns(), high=high)

    def light_colours(self, seat: int) -> tuple[Colour, ...]:
        """Return the colours that a seat's LEDs show now, read from the pins."""
        light = self._controls.places[seat].light
        if light.kind is LightKind.STRIP:
            return self._on_strip(seat)
        levels = [self._level(pin, light) for pin in light.pins]
        if not levels:
            return ()
        return (Colour(*levels) if len(levels) > 1 else Colour(levels[0], levels[0], levels[0]),)

    def _level(self, pin: int, light: Light) -> float:
        """Return the brightness of the LED on a pin, 0 to 1."""
        state = float(self.pins.pin(pin).state)
        return state if light.common is Common.CATHODE else 1 - state

    def _on_strip(self, seat: int) -> tuple[Colour, ...]:
        """Return the colours of a seat's part of the strip, scaled to full brightness."""
        strip, sent = self._controls.strip, self.pins.spis[-1].sent if self.pins.spis else b""
        on_strip = [n for n, place in self._controls.places.items() if place.light.kind is LightKind.STRIP]
        if strip is None or not sent:
            return (DARK,) * (strip.leds if strip else 0)
        first = on_strip.index(seat) * strip.leds
        whole = 255 * strip.brightness
        bytes_ = decode_led_strip(sent, strip.leds * len(on_strip))[first : first + strip.leds]
        return tuple(Colour(*(min(1.0, one / whole) for one in led)) for led in bytes_)

    def _motion(self, begun_ns: int, gesture: Gesture) -> Iterator[tuple[int, bool]]:
        """Yield the edges of a gesture: the time in ns, and whether the contact is then closed."""
        held_ms = min(self._chance.randint(60, 130), self._controls.long_ms - 1)
        if gesture is Gesture.LONG:
            held_ms += self._controls.long_ms + 50
        up_ns = begun_ns + held_ms * MILLISECOND
        yield from self._bounced(begun_ns, closed=True)
        yield from self._bounced(up_ns, closed=False)
        if gesture is Gesture.DOUBLE:
            least_ms = min(2 * self._controls.lock_ms, self._controls.double_ms - 1)
            gap_ms = self._chance.randint(least_ms, max(least_ms, self._controls.double_ms * 2 // 3))
            yield from self._motion(up_ns + gap_ms * MILLISECOND, Gesture.SHORT)

    def _bounced(self, at_ns: int, *, closed: bool) -> Iterator[tuple[int, bool]]:
        """Yield the edges of one change of a contact."""
        for n, after_ns in enumerate(bounce_edges(self._chance)):
            yield at_ns + after_ns, closed == (n % 2 == 0)

    def _work(self) -> None:
        """Make the queued edges at their times."""
        with self._changed:
            while self._open:
                due_ns = self._edges[0][0] if self._edges else None
                if due_ns is None or due_ns > self._clock.now_ns():
                    self._changed.wait(None if due_ns is None else self._clock.wait_s(due_ns))
                    continue
                edge_ns, _, pin, closed = heapq.heappop(self._edges)
                self.pins.pin(pin).stamped(edge_ns, high=not closed)


def bounce_ns(chance: random.Random) -> int:
    """Return how long one press or release bounces, in ns."""
    return min(MAX_BOUNCE_NS, round(chance.gammavariate(GAMMA_SHAPE, MEAN_BOUNCE_NS / GAMMA_SHAPE)))


def bounce_edges(chance: random.Random, lasts_ns: int | None = None) -> list[int]:
    """Return the times of the edges of one press or release, in ns after the leading edge.

    The first is 0.  Their number is odd, so that the contact has changed after the last.  ``lasts_ns`` is
    drawn where it is not given.
    """
    lasts_ns = bounce_ns(chance) if lasts_ns is None else lasts_ns
    most = min(20, lasts_ns // (2 * MIN_LEVEL_NS))
    pairs = min(most, chance.randint(1, 10)) if lasts_ns else 0
    if pairs == 0:
        return [0]
    inner = sorted(
        chance.sample(range(1, lasts_ns // MIN_LEVEL_NS), min(2 * pairs - 1, lasts_ns // MIN_LEVEL_NS - 1))
    )
    return [0, *(at * MIN_LEVEL_NS for at in inner), lasts_ns]
