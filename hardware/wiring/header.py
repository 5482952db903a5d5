"""The 40-pin header that every Pi since 2014 has, as gpiozero knows it; what else uses it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from gpiozero.pins.mock import MockFactory

PINS = range(1, 41)

CONFIG_TXT = Path("/boot/firmware/config.txt")
"""Where Raspberry Pi OS switches the header's interfaces on."""

LONGEST = 1_000_000
"""Characters of it that are read."""

INTERFACES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"i2c": (2, 3), "spi": (7, 8, 9, 10, 11), "uart": (14, 15)}
)
"""Name of an interface and the GPIO numbers that it takes while it is on."""

EEPROM = (0, 1)
"""GPIO numbers that the Pi itself uses at start, to ask a board on top who it is."""

PULLED_UP = INTERFACES["i2c"]
"""GPIO numbers with a resistor of 1.8 kilohms to 3.3 V on the Pi: good for buttons, not for lights."""

SWITCHES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "i2c": ("dtparam=i2c_arm=on", "dtparam=i2c=on", "dtparam=i2c1=on"),
        "spi": ("dtparam=spi=on",),
        "uart": ("enable_uart=1", "dtparam=uart0=on", "dtparam=uart0_console"),
    }
)
"""Name of an interface and the lines of ``config.txt`` that switch it on."""


@cache
def names() -> Mapping[int, str]:
    """Return what each pin of the header is called: ``GPIO17``, ``3V3``, ``5V``, ``GND``."""
    header = MockFactory(revision="c04170").board_info.headers["J8"]  # alike on Pi 3, 4, 5 and Zero 2 W
    return {number: str(header.pins[number].name) for number in PINS}


@cache
def place(gpio: int) -> int:
    """Return where on the header a GPIO is."""
    return next(number for number, name in names().items() if name == f"GPIO{gpio}")


def nearest(number: int, name: str) -> int:
    """Return the nearest pin of a name (``GND``, ``3V3``) to a pin of the header."""
    return min((n for n, called in names().items() if called == name), key=lambda n: (distance(n, number), n))


def distance(one: int, other: int) -> int:
    """Return how far apart two pins of the header are, in pins along it and across it."""
    return abs((one + 1) // 2 - (other + 1) // 2) + (one - other) % 2


def on_this_pi() -> frozenset[str]:
    """Return the interfaces that this Pi's own ``config.txt`` switches on; none where there is no Pi."""
    try:
        with CONFIG_TXT.open(encoding="utf-8", errors="replace") as file:
            return switched_on(file.read(LONGEST))
    except OSError:
        return frozenset()


def switched_on(config_txt: str) -> frozenset[str]:
    """Return the interfaces that a Pi's ``config.txt`` switches on, for whichever model."""
    lines = {re.sub(r"\s", "", line.partition("#")[0]) for line in config_txt.splitlines()}
    return frozenset(name for name, switches in SWITCHES.items() if not lines.isdisjoint(switches))
