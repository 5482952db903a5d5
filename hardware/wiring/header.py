"""The 40-pin header of every Pi since 2014, from gpiozero, and the interfaces that use it."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping
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
    {"i2c": (2, 3), "spi": (7, 8, 9, 10, 11), "uart": (14, 15), "i2s": (18, 19, 20, 21), "w1": (4,)}
)
"""The GPIO numbers that an enabled interface uses, by its name."""

EEPROM_GPIOS = (0, 1)
"""GPIO numbers of the ID EEPROM of HATs, which the Pi reads at start."""

PULLED_UP_GPIOS = INTERFACE_GPIOS["i2c"]
"""GPIO numbers with a pull-up resistor of 1.8 kilohms on the Pi: for buttons, not for lights."""

INTERFACE_SWITCHES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "i2c": ("i2c_arm", "i2c", "i2c1"),
        "spi": ("spi",),
        "uart": ("enable_uart", "uart0", "uart0_console"),
        "i2s": (
            "i2s",
            "dtoverlay=max98357a",
            "dtoverlay=i2s-dac",
            "dtoverlay=hifiberry-*",
            "dtoverlay=iqaudio-*",
        ),
        "w1": ("dtoverlay=w1-gpio", "dtoverlay=w1-gpio-pullup"),
    }
)
"""The switches of ``config.txt`` that enable an interface, by its name.

Each is a pattern of parameters, or of overlays; the numbers are those that the overlays take by default.
"""

ON_VALUES = {"", "on", "y", "yes", "true", "1"}
"""The values of a parameter in ``config.txt`` that switch it on; without a value it is on too."""


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
    on = set(switches_on(config_txt))
    return frozenset(
        name
        for name, patterns in INTERFACE_SWITCHES.items()
        if any(fnmatch.filter(on, pattern) for pattern in patterns)
    )


def switches_on(config_txt: str) -> Iterator[str]:
    """Yield the parameters that a ``config.txt`` switches on, and its overlays as ``dtoverlay=NAME``."""
    for line in config_txt.splitlines():
        key, _, rest = re.sub(r"\s", "", line.partition("#")[0]).partition("=")
        if key == "dtoverlay":
            yield f"dtoverlay={rest.partition(',')[0]}"
            continue
        for setting in rest.split(",") if key == "dtparam" else [f"{key}={rest}"]:
            name, _, value = setting.partition("=")
            if value in ON_VALUES:
                yield name
