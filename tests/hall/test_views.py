"""What the hall's pages draw, and how often."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import Client

from companion.hall import tournament
from companion.hall.conductor import seat_names
from companion.hall.hall import Hall
from companion.hall.mqtt import Broker, MqttConnection
from companion.hall.pages import views
from companion.hall.tournament import Results, Tournament
from companion.web.services import Services
from companion.web.serving.assets import ResponseCache
from tests.hall.tables import Tables, opened

PAGES = ("/standings", "/rounds", "/screen", "/players/p1", "/papers/standings.csv")


@pytest.fixture
def services(app: Flask) -> Services:
    found: Services = app.extensions["companion"]
    return found


@pytest.fixture
def crowd(app: Flask, services: Services) -> Client:
    """Phones without sessions, served as the server serves them."""
    return Client(ResponseCache(app, services.cached), use_cookies=False)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rounds were closed each time the standings were computed for pages."""
    found: list[int] = []
    whole = tournament.standings

    def counting(state: Tournament, results: Results) -> Any:
        found.append(sum(one.closed for one in state.rounds))
        return whole(state, results)

    monkeypatch.setattr(views, "standings", counting)
    return found


def drawn(hall: Hall) -> None:
    """Draw the next round."""
    hall.service.draw(hall.conductor.tables(), hall.conductor.results())


def changed(services: Services, page: str, act: Callable[[], object]) -> set[str]:
    """Return the regions of a live page that travel after something was done."""
    channel = services.channels.channel(page, "en", lambda: services.live_pages[page].draw(services, 0))
    services.monitor.poll_log()
    assert channel.message(services.monitor, -1, 0)
    shown = services.monitor.revision
    act()
    services.monitor.notify()
    told = channel.message(services.monitor, shown, 0)
    return set(json.loads(told.split(b"data: ")[1])["regions"]) if told else set()


def test_standings_are_computed_once_a_closed_round_however_many_look(
    crowd: Client, services: Services, hall: Hall, tables: Tables, counted: list[int]
) -> None:
    opened(hall, tables)
    for _ in range(2):
        drawn(hall)
        tables.play_round()
        for _phone in range(3):
            assert all(crowd.get(page).status_code == 200 for page in PAGES)
            for page in ("standings", "rounds", "screen", "running"):
                services.live_pages[page].draw(services, 0)
        hall.service.close_round(hall.conductor.results())
    assert "Player 1" in crowd.get("/standings").text
    assert counted == [0, 1, 2]


def test_a_page_of_the_tournament_is_the_same_bytes_for_all_until_it_changes(
    crowd: Client, hall: Hall, tables: Tables
) -> None:
    opened(hall, tables)
    drawn(hall)
    for page in PAGES:
        first = crowd.get(page)
        hall.intake.revision += 1
        assert crowd.get(page).data == first.data
    before = crowd.get("/rounds").data
    tables.play_round()
    assert crowd.get("/rounds").data != before


@pytest.mark.parametrize(("page", "region"), [("rounds", "group-1-2"), ("screen", "board-1-2")])
def test_of_a_round_only_the_group_that_changed_travels(
    services: Services, hall: Hall, tables: Tables, page: str, region: str
) -> None:
    opened(hall, tables)
    drawn(hall)
    now = hall.service.tournament.rounds[0]

    def begin() -> None:
        tables.begin("t2", seat_names(hall.service.tournament, now.tables[1]))
        hall.conductor.step()

    assert changed(services, page, begin) == {region}


def test_the_referee_hears_of_the_table_that_changed_and_who_waits(
    services: Services, hall: Hall, tables: Tables
) -> None:
    tables.online("t1", "t2")
    match = tables.begin("t2", ["Ada", "Bo", "Chi"])
    assert changed(services, "referee", lambda: tables.begin("t1", ["Dee", "Eve"])) == {"row-t1"}
    assert changed(services, "referee", lambda: tables.offline("t2")) == {"row-t2", "waiting"}
    assert match.name in str(hall.intake.tables["t2"].live)


def test_each_button_of_the_referee_says_to_which_table_it_goes(
    director: FlaskClient, tables: Tables
) -> None:
    tables.online("t1")
    tables.begin("t1", ["Ada", "Bo"])
    text = director.get("/referee").text
    assert 'form="order" formaction="/tables/t1/order" name="order" value="pause"' in text
    assert 'Stop the clock<span class="unseen">: Table 1</span>' in text


def test_the_announcer_hears_who_has_come(services: Services, hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    drawn(hall)
    before = services.live_pages["announcer"].draw(services, 0)["body"]
    now = hall.service.tournament.rounds[0]
    tables.begin("t2", seat_names(hall.service.tournament, now.tables[1]))
    hall.conductor.step()
    after = services.live_pages["announcer"].draw(services, 0)["body"]
    assert ("2 tables have not started" in before, "1 table has not started" in after) == (True, True)


@pytest.mark.parametrize("page", ["standings", "rounds", "screen"])
def test_a_round_that_is_closed_changes_the_body_of_each_page(
    services: Services, hall: Hall, tables: Tables, page: str
) -> None:
    opened(hall, tables)
    drawn(hall)
    tables.play_round()
    assert changed(services, page, lambda: hall.service.close_round(hall.conductor.results())) == {"body"}


def test_a_phone_that_comes_late_sees_each_table_as_it_is_now(
    crowd: Client, hall: Hall, tables: Tables
) -> None:
    tables.online("t1")
    assert "Waits for a game" in crowd.get("/").text
    tables.begin("t1", ["Ada", "Bo", "Chi"])
    hall.intake.revision += 1
    fresh = crowd.get("/?again").text
    assert "Ada" in fresh[fresh.index("hallgrid") :]


def test_pages_hear_of_a_broker_that_is_gone(hall: Hall) -> None:
    hall.link = MqttConnection(Broker("localhost", 1), "hall", (), lambda _received: None)
    before = hall.revision
    failed = hall.link.client.on_connect_fail
    assert failed is not None
    failed(hall.link.client, None)
    assert hall.revision > before
