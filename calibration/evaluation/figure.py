"""One measured figure, and how long things take."""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import cv2

Result = TypeVar("Result")

NEARLY_ALL = 99.0
"""Per cent beyond which every small part counts."""


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


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured.

    ``most`` is the highest and ``least`` the lowest value that is good
    enough, ``None`` where the figure is only told; ``value`` is not a number
    (NaN) where nothing could be measured.  ``how`` says what it was measured
    on, or why it was not.
    """

    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None
    how: str = ""

    @classmethod
    def missing(cls, what: str, why: str) -> Figure:
        """Return what stands in the place of a figure that could not be measured."""
        return cls(what, math.nan, "", how=why)

    @property
    def good(self) -> bool:
        """Whether the figure is good enough; one that was not measured is not."""
        fits_most = self.most is None or self.value <= self.most
        fits_least = self.least is None or self.value >= self.least
        return not math.isnan(self.value) and fits_most and fits_least

    @property
    def asked(self) -> str:
        """What it must reach, in words; empty where it is only told."""
        if self.most == 0:
            return "none"
        if self.most is not None:
            return f"at most {written(self.most, self.unit)}"
        return "" if self.least is None else f"at least {written(self.least, self.unit)}"

    @property
    def measured(self) -> str:
        """The value and its unit in words."""
        return "not measured" if math.isnan(self.value) else written(self.value, self.unit)

    def __str__(self) -> str:
        verdict = "good" if self.good else "NOT REACHED"
        limit = f" ({self.asked}: {verdict})" if self.asked else ""
        return f"{self.what}: {self.measured}{limit}"


def written(value: float, unit: str) -> str:
    """Return a value with its unit: four digits, six of a percentage near 100, so that 99.995 is not 100."""
    places = 6 if unit == "%" and value > NEARLY_ALL else 4
    digits = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{places}g}"
    return f"{digits} {unit}".strip()


def percent(part: float, whole: float) -> float:
    """Return a part of a whole in per cent, not a number where the whole is nothing."""
    return 100 * part / whole if whole else math.nan
