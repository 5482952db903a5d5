"""What one phone may send, and what the host takes home."""

from __future__ import annotations

import io
import json
import zipfile

from flask.testing import FlaskClient

from companion.events.exported import from_json
from companion.events.match import Match
from companion.web.app import MAX_TRACKED_ADDRESSES, RATE_LIMIT_BURST, RATE_LIMIT_PER_S, RateLimiter
from tests.web.made import OWN, PIN


def test_a_phone_that_sends_too_fast_is_told_so_and_others_are_not(phone: FlaskClient) -> None:
    given = {"data": {"language": "en"}, "headers": OWN}
    answers = [phone.post("/language", **given).status_code for _ in range(int(RATE_LIMIT_BURST) + 5)]
    assert answers[0] == 302
    assert answers[-1] == 429
    assert phone.get("/").status_code == 200
    assert phone.post("/language", **given, environ_base={"REMOTE_ADDR": "10.0.0.9"}).status_code == 302


def test_a_bucket_fills_by_itself() -> None:
    now = [0.0]
    rates = RateLimiter(lambda: now[0])
    assert all(rates.allow("phone") for _ in range(int(RATE_LIMIT_BURST)))
    assert not rates.allow("phone")
    now[0] = 1.0
    assert [rates.allow("phone") for _ in range(int(RATE_LIMIT_PER_S) + 1)] == [True] * int(
        RATE_LIMIT_PER_S
    ) + [False]


def test_ever_new_addresses_fill_no_memory() -> None:
    rates = RateLimiter(lambda: 0.0)
    for number in range(MAX_TRACKED_ADDRESSES + 100):
        rates.allow(str(number))
    assert len(rates.left) == MAX_TRACKED_ADDRESSES


def test_a_backup_holds_every_game_so_that_it_can_be_played_back(host: FlaskClient, match: Match) -> None:
    archive = zipfile.ZipFile(io.BytesIO(host.get("/host/backup.zip").data))
    assert archive.namelist() == ["README.txt", "game-0001.json"]
    for said in (archive.read("README.txt").decode(), host.get("/host").text):
        assert all(one in said for one in ("PINs, tokens, saved players", "calibration", "word lists"))
    name, rows = from_json(archive.read("game-0001.json").decode())
    assert (name, len(rows)) == ("one", match.number)


def test_diagnostics_hold_no_secret(host: FlaskClient, phone: FlaskClient) -> None:
    told = host.get("/host/diagnostics.json").text
    assert "game one" in told
    assert PIN not in told
    assert json.loads(told)["table"]["game"] == "bananagrams"
    assert phone.get("/host/diagnostics.json").status_code == 302
    assert phone.get("/host/backup.zip").status_code == 302
