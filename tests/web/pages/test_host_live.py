"""The host's page stays true while it is open: seats, their codes and their lights."""

from __future__ import annotations

from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from companion.events.log import EventLog
from companion.events.match import Match
from companion.rules.registry import game
from tests.web.made import WORDS, monitor


def drawn(app: Flask) -> Any:
    services: Any = app.extensions["companion"]
    return services.live_pages["host"].draw(services, 0)


def test_the_seats_of_a_new_game_take_the_place_of_the_old_ones(app: Flask, log: EventLog) -> None:
    assert "Chi &amp; Co" in drawn(app)["codes"]
    Match.begun(log, "two", game("chew"), ("Dora", "Emil"), {}, WORDS)
    monitor(app).poll_log()
    codes = drawn(app)["codes"]
    assert "2 Emil" in codes
    assert "Chi" not in codes
    assert codes.count("/host/seats/") == 2


def test_every_seat_whose_light_the_table_knows_can_be_tested(app: Flask) -> None:
    assert 'value="1"' in drawn(app)["lights"]


def test_a_seats_code_is_a_picture_for_the_host_alone(host: FlaskClient, phone: FlaskClient) -> None:
    answer = host.get("/host/seats/2.svg")
    assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
    assert 'xmlns="http://www.w3.org/2000/svg"' in answer.text
    assert host.get("/host/seats/4.svg").status_code == 404
    assert phone.get("/host/seats/2.svg").status_code == 302
