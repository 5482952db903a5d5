"""A table's pins in memory: presses bounce on the pins that the buttons listen to, lights are read back."""

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
from hardware.lights.lamps import decoded
from hardware.lights.patterns import DARK, Colour
from hardware.simulated.bouncing import train
from hardware.threaded import Threaded

MILLISECOND = 1_000_000
REMEMBERED = 64
"""Changes of a pin that gpiozero's mock remembers; its own list grows without end."""


class SimulatedPin(MockPWMPin):
    """A mock pin whose edges carry a stamp of their own, as the kernel's do."""

    states: Any
    _state: Any
    pushed = False
    """Whether a finger holds it low, which no resistor can help."""

    def clear_states(self) -> None:
        """Forget the changes so far, and keep only the newest from now on."""
        super().clear_states()
        self.states = deque(self.states, REMEMBERED)

    def _set_pull(self, value: str) -> None:
        pushed, self.pushed = self.pushed, False
        super()._set_pull(value)
        if pushed:
            self.stamped(time.monotonic_ns(), high=False)

    def stamped(self, at_ns: int, *, high: bool) -> None:
        """Pull an input high or low; who listens is told when that was, which may be a little while ago."""
        self.pushed = not high
        if self._state == high:
            return
        self._state, self._last_change = high, at_ns / SECOND
        if self.when_changed is not None:
            self._call_when_changed()


class SimulatedSpi(SPI):
    """An SPI that remembers what was sent last."""

    def __init__(self, pin_factory: Any, **pins: Any) -> None:
        super().__init__(pin_factory=pin_factory)
        self.sent, self._closed = b"", False
        self.pin_factory.reserve_pins(self, *pins.values())
        pin_factory.spis.append(self)

    def write(self, data: Sequence[int]) -> int:
        """Take some bytes."""
        self.sent = bytes(data)
        return len(data)

    @property
    def closed(self) -> bool:
        """Whether it lets go of its pins."""
        return self._closed

    def close(self) -> None:
        """Let go of the pins."""
        self._closed = True
        self.pin_factory.release_all(self)
        super().close()

    def _set_rate(self, value: int) -> None:
        """Take as many bits a second as one likes."""


class SimulatedPins(MockFactory):
    """gpiozero's mock pins, whose SPI is quick: in place of every bit on a mock pin it takes bytes."""

    def __init__(self) -> None:
        super().__init__(revision="c04170", pin_class=SimulatedPin)  # a Pi 5
        self.spis: list[SimulatedSpi] = []

    def _get_spi_class(self, *_: bool, **_named: bool) -> type[SimulatedSpi]:
        return SimulatedSpi


class MockTable(Threaded):
    """The wires of a table without a Pi, as a context manager: its fingers press, its eyes see the lights.

    Hand ``pins`` to ``Buttons`` and ``Lights``.  The same seed bounces the same.

    Parameters
    ----------
    controls
        What is wired where.
    seed
        What the bounces and the lengths of presses are drawn from.
    clock
        When things happen.
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
        """Press a button, now or at a time to come, and return when its contact closes first.

        It returns at once; the finger comes and goes by itself, and waits for an earlier press of the same
        button to be over.
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
    def resting(self) -> bool:
        """Whether no finger has anything left to do; held buttons stay held."""
        with self._changed:
            return not self._edges

    def hold(self, seat: int, button: int) -> None:
        """Hold a button down, without a bounce, until it is let go."""
        self._pull(seat, button, high=False)

    def let_go(self, seat: int, button: int) -> None:
        """Let go of a button that is held."""
        self._pull(seat, button, high=True)

    def _pull(self, seat: int, button: int, *, high: bool) -> None:
        """Pull a button's pin high or low now."""
        pin = self.pins.pin(self._controls.button(seat, button).pin)
        pin.stamped(self._clock.now_ns(), high=high)

    def lit(self, seat: int) -> tuple[Colour, ...]:
        """Return the colours that the LEDs before a seat show now, from the pins themselves."""
        light = self._controls.places[seat].light
        if light.kind is LightKind.STRIP:
            return self._on_strip(seat)
        levels = [self._level(pin, light) for pin in light.pins]
        if not levels:
            return ()
        return (Colour(*levels) if len(levels) > 1 else Colour(levels[0], levels[0], levels[0]),)

    def _level(self, pin: int, light: Light) -> float:
        """Return how brightly the LED on a pin is lit, 0 to 1."""
        state = float(self.pins.pin(pin).state)
        return state if light.common is Common.CATHODE else 1 - state

    def _on_strip(self, seat: int) -> tuple[Colour, ...]:
        """Return the colours of a seat's part of the strip, as they would be at full brightness."""
        strip, sent = self._controls.strip, self.pins.spis[-1].sent if self.pins.spis else b""
        on_strip = [n for n, place in self._controls.places.items() if place.light.kind is LightKind.STRIP]
        if strip is None or not sent:
            return (DARK,) * (strip.leds if strip else 0)
        first = on_strip.index(seat) * strip.leds
        whole = 255 * strip.brightness
        bytes_ = decoded(sent, strip.leds * len(on_strip))[first : first + strip.leds]
        return tuple(Colour(*(min(1.0, one / whole) for one in led)) for led in bytes_)

    def _motion(self, begun_ns: int, gesture: Gesture) -> Iterator[tuple[int, bool]]:
        """Yield the edges of a gesture: when, and whether the contact is closed then."""
        held_ms = self._chance.randint(60, 130)
        if gesture is Gesture.LONG:
            held_ms += self._controls.long_ms + 50
        up_ns = begun_ns + held_ms * MILLISECOND
        yield from self._bounced(begun_ns, closed=True)
        yield from self._bounced(up_ns, closed=False)
        if gesture is Gesture.DOUBLE:
            gap_ms = self._chance.randint(2 * self._controls.lock_ms, self._controls.double_ms * 2 // 3)
            yield from self._motion(up_ns + gap_ms * MILLISECOND, Gesture.SHORT)

    def _bounced(self, at_ns: int, *, closed: bool) -> Iterator[tuple[int, bool]]:
        """Yield the edges of one change of a contact."""
        for n, after_ns in enumerate(train(self._chance)):
            yield at_ns + after_ns, closed == (n % 2 == 0)

    def _work(self) -> None:
        """Pull the pins when it is time to."""
        with self._changed:
            while self._open:
                due_ns = self._edges[0][0] if self._edges else None
                if due_ns is None or due_ns > self._clock.now_ns():
                    self._changed.wait(None if due_ns is None else self._clock.wait_s(due_ns))
                    continue
                edge_ns, _, pin, closed = heapq.heappop(self._edges)
                self.pins.pin(pin).stamped(edge_ns, high=not closed)
