"""The server under hostile and clumsy phones, over real sockets."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import gevent
import pytest
from flask import Flask
from gevent import socket as green

from companion.events.match import Match
from companion.model.calls import SECOND, Called
from companion.web.live.monitor import TableMonitor
from companion.web.serving import server
from tests.web.made import monitor
from tests.web.serving.spawning import spawned


@pytest.fixture
def port(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The pages, served to this machine, by a server that is quickly out of patience."""
    monkeypatch.setattr(server, "CLIENT_TIMEOUT_S", 0.5)
    monkeypatch.setattr(server, "MAX_REQUEST_HEADERS_S", 0.5)
    monkeypatch.setattr(server, "REQUEST_BODY_TIMEOUT_S", 0.5)
    task, found = spawned(app)
    yield found
    task.kill()


def asked(port: int, sent: bytes, until: bytes = b"", patience_s: float = 10.0) -> bytes:
    """What comes back for some bytes until something is in it, or all until the other end hangs up."""
    with green.create_connection(("127.0.0.1", port), timeout=patience_s) as connection:
        connection.sendall(sent)
        got = b""
        with suppress(ConnectionResetError):  # it may hang up before all was sent
            while (not until or until not in got) and (part := connection.recv(65_536)):
                got += part
        return got


def connected(port: int, *addresses: str) -> list[socket.socket]:
    """Connections from some addresses of this machine, once the server has taken them."""
    found = [green.create_connection(("127.0.0.1", port), 5, (address, 0)) for address in addresses]
    gevent.sleep(0.1)
    return found


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join(
        [f"GET {path} HTTP/1.1", "Host: table", *headers, "Connection: close", "", ""]
    ).encode()


def test_a_page_is_served(port: int) -> None:
    assert b"200 OK" in asked(port, get("/"))


def test_a_phone_that_sends_half_a_request_is_left_alone(port: int) -> None:
    began = time.monotonic()
    asked(port, b"GET / HTTP/1.1\r\nHost: ta")
    assert time.monotonic() - began < 8
    assert b"200 OK" in asked(port, get("/"))


def test_a_form_that_never_comes_is_not_waited_for(port: int) -> None:
    head = b"POST /language HTTP/1.1\r\nHost: table\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    answer = asked(port, head + b"Content-Length: 1000\r\n\r\nlanguage=")
    assert b"200 OK" not in answer
    assert b"200 OK" in asked(port, get("/"))


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json"]
)
def test_a_giant_form_is_refused_before_it_is_read(port: int, kind: str) -> None:
    head = f"POST /enter HTTP/1.1\r\nHost: table\r\nContent-Type: {kind}\r\nContent-Length: 99999999\r\n\r\n"
    answer = asked(port, head.encode() + b"pin=" + b"1" * 1000, until=b"\r\n\r\n")
    assert answer.startswith((b"HTTP/1.1 413", b"HTTP/1.1 400"))


def test_a_giant_address_and_giant_heads_are_refused(port: int) -> None:
    assert b"200 OK" not in asked(port, get("/?" + "x" * 100_000))
    assert b"200 OK" not in asked(port, get("/", *[f"X-{n}: {'x' * 1000}" for n in range(300)]))
    assert b"200 OK" in asked(port, get("/"))


def test_too_many_lines_of_a_head_are_refused_without_a_word_in_the_record(
    port: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert b" 400 " in asked(port, get("/", *[f"X-{n}: x" for n in range(200)]))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "sent",
    [b"\x00" * 100, b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"\r\n" * 50, b"GET / HTTP/9.9\r\n\r\n"],
)
def test_what_is_no_request_harms_nobody(port: int, sent: bytes) -> None:
    asked(port, sent)
    assert b"200 OK" in asked(port, get("/"))


def test_every_live_phone_hears_of_an_event(port: int, match: Match) -> None:
    tasks = [gevent.spawn(asked, port, get("/live/score"), b"DUMP") for _ in range(20)]
    gevent.sleep(0.3)
    match.handle(Called(40 * SECOND, 3, "dump"))
    gevent.joinall(tasks, timeout=10)
    assert all(b"DUMP" in (task.value or b"") for task in tasks)


def test_phones_that_hang_up_are_forgotten_at_once_though_nothing_happens(port: int, app: Flask) -> None:
    channels = app.extensions["companion"].channels
    for _ in range(5):
        asked(port, get("/live/score"), b"regions")
    deadline = time.monotonic() + 10
    while channels.slots.taken and time.monotonic() < deadline:
        gevent.sleep(0.05)
    assert channels.slots.taken == 0


def test_a_phone_that_asks_for_more_while_it_listens_goes_on_listening(port: int, match: Match) -> None:
    with green.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(get("/live/score"))
        got = b""
        while b"regions" not in got:
            got += connection.recv(65_536)
        connection.sendall(get("/"))
        gevent.sleep(0.2)
        match.handle(Called(40 * SECOND, 3, "dump"))
        while b"DUMP" not in got:
            got += connection.recv(65_536)
    assert b"DUMP" in got


def test_a_phone_that_takes_nothing_is_left_alone_and_delays_nobody(
    port: int, app: Flask, match: Match
) -> None:
    lazy = green.socket(socket.AF_INET, socket.SOCK_STREAM)
    lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    lazy.connect(("127.0.0.1", port))
    lazy.sendall(get("/replay/one") * 200)
    began = time.monotonic()
    assert b"200 OK" in asked(port, get("/healthz"))
    assert time.monotonic() - began < 8
    lazy.close()
    assert monitor(app).projection is not None
    assert match.number


def test_more_phones_than_there_is_room_for_are_asked_to_come_back(port: int, app: Flask) -> None:
    app.extensions["companion"].channels.slots.taken = 400
    answer = asked(port, get("/live/score"))
    assert b" 503 " in answer


def test_the_service_manager_is_told_only_while_the_log_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server, "WATCHDOG_INTERVAL_S", 0.01)
    services, heard = TableMonitor(tmp_path / "log"), list[float]()
    task = gevent.spawn(server.run_watchdog, services, lambda: heard.append(services.polled_s))
    services.polled_s = time.monotonic() + 60
    gevent.sleep(0.05)
    many = len(heard)
    services.polled_s = 0.0
    gevent.sleep(0.05)
    task.kill()
    assert 1 <= many == len(heard)


def dripping(port: int, head: bytes, drop: bytes, source: str = "127.0.0.1") -> float:
    """Seconds until a phone is hung up on that sends a head and then a little every now and then."""
    began = time.monotonic()
    with green.create_connection(("127.0.0.1", port), 10, (source, 0)) as connection, suppress(OSError):
        connection.sendall(head)
        connection.settimeout(0.1)
        while time.monotonic() - began < 8:
            with suppress(TimeoutError):
                if not connection.recv(4096):
                    break
            connection.sendall(drop)
    return time.monotonic() - began


FORM = b"POST /language HTTP/1.1\r\nHost: table\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"GET / HT", b"T"),
        (b"GET / HTTP/1.1\r\nHost: table\r\n", b"X"),
        (FORM + b"Content-Length: 1000\r\n\r\n", b"a"),
        (FORM + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    ],
)
def test_a_request_that_drips_in_is_ended_though_something_comes_all_the_time(
    port: int, head: bytes, drop: bytes
) -> None:
    assert dripping(port, head, drop) < 6


def test_where_one_address_holds_its_share_of_connections_others_are_served(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 8)
    monkeypatch.setattr(server, "MAX_CONNECTIONS_PER_ADDRESS", 1)
    task, port = spawned(app)
    held = connected(port, *["127.0.0.9"] * 12)
    assert b"200 OK" in asked(port, get("/"))
    assert b"503" in b"".join(one.recv(4096) for one in held[4:])
    for one in held:
        one.close()
    task.kill()


def test_where_one_address_held_half_before_a_crowd_came_it_loses_what_is_over_its_share(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 8)
    monkeypatch.setattr(server, "MAX_CONNECTIONS_PER_ADDRESS", 2)
    task, port = spawned(app)
    greedy = connected(port, *["127.0.0.9"] * 4)
    crowd = connected(port, *(f"127.0.0.{10 + n}" for n in range(6)))
    for one in crowd:
        one.sendall(get("/"))
        assert b"200 OK" in one.recv(65_536)
    assert [one.recv(1) for one in greedy[:2]] == [b"", b""]
    for one in (*greedy, *crowd):
        one.close()
    task.kill()


def test_where_all_connections_are_taken_host_and_referee_may_still_sign_in(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.extensions["pins"].choose("host", "482915")
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 2)
    task, port = spawned(app)
    held = connected(port, "127.0.0.8", "127.0.0.9")
    assert b" 503 " in asked(port, get("/"))
    assert b"200 OK" in asked(port, get("/enter"))
    for one in held:
        one.close()
    task.kill()
