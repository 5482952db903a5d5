"""How long something takes the processor."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

import cv2

Result = TypeVar("Result")


def one_thread() -> None:
    """Let this process and the programs that it starts compute on one thread each."""
    cv2.setNumThreads(1)
    os.environ["OMP_THREAD_LIMIT"] = "1"


def timed(act: Callable[[], Result]) -> tuple[Result, float]:
    """Return what something gives and the milliseconds that the processor worked on it."""
    begun = time.process_time()
    result = act()
    return result, 1000 * (time.process_time() - begun)


def cpu_ms(act: Callable[[], object], runs: int) -> float:
    """Return the median of the processor's milliseconds over several runs, after one that does not count."""
    act()
    return statistics.median(timed(act)[1] for _ in range(runs))


def cpu_s_with_children() -> float:
    """Return the seconds that the processor has worked for this process and all that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
