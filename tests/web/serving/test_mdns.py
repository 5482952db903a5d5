"""The pages' name in the network; everything here stays on this machine."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import gevent
import ifaddr
import pytest
from flask import Flask
from flask.testing import FlaskClient
from zeroconf import ServiceInfo, Zeroconf

from companion.errors import UsageError
from companion.web.serving import addresses as serving_addresses
from companion.web.serving import mdns
from companion.web.serving.addresses import (
    ANY_IPV4,
    KNOWN_HOSTS_KEY,
    LISTEN_ADDRESS_KEY,
    ListenAddress,
    address_near,
    addresses,
)
from companion.web.serving.mdns import SERVICE_TYPE, TITLE, MdnsAnnouncer
from tests.web.serving.spawning import spawned

HERE = "127.0.0.1"
PATIENCE_MS = 10_000
PORT = 8080


def adapter(name: str, *ips: str) -> ifaddr.Adapter:
    return ifaddr.Adapter(name, name, [ifaddr.IP(ip, 24, name) for ip in ips])


ADAPTERS = [adapter("lo", HERE), adapter("wlan0", "192.168.4.1"), adapter("eth0", "10.0.0.7")]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this machine is the network."""
    monkeypatch.setattr(mdns, "addresses", lambda _host: [HERE])


@pytest.fixture
def other() -> Iterator[Zeroconf]:
    """Another machine of that network."""
    network = Zeroconf(interfaces=[HERE])
    yield network
    network.unregister_all_services()
    network.close()


@pytest.mark.usefixtures("here")
def test_others_find_the_pages_by_their_kind_and_their_name(other: Zeroconf) -> None:
    announced = MdnsAnnouncer(ANY_IPV4)
    announced.port = PORT
    announced.renew()
    try:
        found = other.get_service_info(SERVICE_TYPE, f"{TITLE}.{SERVICE_TYPE}", PATIENCE_MS)
        assert found is not None
        assert (found.server, found.port, found.parsed_addresses()) == ("tableau.local.", PORT, [HERE])
        assert announced.address == "http://tableau.local:8080/"
    finally:
        announced.close()
    assert announced.address == ""
    late = Zeroconf(interfaces=[HERE])
    assert late.get_service_info(SERVICE_TYPE, f"{TITLE}.{SERVICE_TYPE}", 1000) is None
    late.close()


@pytest.mark.usefixtures("here")
def test_a_name_that_another_machine_has_is_left_to_it(
    other: Zeroconf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mdns, "NAME_QUERY_TIMEOUT_MS", PATIENCE_MS)
    monkeypatch.setattr(mdns, "MAX_NAME_CANDIDATES", 2)
    theirs = ServiceInfo(
        SERVICE_TYPE,
        f"Kitchen.{SERVICE_TYPE}",
        PORT,
        addresses=[socket.inet_aton("192.0.2.7")],
        server="tableau.local.",
    )
    other.register_service(theirs)
    announced = MdnsAnnouncer(ANY_IPV4)
    announced.port = PORT
    announced.renew()
    try:
        assert announced.address == "http://tableau-2.local:8080/"
    finally:
        announced.close()


@pytest.mark.usefixtures("here")
def test_the_server_announces_itself_and_the_page_to_join_by_tells_the_name(
    app: Flask, phone: FlaskClient
) -> None:
    assert "Or type" not in phone.get("/join").text
    app.extensions["announcing"] = announced = MdnsAnnouncer(ANY_IPV4, "kitchen")
    task, port = spawned(app)
    try:
        with gevent.Timeout(30):
            while not announced.address:
                gevent.sleep(0.05)
        assert announced.address == f"http://kitchen.local:{port}/"
        assert f"Or type {announced.address}" in phone.get("/join").text
    finally:
        task.kill()
    with gevent.Timeout(30):
        while announced.address:
            gevent.sleep(0.05)


def test_a_machine_that_has_other_addresses_is_announced_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[list[str]] = [[], [HERE], [HERE], []]
    announced, told = MdnsAnnouncer(ANY_IPV4), []
    announced.port = PORT
    for now in found:
        monkeypatch.setattr(mdns, "addresses", lambda _host, now=now: now)
        announced.renew()
        told.append(announced.address)
    announced.close()
    named = "http://tableau.local:8080/"
    assert told == ["", named, named, ""]
    monkeypatch.setattr(mdns, "addresses", lambda _host: [HERE])
    announced.renew()
    assert announced.address == ""  # what was closed stays closed


def test_a_network_that_refuses_is_noted_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[str] = []

    def refused(host: str) -> list[str]:
        tries.append(host)
        raise OSError("no network is allowed here")

    monkeypatch.setattr(mdns, "addresses", refused)
    monkeypatch.setattr(mdns, "ADDRESS_POLL_S", 0.01)
    task = gevent.spawn(MdnsAnnouncer(ANY_IPV4).run, PORT)
    with gevent.Timeout(20):
        while len(tries) < 2:
            gevent.sleep(0.01)
    task.kill()
    assert "the pages have no name in the network: no network is allowed here" in caplog.text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.53"])
def test_pages_that_only_this_machine_reaches_are_never_announced(host: str) -> None:
    assert addresses(host) == []


def test_pages_that_listen_everywhere_are_announced_at_every_address_but_the_machines_own_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: ADAPTERS)
    assert addresses(ANY_IPV4) == addresses("") == addresses("::") == ["10.0.0.7", "192.168.4.1"]
    assert addresses("192.168.4.1") == ["192.168.4.1"]


def test_of_several_addresses_a_phone_is_told_the_one_in_its_own_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: ADAPTERS)
    assert address_near(ANY_IPV4, "192.168.4.77") == "192.168.4.1"
    assert address_near(ANY_IPV4, "10.0.0.200") == "10.0.0.7"
    assert address_near(ANY_IPV4, HERE) == "10.0.0.7"
    assert address_near(HERE, "192.168.4.77") is None


@pytest.mark.parametrize("asked", ["tableau.local:8080", "localhost:8080", "127.0.0.1:8080", "pi:8080"])
def test_a_code_to_scan_has_numbers_in_place_of_a_name(
    asked: str, app: Flask, phone: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: ADAPTERS)
    app.config[LISTEN_ADDRESS_KEY] = ListenAddress(ANY_IPV4, PORT)
    page = phone.get("/join", headers={"Host": asked}).text
    assert "http://10.0.0.7:8080/" in page


@pytest.mark.parametrize("asked", ["localhost:8080", "127.0.0.1:8080", "[::1]:8080"])
def test_pages_that_only_this_machine_reaches_say_how_to_open_them_and_show_no_code(
    asked: str, app: Flask, phone: FlaskClient
) -> None:
    app.config[LISTEN_ADDRESS_KEY] = ListenAddress(HERE, PORT)
    page = phone.get("/join", headers={"Host": asked}).text
    assert "--host 0.0.0.0" in page
    assert 'class="qr"' not in page


@pytest.mark.parametrize("asked", ["192.168.4.1", "192.168.4.1:8080", "table.example.org"])
def test_an_address_that_others_reach_stays_as_it_is_in_a_code(
    asked: str, app: Flask, phone: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: ADAPTERS)
    app.config.update(
        {LISTEN_ADDRESS_KEY: ListenAddress(ANY_IPV4, PORT), KNOWN_HOSTS_KEY: frozenset({"table.example.org"})}
    )
    assert f"http://{asked}/" in phone.get("/join", headers={"Host": asked}).text


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("tableau.local:8080", "10.0.0.7"),
        ("tableau.local", "10.0.0.7"),
        ("192.168.4.1:8080", "192.168.4.1"),
        ("127.0.0.1:9000", "10.0.0.7:9000"),  # somebody leads another port to the pages
        ("10.9.9.9:8080", "10.9.9.9:8080"),  # none of this machine's
        ("table.example.org:8080", "table.example.org:8080"),
    ],
)
def test_where_port_80_leads_to_the_pages_a_code_needs_no_port(
    asked: str, told: str, app: Flask, phone: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: ADAPTERS)
    app.config[LISTEN_ADDRESS_KEY] = ListenAddress(ANY_IPV4, PORT, frozenset({ANY_IPV4}))
    app.config[KNOWN_HOSTS_KEY] = frozenset({"table.example.org"})
    assert f"<b>http://{told}/</b>" in phone.get("/join", headers={"Host": asked}).text


def test_where_port_80_leads_to_the_pages_at_one_address_only_that_one_needs_no_port(
    app: Flask, phone: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: ADAPTERS)
    app.config[LISTEN_ADDRESS_KEY] = listens = ListenAddress(ANY_IPV4, PORT, frozenset({"192.168.4.1"}))
    for asked, told in {"192.168.4.1:8080": "192.168.4.1", "pi:8080": "10.0.0.7:8080"}.items():
        assert f"<b>http://{told}/</b>" in phone.get("/join", headers={"Host": asked}).text
    assert listens.announced_port == PORT


@pytest.mark.usefixtures("here")
def test_pages_with_port_80_are_announced_without_a_port(
    app: Flask, monkeypatch: pytest.MonkeyPatch, other: Zeroconf
) -> None:
    with socket.create_server((HERE, 0)) as inherited:
        port = inherited.getsockname()[1]
        monkeypatch.setattr(serving_addresses, "HTTP_PORT", port)
        monkeypatch.setattr(mdns, "HTTP_PORT", port)
        app.extensions["announcing"] = announced = MdnsAnnouncer(HERE, "kitchen")
        task, own = spawned(app, extra_sockets=[inherited])
        assert app.config[LISTEN_ADDRESS_KEY] == ListenAddress(HERE, own, frozenset({HERE}))
        with gevent.Timeout(30):
            while not announced.address:
                gevent.sleep(0.05)
        assert announced.address == "http://kitchen.local/"
        found = other.get_service_info(SERVICE_TYPE, f"{TITLE}.{SERVICE_TYPE}", PATIENCE_MS)
        task.kill()
    assert found is not None
    assert found.port == port


@pytest.mark.parametrize(
    ("family", "host", "both", "found"),
    [
        (socket.AF_INET, HERE, 0, {HERE}),
        (socket.AF_INET, "0.0.0.0", 0, {ANY_IPV4}),
        (socket.AF_INET6, "::", 1, {ANY_IPV4}),
        (socket.AF_INET6, "::", 0, {"::"}),
        (socket.AF_INET6, "::1", 0, {"::1"}),
    ],
)
def test_a_socket_says_at_which_addresses_it_leads_to_the_pages(
    family: socket.AddressFamily, host: str, both: int, found: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if family == socket.AF_INET6 and not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    with socket.socket(family, socket.SOCK_STREAM) as one:
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1 - both)
        one.bind((host, 0))  # listens for nobody
        assert serving_addresses.port_80_addresses([one]) == set()
        monkeypatch.setattr(serving_addresses, "HTTP_PORT", one.getsockname()[1])
        assert serving_addresses.port_80_addresses([one]) == found


@pytest.mark.parametrize("name", ["", "Table", "a.b", "-a", "x" * 41, "ä"])
def test_a_name_that_no_network_takes_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="--mdns takes small letters, digits and dashes"):
        MdnsAnnouncer(ANY_IPV4, name)


def test_the_service_may_learn_its_addresses(root: Path) -> None:
    unit = (root / "systemd" / "companion-web.service").read_text("utf-8")
    assert "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n" in unit
