"""What is said where a page cannot be had: in plain words, in the language of whoever asks."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from companion.web.app import RATE_LIMIT_BURST
from tests.web.made import sent

ADDRESSES = [("/nowhere", 404), ("/replay/none", 404), ("/referee/look/9", 404)]


@pytest.mark.parametrize(("path", "status"), ADDRESSES)
def test_a_page_that_is_not_there_is_said_in_plain_words(host: FlaskClient, path: str, status: int) -> None:
    answer = host.get(path)
    assert answer.status_code == status
    assert "There is no such page" in answer.text
    assert "URL" not in answer.text


def test_an_own_reason_is_told_in_place_of_the_usual_one(host: FlaskClient) -> None:
    page = host.get("/referee/look/9").text
    assert "Nobody sits there." in page
    assert "mistyped" not in page


def test_faults_are_told_in_german(host: FlaskClient) -> None:
    page = host.get("/nowhere", headers={"Accept-Language": "de"}).text
    assert "Diese Seite gibt es nicht" in page
    own = host.get("/referee/look/9", headers={"Accept-Language": "de"}).text
    assert "Nobody" not in own


def test_programs_are_told_the_names_of_http(host: FlaskClient) -> None:
    told = host.get("/api/v1/nowhere", headers={"Accept-Language": "de"}).get_json()
    assert told["error"] == "Not Found"


def test_a_form_sent_by_a_page_is_told_why_it_failed(phone: FlaskClient) -> None:
    answer = sent(phone, "/order", {"order": "start"})
    assert answer.status_code == 403
    assert answer.get_json() == {"accepted": False, "says": "Only the referee may do that. Sign in first."}


def test_a_form_of_a_page_that_was_open_too_long_is_told_so(host: FlaskClient) -> None:
    answer = sent(host, "/order", {"order": "start", "csrf_token": "old"})
    assert answer.status_code == 400
    assert answer.get_json()["accepted"] is False
    assert "open for too long" in answer.get_json()["says"]


def test_a_form_sent_too_fast_is_told_so(phone: FlaskClient) -> None:
    answers = [
        phone.post("/seat/1/call", headers={"Accept": "application/json"})
        for _ in range(int(RATE_LIMIT_BURST) + 1)
    ]
    assert answers[-1].status_code == 429
    assert "Slowly" in answers[-1].get_json()["says"]
