"""Latency of a button press, processor time of debouncing, and the order of near presses."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator

import numpy as np

from calibration.evaluation.metric import Metric
from companion.config.controls import Button, Controls, Place
from hardware.buttons import Buttons, Edge, Press, debounce_edges
from hardware.simulated.pins import SimulatedControls, bounce_edges

MILLISECOND = 1_000_000
LOCK_NS = 25 * MILLISECOND
PRESSES, RACES = 200, 5000
PRESS_DURATION_NS = 80 * MILLISECOND
RACE_GAP_NS = MILLISECOND
PINS = range(4, 12)


def button_metrics() -> Iterator[Metric]:
    """Yield every metric of this module, on pins in memory that bounce as measured switches do."""
    yield cost_metric()
    yield race_metric()
    yield from answer_metrics()


def edges(at_ns: int, chance: random.Random) -> list[Edge]:
    """Return the edges of a press that bounces as measured ones do, and of its release."""
    down = [Edge(at_ns + after, 4, n % 2 == 0) for n, after in enumerate(bounce_edges(chance))]
    return [
        *down,
        *(
            Edge(at_ns + PRESS_DURATION_NS + after, 4, n % 2 == 1)
            for n, after in enumerate(bounce_edges(chance))
        ),
    ]


def cost_metric(presses: int = 1000) -> Metric:
    """Return the processor time to debounce one edge."""
    chance = random.Random(1)
    all_edges = [edge for n in range(presses) for edge in edges(n * 10 * PRESS_DURATION_NS, chance)]
    begun = time.thread_time()
    found = sum(change.closed for change in debounce_edges(all_edges, LOCK_NS))
    spent_us = 1e6 * (time.thread_time() - begun) / len(all_edges)
    return Metric("debouncing an edge", spent_us, "µs", how=f"{found} presses in {len(all_edges)} edges")


def race_metric(races: int = RACES) -> Metric:
    """Return the number of races, a millisecond between two players, with the wrong winner."""
    chance = random.Random(2)
    pairs = (
        [next(debounce_edges(edges(at_ns, chance), LOCK_NS)).at_ns for at_ns in (0, RACE_GAP_NS)]
        for _ in range(races)
    )
    wrong = sum(first >= second for first, second in pairs)
    return Metric("races told wrongly, 1 ms apart", wrong, "", most=0, how=f"{races} races, measured bounces")


def answer_metrics(presses: int = PRESSES) -> Iterator[Metric]:
    """Yield the time from the first edge until a press is recognised; 0.5 ms of closed
    contact are required.
    """
    known_ms = recognition_times_ms(presses)
    yield Metric(
        "edge to press, median", float(np.median(known_ms)), "ms", how=f"{presses} presses, bouncing"
    )
    yield Metric("edge to press, 99th percentile", float(np.percentile(known_ms, 99)), "ms")


def recognition_times_ms(presses: int) -> list[float]:
    """Return the milliseconds from each press's leading edge until it was recognised."""
    controls = Controls(tuple(Place((Button(pin, short=("press",)),)) for pin in PINS))
    known_ms: list[float] = []
    all_heard = threading.Event()

    def hear(press: Press) -> None:
        known_ms.append((time.monotonic_ns() - press.at_ns) / MILLISECOND)
        if len(known_ms) == presses:
            all_heard.set()

    with SimulatedControls(controls) as table, Buttons(controls, hear, table.pins):
        begun_ns = time.monotonic_ns() + 100 * MILLISECOND
        for n in range(presses):
            table.press(1 + n % len(PINS), 1, at_ns=begun_ns + n * 40 * MILLISECOND)
        all_heard.wait(1 + presses * 0.05 + 10)
    return known_ms
