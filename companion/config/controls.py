"""The configuration of a table's buttons, lights and sounds.

Seats and a seat's buttons are numbered from 1.  Pins are GPIO numbers, not pins of the header.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from types import MappingProxyType

from companion.errors import BadConfig
from companion.model.seats import MAX_SEATS

Call = tuple[str, ...]
"""The calls of a gesture: the first one that is valid in the state of the game is made."""

GPIO = range(28)
"""GPIO numbers on a Pi's 40-pin header."""

STRIP_DATA, STRIP_CLOCK = 10, 11
"""GPIO numbers of a strip's data and clock, the Pi's SPI."""

INTERFACES = ("i2c", "spi", "uart", "i2s", "w1")
"""Other users of the header: I2S carries the sound of a DAC or amplifier board, w1 is 1-Wire."""

MAX_BUTTONS = 4
"""Greatest number of a seat's buttons: no game has more calls by button."""

USUAL_SEATS, USUAL_BUTTONS = 4, 2
"""Default numbers of seats and buttons in examples, wiring and printed legend."""


class Gesture(StrEnum):
    """How a button is pressed."""

    SHORT = "short"
    LONG = "long"
    DOUBLE = "double"


class LightKind(StrEnum):
    """The kind of a seat's light."""

    NONE = "none"
    SINGLE = "single"
    RGB = "rgb"
    STRIP = "strip"


class Common(StrEnum):
    """The common leg of an RGB LED: cathode to ground, or anode to 3.3 V."""

    CATHODE = "cathode"
    ANODE = "anode"


class Language(StrEnum):
    """The languages of spoken calls."""

    EN = "en"
    DE = "de"


class Player(StrEnum):
    """The programs that play clips."""

    APLAY = "aplay"
    PAPLAY = "paplay"


@dataclass(frozen=True, slots=True)
class Button:
    """One button, between a pin and ground, and the calls of its gestures.

    A gesture without calls is not detected: a button with only a short press reports at once, one with a long
    press at its release, one with a double press after ``double_ms``.
    """

    pin: int
    short: Call = ()
    long: Call = ()
    double: Call = ()

    def __post_init__(self) -> None:
        within("a button's pin", self.pin, GPIO)

    @property
    def calls(self) -> Mapping[Gesture, Call]:
        """The calls of each gesture that has any."""
        every = {Gesture.SHORT: self.short, Gesture.LONG: self.long, Gesture.DOUBLE: self.double}
        return {gesture: call for gesture, call in every.items() if call}

    @property
    def gestures(self) -> frozenset[Gesture]:
        """The gestures to detect; a short press where none has calls."""
        return frozenset(self.calls) or frozenset({Gesture.SHORT})


@dataclass(frozen=True, slots=True)
class Light:
    """The light of a seat.

    ``pins`` are one for a ``single`` LED, and red, green, blue for an ``rgb`` one; none for a part of the
    ``strip``.  ``ohms`` are the resistors in the same order (empty: the default ones).
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
    """The buttons and the light of one seat."""

    buttons: tuple[Button, ...] = ()
    light: Light = Light()

    def __post_init__(self) -> None:
        within("the number of a seat's buttons", len(self.buttons), range(MAX_BUTTONS + 1))


@dataclass(frozen=True, slots=True)
class Strip:
    """A strip of APA102 LEDs around the table: ``leds`` for each seat, in the order of the seats.

    ``brightness`` is relative to full brightness, above 0 to 1.
    """

    leds: int = 8
    brightness: float = 0.25

    def __post_init__(self) -> None:
        within("a seat's LEDs of the strip", self.leds, range(1, 61))
        if not 0 < self.brightness <= 1:
            raise BadConfig(f"a strip's brightness is over 0 and at most 1; got {self.brightness}")


@dataclass(frozen=True, slots=True)
class Speech:
    """Spoken calls: the language, the program that plays clips, and their folder (empty: the default one)."""

    language: Language = Language.EN
    player: Player = Player.APLAY
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Controls:
    """The buttons, lights and sounds of a table.

    ``seats`` has one ``Place`` for each seat; none for a table with neither buttons nor lights.  ``buzzer``
    is the pin of a buzzer, and ``interfaces`` names other users of the header, of ``INTERFACES``.

    ``lock_ms`` is the lock time of debouncing; a press of ``long_ms`` is long, a second press within
    ``double_ms`` makes it double, and a button held for ``stuck_s`` is stuck.
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
        within("the number of seats with controls", len(self.seats), range(MAX_SEATS + 1))
        within("lock_ms", self.lock_ms, range(7, 201))
        within("long_ms", self.long_ms, range(2 * self.lock_ms, 5001))
        within("double_ms", self.double_ms, range(2 * self.lock_ms, 2001))
        within("stuck_s", self.stuck_s, range(self.long_ms // 1000 + 1, 601))
        if self.buzzer is not None:
            within("the buzzer's pin", self.buzzer, GPIO)
        if unknown := sorted({*self.interfaces} - {*INTERFACES}):
            raise BadConfig(f"interfaces are {', '.join(INTERFACES)}; got {', '.join(unknown)}")
        stripped = [n for n, place in self.places.items() if place.light.kind is LightKind.STRIP]
        if stripped and self.strip is None:
            raise BadConfig(f"the light of seat {stripped[0]} is on a strip; describe it in [controls.strip]")

    @property
    def places(self) -> Mapping[int, Place]:
        """The buttons and the light of each seat, by its number."""
        return dict(enumerate(self.seats, 1))

    def button(self, seat: int, button: int) -> Button:
        """Return a button; raise BadConfig where there is none."""
        buttons = self.places[seat].buttons if seat in self.places else ()
        if not 1 <= button <= len(buttons):
            raise BadConfig(f"seat {seat} has no button {button}")
        return buttons[button - 1]

    def calls(self, seat: int, button: int, gesture: Gesture) -> Call:
        """Return the calls of a gesture, the likeliest first; empty for none."""
        return self.button(seat, button).calls.get(gesture, ())

    def calling(self, calls: Sequence[Call], known: Collection[str]) -> Controls:
        """Return the controls with these calls at each seat whose buttons have none that is known."""
        return replace(self, seats=tuple(with_default_calls(place, calls, known) for place in self.seats))


def within(what: str, number: int, allowed: range) -> None:
    """Raise BadConfig for a number out of range."""
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
"""The buttons and gestures of a game's calls in order, by the number of a seat's buttons.

The most frequent calls have buttons of their own, which report at once; calls that end a round are hard to
make by mistake.
"""


def calls_by_gesture(calls: Sequence[Call], buttons: int) -> dict[tuple[int, Gesture], Call]:
    """Return the calls of each button and gesture; calls beyond their number are left out."""
    return dict(zip(GESTURES[buttons], calls, strict=False))


def with_default_calls(place: Place, calls: Sequence[Call], known: Collection[str]) -> Place:
    """Return a seat's place with these calls, unless its buttons have configured ones that are known."""
    configured = chain.from_iterable(chain.from_iterable(one.calls.values()) for one in place.buttons)
    if any(call in known for call in configured):
        return place
    by_gesture = calls_by_gesture(calls, len(place.buttons))
    buttons = tuple(
        Button(button.pin, *(by_gesture.get((n, gesture), ()) for gesture in Gesture))
        for n, button in enumerate(place.buttons, 1)
    )
    return replace(place, buttons=buttons)
