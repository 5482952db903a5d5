from __future__ import annotations

import os
from collections.abc import Iterator

import cv2
import pytest

from calibration.evaluation.metric import cpu_ms, cpu_s_with_children, cpu_timed, limit_to_one_thread


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = cv2.getNumThreads()
    monkeypatch.setenv("OMP_THREAD_LIMIT", "7")
    yield
    cv2.setNumThreads(before)


@pytest.mark.usefixtures("threads")
def test_one_thread_holds_for_this_process_and_those_it_starts() -> None:
    limit_to_one_thread()
    assert (cv2.getNumThreads(), os.environ["OMP_THREAD_LIMIT"]) == (1, "1")


def test_what_is_timed_gives_what_it_gave() -> None:
    result, ms = cpu_timed(lambda: "done")
    assert (result, ms >= 0) == ("done", True)


def test_the_first_run_warms_up_and_does_not_count() -> None:
    runs: list[int] = []
    assert cpu_ms(lambda: runs.append(len(runs)), 5) >= 0
    assert len(runs) == 6


def test_the_processors_time_never_runs_backwards() -> None:
    before = cpu_s_with_children()
    assert cpu_s_with_children() >= before
