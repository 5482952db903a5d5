"""The Pi's pins, opened once, with a plain word where that fails."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from gpiozero import GPIOZeroError
from gpiozero.pins import Factory

from companion.errors import NoPins


@contextmanager
def opened(pins: Factory | None = None) -> Iterator[Factory]:
    """Yield the pins to open devices on: those given, or the Pi's own; raise NoPins where one fails."""
    try:
        yield pins or own()
    except GPIOZeroError as error:
        raise NoPins(
            f"{error}; is another program using the pins? (companion wiring shows which are ours)"
        ) from error


@cache
def own() -> Factory:
    """Return the Pi's own pins, reached by ``lgpio``; raise NoPins where there are none."""
    # lgpio keeps a pipe in its working directory, which a service may not write to
    os.environ.setdefault("LG_WD", tempfile.gettempdir())
    try:
        lgpio = importlib.import_module("lgpio")
        factory = importlib.import_module("gpiozero.pins.lgpio").LGPIOFactory
    except ImportError as error:
        raise NoPins("the pins need lgpio: sudo apt install python3-lgpio") from error
    try:
        return factory()
    except GPIOZeroError as error:
        raise NoPins(f"this is no Raspberry Pi that gpiozero knows ({error}); try ./run demo") from error
    except lgpio.error as error:
        raise NoPins(
            f"the pins cannot be opened ({error}); sudo usermod -aG gpio $USER, then log in anew"
        ) from error
