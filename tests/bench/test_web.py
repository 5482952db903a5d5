from __future__ import annotations

from companion.bench.web import PAGES, web_metrics


def test_few_phones_and_few_events_give_every_figure() -> None:
    found = {metric.what: metric for metric in web_metrics(phones=3, events=2)}
    assert len(found) == 1 + len(PAGES) + 4
    assert found["3 live phones: events that a phone did not hear of"].value == 0
    assert 0 < found["3 live phones: an event at a phone, 99 of 100"].value < 20_000
    assert 10 < found["3 live phones: memory of the pages' process"].value < 200
    assert found["first paint of the scoreboard, compressed"].good
