"""A table's wiring where nobody has a wish of their own: plain pins first, those of interfaces last."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from companion.config.controls import MOST_BUTTONS, Button, Controls, Light, LightKind, Place, Strip, within
from companion.errors import BadWiring
from companion.model.seats import MOST_SEATS
from hardware.wiring.header import INTERFACES, PINS, PULLED_UP, names
from hardware.wiring.wires import ALL_MA, OHMS, wires

GPIOS = [int(name[4:]) for name in (names()[pin] for pin in PINS) if name.startswith("GPIO")]
"""Numbers of the GPIOs as they follow on the header."""

PLAIN = [gpio for gpio in GPIOS if gpio > 1 and not any(gpio in taken for taken in INTERFACES.values())]
LIGHT_PINS = {LightKind.SINGLE: 1, LightKind.RGB: 3}


def order(in_use: AbstractSet[str]) -> list[int]:
    """Return the GPIOs that are free of interfaces in use, the best first."""
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
    """Return the controls of a table with so many seats, and so many buttons and such a light at each.

    Raises
    ------
    BadConfig
        For a number of seats or buttons that no table has.
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
    if needed > len(free) - len(PULLED_UP):  # these are no good for lights, so the first buttons take them
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
