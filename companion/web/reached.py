"""Where these pages are reached: by numbers, for some phones know no names such as ``tableau.local``."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass

import ifaddr
from flask import current_app, request

EVERYWHERE = "0.0.0.0"  # noqa: S104

LISTENS = "LISTENS"
"""Under what the app keeps where it listens."""

PLAIN = 80
"""The port that an address leads to which names none (RFC 9110, 4.2.1)."""


@dataclass(frozen=True, slots=True)
class Listens:
    """Where the pages listen: the address and port of their own, and at which addresses at port 80 too."""

    host: str
    port: int = 0
    plain: frozenset[str] = frozenset()

    @property
    def told(self) -> int:
        """The port under which all who reach the pages find them: 80, where it leads to them everywhere."""
        return self.port if self.plain.isdisjoint({self.host, EVERYWHERE}) else PLAIN

    def needed(self, address: str, port: str) -> str:
        """Return what of a port, as in ``:8080``, an address must name to be found."""
        own = EVERYWHERE in self.plain and address in addresses(EVERYWHERE)
        return "" if port == f":{self.port}" and (own or address in self.plain) else port


def plain(sockets: Sequence[socket.socket]) -> frozenset[str]:
    """Return the IPv4 addresses at which some sockets listen at port 80; all where one listens everywhere."""
    found = set()
    for one in sockets:
        host, port = one.getsockname()[:2]
        both = one.family == socket.AF_INET6 and not one.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
        if port == PLAIN:
            found.add(EVERYWHERE if both and host == "::" else host)
    return frozenset(found)


def numbers(remote: str) -> str:
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


def beside(host: str, remote: str) -> str | None:
    """Return the machine's address in the network that somebody asks from, of those that are listened on."""
    there = ipaddress.ip_address(remote)
    found = addresses(host)
    for adapter in ifaddr.get_adapters():
        for ip in (one for one in adapter.ips if one.is_IPv4 and one.ip in found):
            if there in ipaddress.ip_network(f"{ip.ip}/{ip.network_prefix}", strict=False):
                return str(ip.ip)
    return found[0] if found else None


def address() -> str:
    """Return the address of these pages for a code that others scan: with numbers in place of a name.

    What has dots in it is an address already, or a name that somebody has set up for all.  Where port 80
    leads to the pages too, their own is left out.
    """
    name, port = parted(request.host)
    listens = current_app.config.get(LISTENS)
    if listens is None:
        return request.host_url
    own = "." not in name.removesuffix(".local") or name.startswith("127.")
    found = (beside(listens.host, request.remote_addr or "127.0.0.1") if own else None) or name
    return f"{request.scheme}://{found}{listens.needed(found, port)}/"


def parted(host: str) -> tuple[str, str]:
    """Return the name of a host and its port with the colon, which may be missing."""
    name, colon, port = host.rpartition(":")
    return (name, f":{port}") if colon and port.isdecimal() else (host, "")
