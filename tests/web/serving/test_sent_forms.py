"""Forms that are sent twice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import gevent
import pytest
from flask.testing import FlaskClient

from companion.web.serving import sent_forms
from tests.web.made import PIN, Desk, token

JSON = {"Accept": "application/json"}
PENALTY = {"ruling": "set_score", "seat": "1", "score": "12", "reason": "agreed"}


def filled(phone: FlaskClient, path: str, values: Mapping[str, str]) -> dict[str, str]:
    """The first form of a page, with its hidden fields and what a person has typed."""
    page = phone.get(path).text
    keys = re.findall(r'name="(csrf_token|form_key)" value="([^"]+)"', page)[:2]
    assert [name for name, _ in keys] == ["csrf_token", "form_key"]
    return {**dict(keys), **values}


def rulings(desk: Desk) -> list[Any]:
    return [one for one in desk.heard if one[0] == "ruling"]


def test_a_form_that_is_sent_twice_counts_once_and_is_answered_alike(host: FlaskClient, desk: Desk) -> None:
    form = filled(host, "/referee", PENALTY)
    answers = [host.post("/ruling", data=form) for _ in range(2)]
    assert [(one.status_code, one.location) for one in answers] == [(302, "/referee")] * 2
    assert len(rulings(desk)) == 1
    assert host.get("/referee").text.count("heard") == 1  # what is said of it is said once, and not lost


def test_a_browser_that_lost_the_first_answer_is_told_all_by_the_second(
    host: FlaskClient,
) -> None:
    form = filled(host, "/referee", PENALTY)
    before = host.get_cookie("session")
    assert before is not None
    host.post("/ruling", data=form)
    host.set_cookie("session", before.value)
    host.post("/ruling", data=form)
    assert "heard" in host.get("/referee").text


def test_a_repeat_waits_for_the_answer_to_the_first(
    host: FlaskClient, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, slow = filled(host, "/referee", PENALTY), desk.noted
    monkeypatch.setattr(desk, "noted", lambda *what: (gevent.sleep(0.2), slow(*what))[1])
    phones = [host.application.test_client() for _ in range(2)]
    cookie = host.get_cookie("session")
    assert cookie is not None
    for phone in phones:
        phone.set_cookie("session", cookie.value)
    sent = [gevent.spawn(phone.post, "/ruling", data=form, headers=JSON) for phone in phones]
    gevent.joinall(sent, raise_error=True)
    assert [one.value.json["says"] for one in sent] == ["heard", "heard"]
    assert len(rulings(desk)) == 1


def test_a_form_that_was_corrected_after_going_back_counts(host: FlaskClient, desk: Desk) -> None:
    form = filled(host, "/referee", PENALTY)
    for score in ("12", "21"):
        host.post("/ruling", data={**form, "score": score})
    assert [one[-1]["score"] for one in rulings(desk)] == [12, 21]


def test_a_new_page_has_a_new_key_so_that_the_same_again_counts(host: FlaskClient, desk: Desk) -> None:
    for _ in range(2):
        host.post("/ruling", data=filled(host, "/referee", PENALTY))
    assert len(rulings(desk)) == 2


@pytest.mark.parametrize("headers", [{}, JSON])
def test_what_was_refused_may_be_sent_again(
    host: FlaskClient, desk: Desk, headers: Mapping[str, str]
) -> None:
    form = filled(host, "/referee", PENALTY)
    for refusal in ("the table is being moved", ""):
        desk.refuses = refusal
        host.post("/ruling", data=form, headers=headers)
    assert len(rulings(desk)) == 2


def test_a_form_without_a_key_counts_each_time(host: FlaskClient, desk: Desk) -> None:
    form = {"csrf_token": token(host), **PENALTY}
    for _ in range(2):
        host.post("/ruling", data=form)
    assert len(rulings(desk)) == 2


def test_a_pin_that_is_sent_twice_signs_in(host: FlaskClient) -> None:
    phone = host.application.test_client()
    form = filled(phone, "/enter", {"pin": PIN, "to": "/referee"})
    assert [phone.post("/enter", data=form).location for _ in range(2)] == ["/referee"] * 2
    assert phone.get("/referee").status_code == 200


def test_the_form_sent_longest_ago_is_forgotten_first(
    host: FlaskClient, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_forms, "MAX_REMEMBERED_FORMS", 1)
    first, second = (filled(host, "/referee", PENALTY) for _ in range(2))
    for form in (first, second, second, first):
        host.post("/ruling", data=form)
    assert len(rulings(desk)) == 3
