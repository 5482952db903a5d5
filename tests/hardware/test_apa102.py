"""What goes to an APA102 strip, byte by byte as its data sheet has it."""

from __future__ import annotations

import pytest

from hardware.lights.lamps import decode_led_strip, encode_led_strip
from hardware.lights.patterns import Colour

RED, HALF_BLUE = Colour(1, 0, 0), Colour(0, 0, 0.5)


def test_a_frame_begins_with_zeros_and_each_led_is_a_mark_blue_green_red() -> None:
    sent = encode_led_strip([RED, HALF_BLUE], brightness=1)
    assert sent[:12] == bytes([0, 0, 0, 0, 0xFF, 0, 0, 255, 0xFF, 128, 0, 0])


@pytest.mark.parametrize("leds", [1, 16, 17, 144])
def test_the_end_has_half_a_clock_for_each_led_beside_the_frame_that_takes_over(leds: int) -> None:
    end = encode_led_strip([RED] * leds, 1)[4 + 4 * leds :]
    assert set(end) == {0}
    assert 8 * (len(end) - 4) >= leds / 2


def test_brightness_dims_the_colours_not_the_flickering_dimmer() -> None:
    sent = encode_led_strip([RED], brightness=0.2)
    assert sent[4:8] == bytes([0xFF, 0, 0, 51])


def test_what_was_sent_reads_back() -> None:
    assert decode_led_strip(encode_led_strip([RED, HALF_BLUE], 1), 2) == [(255, 0, 0), (0, 0, 128)]
