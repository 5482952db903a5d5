"""What the benchmark says of buttons: measured through the very classes that a table uses."""

from __future__ import annotations

from companion.bench.buttons import answer_metrics, cost_metric, race_metric


def test_no_race_is_told_wrongly() -> None:
    metric = race_metric(races=200)
    assert (metric.value, metric.good) == (0, True)


def test_debouncing_costs_something_but_not_a_hundred_microseconds_an_edge() -> None:
    metric = cost_metric(presses=50)
    assert 0 < metric.value < 100
    assert metric.how.startswith("50 presses in ")


def test_a_press_is_known_after_half_a_millisecond_of_contact() -> None:
    median, most = answer_metrics(presses=6)
    assert 0.5 <= median.value <= most.value
    assert median.how == "6 presses, bouncing"
