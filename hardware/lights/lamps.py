"""The lamps of the seats: LEDs on pins, and parts of an APA102 strip on SPI."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Protocol

from gpiozero import PWMLED, SPIDevice, SPISoftwareFallback
from gpiozero.pins import Factory

from companion.config.controls import STRIP_CLOCK, STRIP_DATA, Common, Light, Strip
from companion.errors import NoPins
from hardware.lights.patterns import DARK, Colour

LED_FRAME_HEADER = 0xFF
"""The header of an LED frame: three marker bits, and the five-bit brightness at its maximum."""

PWM_FREQUENCY_HZ = 200
SPI_HZ = 4_000_000
NO_SPI = "the strip needs the Pi's SPI: add dtparam=spi=on to /boot/firmware/config.txt and restart"


def encode_led_strip(colours: Sequence[Colour], brightness: float) -> bytes:
    """Return the bytes that set all LEDs of a strip.

    A start frame of four zeros; for each LED a header, blue, green, red; four zeros that latch (SK9822), and
    half a clock for each LED to shift the last bits through (APA102).
    """
    leds = b"".join(
        bytes(
            (LED_FRAME_HEADER, *(round(255 * brightness * light) for light in (one.blue, one.green, one.red)))
        )
        for one in colours
    )
    return bytes(4) + leds + bytes(4 + (len(colours) + 15) // 16)


def decode_led_strip(sent: bytes, leds: int) -> list[tuple[int, int, int]]:
    """Return red, green and blue of each LED, 0 to 255, as a strip decodes them."""
    places = range(4, 4 + 4 * leds, 4)
    return [(sent[at + 3], sent[at + 2], sent[at + 1]) for at in places]


class Lamp(Protocol):
    """One seat's light."""

    leds: int

    def show(self, colours: Sequence[Colour]) -> None:
        """Show a colour on each of its LEDs."""


class PinLamp:
    """A single LED, which shows the brightness of a colour, or an RGB LED."""

    leds = 1

    def __init__(self, light: Light, pins: Factory) -> None:
        high = light.common is Common.CATHODE
        self._leds = [
            PWMLED(pin, active_high=high, frequency=PWM_FREQUENCY_HZ, pin_factory=pins) for pin in light.pins
        ]

    def show(self, colours: Sequence[Colour]) -> None:
        """Show a colour."""
        lights = colours[0] if len(self._leds) > 1 else (max(colours[0]),)
        for led, light in zip(self._leds, lights, strict=True):
            if led.value != light:
                led.value = light

    def close(self) -> None:
        """Release its pins, which turns it off."""
        for led in self._leds:
            led.close()


class Spi(SPIDevice):
    """The Pi's SPI bus for writing; raises NoPins where it is not enabled."""

    def __init__(self, pins: Factory) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SPISoftwareFallback)
            try:
                super().__init__(clock_pin=STRIP_CLOCK, mosi_pin=STRIP_DATA, pin_factory=pins)
            except SPISoftwareFallback as error:
                raise NoPins(NO_SPI) from error
        self._spi.rate = SPI_HZ

    def write(self, sent: bytes) -> None:
        """Send bytes."""
        self._spi.write(list(sent))


class StripLamps:
    """A strip that is divided among the seats."""

    def __init__(self, strip: Strip, parts: int, pins: Factory) -> None:
        self._strip, self._spi = strip, Spi(pins)
        self._colours: list[Colour] = [DARK] * (strip.leds * parts)
        self.write()

    def part(self, number: int) -> StripPart:
        """Return the lamp of a part, counted from 0."""
        return StripPart(self, number * self._strip.leds, self._strip.leds)

    def set_part(self, start: int, colours: Sequence[Colour]) -> None:
        """Set the colours of LEDs from ``start`` on."""
        if self._colours[start : start + len(colours)] != list(colours):
            self._colours[start : start + len(colours)] = colours
            self.write()

    def write(self) -> None:
        """Send the colours of all LEDs."""
        self._spi.write(encode_led_strip(self._colours, self._strip.brightness))

    def close(self) -> None:
        """Turn the strip off and release its pins."""
        if not self._spi.closed:
            self._colours = [DARK] * len(self._colours)
            try:
                self.write()
            finally:
                self._spi.close()


class StripPart:
    """One seat's part of a strip."""

    def __init__(self, strip: StripLamps, start: int, leds: int) -> None:
        self.leds = leds
        self._strip, self._start = strip, start

    def show(self, colours: Sequence[Colour]) -> None:
        """Show a colour on each of its LEDs."""
        self._strip.set_part(self._start, colours)
