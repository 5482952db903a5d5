"""The wires of a table's buttons, lights and buzzer, and a default wiring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from companion.config.controls import (
    MOST_BUTTONS,
    STRIP_CLOCK,
    STRIP_DATA,
    Button,
    Common,
    Controls,
    Light,
    LightKind,
    Place,
    Strip,
    within,
)
from companion.errors import BadWiring
from companion.model.seats import MOST_SEATS
from hardware.wiring.header import INTERFACES, PINS, PULLED_UP, names, nearest, place

GPIOS = [int(name[4:]) for name in (names()[pin] for pin in PINS) if name.startswith("GPIO")]
"""Numbers of the GPIOs, in the order of the header."""

PLAIN = [gpio for gpio in GPIOS if gpio > 1 and not any(gpio in taken for taken in INTERFACES.values())]
LIGHT_PINS = {LightKind.SINGLE: 1, LightKind.RGB: 3}

HIGH_V = 3.3
LEAST_DROPS_V = (1.8, 2.8, 2.8)
"""Least forward voltage of a red, a green and a blue 5 mm LED (data sheets: 1.8 to 2.2 V, 2.8 to 3.2 V)."""

ALL_MA = 50.0
"""Greatest current of all pins together, in mA (Raspberry Pi documentation, GPIO pads control)."""

OHMS = {
    LightKind.SINGLE: ((330,), (470,), (680,)),
    LightKind.RGB: ((330, 100, 100), (470, 150, 150), (680, 220, 220)),
}
"""Resistors of a light in ohms: the default, then larger ones (E6 series) to reduce the total current."""

BUZZER_OHMS, BUZZER_MA = 100, 4.0
COLOURS = ("red", "green", "blue")


def order(in_use: AbstractSet[str]) -> list[int]:
    """Return the GPIOs that no interface in use needs, the most suitable first."""
    spare = [gpio for name in ("spi", "uart", "i2c") if name not in in_use for gpio in INTERFACES[name]]
    return PLAIN + spare


def laid_out(
    seats: int,
    buttons: int,
    lights: LightKind,
    *,
    buzzer: bool = False,
    in_use: AbstractSet[str] = frozenset(),
) -> Controls:
    """Return the controls of a table with a default wiring.

    Raises
    ------
    BadConfig
        For a number of seats or buttons out of range.
    BadWiring
        Where the header has too few pins.
    """
    within("the number of seats", seats, range(MOST_SEATS + 1))
    within("the number of a seat's buttons", buttons, range(MOST_BUTTONS + 1))
    strip = lights is LightKind.STRIP
    free = order({*in_use, *(["spi"] if strip else [])})
    each = LIGHT_PINS.get(lights, 0)
    needed = seats * (buttons + each) + buzzer
    if needed > len(free):
        raise BadWiring(
            f"{seats} seats with {buttons} buttons and lights of kind {lights} need {needed} pins, but "
            f"{len(free)} are free; take fewer buttons, single lights or a strip, or phones as buttons"
        )
    if needed > len(free) - len(PULLED_UP):  # not suitable for lights, so the first buttons use them
        free.sort(key=lambda gpio: gpio not in PULLED_UP)
    places = tuple(seat_of(free, buttons, lights) for _ in range(seats))
    sound = free.pop(0) if buzzer else None
    controls = Controls(places, Strip() if strip else None, sound, interfaces=tuple(sorted(in_use)))
    return within_current(controls, OHMS.get(lights, ((),)))


def within_current(controls: Controls, series: Sequence[tuple[int, ...]]) -> Controls:
    """Return controls with the smallest resistors of a series that keep all lights within ``ALL_MA``."""
    for ohms in series[1:]:
        if sum(wire.ma for wire in wires(controls)) <= ALL_MA:
            break
        places = tuple(replace(place, light=replace(place.light, ohms=ohms)) for place in controls.seats)
        controls = replace(controls, seats=places)
    return controls


def seat_of(free: list[int], buttons: int, lights: LightKind) -> Place:
    """Return one seat's buttons and light, and take their pins from the free ones."""
    wired = tuple(Button(free.pop(0)) for _ in range(buttons))
    pins = tuple(
        free.pop(next(n for n, gpio in enumerate(free) if gpio not in PULLED_UP))
        for _ in range(LIGHT_PINS.get(lights, 0))
    )
    return Place(wired, Light(lights, pins))


@dataclass(frozen=True, slots=True)
class Wire:
    """One wire from the header.

    Parameters
    ----------
    gpio
        The number that follows ``GPIO``; ``None`` for a wire to 5 V or ground alone.
    header
        The pin of the header, 1 to 40.
    what
        The device, in words.
    part
        The parts from pin to pin, in words.
    seat
        The seat, 0 for none.
    ma
        Greatest current of the pin, in mA.
    light
        Whether it belongs to a light.
    """

    gpio: int | None
    header: int
    what: str
    part: str
    seat: int = 0
    ma: float = 0.0
    light: bool = False

    @property
    def pin(self) -> str:
        """The pin's name and number."""
        return f"{names()[self.header]} ({self.header})"


def wires(controls: Controls) -> tuple[Wire, ...]:
    """Return every wire of a table, seat by seat."""
    return tuple(each(controls))


def each(controls: Controls) -> Iterator[Wire]:
    """Yield every wire of a table."""
    for seat, place_ in controls.places.items():
        for number, button in enumerate(place_.buttons, 1):
            yield button_wire(seat, number, button)
        yield from light_wires(seat, place_.light)
    if any(place_.light.kind is LightKind.STRIP for place_ in controls.seats):
        yield from strip_wires()
    if controls.buzzer is not None:
        at = place(controls.buzzer)
        part = f"{BUZZER_OHMS} Ω, piezo buzzer, GND ({nearest(at, 'GND')})"
        yield Wire(controls.buzzer, at, "buzzer", part, ma=BUZZER_MA)


def button_wire(seat: int, number: int, button: Button) -> Wire:
    """Return the wire of a button; the Pi's own resistor pulls it up."""
    at = place(button.pin)
    return Wire(button.pin, at, f"seat {seat} button {number}", f"button, GND ({nearest(at, 'GND')})", seat)


def light_wires(seat: int, light: Light) -> Iterator[Wire]:
    """Yield the wires of a seat's LED."""
    rgb = light.kind is LightKind.RGB
    other = "GND" if light.common is Common.CATHODE else "3V3"
    shared = nearest(place(light.pins[0]), other) if light.pins else 0
    for n, (gpio, ohms) in enumerate(zip(light.pins, resistors(light), strict=True)):
        at = place(gpio)
        colour = COLOURS[n] if rgb else ""
        what = f"seat {seat} {colour or 'light'}"
        part = f"{ohms} Ω, {colour} LED, {other} ({shared})".replace("  ", " ")
        yield Wire(gpio, at, what, part, seat, 1000 * (HIGH_V - LEAST_DROPS_V[n]) / ohms, light=True)


def resistors(light: Light) -> tuple[int, ...]:
    """Return the resistors of an LED in ohms, the configured or the default ones."""
    return light.ohms or OHMS.get(light.kind, ((),))[0]


def strip_wires() -> Iterator[Wire]:
    """Yield the wires of an APA102 strip, whose inputs need a level shifter."""
    shifted = "74AHCT125, strip {}"
    yield Wire(STRIP_DATA, place(STRIP_DATA), "strip data", shifted.format("DI"))
    yield Wire(STRIP_CLOCK, place(STRIP_CLOCK), "strip clock", shifted.format("CI"))
    yield Wire(None, 2, "strip 5 V", "strip 5 V")
    yield Wire(None, nearest(place(STRIP_CLOCK), "GND"), "strip ground", "strip GND")
