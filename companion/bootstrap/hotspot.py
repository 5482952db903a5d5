"""A Wi-Fi of the table's own, by NetworkManager, for places where there is none that it knows.

Every name in it leads to the table, so that phones that look for the internet are answered by the pages, and
stay.  Nothing is switched on at once: the Wi-Fi that the host came by would be cut.
"""

from __future__ import annotations

import re
import secrets
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from companion.bootstrap.service import Hands
from companion.errors import UsageError

ADDRESS = "10.42.0.1"
"""The table's own; NetworkManager's usual one for networks that it shares."""

NAME = "companion-hotspot"
KEYFILE = Path("/etc/NetworkManager/system-connections") / f"{NAME}.nmconnection"
NAMES = Path("/etc/NetworkManager/dnsmasq-shared.d/companion.conf")

RELOAD = ("nmcli", "connection", "reload")
DOWN = ("nmcli", "connection", "down", NAME)

UNAMBIGUOUS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits that nobody confuses on a sheet of paper."""

SSID = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._'-]{0,30}[A-Za-z0-9]")
KEY = re.compile(r"[A-Za-z0-9._-]{8,63}")

CONNECTION = """[connection]
id={id}
uuid={uuid}
type=wifi
autoconnect-priority=-999

[wifi]
mode=ap
band=bg
ssid={ssid}

[wifi-security]
key-mgmt=wpa-psk
proto=rsn
pairwise=ccmp
group=ccmp
psk={key}

[ipv4]
method=shared
address1={address}/24

[ipv6]
method=disabled
"""
"""The lowest priority of all: any Wi-Fi that the machine knows comes first."""

EVERY_NAME = f"""# Every name leads to the table: phones that look for the internet are answered by its pages.
address=/#/{ADDRESS}
"""


def new_key() -> str:
    """Return a key that can be read out: 10 of 31 signs are 49 bits."""
    return "".join(secrets.choice(UNAMBIGUOUS) for _ in range(10))


@dataclass(frozen=True, slots=True)
class Hotspot:
    """A Wi-Fi: its name and its key."""

    name: str
    key: str = field(default_factory=new_key)

    def __post_init__(self) -> None:
        if not SSID.fullmatch(self.name):
            raise UsageError(
                f"a Wi-Fi's name has 2 to 32 letters, digits, spaces or . _ ' - and ends with none of these; "
                f"got {self.name!r}"
            )
        if not KEY.fullmatch(self.key):
            raise UsageError("a Wi-Fi's key has 8 to 63 letters, digits or . _ -")

    def connection(self) -> str:
        """Return the connection as NetworkManager keeps it."""
        known = uuid.uuid5(uuid.NAMESPACE_DNS, f"{NAME}.local")
        return CONNECTION.format(id=NAME, uuid=known, ssid=self.name, key=self.key, address=ADDRESS)


def switch_on(hotspot: Hotspot, hands: Hands) -> None:
    """Keep a Wi-Fi for the next time that the machine finds none that it knows; raise BadOutput."""
    hands.write(KEYFILE, hotspot.connection().encode(), mode=0o600)
    hands.write(NAMES, EVERY_NAME.encode())
    hands.run(RELOAD)


def switch_off(hands: Hands) -> None:
    """Take the Wi-Fi away, and leave it where the machine has it on; raise BadOutput."""
    hands.run(DOWN, must=False)
    hands.remove(KEYFILE)
    hands.remove(NAMES)
    hands.run(RELOAD, must=False)
