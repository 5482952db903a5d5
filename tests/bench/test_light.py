from __future__ import annotations

import numpy as np
import pytest

from calibration.light import Aspect
from companion.bench import light as bench
from companion.bench.light import faulty_frames, light_metrics, reported_aspects
from tests.calibration.light.made import table


def test_every_fault_is_drawn_alone_and_found() -> None:
    for aspect, frames in faulty_frames(np.random.default_rng(1), table(), 40.0).items():
        told = reported_aspects(frames, table())
        assert told >= {aspect} if aspect else told == set()


def test_faults_found_and_false_alarms_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "TABLE_COUNT", 1)
    found, false = light_metrics(lambda _: None)
    assert found.unit == "%"
    assert "of 5: glare" in found.how
    assert 0 <= found.value <= 100
    assert false.value in {0.0, 1.0}


def test_what_is_never_blamed_counts_as_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "TABLE_COUNT", 1)
    monkeypatch.setattr(bench, "reported_aspects", lambda _frames, _table: {Aspect.RESOLUTION})
    found, false = light_metrics(lambda _: None)
    assert (found.value, false.value) == (0, 1)
