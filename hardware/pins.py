"""The Pi's pins, opened once, with a plain word where that fails."""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

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
    try:
        with working_folder():
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


@contextmanager
def working_folder() -> Iterator[None]:
    """Give lgpio a folder of its own during its import.

    It changes into the folder that LG_WD names and makes a pipe there.  In a shared folder the pipe of
    another user is in the way, and a service may not write where it was started (joan2937/lg#12, #22).
    """
    before = Path.cwd()
    folder = tempfile.mkdtemp(prefix="companion-lgpio-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["LG_WD"] = folder
    try:
        yield
    finally:
        os.environ.pop("LG_WD", None)
        os.chdir(before)
