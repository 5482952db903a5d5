"""A module in the place of ``lgpio``: one GPIO chip in memory, with the kernel's stamps, one SPI.

gpiozero's own classes for the Pi run on it unchanged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType

OUT, UP, DOWN, FLOATING = 2, 32, 64, 128
"""Bits of a line's mode: it is an output, it is pulled up, pulled down, or neither."""

Alert = Callable[[int, int, int, int], None]


class LineError(Exception):
    """What lgpio raises."""


class Kernel(ModuleType):
    """Lines by number: mode, level, pulse width, who is called at an edge; bytes that went out by SPI.

    ``busy`` are the lines that a driver or another program has.
    """

    SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = UP, DOWN, FLOATING
    RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3

    error = LineError

    def __init__(self) -> None:
        super().__init__("lgpio")
        self.modes: dict[int, int] = {}
        self.levels: dict[int, int] = {}
        self.pulses: dict[int, tuple[float, float]] = {}
        self.alerts: dict[int, Alert] = {}
        self.sent: list[bytes] = []
        self.busy: set[int] = set()

    def edge(self, gpio: int, level: int, at_ns: int) -> None:
        """Pull a line; whoever listens is called on a thread of its own, as lgpio does."""
        self.levels[gpio] = level
        if gpio in self.alerts:
            calling = threading.Thread(target=self.alerts[gpio], args=(0, gpio, level, at_ns))
            calling.start()
            calling.join()

    def gpiochip_open(self, _chip: int) -> int:
        """Return a handle."""
        return 1

    def gpiochip_close(self, _handle: int) -> None:
        """Let go of it."""

    def gpio_claim_input(self, _handle: int, gpio: int, flags: int = 0) -> None:
        """Make a line an input, which its resistor pulls."""
        if gpio in self.busy:
            raise LineError("GPIO busy")
        self.modes[gpio] = flags
        if flags & UP:
            self.levels[gpio] = 1

    def gpio_claim_output(self, _handle: int, gpio: int) -> None:
        """Make a line an output."""
        self.modes[gpio] = OUT

    def gpio_claim_alert(self, _handle: int, gpio: int, _edges: int, flags: int = 0) -> None:
        """Make a line an input that tells of its edges."""
        self.modes[gpio] = flags

    def gpio_free(self, _handle: int, gpio: int) -> None:
        """Let go of a line."""
        del self.modes[gpio]

    def gpio_get_mode(self, _handle: int, gpio: int) -> int:
        """Return what a line is."""
        return self.modes.get(gpio, 0)

    def gpio_read(self, _handle: int, gpio: int) -> int:
        """Return a line's level."""
        return self.levels.get(gpio, 0)

    def gpio_write(self, _handle: int, gpio: int, level: int) -> None:
        """Set a line's level."""
        self.levels[gpio] = level

    def tx_pwm(self, _handle: int, gpio: int, hertz: float, percent: float) -> None:
        """Pulse a line."""
        if gpio in self.busy:
            raise LineError("GPIO busy")
        self.pulses[gpio] = hertz, percent

    def callback(self, _handle: int, gpio: int, _edges: int, call: Alert) -> Kernel.Callback:
        """Have somebody called at a line's edges."""
        self.alerts[gpio] = call
        return self.Callback(self, gpio)

    class Callback:
        """Somebody who is called."""

        def __init__(self, kernel: Kernel, gpio: int) -> None:
            self._kernel, self._gpio = kernel, gpio

        def cancel(self) -> None:
            """Call them no more."""
            self._kernel.alerts.pop(self._gpio, None)

    def spi_open(self, *_settings: int) -> int:
        """Return a handle."""
        return 2

    def spi_close(self, _handle: int) -> None:
        """Let go of it."""

    def spi_write(self, _handle: int, sent: list[int]) -> int:
        """Send bytes."""
        self.sent.append(bytes(sent))
        return len(sent)
