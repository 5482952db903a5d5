"""Buttons on a machine that stood still: edges come long after their stamps."""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue

import pytest

from companion.config.controls import Gesture
from hardware.buttons import Buttons, Press, buttons
from hardware.simulated.pins import SimulatedControls
from tests.hardware.wired import ALL_GESTURES, TWO_SEATS

MS = 1_000_000


@pytest.mark.parametrize(
    ("edges_ms", "gesture"), [([0, 90], Gesture.SHORT), ([0, 90, 250, 330], Gesture.DOUBLE)]
)
def test_a_gesture_whose_end_comes_after_a_standstill_is_told_by_its_stamps(
    edges_ms: list[int], gesture: Gesture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buttons, "EDGE_DELAY_NS", 400 * MS)
    heard: SimpleQueue[Press] = SimpleQueue()
    table, still = SimulatedControls(ALL_GESTURES), threading.Event()

    def stand_still(_seat: int) -> None:
        if not still.is_set():
            time.sleep(0.9)
            still.set()

    with Buttons(ALL_GESTURES, heard.put, table.pins, on_touch=stand_still):
        at_ns = time.monotonic_ns()
        table.pins.pin(17).stamped(at_ns, high=False)
        assert still.wait(5)
        for n, after_ms in enumerate(edges_ms[1:]):
            table.pins.pin(17).stamped(at_ns + after_ms * MS, high=n % 2 == 0)
        assert heard.get(timeout=5) == Press(at_ns, 1, 1, gesture)
    assert heard.empty()


def test_a_press_that_comes_seconds_after_its_stamps_is_heard_under_them() -> None:
    heard: SimpleQueue[Press] = SimpleQueue()
    table = SimulatedControls(TWO_SEATS)
    with Buttons(TWO_SEATS, heard.put, table.pins):
        at_ns = time.monotonic_ns()
        time.sleep(1.2)
        table.pins.pin(17).stamped(at_ns, high=False)
        table.pins.pin(17).stamped(at_ns + 90 * MS, high=True)
        assert heard.get(timeout=5) == Press(at_ns, 1, 1, Gesture.SHORT)
    assert heard.empty()
