"""A name for the pages in the network, by multicast DNS: ``http://tableau.local:8080`` beside the address."""

from __future__ import annotations

import logging
import re
import socket
import threading
from collections.abc import Sequence

import gevent
from zeroconf import AddressResolver, IPVersion, NonUniqueNameException, ServiceInfo, Zeroconf

from companion.errors import UsageError
from companion.web.live.monitor import run_in_threadpool
from companion.web.serving.addresses import HTTP_PORT, addresses

SERVICE_TYPE = "_http._tcp.local."
"""The DNS service type of web pages (RFC 6763)."""

TITLE = "Tableau Companion"
DEFAULT_HOST_NAME = "tableau"

HOST_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")

ADDRESS_POLL_S = 30.0
"""Seconds between two checks of the machine's addresses, which change with its networks."""

NAME_QUERY_TIMEOUT_MS = 3000
"""Milliseconds that other machines have to claim a name."""

MAX_NAME_CANDIDATES = 9

logger = logging.getLogger(__name__)


class MdnsAnnouncer:
    """Announces the pages by mDNS while ``run`` runs; ``address`` is their URL once a name was chosen.

    Parameters
    ----------
    host
        The address that the pages listen on; a loopback address is not announced.
    name
        The host name, without ``.local``; a number is appended where the name is taken.
    """

    def __init__(self, host: str, name: str = DEFAULT_HOST_NAME) -> None:
        if not HOST_LABEL.fullmatch(name):
            raise UsageError(f"--mdns takes small letters, digits and dashes, 40 at most; got {name!r}")
        self.host, self.name, self.port = host, name, 0
        self.address = ""
        self.announced: list[str] = []
        self._network: Zeroconf | None = None
        self._ended, self._changing = False, threading.Lock()

    def run(self, port: int) -> None:
        """Announce the pages at a port until killed, and again whenever the machine's addresses change."""
        self.port = port
        try:
            while True:
                try:
                    run_in_threadpool(self.renew)
                except (OSError, NonUniqueNameException) as error:
                    logger.warning("the pages have no name in the network: %s", error)
                gevent.sleep(ADDRESS_POLL_S)
        finally:
            self.close()

    def renew(self) -> None:
        """Announce the pages at the current addresses; raise OSError where the network refuses it."""
        with self._changing:
            found = addresses(self.host)
            if self._ended or found == self.announced:
                return
            self._take_back()
            if found:
                self._network = Zeroconf(interfaces=found, ip_version=IPVersion.V4Only)
                self._announce(self._network, found)
            self.announced = found

    def close(self) -> None:
        """Withdraw the announcement for good."""
        with self._changing:
            self._ended = True
            self._take_back()

    def _take_back(self) -> None:
        """Withdraw the announcement."""
        network, self._network = self._network, None
        self.address, self.announced = "", []
        if network is not None:
            network.unregister_all_services()
            network.close()

    def _announce(self, network: Zeroconf, found: Sequence[str]) -> None:
        """Announce the pages at some addresses under a free name."""
        name = find_free_name(network, self.name, found)
        packed = [socket.inet_aton(one) for one in found]
        service = ServiceInfo(
            SERVICE_TYPE,
            f"{TITLE}.{SERVICE_TYPE}",
            self.port,
            addresses=packed,
            server=f"{name}.local.",
            properties={"path": "/"},
        )
        network.register_service(service, allow_name_change=True)
        self.address = f"http://{name}.local{'' if self.port == HTTP_PORT else f':{self.port}'}/"
        logger.info("the pages are at %s too", self.address)


def find_free_name(network: Zeroconf, name: str, own: Sequence[str]) -> str:
    """Return a name that no other machine of the network has; the last candidate where all are taken."""
    tried = [name, *(f"{name}-{number}" for number in range(2, MAX_NAME_CANDIDATES + 1))]
    return next((one for one in tried[:-1] if not is_name_taken(network, one, own)), tried[-1])


def is_name_taken(network: Zeroconf, name: str, own: Sequence[str]) -> bool:
    """Return whether another machine of the network has a name."""
    asked = AddressResolver(f"{name}.local.")
    return asked.request(network, NAME_QUERY_TIMEOUT_MS) and not set(
        asked.parsed_addresses(IPVersion.V4Only)
    ) <= set(own)
