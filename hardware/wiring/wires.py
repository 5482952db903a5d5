"""The wires of a table's buttons, lights and buzzer, and a default wiring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from companion.config.controls import (
    MAX_BUTTONS,
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
from companion.model.seats import MAX_SEATS
from hardware.wiring.header import (
    HEADER_PINS,
    INTERFACE_GPIOS,
    PULLED_UP_GPIOS,
    nearest_pin,
    pin_names,
    pin_of_gpio,
)

GPIOS = [int(name[4:]) for name in (pin_names()[pin] for pin in HEADER_PINS) if name.startswith("GPIO")]
"""Numbers of the GPIOs, in the order of the header."""

SPARE_GPIOS = [gpio for name in ("spi", "uart", "i2c") for gpio in INTERFACE_GPIOS[name]]
"""Numbers of the GPIOs of the interfaces that are likeliest to be used, the least likely first."""

PLAIN_GPIOS = [gpio for gpio in GPIOS if gpio > 1 and gpio not in SPARE_GPIOS]
LIGHT_PINS = {LightKind.SINGLE: 1, LightKind.RGB: 3}

HIGH_LEVEL_V = 3.3
MIN_LED_FORWARD_V = (1.8, 2.8, 2.8)
"""Least forward voltage of a red, a green and a blue 5 mm LED (data sheets: 1.8 to 2.2 V, 2.8 to 3.2 V)."""

MAX_TOTAL_MA = 50.0
"""Greatest current of all pins together, in mA (Raspberry Pi documentation, GPIO pads control)."""

LED_RESISTORS_OHMS = {
    LightKind.SINGLE: ((330,), (470,), (680,)),
    LightKind.RGB: ((330, 100, 100), (470, 150, 150), (680, 220, 220)),
}
"""Resistors of a light in ohms: the default, then larger ones (E6 series) to reduce the total current."""

BUZZER_OHMS, BUZZER_MA = 100, 4.0
LED_COLOURS = ("red", "green", "blue")


def suitable_gpios(in_use: AbstractSet[str]) -> list[int]:
    """Return the GPIOs that no interface in use needs, the most suitable first."""
    taken = {gpio for name in in_use for gpio in INTERFACE_GPIOS[name]}
    return [gpio for gpio in PLAIN_GPIOS + SPARE_GPIOS if gpio not in taken]


def default_controls(
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
    within("the number of seats", seats, range(MAX_SEATS + 1))
    within("the number of a seat's buttons", buttons, range(MAX_BUTTONS + 1))
    strip = lights is LightKind.STRIP
    free = suitable_gpios({*in_use, *(["spi"] if strip else [])})
    each = LIGHT_PINS.get(lights, 0)
    needed = seats * (buttons + each) + buzzer
    if needed > len(free):
        raise BadWiring(
            f"{seats} seats with {buttons} buttons and lights of kind {lights} need {needed} pins, but "
            f"{len(free)} are free; take fewer buttons, single lights or a strip, or phones as buttons"
        )
    if needed > len(free) - len(PULLED_UP_GPIOS):  # not suitable for lights, so the first buttons use them
        free.sort(key=lambda gpio: gpio not in PULLED_UP_GPIOS)
    places = tuple(seat_of(free, buttons, lights) for _ in range(seats))
    sound = free.pop(0) if buzzer else None
    controls = Controls(places, Strip() if strip else None, sound, interfaces=tuple(sorted(in_use)))
    return limit_light_current(controls, LED_RESISTORS_OHMS.get(lights, ((),)))


def limit_light_current(controls: Controls, series: Sequence[tuple[int, ...]]) -> Controls:
    """Return controls with the smallest resistors of a series that keep lights within ``MAX_TOTAL_MA``."""
    for ohms in series[1:]:
        if sum(wire.ma for wire in wires(controls)) <= MAX_TOTAL_MA:
            break
        places = tuple(replace(place, light=replace(place.light, ohms=ohms)) for place in controls.seats)
        controls = replace(controls, seats=places)
    return controls


def seat_of(free: list[int], buttons: int, lights: LightKind) -> Place:
    """Return one seat's buttons and light, and take their pins from the free ones."""
    wired = tuple(Button(free.pop(0)) for _ in range(buttons))
    pins = tuple(
        free.pop(next(n for n, gpio in enumerate(free) if gpio not in PULLED_UP_GPIOS))
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
        return f"{pin_names()[self.header]} ({self.header})"


def wires(controls: Controls) -> tuple[Wire, ...]:
    """Return every wire of a table, seat by seat."""
    return tuple(iterate_wires(controls))


def iterate_wires(controls: Controls) -> Iterator[Wire]:
    """Yield every wire of a table."""
    for seat, place_ in controls.places.items():
        for number, button in enumerate(place_.buttons, 1):
            yield button_wire(seat, number, button)
        yield from light_wires(seat, place_.light)
    if any(place_.light.kind is LightKind.STRIP for place_ in controls.seats):
        yield from strip_wires()
    if controls.buzzer is not None:
        at = pin_of_gpio(controls.buzzer)
        part = f"{BUZZER_OHMS} Ω, piezo buzzer, GND ({nearest_pin(at, 'GND')})"
        yield Wire(controls.buzzer, at, "buzzer", part, ma=BUZZER_MA)


def button_wire(seat: int, number: int, button: Button) -> Wire:
    """Return the wire of a button; the Pi's own resistor pulls it up."""
    at = pin_of_gpio(button.pin)
    return Wire(
        button.pin, at, f"seat {seat} button {number}", f"button, GND ({nearest_pin(at, 'GND')})", seat
    )


def light_wires(seat: int, light: Light) -> Iterator[Wire]:
    """Yield the wires of a seat's LED."""
    rgb = light.kind is LightKind.RGB
    other = "GND" if light.common is Common.CATHODE else "3V3"
    shared = nearest_pin(pin_of_gpio(light.pins[0]), other) if light.pins else 0
    for n, (gpio, ohms) in enumerate(zip(light.pins, resistors(light), strict=True)):
        at = pin_of_gpio(gpio)
        colour = LED_COLOURS[n] if rgb else ""
        what = f"seat {seat} {colour or 'light'}"
        part = f"{ohms} Ω, {colour} LED, {other} ({shared})".replace("  ", " ")
        yield Wire(
            gpio, at, what, part, seat, 1000 * (HIGH_LEVEL_V - MIN_LED_FORWARD_V[n]) / ohms, light=True
        )


def resistors(light: Light) -> tuple[int, ...]:
    """Return the resistors of an LED in ohms, the configured or the default ones."""
    return light.ohms or LED_RESISTORS_OHMS.get(light.kind, ((),))[0]


def strip_wires() -> Iterator[Wire]:
    """Yield the wires of an APA102 strip, whose inputs need a level shifter."""
    shifted = "74AHCT125, strip {}"
    yield Wire(STRIP_DATA, pin_of_gpio(STRIP_DATA), "strip data", shifted.format("DI"))
    yield Wire(STRIP_CLOCK, pin_of_gpio(STRIP_CLOCK), "strip clock", shifted.format("CI"))
    yield Wire(None, 2, "strip 5 V", "strip 5 V")
    yield Wire(None, nearest_pin(pin_of_gpio(STRIP_CLOCK), "GND"), "strip ground", "strip GND")
