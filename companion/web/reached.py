"""Where these pages are reached: by numbers, for some phones know no names such as ``tableau.local``."""

from __future__ import annotations

import ipaddress
import socket

import ifaddr
from flask import current_app, request

EVERYWHERE = "0.0.0.0"  # noqa: S104

LISTENS = "LISTENS"
"""Under what the app keeps the address that it listens on."""


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

    What has dots in it is an address already, or a name that somebody has set up for all.
    """
    name, port = parted(request.host)
    own = "." not in name.removesuffix(".local") or name.startswith("127.")
    if not own or LISTENS not in current_app.config:
        return request.host_url
    found = beside(current_app.config[LISTENS], request.remote_addr or "127.0.0.1")
    return f"{request.scheme}://{found}{port}/" if found else request.host_url


def parted(host: str) -> tuple[str, str]:
    """Return the name of a host and its port with the colon, which may be missing."""
    name, colon, port = host.rpartition(":")
    return (name, f":{port}") if colon and port.isdecimal() else (host, "")
