"""Who has to wait after wrong PINs, and who never has to."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.errors import BadPin
from companion.web import keeping
from companion.web.auth.pins import (
    ATTACK_FAILURES_PER_HOUR,
    HOUR_S,
    SUSPICIOUS_FAILURES_PER_HOUR,
    Account,
    Failure,
    LoginAttempts,
    Pins,
    wait_s,
)
from companion.web.keeping import Kept
from tests.web.made import PIN, token


def failed(times: Iterable[float], address: str = "phone") -> list[Failure]:
    return [Failure(at, address) for at in times]


@pytest.mark.parametrize(
    ("failed_at", "now_s", "waits"),
    [
        ([0, 1], 2, 0),
        ([0, 1, 2], 2, 58),
        ([0, 1, 2], 60, 0),
        ([0, 100, 200, 300, 400], 401, 199),  # five in ten minutes
        ([0, 100, 200, 300, 400], 600, 0),
        (range(0, 3000, 300), 3001, 599),  # ten in an hour
    ],
)
def test_how_long_an_address_waits_after_wrong_pins(
    failed_at: list[float], now_s: float, waits: float
) -> None:
    assert wait_s(failed(failed_at), Failure(now_s, "phone")) == waits
    assert wait_s(failed(failed_at), Failure(now_s, "another")) == 0


def test_wrong_tokens_and_seat_codes_keep_nobody_from_the_pin() -> None:
    wrong = [Failure(0, "phone", account) for account in (Account.TOKEN, Account.SEAT) for _ in range(400)]
    assert wait_s(wrong, Failure(1, "phone")) == 0
    assert wait_s(wrong, Failure(1, "phone", Account.SEAT)) > 0


def test_where_many_addresses_fail_each_has_one_try_an_hour() -> None:
    wrong = [Failure(0, f"phone {number}") for number in range(SUSPICIOUS_FAILURES_PER_HOUR)]
    assert wait_s(wrong, Failure(1, "phone 1")) == HOUR_S - 1
    assert wait_s(wrong, Failure(1, "the host's")) == 0


def test_where_very_many_fail_only_phones_that_have_signed_in_before_may_try() -> None:
    wrong = [Failure(0, f"phone {number}") for number in range(ATTACK_FAILURES_PER_HOUR)]
    assert wait_s(wrong, Failure(1, "new")) == HOUR_S - 1
    assert wait_s(wrong, Failure(1, "the host's"), known=True) == 0


def test_a_right_pin_forgives_its_own_try_and_not_those_of_others_meanwhile(tmp_path: Path) -> None:
    tries = LoginAttempts(Kept(tmp_path), lambda: 1000.0)
    right = tries.begin(Account.PIN, "host")
    tries.begin(Account.PIN, "thief")
    tries.forgive(right)
    assert [one.address for one in tries.failures(1000.0)] == ["thief"]


def test_a_clock_that_was_set_back_does_not_prolong_a_wait(tmp_path: Path) -> None:
    now = [100_000.0]
    pins = Pins(Kept(tmp_path), lambda: now[0])
    pins.choose("host", PIN)
    for _ in range(3):
        with pytest.raises(BadPin, match="not right"):
            pins.role_of("111222", "phone")
    now[0] -= 900
    with pytest.raises(BadPin, match="Try again in 61 seconds"):
        pins.role_of(PIN, "phone")


def test_what_is_no_failure_in_the_kept_file_is_passed_over(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.write("failures", [[999.0, "phone"], [1], "x", None, [999.0, "phone", "spell"]])
    assert LoginAttempts(kept, lambda: 1000.0).failures(1000.0) == [Failure(999.0, "phone", Account.PIN)]


def test_the_right_pin_opens_on_a_full_disk_and_wrong_ones_still_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [1000.0]
    pins = Pins(Kept(tmp_path), lambda: now[0])
    pins.choose("host", PIN)

    def full(path: Path, mode: int) -> None:
        raise OSError(errno.ENOSPC, f"no room for a file ({mode:o})", str(path))

    with monkeypatch.context() as disk:
        disk.setattr(keeping, "replacing", full)
        assert pins.role_of(PIN, "phone") == "host"
        pins.claim(Account.SEAT, "code", "code", "phone")
        for _ in range(3):
            with pytest.raises(BadPin, match="not right"):
                pins.role_of("111222", "phone")
        with pytest.raises(BadPin, match="Try again in 61 seconds"):
            pins.role_of(PIN, "phone")
    assert len([one for one in caplog.records if "failed sign-ins" in one.getMessage()]) == 1
    with pytest.raises(BadPin, match="not right"):
        pins.role_of("111222", "another phone")
    assert len(LoginAttempts(Kept(tmp_path)).failures(now[0])) == 4


def test_a_phone_that_has_signed_in_before_comes_in_whatever_strangers_try(
    app: Flask, host: FlaskClient, phone: FlaskClient
) -> None:
    phone.post("/enter", data={"csrf_token": token(phone), "pin": PIN})
    phone.post("/leave", data={"csrf_token": token(phone)})
    now_s = app.extensions["pins"].clock()
    strangers = [(now_s, f"10.0.{n // 250}.{n % 250}", "pin") for n in range(ATTACK_FAILURES_PER_HOUR)]
    app.extensions["companion"].kept.write("failures", strangers)
    assert phone.post("/enter", data={"csrf_token": token(phone), "pin": PIN}).location == "/host"
    stranger = app.test_client()
    stranger.set_cookie("known", "made.up")
    given = {"csrf_token": token(stranger), "pin": PIN}
    assert "Too many wrong PINs" in stranger.post("/enter", data=given).text
    assert host.get("/host").status_code == 200
