"""Draws that take long: everything else goes on meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import gevent
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.hall.entries import PlayerWithdrew
from companion.hall.formats.interface import Field
from companion.hall.formats.tables_of_many import Groups
from companion.hall.formats.values import Pairing
from companion.hall.hall import Hall
from tests.hall.tables import Tables, opened
from tests.web.made import token

LONGEST_S = 30.0
"""Seconds after which a draw goes on in any case, so that a test fails and does not hang."""

PAGES = ("/", "/standings", "/rounds", "/screen", "/players/p1", "/papers/standings.json")


@dataclass
class Slow:
    """Pairing that waits until a test lets it go on."""

    begun: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    in_time: list[bool] = field(default_factory=list)

    def pair(self, form: Groups, given: Field) -> Pairing:
        self.begun.set()
        self.in_time.append(self.released.wait(LONGEST_S))
        return super(Groups, form).pair(given)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """Let draws wait."""
    found = Slow()

    def pair(form: Groups, given: Field) -> Pairing:
        return found.pair(form, given)

    monkeypatch.setattr(Groups, "pair", pair)
    yield found
    found.released.set()


@pytest.fixture
def drawing(hall: Hall, tables: Tables, slow: Slow) -> Iterator[Future[None]]:
    """A draw that is under way in a thread of its own."""
    opened(hall, tables, players=12)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(hall.service.draw, hall.conductor.tables(), {})
        assert slow.begun.wait(LONGEST_S)
        yield found
        slow.released.set()


def test_every_page_answers_while_a_round_is_drawn(
    phone: FlaskClient, slow: Slow, hall: Hall, drawing: Future[None]
) -> None:
    assert [phone.get(page).status_code for page in PAGES] == [200] * len(PAGES)
    assert hall.service.tournament.rounds == ()
    slow.released.set()
    drawing.result()
    assert slow.in_time == [True]
    assert len(hall.service.tournament.rounds) == 1


def test_who_withdraws_while_a_round_is_drawn_is_not_in_it(
    slow: Slow, hall: Hall, drawing: Future[None]
) -> None:
    hall.service.add(PlayerWithdrew("director", "p3", "ill"))
    slow.released.set()
    drawing.result()
    assert slow.in_time == [True, True]
    seated = {player for one in hall.service.tournament.rounds[0].tables for player in one.players}
    assert seated == {f"p{number}" for number in range(1, 13)} - {"p3"}


def test_two_draws_at_once_draw_one_round(slow: Slow, hall: Hall, drawing: Future[None]) -> None:
    slow.begun.clear()
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(hall.service.draw, hall.conductor.tables(), {})
        assert slow.begun.wait(LONGEST_S)
        slow.released.set()
        told = [str(one.exception()) for one in (drawing, second)]
    assert sorted(told) == ["None", "round 1 is not closed yet"]
    assert len(hall.service.tournament.rounds) == 1


def test_pages_answer_while_the_director_waits_for_the_draw(
    app: Flask, director: FlaskClient, slow: Slow, hall: Hall, tables: Tables
) -> None:
    opened(hall, tables, players=12)
    form = {"csrf_token": token(director, "/director"), "what": "draw"}
    asked = gevent.spawn(director.post, "/director/round", data=form)
    while not slow.begun.is_set():
        gevent.sleep(0)
    assert app.test_client().get("/standings").status_code == 200
    assert not asked.ready()
    slow.released.set()
    asked.join()
    assert (slow.in_time, len(hall.service.tournament.rounds)) == ([True], 1)
