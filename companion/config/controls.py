"""The buttons, lights and sounds of a table, as its configuration file describes them.

Seats and a seat's buttons are numbered from 1.  Pins have the number that follows ``GPIO``, not their place
on the header.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from types import MappingProxyType

from companion.errors import BadConfig
from companion.model.seats import MOST_SEATS

Call = tuple[str, ...]
"""What a gesture calls: the first of these calls that means anything when it is made."""

GPIO = range(28)
"""Numbers of the pins that a Pi's 40-pin header carries."""

STRIP_DATA, STRIP_CLOCK = 10, 11
"""GPIO numbers of a strip's data and clock: those of the Pi's SPI."""

MOST_BUTTONS = 4
"""Buttons of a seat: no game has more calls, or pairs of calls, that are made by button."""

USUAL_SEATS, USUAL_BUTTONS = 4, 2
"""The table that the examples, the wiring and the printed legend describe where nothing else is asked for."""


class Gesture(StrEnum):
    """How a button is pressed."""

    SHORT = "short"
    LONG = "long"
    DOUBLE = "double"


class LightKind(StrEnum):
    """What lights up before a seat."""

    NONE = "none"
    SINGLE = "single"
    RGB = "rgb"
    STRIP = "strip"


class Common(StrEnum):
    """Which leg the three colours of an LED share: the one to ground, or the one to 3.3 V."""

    CATHODE = "cathode"
    ANODE = "anode"


class Language(StrEnum):
    """The languages that calls are spoken in."""

    EN = "en"
    DE = "de"


class Player(StrEnum):
    """The programs that play clips."""

    APLAY = "aplay"
    PAPLAY = "paplay"


@dataclass(frozen=True, slots=True)
class Button:
    """One button, between a pin and ground, and what its gestures call.

    A gesture that calls nothing is not listened for: a button with nothing but a short press answers at
    once, one with a long press when it is let go, one with a double press a moment later still.
    """

    pin: int
    short: Call = ()
    long: Call = ()
    double: Call = ()

    def __post_init__(self) -> None:
        within("a button's pin", self.pin, GPIO)

    @property
    def calls(self) -> Mapping[Gesture, Call]:
        """What each gesture calls, without those that call nothing."""
        every = {Gesture.SHORT: self.short, Gesture.LONG: self.long, Gesture.DOUBLE: self.double}
        return {gesture: call for gesture, call in every.items() if call}

    @property
    def gestures(self) -> frozenset[Gesture]:
        """The gestures that are listened for; a short press where none calls anything."""
        return frozenset(self.calls) or frozenset({Gesture.SHORT})


@dataclass(frozen=True, slots=True)
class Light:
    """The light before a seat.

    ``pins`` are one for a ``single`` LED, and red, green, blue for an ``rgb`` one; none for a seat's part of
    the ``strip``.  ``ohms`` are the resistors in the same order (empty: the usual ones).
    """

    kind: LightKind = LightKind.NONE
    pins: tuple[int, ...] = ()
    ohms: tuple[int, ...] = ()
    common: Common = Common.CATHODE

    def __post_init__(self) -> None:
        needed = {LightKind.SINGLE: 1, LightKind.RGB: 3}.get(self.kind, 0)
        if len(self.pins) != needed:
            raise BadConfig(f"a light of kind {self.kind} has {needed} pins; got {len(self.pins)}")
        if len(self.ohms) not in {0, needed}:
            raise BadConfig(f"a light of kind {self.kind} has {needed} resistors; got {len(self.ohms)}")
        for pin in self.pins:
            within("a light's pin", pin, GPIO)
        for ohm in self.ohms:
            within("a light's resistor in ohms", ohm, range(10, 100_001))


@dataclass(frozen=True, slots=True)
class Place:
    """What is before one seat."""

    buttons: tuple[Button, ...] = ()
    light: Light = Light()

    def __post_init__(self) -> None:
        within("the number of a seat's buttons", len(self.buttons), range(MOST_BUTTONS + 1))


@dataclass(frozen=True, slots=True)
class Strip:
    """A strip of APA102 LEDs round the table: so many for each seat, in the order of the seats.

    ``brightness`` is the part of their full light, 0 to 1.
    """

    leds: int = 8
    brightness: float = 0.25

    def __post_init__(self) -> None:
        within("a seat's LEDs of the strip", self.leds, range(1, 61))
        if not 0 < self.brightness <= 1:
            raise BadConfig(f"a strip's brightness is over 0 and at most 1; got {self.brightness}")


@dataclass(frozen=True, slots=True)
class Speech:
    """Calls spoken aloud: the language, who plays the clips, and their folder (empty: the usual one)."""

    language: Language = Language.EN
    player: Player = Player.APLAY
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Controls:
    """Everything that players press, see lit and hear.

    ``seats`` holds one place for each seat; none where the table has neither buttons nor lights.
    ``buzzer`` is the pin of a buzzer that plays tones, and ``interfaces`` names what else uses the header:
    ``i2c``, ``spi``, ``uart``.

    A contact's further changes count only ``lock_ms`` after the first; a press of ``long_ms`` is a long one,
    a second press within ``double_ms`` makes it a double one, and a button held for ``stuck_s`` is stuck.
    """

    seats: tuple[Place, ...] = ()
    strip: Strip | None = None
    buzzer: int | None = None
    speech: Speech | None = None
    interfaces: tuple[str, ...] = ()
    lock_ms: int = 25
    long_ms: int = 600
    double_ms: int = 300
    stuck_s: int = 10

    def __post_init__(self) -> None:
        within("the number of seats with controls", len(self.seats), range(MOST_SEATS + 1))
        within("lock_ms", self.lock_ms, range(7, 201))
        within("long_ms", self.long_ms, range(2 * self.lock_ms, 5001))
        within("double_ms", self.double_ms, range(2 * self.lock_ms, 2001))
        within("stuck_s", self.stuck_s, range(self.long_ms // 1000 + 1, 601))
        if self.buzzer is not None:
            within("the buzzer's pin", self.buzzer, GPIO)
        if unknown := sorted({*self.interfaces} - {"i2c", "spi", "uart"}):
            raise BadConfig(f"interfaces are i2c, spi, uart; got {', '.join(unknown)}")
        stripped = [n for n, place in self.places.items() if place.light.kind is LightKind.STRIP]
        if stripped and self.strip is None:
            raise BadConfig(f"the light of seat {stripped[0]} is on a strip; describe it in [controls.strip]")

    @property
    def places(self) -> Mapping[int, Place]:
        """What is before each seat, by its number."""
        return dict(enumerate(self.seats, 1))

    def button(self, seat: int, button: int) -> Button:
        """Return one button; raise BadConfig where there is none."""
        buttons = self.places[seat].buttons if seat in self.places else ()
        if not 1 <= button <= len(buttons):
            raise BadConfig(f"seat {seat} has no button {button}")
        return buttons[button - 1]

    def calls(self, seat: int, button: int, gesture: Gesture) -> Call:
        """Return what a gesture calls, the likeliest first; nothing where it calls nothing."""
        return self.button(seat, button).calls.get(gesture, ())

    def calling(self, calls: Sequence[Call]) -> Controls:
        """Return the same controls where every seat whose buttons call nothing yet calls these."""
        return replace(self, seats=tuple(filled(place, calls) for place in self.seats))


def within(what: str, number: int, allowed: range) -> None:
    """Raise BadConfig for a number out of bounds."""
    if number not in allowed:
        raise BadConfig(f"{what} is {allowed[0]} to {allowed[-1]}; got {number}")


S, L, D = Gesture.SHORT, Gesture.LONG, Gesture.DOUBLE
GESTURES: Mapping[int, tuple[tuple[int, Gesture], ...]] = MappingProxyType(
    {
        0: (),
        1: ((1, S), (1, D), (1, L)),
        2: ((1, S), (2, S), (2, L), (2, D)),
        3: ((1, S), (2, S), (3, S), (3, L), (2, L)),
        4: ((1, S), (2, S), (3, S), (4, S), (4, L), (3, L)),
    }
)
"""Which button and gesture makes the first call, the second and so on, by the number of a seat's buttons.

What is called most is on a button of its own, so that it is heard at once; what ends a round is hard to
press by mistake.
"""


def spread(calls: Sequence[Call], buttons: int) -> dict[tuple[int, Gesture], Call]:
    """Return what each button and gesture calls, for a number of buttons; what has no room is left out."""
    return dict(zip(GESTURES[buttons], calls, strict=False))


def filled(place: Place, calls: Sequence[Call]) -> Place:
    """Return a seat's place where the buttons call these, unless the configuration says what they call."""
    if any(chain.from_iterable(button.calls for button in place.buttons)):
        return place
    by_gesture = spread(calls, len(place.buttons))
    buttons = tuple(
        Button(button.pin, *(by_gesture.get((n, gesture), ()) for gesture in Gesture))
        for n, button in enumerate(place.buttons, 1)
    )
    return replace(place, buttons=buttons)
