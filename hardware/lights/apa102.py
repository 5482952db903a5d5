"""What an APA102 (or SK9822) strip is told over SPI: a pure function from colours to bytes.

Its brightness is set by the colours alone: the LEDs' own five-bit dimmer flickers at 0.6 kHz, which a camera
with a rolling shutter sees as stripes, the colours' pulses at 19 kHz do not (cpldcpu, "SK9822 - a clone of
the APA102?").
"""

from __future__ import annotations

from collections.abc import Sequence

from hardware.lights.patterns import Colour

FULL = 0xFF
"""Three marking bits and the five-bit dimmer, fully open."""


def encoded(colours: Sequence[Colour], brightness: float) -> bytes:
    """Return the bytes that set all LEDs of a strip at once.

    Four zeros begin; each LED gets a mark, blue, green, red; four zeros take over (SK9822), and another half
    clock for each LED carries the last bits to the end (APA102).
    """
    leds = b"".join(
        bytes((FULL, *(round(255 * brightness * light) for light in (one.blue, one.green, one.red))))
        for one in colours
    )
    return bytes(4) + leds + bytes(4 + (len(colours) + 15) // 16)


def decoded(sent: bytes, leds: int) -> list[tuple[int, int, int]]:
    """Return red, green and blue of each LED, 0 to 255, as a strip takes them from what was sent."""
    places = range(4, 4 + 4 * leds, 4)
    return [(sent[at + 3], sent[at + 2], sent[at + 1]) for at in places]
