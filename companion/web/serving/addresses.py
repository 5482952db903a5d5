"""The pages' own URL, and the host names that requests may use.

URLs for phones have an IP address, as some phones do not resolve names such as ``tableau.local``.
"""

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

KNOWN_HOSTS_KEY = "KNOWN"
"""Key of the app's configuration: further host names that its owner has set up."""

LOCAL_SUFFIXES = (".local", ".localhost", ".lan", ".home", ".home.arpa", ".internal", ".localdomain")
"""Suffixes of local host names, which no public name server has."""

HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?")

OPEN_TO_ALL_NAMES = frozenset(
    f"health.{name}" for name in ("android", "apple", "windows", "older_windows", "firefox", "newer_firefox")
)
"""Endpoints of captive-portal checks, which phones request under their makers' host names."""

ANY_IPV4 = str(ipaddress.IPv4Address(socket.INADDR_ANY))
"""The address that stands for all addresses of this machine."""

LISTEN_ADDRESS_KEY = "LISTENS"
"""Key of the app's configuration: its ``ListenAddress``."""

HTTP_PORT = 80
"""The port of a URL that names none (RFC 9110, 4.2.1)."""


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where the pages listen: their address and port, and in ``plain`` the addresses served at port 80."""

    host: str
    port: int = 0
    plain: frozenset[str] = frozenset()

    @property
    def announced_port(self) -> int:
        """The port for URLs: 80 where it is served at every address, else the pages' own."""
        return self.port if self.plain.isdisjoint({self.host, ANY_IPV4}) else HTTP_PORT

    def port_part(self, address: str, port: str) -> str:
        """Return the port part of a URL, empty where port 80 is served at that address."""
        own = ANY_IPV4 in self.plain and address in addresses(ANY_IPV4)
        return "" if port == f":{self.port}" and (own or address in self.plain) else port


def port_80_addresses(sockets: Sequence[socket.socket]) -> frozenset[str]:
    """Return the IPv4 addresses at which some sockets listen at port 80; all where one listens everywhere."""
    found = set()
    for one in sockets:
        host, port = one.getsockname()[:2]
        both = one.family == socket.AF_INET6 and not one.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
        if port == HTTP_PORT:
            found.add(ANY_IPV4 if both and host == "::" else host)
    return frozenset(found)


@lru_cache(maxsize=2048)
def normalize_ip(remote: str) -> str:
    """Return a client's IP address, an IPv4-mapped IPv6 address as IPv4."""
    mapped = ipaddress.ip_address(remote).version == 6 and ipaddress.IPv6Address(remote).ipv4_mapped
    return str(mapped) if mapped else remote


def addresses(host: str) -> list[str]:
    """Return the IPv4 addresses at which other machines reach a listening host, sorted."""
    where = ipaddress.ip_address(socket.gethostbyname(host or ANY_IPV4) if ":" not in host else host)
    if not where.is_unspecified:
        return [] if where.is_loopback or where.version == 6 else [host]
    every = {str(ip.ip) for adapter in ifaddr.get_adapters() for ip in adapter.ips if ip.is_IPv4}
    return sorted(one for one in every if not ipaddress.ip_address(one).is_loopback)


def address_near(host: str, remote: str) -> str | None:
    """Return the listening address of this machine in the client's network."""
    there = ipaddress.ip_address(remote)
    found = addresses(host)
    for adapter in ifaddr.get_adapters():
        for ip in (one for one in adapter.ips if one.is_IPv4 and one.ip in found):
            if there in ipaddress.ip_network(f"{ip.ip}/{ip.network_prefix}", strict=False):
                return str(ip.ip)
    return found[0] if found else None


def address() -> str:
    """Return the pages' URL for a QR code, with an IP address in place of a local name.

    A name with dots was set up by the owner and stays.  The port is left out where port 80 is served too.
    """
    name, port = split_host(request.host)
    listens = current_app.config.get(LISTEN_ADDRESS_KEY)
    if listens is None:
        return request.host_url
    own = is_local_name(name) or name.startswith("127.")
    found = (address_near(listens.host, request.remote_addr or "127.0.0.1") if own else None) or name
    return f"{request.scheme}://{found}{listens.port_part(found, port)}/"


def shared_address() -> str | None:
    """Return ``address()``, ``None`` where only this machine reaches it."""
    found = address()
    return None if is_loopback_name(split_host(urlsplit(found).netloc)[0]) else found


def is_loopback_name(name: str) -> bool:
    """Return whether a host is a loopback name or address."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    number = parse_ip(name)
    return number is not None and number.is_loopback


def parse_ip(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return a host as an IP address, ``None`` where it is a name."""
    try:
        return ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


def is_local_name(name: str) -> bool:
    """Return whether a host name is local, so that no public name server has it (RFC 6762, 8375)."""
    return "." not in name or name.lower().rstrip(".").endswith(LOCAL_SUFFIXES)


def is_trusted_host(name: str, known: frozenset[str]) -> bool:
    """Return whether a request may name a host: an IP address, a local name or a known one.

    This prevents DNS rebinding: a foreign site whose name resolves to this machine has none of these.
    """
    lower = name.lower().rstrip(".")
    fit = HOST_NAME.fullmatch(lower) is not None
    return parse_ip(lower) is not None or (fit and (is_local_name(lower) or lower in known))


def check_host() -> None:
    """Abort with 400 for a request under a foreign host name, except for captive-portal checks."""
    name, _port = split_host(request.host)
    if request.endpoint in OPEN_TO_ALL_NAMES or is_trusted_host(
        name, current_app.config.get(KNOWN_HOSTS_KEY, frozenset())
    ):
        return
    abort(400, _("These pages do not go by that name. Type their address with numbers instead."))


def split_host(host: str) -> tuple[str, str]:
    """Return the name of a host and its port with the colon, which may be missing."""
    name, colon, port = host.rpartition(":")
    return (name, f":{port}") if colon and port.isdecimal() else (host, "")
