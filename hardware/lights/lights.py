"""The lights before all seats: told what to show, they keep its rhythm by themselves."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from gpiozero import GPIOZeroError
from gpiozero.pins import Factory

from companion.config.controls import Controls, LightKind
from companion.model.patterns import Pattern
from hardware.clock import Clock
from hardware.lights.lamps import Lamp, PinLamp, StripLamps
from hardware.lights.patterns import pixels, rhythm
from hardware.pins import opened
from hardware.threaded import Threaded

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Shown:
    """A pattern that is shown since a time; ``number`` is how many tiles to draw."""

    pattern: Pattern = Pattern.OFF
    since_ns: int = 0
    number: int = 0

    def over(self, now_ns: int) -> bool:
        """Return whether it is over by itself."""
        lasts_ns = rhythm(self.pattern, self.number).lasts_ns
        return lasts_ns is not None and now_ns - self.since_ns >= lasts_ns

    def next_ns(self, now_ns: int) -> int:
        """Return when its colour changes next."""
        return self.since_ns + rhythm(self.pattern, self.number).at(now_ns - self.since_ns)[1]


@dataclass(slots=True)
class Face:
    """What one seat's light shows.

    ``stays`` lies behind ``passes``, which ends by itself, and before both ``blinks`` that a press was heard.
    """

    lamp: Lamp
    stays: Shown = field(default_factory=Shown)
    passes: Shown | None = None
    blinks: Shown | None = None

    def now(self, now_ns: int) -> Shown:
        """Return what is to be seen."""
        shown = (one for one in (self.blinks, self.passes) if one is not None and not one.over(now_ns))
        return next(shown, self.stays)

    def put(self, shown: Shown) -> None:
        """Show something in its place; an answer takes the blink's, darkness that of all."""
        if shown.pattern is Pattern.HEARD:
            self.blinks = shown
        elif rhythm(shown.pattern, shown.number).lasts_ns is not None:
            self.passes, self.blinks = shown, None
        else:
            self.stays = shown
        if shown.pattern is Pattern.OFF:
            self.passes = self.blinks = None

    def draw(self, now_ns: int) -> int:
        """Light the lamp as it is to be now, and return when that changes."""
        shown = self.now(now_ns)
        self.lamp.show(pixels(shown.pattern, now_ns - shown.since_ns, self.lamp.leds, shown.number))
        return shown.next_ns(now_ns)


class Lights(Threaded):
    """The lights of a table, as a context manager.

    ``show`` lights up before it returns; a thread keeps the rhythms.  Patterns that end by themselves
    (accepted, refused, draw, winner) are shown in front of the others, which come back after them; that a
    press was heard blinks in front of all.

    Parameters
    ----------
    controls
        Which pins, which strip.
    pins
        Where the pins are; the Pi's own where nothing is given.
    clock
        What rhythms keep.

    Raises
    ------
    NoPins
        On entering, where there are no pins or somebody else has them.
    """

    def __init__(self, controls: Controls, pins: Factory | None = None, clock: Clock | None = None) -> None:
        super().__init__("lights")
        self._controls, self._pins, self._clock = controls, pins, clock or Clock()
        self._faces: dict[int, Face] = {}
        self._undo = ExitStack()
        self._broken = False
        self._due_ns: int | None = None

    def __enter__(self) -> Self:
        with opened(self._pins) as pins, ExitStack() as undo:
            for seat, lamp in self._lamps(pins, undo).items():
                self._faces[seat] = Face(lamp)
            self._undo = undo.pop_all()
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._undo.close()

    def show(self, pattern: Pattern, seat: int | None = None, number: int = 0) -> None:
        """Show a pattern before one seat or, without one, before all; ``number`` is how many tiles to draw.

        A seat without a light is passed over.
        """
        with self._changed:
            shown = Shown(pattern, self._clock.now_ns(), number)
            for at, face in self._faces.items():
                if seat in {None, at}:
                    face.put(shown)
            self._draw(shown.since_ns)
            self._changed.notify()

    def showing(self) -> Mapping[int, Shown]:
        """Return what the light of each seat shows now, by the seat's number."""
        with self._changed:
            now_ns = self._clock.now_ns()
            return {seat: self._faces[seat].now(now_ns) for seat in sorted(self._faces)}

    def _lamps(self, pins: Factory, undo: ExitStack) -> Mapping[int, Lamp]:
        """Return the lamp of each seat that has one, and have it closed at the end."""
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
        """Light every lamp as it is to be now, and note when one changes; lights never stop a game."""
        self._due_ns = None
        try:
            self._due_ns = min((face.draw(now_ns) for face in self._faces.values()), default=None)
        except (OSError, GPIOZeroError) as error:
            if not self._broken:
                log.warning("the lights do not light up: %s (companion doctor tests them)", error)
            self._broken = True
        else:
            self._broken = False

    def _work(self) -> None:
        """Keep the rhythms until the lights are closed."""
        with self._changed:
            while self._open:
                now_ns = self._clock.now_ns()
                if self._due_ns is None or now_ns >= self._due_ns:
                    self._draw(now_ns)
                due_ns = self._due_ns
                self._changed.wait(1.0 if due_ns is None else min(self._clock.wait_s(due_ns), 60.0))
