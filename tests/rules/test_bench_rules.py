"""The measurements measure what they say."""

from __future__ import annotations

from pathlib import Path

from calibration.evaluation.metric import Metric
from companion.bench.rules import (
    append_metrics,
    decision_metrics,
    kill_metrics,
    killed_game,
    replay_metric,
    states_of,
)


def test_every_decision_is_timed() -> None:
    assert [metric.unit for metric in decision_metrics(players=8, count=500)] == ["ms", "ms"]


def test_every_append_is_timed(tmp_path: Path) -> None:
    assert all(metric.value > 0 for metric in append_metrics(tmp_path, count=20))


def test_the_replayed_game_has_as_many_events_as_are_asked_for(tmp_path: Path) -> None:
    assert replay_metric(tmp_path, events=300).what == "replay of 300 events"


def test_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    assert [metric.value for metric in kill_metrics(tmp_path, count=5)] == [0, 0]


def test_a_killed_game_had_acknowledged_events_with_the_states_that_the_log_replays(tmp_path: Path) -> None:
    acknowledged = killed_game(tmp_path / "log", 0.05)
    assert acknowledged[-1] in list(states_of(tmp_path / "log").items())


def test_a_figure_says_whether_it_is_good_enough() -> None:
    assert str(Metric("a", 1.5, "ms", 1.0)) == "a: 1.5 ms (at most 1 ms: NOT REACHED)"
    assert str(Metric("a", 1.0, "ms", 1.0)) == "a: 1 ms (at most 1 ms: good)"
    assert str(Metric("a", 2.0, "ms")) == "a: 2 ms"
