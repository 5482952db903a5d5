"""Sockets that the service manager hands on: real ones, passed on as systemd does, with real requests."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import gevent
import pytest
from flask import Flask
from gevent import socket as green

from companion.errors import UsageError
from companion.web import app as limits
from companion.web.serving import addresses as serving_addresses
from companion.web.serving import server
from companion.web.serving import server as handed_on
from companion.web.serving.server import inherited_sockets
from tests.web.serving.spawning import spawned
from tests.web.serving.test_server import asked, get

ACTIVATE = shutil.which("systemd-socket-activate")
HERE = "127.0.0.1"
HAND_ON = """
import fcntl, os, sys
two = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
for place, one in enumerate(two, 3):
    os.dup2(one, place)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "2"}
os.execv(sys.argv[3], sys.argv[3:])
"""
"""What becomes the program that it is told to start, with two descriptors where systemd puts them."""


def listening(host: str = HERE, family: socket.AddressFamily = socket.AF_INET) -> socket.socket:
    """A socket that listens, for both kinds of address where it is one of IPv6."""
    found = socket.socket(family, socket.SOCK_STREAM)
    if family == socket.AF_INET6:
        found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    found.bind((host, 0))
    found.listen()
    return found


@pytest.fixture
def both() -> Iterator[socket.socket]:
    """A socket as the installed one is: it listens for IPv6 and IPv4 at once, on this machine alone."""
    try:
        found = listening("::ffff:127.0.0.1", socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with closing(found):
        yield found


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Hands sockets of this process on to itself, beginning at the descriptor of the first."""

    def hand_on(*sockets: socket.socket, **told: str) -> None:
        monkeypatch.setattr(handed_on, "FIRST_LISTEN_FD", sockets[0].fileno())
        for name, text in {"PID": str(os.getpid()), "FDS": str(len(sockets)), **told}.items():
            monkeypatch.setenv(f"LISTEN_{name}", text)

    return hand_on


@contextmanager
def pages(command: Sequence[object], folder: Path, *fds: int) -> Iterator[subprocess.Popen[str]]:
    """The command for the pages, behind something that hands sockets on."""
    own = ["web", "--log", folder / "log", "--kept", folder / "kept", "--port", 0, "--no-mdns"]
    every = [str(word) for word in (*command, sys.executable, "-P", "-m", "companion", *own)]
    with subprocess.Popen(every, stdout=subprocess.PIPE, text=True, pass_fds=fds) as process:
        try:
            yield process
        finally:
            process.terminate()


def told(process: subprocess.Popen[str], count: int) -> list[str]:
    """The addresses that the pages say they are at."""
    assert process.stdout
    assert process.stdout.readline().startswith("first start:")
    return [process.stdout.readline().strip() for _ in range(count)]


def page(address: str) -> str:
    return str(urllib.request.urlopen(address, timeout=30).read().decode())


def connected(port: int) -> socket.socket:
    """A connection to a port that something opens before long."""
    for _ in range(300):
        try:
            return socket.create_connection((HERE, port), timeout=60)
        except ConnectionRefusedError:
            time.sleep(0.1)
    pytest.fail("nobody ever listened")


def test_the_pages_serve_what_they_inherit_and_their_own_port_at_once(tmp_path: Path) -> None:
    with closing(listening()) as first, closing(listening()) as second:
        fds = (first.fileno(), second.fileno())
        with pages([sys.executable, "-c", HAND_ON, *fds], tmp_path, *fds) as process:
            addresses = told(process, 3)
            ports = [one.getsockname()[1] for one in (first, second)]
            assert addresses[1:] == [f"http://{HERE}:{port}/" for port in ports]
            assert all("No game yet" in page(address) for address in addresses)


@pytest.mark.skipif(ACTIVATE is None, reason="systemd-socket-activate is not here (package systemd)")
def test_systemd_itself_hands_a_socket_on_with_who_asked_first(tmp_path: Path) -> None:
    with closing(listening()) as found:
        port = found.getsockname()[1]
    with pages([ACTIVATE, "-l", f"{HERE}:{port}"], tmp_path) as process, closing(connected(port)) as phone:
        phone.sendall(get("/generate_204"))
        assert phone.recv(1000).startswith(b"HTTP/1.1 204")
        own, other = told(process, 2)
        assert other == f"http://{HERE}:{port}/"
        assert "No game yet" in page(own)


def test_where_nobody_hands_on_a_socket_there_is_none(
    handed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert inherited_sockets() == []
    with closing(listening()) as found:
        handed(found, PID=str(os.getppid()))  # meant for the one that started this
        assert inherited_sockets() == []
        monkeypatch.setenv("LISTEN_FDS", "1")
        assert inherited_sockets() == []


def test_what_is_handed_on_is_taken_once_and_stays_in_this_process(handed: Callable[..., None]) -> None:
    found = listening()
    handed(found)
    (got,) = inherited_sockets()
    with closing(got):
        assert got.fileno() == found.detach()
        assert not got.get_inheritable()
        assert not any(name.startswith("LISTEN_") for name in os.environ)
        assert inherited_sockets() == []


@pytest.mark.parametrize("count", ["", "0", "9", "-1", "two", "²"])
def test_a_count_that_cannot_be_is_refused(count: str, handed: Callable[..., None]) -> None:
    with closing(listening()) as found:
        handed(found, FDS=count)
        with pytest.raises(UsageError, match=r"LISTEN_FDS is 1 to 8.*--no-port-80"):
            inherited_sockets()


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_UNIX])
def test_a_socket_by_which_no_phone_can_come_is_refused(
    kind: socket.SocketKind, family: socket.AddressFamily, handed: Callable[..., None]
) -> None:
    with socket.socket(family, kind) as deaf:
        handed(deaf)
        with pytest.raises(UsageError, match="does not listen for phones; see companion-web"):
            inherited_sockets()


def test_a_file_in_place_of_a_socket_is_refused(
    tmp_path: Path, handed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "file").open("w") as file, closing(listening()) as found:
        handed(found)
        monkeypatch.setattr(handed_on, "FIRST_LISTEN_FD", file.fileno())
        with pytest.raises(UsageError, match=f"descriptor {file.fileno()} is no socket"):
            inherited_sockets()


@pytest.fixture
def ports(app: Flask, both: socket.socket) -> Iterator[tuple[int, int]]:
    """The pages at their own port and at an inherited one."""
    task, own = spawned(app, extra_sockets=[both])
    yield own, both.getsockname()[1]
    task.kill()


def sent(path: str, form: str, cookie: str = "") -> bytes:
    """A form as a browser sends it."""
    kind = "Content-Type: application/x-www-form-urlencoded\r\n"
    head = f"POST {path} HTTP/1.1\r\nHost: table\r\nOrigin: http://table\r\nConnection: close\r\n{kind}"
    head += f"Cookie: {cookie}\r\n"
    return f"{head}Content-Length: {len(form)}\r\n\r\n{form}".encode()


def session(port: int) -> tuple[str, str]:
    """The cookie of a phone, and the token of its forms."""
    came = asked(port, get("/welcome")).decode()
    cookie = re.search(r"Set-Cookie: (session=[^;]+)", came)
    token = re.search(r'name="csrf_token" value="([^"]+)"', came)
    assert cookie
    assert token
    return cookie[1], token[1]


def test_a_form_from_one_port_may_be_sent_to_the_other_and_without_its_token_to_neither(
    ports: tuple[int, int],
) -> None:
    cookie, token = session(ports[0])
    for port in ports:
        whole = sent("/leave", f"csrf_token={token}", cookie)
        assert asked(port, whole).startswith(b"HTTP/1.1 302")
        assert asked(port, sent("/leave", "x=1", cookie)).startswith(b"HTTP/1.1 400")


def test_a_phone_that_sends_too_fast_is_refused_at_both_ports_alike(
    ports: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RATE_LIMIT_PER_S", 0.0)
    cookie, token = session(ports[0])
    form = sent("/language", f"csrf_token={token}&language=de", cookie)
    half = int(limits.RATE_LIMIT_BURST) // 2
    answers = [asked(port, form)[9:12] for port in ports for _ in range(half + 1)]
    assert answers == [b"302"] * 2 * half + [b"429"] * 2
    assert asked(ports[0], form)[9:12] == b"429"


def test_all_ports_share_the_room_for_connections(
    app: Flask, both: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 1)
    monkeypatch.setattr(server, "SPARE_CONNECTIONS", 0)
    task, own = spawned(app, extra_sockets=[both])
    address_near = both.getsockname()[1]
    with closing(green.create_connection((HERE, own))):
        gevent.sleep(0.1)
        assert b" 503 " in asked(address_near, get("/generate_204"))
    gevent.sleep(0.1)
    assert b" 204 " in asked(address_near, get("/generate_204"))
    task.kill()


@pytest.mark.parametrize(
    ("remote", "numbers"),
    [
        ("::ffff:192.168.4.7", "192.168.4.7"),
        ("192.168.4.7", "192.168.4.7"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("::1", "::1"),
    ],
)
def test_a_phone_has_the_same_numbers_at_every_socket(remote: str, numbers: str) -> None:
    assert serving_addresses.normalize_ip(remote) == numbers
