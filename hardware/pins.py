"""Access to the Pi's pins, with messages for people where it fails."""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from gpiozero import GPIOZeroError
from gpiozero.pins import Factory

from companion.errors import NoPins


@contextmanager
def open_pins(pins: Factory | None = None) -> Iterator[Factory]:
    """Yield a pin factory, by default the Pi's own; raise NoPins for an error of the pins in the block."""
    try:
        yield pins or pi_pins()
    except pin_errors() as error:
        raise NoPins(
            f"{error}; is another program using the pins, or an interface of config.txt? "
            "(companion wiring CONFIG shows which are ours, and what clashes)"
        ) from error


def pin_errors() -> tuple[type[Exception], ...]:
    """Return the types of errors of the pins: that of gpiozero, and that of lgpio where it is loaded."""
    lgpio = sys.modules.get("lgpio")
    return (GPIOZeroError, *([lgpio.error] if lgpio else []))


@cache
def pi_pins() -> Factory:
    """Return the pin factory of ``lgpio``; raise NoPins where it cannot be opened."""
    try:
        with working_folder():
            lgpio = importlib.import_module("lgpio")
            factory = importlib.import_module("gpiozero.pins.lgpio").LGPIOFactory
    except ImportError as error:
        raise NoPins("the pins need lgpio: sudo apt install python3-lgpio") from error
    try:
        return factory()
    except GPIOZeroError as error:
        raise NoPins(
            f"this is no Raspberry Pi that gpiozero knows ({error}); the command demo needs none"
        ) from error
    except lgpio.error as error:
        raise NoPins(
            f"the pins cannot be opened ({error}); sudo usermod -aG gpio $USER, then log in anew"
        ) from error


@contextmanager
def working_folder() -> Iterator[None]:
    """Set a temporary working folder for lgpio during its import.

    lgpio changes to the folder of LG_WD and creates a pipe there, which fails in a folder with another user's
    pipe, or in one that a service may not write to (joan2937/lg#12, #22).
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
