"""The 40-pin header of every Pi since 2014, from gpiozero, and the interfaces that use it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from gpiozero.pins.mock import MockFactory

HEADER_PINS = range(1, 41)

CONFIG_TXT = Path("/boot/firmware/config.txt")
"""The file in which Raspberry Pi OS enables the header's interfaces."""

MAX_CONFIG_CHARS = 1_000_000
"""Largest number of its characters that are read."""

INTERFACE_GPIOS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"i2c": (2, 3), "spi": (7, 8, 9, 10, 11), "uart": (14, 15)}
)
"""The GPIO numbers that an enabled interface uses, by its name."""

EEPROM_GPIOS = (0, 1)
"""GPIO numbers of the ID EEPROM of HATs, which the Pi reads at start."""

PULLED_UP_GPIOS = INTERFACE_GPIOS["i2c"]
"""GPIO numbers with a pull-up resistor of 1.8 kilohms on the Pi: for buttons, not for lights."""

INTERFACE_CONFIG_LINES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "i2c": ("dtparam=i2c_arm=on", "dtparam=i2c=on", "dtparam=i2c1=on"),
        "spi": ("dtparam=spi=on",),
        "uart": ("enable_uart=1", "dtparam=uart0=on", "dtparam=uart0_console"),
    }
)
"""The lines of ``config.txt`` that enable an interface, by its name."""


@cache
def pin_names() -> Mapping[int, str]:
    """Return the name of each pin of the header: ``GPIO17``, ``3V3``, ``5V``, ``GND``."""
    header = MockFactory(revision="c04170").board_info.headers["J8"]  # the same on Pi 3, 4, 5 and Zero 2 W
    return {number: str(header.pins[number].name) for number in HEADER_PINS}


@cache
def pin_of_gpio(gpio: int) -> int:
    """Return the header's pin of a GPIO."""
    return next(number for number, name in pin_names().items() if name == f"GPIO{gpio}")


def nearest_pin(number: int, name: str) -> int:
    """Return the nearest pin of a name (``GND``, ``3V3``) to a pin of the header."""
    return min(
        (n for n, called in pin_names().items() if called == name), key=lambda n: (pin_distance(n, number), n)
    )


def pin_distance(one: int, other: int) -> int:
    """Return the distance of two pins of the header, in pins along it and across it."""
    return abs((one + 1) // 2 - (other + 1) // 2) + (one - other) % 2


def enabled_interfaces() -> frozenset[str]:
    """Return the interfaces that this Pi's ``config.txt`` enables; none without such a file."""
    try:
        with CONFIG_TXT.open(encoding="utf-8", errors="replace") as file:
            return parse_enabled_interfaces(file.read(MAX_CONFIG_CHARS))
    except OSError:
        return frozenset()


def parse_enabled_interfaces(config_txt: str) -> frozenset[str]:
    """Return the interfaces that a ``config.txt`` enables for any model."""
    lines = {re.sub(r"\s", "", line.partition("#")[0]) for line in config_txt.splitlines()}
    return frozenset(
        name for name, switches in INTERFACE_CONFIG_LINES.items() if not lines.isdisjoint(switches)
    )
