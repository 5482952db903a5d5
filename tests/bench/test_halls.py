from __future__ import annotations

import pytest

from companion.bench.halls import display_latencies, hall_load, metrics
from tests.hall.broker import needs_mosquitto


def test_an_event_counts_as_shown_with_the_first_message_that_shows_it_or_a_later_one() -> None:
    written = [["t1", "1", "1000000"], ["t1", "2", "2000000"], ["t1", "3", "9000000"], ["t2", "1", "0"]]
    shown = {"t1": [(2, 5_000_000), (3, 9_500_000)]}
    assert display_latencies(written, shown) == ([4.0, 3.0, 0.5], 1)


@needs_mosquitto
@pytest.mark.slow
def test_a_hall_of_a_few_tables_is_measured_and_misses_no_event() -> None:
    found = hall_load(3, 4.0, 3.0)
    told = list(metrics(found, asked=True))
    assert (found.missed, len(found.late_ms) > 30) == (0, True)
    assert all(one.value >= 0 for one in told)
