"""Check a wiring; each fault comes with advice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from companion.config.controls import Controls, LightKind
from companion.errors import BadWiring
from hardware.wiring.header import EEPROM_GPIOS, INTERFACE_GPIOS, PULLED_UP_GPIOS
from hardware.wiring.wires import MAX_TOTAL_MA, Wire, suitable_gpios, wires

MAX_PIN_MA = 16.0
"""Greatest current of one pin, in mA (Raspberry Pi documentation, GPIO pads control)."""

LED_MA = 60.0
"""Current of one LED of a strip in full white, in mA (APA102 data sheet: 20 mA a colour)."""

MAX_HEADER_STRIP_MA = 1000.0
"""Greatest current of a strip from the header's 5 V, in mA."""


def check(controls: Controls, switched_on: AbstractSet[str] = frozenset()) -> None:
    """Raise BadWiring with all faults of a wiring, one on each line.

    Parameters
    ----------
    controls
        The buttons, lights and buzzer.
    switched_on
        Interfaces that the Pi's ``config.txt`` enables, beside those of the configuration.
    """
    if found := list(faults(controls, frozenset(switched_on))):
        raise BadWiring("\n".join(found))


def faults(controls: Controls, switched_on: frozenset[str]) -> Iterator[str]:
    """Yield all faults of a wiring."""
    all_ = [wire for wire in wires(controls) if wire.gpio is not None]
    strip = any(place.light.kind is LightKind.STRIP for place in controls.seats)
    in_use = {*controls.interfaces, *switched_on, *(["spi"] if strip else [])}
    free = [gpio for gpio in suitable_gpios(frozenset(in_use)) if gpio not in {wire.gpio for wire in all_}]
    instead = f"; free: {', '.join(f'GPIO{gpio}' for gpio in free)}" if free else "; no pin is free"
    yield from (f"{fault}{instead}" for fault in pins_used_twice(all_))
    for wire in all_:
        if fault := pin_conflict(wire, in_use):
            yield f"{fault}{instead}"
    yield from currents(all_)


def pins_used_twice(all_: Sequence[Wire]) -> Iterator[str]:
    """Yield the pins that are used more than once."""
    by_gpio: dict[int | None, list[Wire]] = defaultdict(list)
    for wire in all_:
        by_gpio[wire.gpio].append(wire)
    for some in by_gpio.values():
        if len(some) > 1:
            users = " and ".join(wire.what for wire in some)
            yield f"{some[0].pin} is used by {users}; give each its own"


def pin_conflict(wire: Wire, in_use: AbstractSet[str]) -> str:
    """Return why a wire's pin cannot be used, or an empty text."""
    for name in sorted(in_use):
        if wire.gpio in INTERFACE_GPIOS[name] and not wire.what.startswith("strip"):
            return f"{wire.pin}, {wire.what}: {name.upper()} uses this pin; switch that off or take another"
    if wire.gpio in EEPROM_GPIOS:
        return f"{wire.pin}, {wire.what}: the Pi itself uses this pin at start; take another"
    if wire.light and wire.gpio in PULLED_UP_GPIOS:
        return f"{wire.pin}, {wire.what}: this pin is pulled up, the light would never be dark; take another"
    return ""


def currents(all_: Sequence[Wire]) -> Iterator[str]:
    """Yield the faults of pins and of all pins together that exceed their greatest current."""
    for wire in all_:
        if wire.ma > MAX_PIN_MA:
            yield f"{wire.pin}, {wire.what}: {wire.ma:.0f} of {MAX_PIN_MA:.0f} mA; take a larger resistor"
    total_ma = sum(wire.ma for wire in all_)
    if total_ma > MAX_TOTAL_MA:
        yield (
            f"all lights together take {total_ma:.0f} mA, the pins give {MAX_TOTAL_MA:.0f}; use resistors "
            f"{total_ma / MAX_TOTAL_MA + 0.05:.1f} times as large, or an APA102 strip"
        )


def notes(controls: Controls) -> list[str]:
    """Return further notes on a wiring."""
    found = []
    strip = controls.strip
    parts = sum(place.light.kind is LightKind.STRIP for place in controls.seats)
    if strip is not None and parts:
        leds = strip.leds * parts
        ma = leds * LED_MA * strip.brightness
        found.append(f"Strip: {leds} APA102 LEDs, at most {ma:.0f} mA at 5 V; dtparam=spi=on in config.txt.")
        found.append("74AHCT125: VCC (14) to 5 V; GND (7) and the enables (1, 4, 10, 13) to ground.")
        if ma > MAX_HEADER_STRIP_MA:
            found.append(
                "That is too much for the header: give it a 5 V supply, with its ground to the Pi's."
            )
    total_ma = sum(wire.ma for wire in wires(controls))
    if total_ma:
        found.append(f"Pins: {total_ma:.0f} of {MAX_TOTAL_MA:.0f} mA with everything lit.")
    if any(place.light.kind is LightKind.RGB for place in controls.seats):
        found.append("LEDs: the three colours of one share a leg, and so its ground or 3.3 V.")
    if any(place.buttons for place in controls.seats):
        found.append(
            "Buttons: no resistor; over 1 m of wire, twist each pair and add 10 kΩ from pin to 3.3 V."
        )
    return found
