"""The configuration of a table's hall."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from companion.errors import BadConfig

TLS_PORT, PLAIN_PORT = 8883, 1883
"""Ports of MQTT over TLS and without it (IANA)."""

MAX_PASSWORD_CHARS = 200

PAGES_URL = re.compile(r"http://([A-Za-z0-9._-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(:[0-9]{1,5})?/?")
"""The URL of a table's pages: a host and a port, without a path."""

PAGES_PORT = 8080
"""The default TCP port of a table's pages, which needs no root rights."""


@dataclass(frozen=True, slots=True)
class HallConfig:
    """The MQTT connection through which a table publishes its log.

    ``broker`` is the host of the MQTT broker, ``table`` the table's id and its account there.  ``password``
    is the path of the account's password, ``authority`` that of the broker's CA certificate, both written by
    ``companion hall init``.  Without ``authority`` the connection is not encrypted.  ``port`` 0 is the
    default one.  ``orders`` lets the hall begin and stop games; ``discovery`` announces the table to Home
    Assistant.  ``pages`` is the URL of the table's own pages, such as http://table-1.local:8080, empty for
    this machine's address: the hall fetches from there events that the broker has lost.
    """

    broker: str
    table: str
    port: int = 0
    password: str = ""
    authority: str = ""
    orders: bool = True
    discovery: bool = True
    pages: str = ""

    def __post_init__(self) -> None:
        if not self.broker.strip():
            raise BadConfig("broker: name the MQTT broker, such as hall.local")
        if not 0 <= self.port <= 65_535:
            raise BadConfig(f"port: must be 1 to 65535, or 0 for the usual one; got {self.port}")
        if self.pages and not PAGES_URL.fullmatch(self.pages):
            raise BadConfig(f"pages: an address such as http://table-1.local:8080; got {self.pages!r}")

    @property
    def reached_port(self) -> int:
        """The port to connect to."""
        return self.port or (TLS_PORT if self.authority else PLAIN_PORT)

    def secret(self) -> str:
        """Return the password; raise BadConfig where its file cannot be read."""
        if not self.password:
            return ""
        try:
            return Path(self.password).read_text(encoding="utf-8").strip()[:MAX_PASSWORD_CHARS]
        except (OSError, UnicodeDecodeError) as error:
            raise BadConfig(f"hall.password: {self.password}: {error}") from error
