"""What travels to phones that listen: news, and now and then that all is well."""

from __future__ import annotations

import time
from typing import Any

import pytest
from flask import Flask

from companion.web.live import channels
from tests.web.made import watching


def channel(app: Flask) -> Any:
    site: Any = app.extensions["companion"]
    return site.channels.channel("score", "en", lambda: site.lives["score"].draw(site, 0))


def test_a_change_that_a_page_does_not_show_is_not_sent_to_it(app: Flask) -> None:
    seen = watching(app)
    shown = channel(app)
    assert b"regions" in shown.message(seen, -1, seen.story.number if seen.story else 0)
    before = seen.revision
    seen.announce()
    assert shown.message(seen, before, seen.story.number if seen.story else 0) == b""


def test_a_phone_hears_that_all_is_well_though_things_change_that_it_does_not_show(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    seen, site = watching(app), app.extensions["companion"]

    def waited(_revision: int, timeout_s: float) -> bool:
        now_s[0] += min(timeout_s, 4.0)
        if timeout_s > 4.0:
            seen.announce()
        return timeout_s > 4.0

    monkeypatch.setattr(seen, "wait", waited)
    stream = site.channels.listened(channel(app), None)
    assert [next(stream)[:6] for _ in range(3)] == [b"retry:", b"id: 7\n", b"event:"]
    assert now_s[0] == pytest.approx(channels.BEAT_S)
