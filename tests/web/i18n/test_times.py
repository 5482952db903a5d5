"""Times on the pages: one clock for everything, written as HTML wants them."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.events.match import Match
from companion.model.calls import SECOND, Called, Order, Ordered, Ruling
from companion.web.i18n.language import clock_text, duration, exact_text
from tests.web.made import monitor

DURATION = r"PT\d+M\d+\.\d{3}S"
"""A duration of HTML's ``datetime`` attribute: minutes, seconds and milliseconds."""


def test_a_call_stands_at_what_the_rounds_clock_showed(app: Flask, match: Match, phone: FlaskClient) -> None:
    match.handle(Called(31 * SECOND, 3, "dump"))  # SPLIT was said a second into the game
    monitor(app).poll_log()
    line = re.search(r"<li[^>]*>(?:(?!</li>).)*DUMP", phone.get("/").text, re.DOTALL)
    assert line
    assert '<time datetime="PT0M30.000S">0:30</time>' in line[0]


def test_the_time_of_a_pause_is_on_no_clock(app: Flask, match: Match, phone: FlaskClient) -> None:
    match.handle(Ordered(21 * SECOND, Order.PAUSE))
    match.handle(Ordered(300 * SECOND, Order.RESUME))
    match.handle(Called(310 * SECOND, 3, "dump"))
    monitor(app).poll_log()
    assert '<time datetime="PT0M30.000S">0:30</time>' in phone.get("/").text


@pytest.mark.parametrize("path", ["/", "/tv", "/seat/1", "/referee", "/replay/one", "/results/one"])
def test_every_time_element_says_its_time_as_html_has_it(
    app: Flask, match: Match, host: FlaskClient, path: str
) -> None:
    match.handle(Ruling(30 * SECOND, "warn", "talked", 1))  # results have the times of rulings alone
    monitor(app).poll_log()
    elements = re.findall(r"<time\b[^>]*>", host.get(path).text)
    assert elements
    for element in elements:
        assert re.fullmatch(rf'<time datetime="{DURATION}">', element), element


@pytest.mark.parametrize(
    ("ms", "text", "html"),
    [
        (0, "0:00.000", "PT0M0.000S"),
        (77_004, "1:17.004", "PT1M17.004S"),
        (4_512_000, "1:15:12.000", "PT75M12.000S"),
    ],
)
def test_a_time_is_written_for_people_and_for_html(ms: int, text: str, html: str) -> None:
    assert exact_text(ms) == text
    assert clock_text(ms) == text.partition(".")[0]
    assert duration(ms) == html


def test_overtime_has_a_minus_and_is_no_duration() -> None:
    assert clock_text(-61_000) == "−1:01"
    assert duration(-61_000) == "PT0M0.000S"
