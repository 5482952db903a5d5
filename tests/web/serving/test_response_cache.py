"""Answers that are kept ready for a crowd of viewers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import gevent
import pytest
from flask import Flask
from gevent.event import Event
from werkzeug.test import Client, TestResponse

from companion.events.match import Match
from companion.model.calls import SECOND, Called
from companion.web.auth.roles import SPARE_SLOT_KEY
from companion.web.services import CachePolicy
from companion.web.serving.assets import MAX_CACHED_RESPONSES, Environ, ResponseCache, StartResponse
from tests.web.made import monitor


class Counted:
    """The pages, counting what they are asked; the clock stands still unless it is moved."""

    def __init__(self, app: Flask, policies: Mapping[str, CachePolicy]) -> None:
        self.app, self.asked, self.now_s = app, list[str](), 0.0
        self.cache = ResponseCache(self.pages, policies, lambda: self.now_s)

    def pages(self, environ: Environ, start: StartResponse) -> Iterable[bytes]:
        self.asked.append(environ["PATH_INFO"])
        return self.app(environ, start)

    def get(self, path: str, **given: Any) -> TestResponse:
        return Client(self.cache, use_cookies=False).get(path, **given)


@pytest.fixture
def counted(app: Flask) -> Counted:
    return Counted(app, app.extensions["companion"].cached)


@pytest.mark.parametrize("path", ["/", "/help", "/games", "/healthz", "/static/style.css"])
def test_a_page_that_is_alike_for_all_is_made_once_for_a_crowd(counted: Counted, path: str) -> None:
    first, second = counted.get(path), counted.get(path)
    assert counted.asked == [path]
    assert (second.status, second.data, second.headers) == (first.status, first.data, first.headers)


def test_a_kept_page_tells_of_the_next_event_at_once(counted: Counted, app: Flask, match: Match) -> None:
    before = counted.get("/").text
    match.handle(Called(40 * SECOND, 3, "dump"))
    assert monitor(app).poll_log()
    assert counted.get("/").text != before


def test_a_kept_page_is_drawn_again_after_a_second_for_its_clocks_run_on(counted: Counted) -> None:
    counted.get("/")
    counted.now_s = 1.1
    counted.get("/")
    assert counted.asked == ["/", "/"]


def test_of_phones_that_ask_for_the_same_at_once_one_has_it_made(counted: Counted) -> None:
    pages, made = counted.cache.pages, Event()

    def slow(environ: Environ, start: StartResponse) -> Iterable[bytes]:
        made.wait(5)
        return pages(environ, start)

    counted.cache.pages = slow
    phones = [gevent.spawn(counted.get, "/help") for _ in range(5)]
    gevent.sleep(0)
    made.set()
    gevent.joinall(phones)
    assert len({phone.value.data for phone in phones}) == 1
    assert counted.asked == ["/help"]


def test_each_language_and_each_name_of_the_pages_has_its_own_answer(counted: Counted) -> None:
    german = counted.get("/", headers={"Accept-Language": "de"})
    assert counted.get("/").data != german.data
    assert counted.get("/", base_url="http://elsewhere.example").status_code == 400


def test_who_has_a_session_gets_a_page_of_its_own(counted: Counted) -> None:
    counted.get("/")
    counted.get("/", headers={"Cookie": "language=en; session=mine"})
    assert counted.asked == ["/", "/"]


@pytest.mark.parametrize("path", ["/judge", "/enter", "/tv", "/live/nothing", "/static/none.css"])
def test_what_is_not_alike_for_all_or_went_wrong_is_asked_for_each_time(counted: Counted, path: str) -> None:
    counted.get(path)
    counted.get(path)
    assert counted.asked == [path, path]


def test_where_only_spare_places_are_left_a_viewer_gets_no_kept_page(counted: Counted) -> None:
    counted.get("/")
    assert Client(counted.cache).get("/", environ_overrides={SPARE_SLOT_KEY: True}).status_code == 503


def test_made_up_addresses_fill_no_memory(counted: Counted) -> None:
    for n in range(MAX_CACHED_RESPONSES + 9):
        counted.get(f"/help?{n}")
    assert len(counted.cache.responses) == MAX_CACHED_RESPONSES


def test_the_pages_start_without_the_reader_and_without_fonts(root: Path) -> None:
    code = "import sys, companion.commands.web; print(*{'cv2', 'onnxruntime', 'fontTools'} & {*sys.modules})"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"
