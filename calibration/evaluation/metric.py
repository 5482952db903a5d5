"""A measured metric with its target, and timers of processor time."""

from __future__ import annotations

import math
import os
import resource
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import cv2

Result = TypeVar("Result")

Progress = Callable[[str], None]
"""Shows a text about the current measurement."""

MIN_DETAILED_PERCENT = 99.0
"""Percentage above which more digits are written."""


def limit_to_one_thread() -> None:
    """Limit OpenCV in this process, and OpenMP in the programs that it starts, to one thread."""
    cv2.setNumThreads(1)
    os.environ["OMP_THREAD_LIMIT"] = "1"


def cpu_s_with_children() -> float:
    """Return the processor time of this process and of the children that it has waited for, in seconds."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def cpu_timed(act: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result of a call and the milliseconds of processor time that it took, with children."""
    begun = cpu_s_with_children()
    result = act()
    return result, 1000 * (cpu_s_with_children() - begun)


def cpu_ms(act: Callable[[], object], runs: int) -> float:
    """Return the median processor time of several runs in milliseconds, after one run to warm up."""
    act()
    return statistics.median(cpu_timed(act)[1] for _ in range(runs))


@dataclass(frozen=True, slots=True)
class Metric:
    """One measured value and its target.

    ``what`` is its name.  ``most`` is the highest and ``least`` the lowest acceptable value, ``None`` without
    such a target.  ``value`` is NaN where nothing could be measured.  ``how`` names what it was measured on,
    or why it was not measured.
    """

    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None
    how: str = ""

    @classmethod
    def not_measured(cls, what: str, why: str) -> Metric:
        """Return a metric that could not be measured, with the reason."""
        return cls(what, math.nan, "", how=why)

    @property
    def good(self) -> bool:
        """Whether the value reaches its target; False where it was not measured."""
        fits_most = self.most is None or self.value <= self.most
        fits_least = self.least is None or self.value >= self.least
        return not math.isnan(self.value) and fits_most and fits_least

    @property
    def target_text(self) -> str:
        """The target in words, empty without one."""
        if self.most == 0:
            return "none"
        if self.most is not None:
            return f"at most {format_value(self.most, self.unit)}"
        return "" if self.least is None else f"at least {format_value(self.least, self.unit)}"

    @property
    def value_text(self) -> str:
        """The value with its unit, or "not measured"."""
        return "not measured" if math.isnan(self.value) else format_value(self.value, self.unit)

    def __str__(self) -> str:
        verdict = "good" if self.good else "NOT REACHED"
        limit = f" ({self.target_text}: {verdict})" if self.target_text else ""
        return f"{self.what}: {self.value_text}{limit}"


def format_value(value: float, unit: str) -> str:
    """Return a value with its unit: four significant digits, six of a percentage above 99."""
    places = 6 if unit == "%" and value > MIN_DETAILED_PERCENT else 4
    digits = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{places}g}"
    return f"{digits} {unit}".strip()


def percent(part: float, whole: float) -> float:
    """Return a part of a whole in per cent, NaN where the whole is 0."""
    return 100 * part / whole if whole else math.nan


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that a ``share`` (0 to 1) of the values do not exceed, NaN without values."""
    found = sorted(values)
    return found[min(len(found) - 1, int(len(found) * share))] if found else math.nan
