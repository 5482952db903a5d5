"""How often the simulated camera takes a frame."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.clock import SECOND
from hardware.simulated.camera import FPS, IDLE_FACTOR, LATENCY_NS, SimulatedCamera, SteppedClock
from hardware.simulated.draw import Canvas
from hardware.simulated.world import World

CANVAS = Canvas(World((4.0, 3.0), [], []), np.zeros((30, 40, 3), np.uint8), 10.0)


@pytest.mark.parametrize(("still", "frames"), [(False, 1), (True, IDLE_FACTOR)])
def test_the_next_frame_of_a_stepped_clock_comes_later_where_nothing_moves(still: bool, frames: int) -> None:
    camera = SimulatedCamera(CANVAS, SteppedClock(), lambda _now_ns: None, lambda: still)
    first = camera.newest(0, 0.0)
    second = camera.newest(0, 0.0)
    assert first is not None
    assert second is not None
    assert second.at_ns - first.at_ns == frames * round(SECOND / FPS)


def test_a_frame_is_delivered_some_time_after_it_was_taken() -> None:
    clock = SteppedClock()
    shot = SimulatedCamera(CANVAS, clock, lambda _now_ns: None).newest(0, 0.0)
    assert shot is not None
    assert clock.now_ns() == shot.at_ns + LATENCY_NS
