"""How soon the table answers: what its process measures becomes metrics."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from calibration.evaluation.metric import Metric
from companion.bench.table import metrics, run_table_process, table_metrics

FOUND: dict[str, Any] = {
    "light_ms": [1.0, 2.0, None, 3.0],
    "verdict_ms": [20.0, 22.0, 24.0, None],
    "reads_per_s": 25.0,
    "placed_ms": 250.0,
    "own_mb": 92.0,
    "peak_mb": 144.0,
    "idle_percent": 1.5,
    "start_cpu_s": 1.0,
}


def named(start_s: float = 1.5, **changes: Any) -> dict[str, Metric]:
    return {metric.what: metric for metric in metrics(start_s, {**FOUND, **changes})}


def test_each_figure_is_held_to_what_is_asked() -> None:
    found = named()
    assert all(metric.good for metric in found.values())
    assert found["press to light, 99th percentile"].value == pytest.approx(2.98)
    assert found["press to light, 99th percentile"].how.startswith("3 of 4 presses")
    assert found["press to verdict, median"].value == 22.0
    assert found["last tile to verdict, after stillness"].value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        ("press to light, 99th percentile", {"light_ms": [6.0]}),
        ("press to verdict, median", {"verdict_ms": [31.0]}),
        ("last tile to verdict, after stillness", {"placed_ms": 360.0}),
        ("memory", {"peak_mb": 201.0}),
        ("memory of its own", {"own_mb": 121.0}),
        ("idle", {"idle_percent": 5.1}),
        ("start to first verdict", {"start_s": 2.1}),
    ],
)
def test_a_figure_that_is_too_high_is_not_reached(what: str, changes: dict[str, Any]) -> None:
    assert not named(**changes)[what].good


def test_presses_that_were_never_answered_are_no_figure() -> None:
    assert math.isnan(named(light_ms=[None])["press to light, 99th percentile"].value)


def test_a_table_that_does_not_come_up_is_said_so(tmp_path: Path) -> None:
    start_s, found, fault = run_table_process(tmp_path)
    assert (math.isnan(start_s), found) == (True, None)
    assert "plan.json" in fault


@pytest.mark.slow
def test_a_real_table_is_measured() -> None:
    found = {metric.what: metric for metric in table_metrics(presses=3, idle_s=0.5)}
    assert found["memory of its own"].good
    assert found["memory"].value > found["memory of its own"].value
    assert 0 < found["press to light, median"].value < found["press to verdict, median"].value + 1000
