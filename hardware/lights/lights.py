"""The lights of all seats; a thread keeps their rhythms."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from gpiozero.pins import Factory

from companion.config.controls import Controls, LightKind
from companion.model.patterns import Pattern
from companion.model.phrases import phrase
from hardware.clock import Clock
from hardware.lights.lamps import Lamp, PinLamp, StripLamps
from hardware.lights.patterns import pixels, rhythm
from hardware.pins import open_pins
from hardware.worker_thread import WorkerThread

log = logging.getLogger(__name__)

RETRY_NS = 1_000_000_000
"""Time after which a lamp that failed is updated again, in ns."""


@dataclass(frozen=True, slots=True)
class ShownPattern:
    """A pattern that is shown since a time, in ns; ``number`` is how many tiles to draw."""

    pattern: Pattern = Pattern.OFF
    since_ns: int = 0
    number: int = 0

    def over(self, now_ns: int) -> bool:
        """Return whether the pattern has ended by itself."""
        lasts_ns = rhythm(self.pattern, self.number).lasts_ns
        return lasts_ns is not None and now_ns - self.since_ns >= lasts_ns

    def next_ns(self, now_ns: int) -> int:
        """Return the time of its next change of colour, in ns."""
        return self.since_ns + rhythm(self.pattern, self.number).at(now_ns - self.since_ns)[1]


@dataclass(slots=True)
class SeatLight:
    """What one seat's light shows, in layers.

    ``flash`` (a press was heard) covers ``transient``, which ends by itself, and that covers ``base``.
    """

    lamp: Lamp
    base: ShownPattern = field(default_factory=ShownPattern)
    transient: ShownPattern | None = None
    flash: ShownPattern | None = None

    def now(self, now_ns: int) -> ShownPattern:
        """Return the top layer that has not ended."""
        shown = (one for one in (self.flash, self.transient) if one is not None and not one.over(now_ns))
        return next(shown, self.base)

    def put(self, shown: ShownPattern) -> None:
        """Set the pattern of its layer; a transient one clears ``flash``, and ``OFF`` clears both."""
        if shown.pattern is Pattern.HEARD:
            self.flash = shown
        elif rhythm(shown.pattern, shown.number).lasts_ns is not None:
            self.transient, self.flash = shown, None
        else:
            self.base = shown
        if shown.pattern is Pattern.OFF:
            self.transient = self.flash = None

    def draw(self, now_ns: int) -> int:
        """Update the lamp, and return the time of the next change, in ns."""
        shown = self.now(now_ns)
        self.lamp.show(pixels(shown.pattern, now_ns - shown.since_ns, self.lamp.leds, shown.number))
        return shown.next_ns(now_ns)


class Lights(WorkerThread):
    """The lights of a table, as a context manager.

    ``show`` updates the lamps before it returns; a thread keeps the rhythms.  Patterns that end by themselves
    (accepted, refused, draw, winner) cover the others until they end; the flash of a press covers all.

    Parameters
    ----------
    controls
        The pins and the strip.
    pins
        The pin factory; by default the Pi's own.
    clock
        The clock of the rhythms.
    on_fault
        Receives the fault of lamps that fail, in words.

    Raises
    ------
    NoPins
        On entering, where there are no pins or somebody else has them.
    """

    def __init__(
        self,
        controls: Controls,
        pins: Factory | None = None,
        clock: Clock | None = None,
        on_fault: Callable[[str], None] = lambda _text: None,
    ) -> None:
        super().__init__("lights")
        self._on_fault = on_fault
        self._controls, self._pins, self._clock = controls, pins, clock or Clock()
        self._seat_lights: dict[int, SeatLight] = {}
        self._undo = ExitStack()
        self._broken = False
        self._due_ns: int | None = None

    def __enter__(self) -> Self:
        with open_pins(self._pins) as pins, ExitStack() as undo:
            for seat, lamp in self._lamps(pins, undo).items():
                self._seat_lights[seat] = SeatLight(lamp)
            self._undo = undo.pop_all()
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        try:
            self._undo.close()
        except Exception as failure:  # noqa: BLE001  of lgpio it is a plain one
            log.warning("the lights are not turned off: %s", failure)

    def show(self, pattern: Pattern, seat: int | None = None, number: int = 0) -> None:
        """Show a pattern before one seat or, without one, before all; ``number`` is how many tiles to draw.

        Seats without a light are ignored.
        """
        with self._changed:
            shown = ShownPattern(pattern, self._clock.now_ns(), number)
            for at, seat_light in self._seat_lights.items():
                if seat in {None, at}:
                    seat_light.put(shown)
            self._draw(shown.since_ns)
            self._changed.notify()

    def showing(self) -> Mapping[int, ShownPattern]:
        """Return what each seat's light shows now, by seat."""
        with self._changed:
            now_ns = self._clock.now_ns()
            return {seat: self._seat_lights[seat].now(now_ns) for seat in sorted(self._seat_lights)}

    def _lamps(self, pins: Factory, undo: ExitStack) -> Mapping[int, Lamp]:
        """Open the lamp of each seat that has one, and register its closing."""
        lamps: dict[int, Lamp] = {}
        lights = {seat: place.light for seat, place in self._controls.places.items()}
        on_strip = [seat for seat, light in lights.items() if light.kind is LightKind.STRIP]
        if on_strip and self._controls.strip:
            strip = StripLamps(self._controls.strip, len(on_strip), pins)
            undo.callback(strip.close)
            lamps |= {seat: strip.part(n) for n, seat in enumerate(on_strip)}
        for seat, light in lights.items():
            if light.pins:
                lamps[seat] = lamp = PinLamp(light, pins)
                undo.callback(lamp.close)
        return lamps

    def _draw(self, now_ns: int) -> None:
        """Update every lamp, and store the time of the next change.

        A lamp that fails stops no other one, whatever its error: lgpio's own is a plain Exception.  Errors
        are logged once.
        """
        due_ns, broken = list[int](), False
        for seat_light in self._seat_lights.values():
            try:
                due_ns.append(seat_light.draw(now_ns))
            except Exception as error:  # noqa: BLE001  of lgpio it is a plain one
                if not (self._broken or broken):
                    text = phrase(
                        "the lights do not light up: %(why)s (companion doctor tests them)", why=error
                    )
                    log.warning("%s", text)
                    self._on_fault(text)
                broken = True
                due_ns.append(now_ns + RETRY_NS)
        self._due_ns, self._broken = min(due_ns, default=None), broken

    def _work(self) -> None:
        """Update the lamps at their changes until the end."""
        with self._changed:
            while self._open:
                now_ns = self._clock.now_ns()
                if self._due_ns is None or now_ns >= self._due_ns:
                    self._draw(now_ns)
                due_ns = self._due_ns
                self._changed.wait(1.0 if due_ns is None else min(self._clock.wait_s(due_ns), 60.0))
