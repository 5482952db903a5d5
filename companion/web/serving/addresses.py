"""Where these pages are reached: by numbers, for some phones know no names such as ``tableau.local``."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import ifaddr
from flask import abort, current_app, request

from companion.web.i18n.language import _

KNOWN = "KNOWN"
"""Under what the app keeps the names that its owner has set up for it."""

LOCAL_ENDS = (".local", ".localhost", ".lan", ".home", ".home.arpa", ".internal", ".localdomain")
"""Ends of names that no public name server knows."""

HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?")

OPEN_TO_ALL_NAMES = frozenset(
    f"health.{name}" for name in ("android", "apple", "windows", "older_windows", "firefox", "newer_firefox")
)
"""Pages that phones ask for under names of their makers, to see whether a network leads anywhere."""

EVERYWHERE = str(ipaddress.IPv4Address(socket.INADDR_ANY))
"""The address that stands for all of this machine's."""

LISTEN_ADDRESS = "LISTENS"
"""Under what the app keeps where it listens."""

PLAIN = 80
"""The port that an address leads to which names none (RFC 9110, 4.2.1)."""


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where the pages listen: the address and port of their own, and at which addresses at port 80 too."""

    host: str
    port: int = 0
    plain: frozenset[str] = frozenset()

    @property
    def announced_port(self) -> int:
        """The port under which all who reach the pages find them: 80, where it leads to them everywhere."""
        return self.port if self.plain.isdisjoint({self.host, EVERYWHERE}) else PLAIN

    def sign_in_required(self, address: str, port: str) -> str:
        """Return what of a port, as in ``:8080``, an address must name to be found."""
        own = EVERYWHERE in self.plain and address in addresses(EVERYWHERE)
        return "" if port == f":{self.port}" and (own or address in self.plain) else port


def port_80_addresses(sockets: Sequence[socket.socket]) -> frozenset[str]:
    """Return the IPv4 addresses at which some sockets listen at port 80; all where one listens everywhere."""
    found = set()
    for one in sockets:
        host, port = one.getsockname()[:2]
        both = one.family == socket.AF_INET6 and not one.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
        if port == PLAIN:
            found.add(EVERYWHERE if both and host == "::" else host)
    return frozenset(found)


@lru_cache(maxsize=2048)
def normalize_ip(remote: str) -> str:
    """Return the numbers of who asks, alike at every socket: one for both kinds tells IPv4 as IPv6."""
    mapped = ipaddress.ip_address(remote).version == 6 and ipaddress.IPv6Address(remote).ipv4_mapped
    return str(mapped) if mapped else remote


def addresses(host: str) -> list[str]:
    """Return the IPv4 addresses at which others reach a host that is listened on, in order."""
    where = ipaddress.ip_address(socket.gethostbyname(host or EVERYWHERE) if ":" not in host else host)
    if not where.is_unspecified:
        return [] if where.is_loopback or where.version == 6 else [host]
    every = {str(ip.ip) for adapter in ifaddr.get_adapters() for ip in adapter.ips if ip.is_IPv4}
    return sorted(one for one in every if not ipaddress.ip_address(one).is_loopback)


def address_near(host: str, remote: str) -> str | None:
    """Return the machine's address in the network that somebody asks from, of those that are listened on."""
    there = ipaddress.ip_address(remote)
    found = addresses(host)
    for adapter in ifaddr.get_adapters():
        for ip in (one for one in adapter.ips if one.is_IPv4 and one.ip in found):
            if there in ipaddress.ip_network(f"{ip.ip}/{ip.network_prefix}", strict=False):
                return str(ip.ip)
    return found[0] if found else None


def address() -> str:
    """Return the address of these pages for a code that others scan: with numbers in place of a local name.

    What has dots in it is an address already, or a name that somebody has set up for all.  Where port 80
    leads to the pages too, their own is left out.
    """
    name, port = split_host(request.host)
    listens = current_app.config.get(LISTEN_ADDRESS)
    if listens is None:
        return request.host_url
    own = is_local_name(name) or name.startswith("127.")
    found = (address_near(listens.host, request.remote_addr or "127.0.0.1") if own else None) or name
    return f"{request.scheme}://{found}{listens.sign_in_required(found, port)}/"


def shared_address() -> str | None:
    """Return that address, ``None`` where only this machine reaches it."""
    found = address()
    return None if is_loopback_name(split_host(urlsplit(found).netloc)[0]) else found


def is_loopback_name(name: str) -> bool:
    """Return whether a name or an address is that of the machine which asks itself."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    number = parse_ip(name)
    return number is not None and number.is_loopback


def parse_ip(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the host of an address as a number, ``None`` where it is a name."""
    try:
        return ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


def is_local_name(name: str) -> bool:
    """Return whether only the network around can know a name, no public name server (RFC 6762, 8375)."""
    return "." not in name or name.lower().rstrip(".").endswith(LOCAL_ENDS)


def trusted(name: str, known: frozenset[str]) -> bool:
    """Return whether pages may be asked for under a name: numbers, local names, and those that are known.

    A page elsewhere that has its own name lead here reads what the pages tell (DNS rebinding); it can do so
    under none of these.
    """
    lower = name.lower().rstrip(".")
    fit = HOST_NAME.fullmatch(lower) is not None
    return parse_ip(lower) is not None or (fit and (is_local_name(lower) or lower in known))


def check_host() -> None:
    """Refuse what is asked for under a name that is not these pages'; what finds out about networks may."""
    name, _port = split_host(request.host)
    if request.endpoint in OPEN_TO_ALL_NAMES or trusted(name, current_app.config.get(KNOWN, frozenset())):
        return
    abort(400, _("These pages do not go by that name. Type their address with numbers instead."))


def split_host(host: str) -> tuple[str, str]:
    """Return the name of a host and its port with the colon, which may be missing."""
    name, colon, port = host.rpartition(":")
    return (name, f":{port}") if colon and port.isdecimal() else (host, "")
