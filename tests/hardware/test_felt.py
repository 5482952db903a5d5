"""A light can answer a finger at once, before anybody knows what press comes of it."""

from __future__ import annotations

import time
from queue import SimpleQueue

from companion.config.controls import Gesture
from hardware.buttons import Buttons, Press
from hardware.simulated.pins import SimulatedControls
from tests.hardware.wired import ALL_GESTURES, until


def test_a_touch_is_felt_once_however_the_contact_bounces_and_long_before_its_gesture_is_known() -> None:
    heard: SimpleQueue[Press] = SimpleQueue()
    felt: list[tuple[int, int]] = []
    with (
        SimulatedControls(ALL_GESTURES) as table,
        Buttons(
            ALL_GESTURES,
            heard.put,
            table.pins,
            on_touch=lambda seat: felt.append((seat, time.monotonic_ns())),
        ),
    ):
        at_ns = table.press(1, 1, Gesture.LONG)
        assert until(lambda: bool(felt))
        assert heard.empty()
        assert heard.get(timeout=5).gesture is Gesture.LONG
    assert [seat for seat, _ in felt] == [1]
    assert felt[0][1] - at_ns < 500_000_000
