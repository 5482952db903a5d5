"""Under which names the pages answer: another site's name leads to none of them."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.web.serving.addresses import KNOWN_HOSTS_KEY


@pytest.mark.parametrize(
    "name",
    ["192.168.4.1", "10.9.9.9:8080", "[fe80::1]:8080", "localhost:8080", "tableau.local", "pi", "pi.lan:80"],
)
def test_numbers_and_names_of_the_network_around_lead_to_the_pages(phone: FlaskClient, name: str) -> None:
    assert phone.get("/api/v1/state", headers={"Host": name}).status_code == 200


@pytest.mark.parametrize(
    "name", ["evil.example", "evil.example:8080", "192.168.4.1.evil.example", "a" * 3000, "<b>", 'x" y="1']
)
@pytest.mark.parametrize("path", ["/", "/join", "/api/v1/state", "/nowhere"])
def test_another_sites_name_reads_nothing(phone: FlaskClient, name: str, path: str) -> None:
    answer = phone.get(path, headers={"Host": name})
    assert answer.status_code == 400
    assert "Ada" not in answer.text


def test_a_name_that_the_owner_has_set_up_leads_to_the_pages(app: Flask, phone: FlaskClient) -> None:
    app.config[KNOWN_HOSTS_KEY] = frozenset({"table.example.org"})
    assert phone.get("/", headers={"Host": "Table.Example.org"}).status_code == 200


def test_phones_still_find_out_that_this_network_leads_nowhere(phone: FlaskClient) -> None:
    answer = phone.get("/generate_204", headers={"Host": "connectivitycheck.example"})
    assert answer.status_code == 204
