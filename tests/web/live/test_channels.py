"""What travels to phones that listen: news, and now and then that all is well."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import gevent
import pytest
from flask import Flask

from companion.web.live import channels
from tests.web.made import monitor


def channel(app: Flask) -> Any:
    services: Any = app.extensions["companion"]
    return services.channels.channel("score", "en", lambda: services.live_pages["score"].draw(services, 0))


def test_a_change_that_a_page_does_not_show_is_not_sent_to_it(app: Flask) -> None:
    seen = monitor(app)
    shown = channel(app)
    assert b"regions" in shown.message(seen, -1, seen.projection.number if seen.projection else 0)
    before = seen.revision
    seen.notify()
    assert shown.message(seen, before, seen.projection.number if seen.projection else 0) == b""


def test_a_phone_hears_that_all_is_well_though_things_change_that_it_does_not_show(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    seen, services = monitor(app), app.extensions["companion"]

    def waited(_channel: channels.PageChannel, _revision: int, timeout_s: float) -> None:
        now_s[0] += min(timeout_s, 4.0)
        seen.notify()

    monkeypatch.setattr(channels.PageChannel, "wait", waited)
    stream = services.channels.stream(channel(app), None)
    assert [next(stream)[:6] for _ in range(3)] == [b"retry:", b"id: 7\n", b"event:"]
    assert now_s[0] == pytest.approx(channels.HEARTBEAT_S)


def listening(app: Flask, shown: Any, last_event: list[bytes]) -> gevent.Greenlet:
    """Let a phone listen; what it hears goes into a list."""
    stream = app.extensions["companion"].channels.stream(shown, None)
    return gevent.spawn(lambda: last_event.extend(stream))


def settled() -> None:
    """Let all phones that were woken hear what there is."""
    for _ in range(5):
        gevent.sleep(0)


@pytest.fixture
def page(app: Flask) -> Iterator[tuple[Any, list[str]]]:
    """A live page whose one region a test changes, with two phones that listen."""
    text = ["before"]
    found = app.extensions["companion"].channels.channel("made", "en", lambda: {"body": text[0]})
    phones = [listening(app, found, []) for _ in range(2)]
    settled()
    yield found, text
    gevent.killall(phones)


def test_phones_sleep_on_when_a_change_does_not_show_on_their_page_and_wake_when_one_does(
    app: Flask, page: tuple[Any, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    whole = channels.PageChannel.message

    def message(*given: Any) -> bytes:
        asked.append(given[2])
        return whole(*given)

    monkeypatch.setattr(channels.PageChannel, "message", message)
    found = []
    for text in ("before", "after"):
        page[1][0] = text
        monitor(app).notify()
        settled()
        found.append(len(asked))
    assert found == [0, 2]


def test_a_page_whose_drawing_failed_is_drawn_again_at_the_next_change(
    app: Flask, page: tuple[Any, list[str]]
) -> None:
    shown, text = page
    text.clear()
    monitor(app).notify()
    settled()
    text.append("mended")
    monitor(app).notify()
    settled()
    assert shown.regions == {"body": "mended"}


def test_nobody_draws_a_page_that_nobody_listens_to_any_more(app: Flask) -> None:
    services: Any = app.extensions["companion"]
    drawn: list[int] = []

    def draw() -> dict[str, str]:
        drawn.append(1)
        return {}

    phone = listening(app, services.channels.channel("made", "en", draw), [])
    settled()
    phone.kill()
    before = len(drawn)
    monitor(app).notify()
    settled()
    assert (before, len(drawn)) == (1, 1)
