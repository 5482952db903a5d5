"""A Wi-Fi access point by NetworkManager, for use where no known network is in range.

Its DNS resolves every name to the table, so that phones that check for internet access are answered by the
pages and stay connected.  It is not activated at once, which would cut the host's own connection.
"""

from __future__ import annotations

import re
import secrets
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from companion.bootstrap.service import Installer
from companion.errors import UsageError

HOTSPOT_ADDRESS = "10.42.0.1"
"""The table's address; NetworkManager's default for shared connections."""

CONNECTION_NAME = "companion-hotspot"
CONNECTION_FILE = Path("/etc/NetworkManager/system-connections") / f"{CONNECTION_NAME}.nmconnection"
DNS_FILE = Path("/etc/NetworkManager/dnsmasq-shared.d/companion.conf")

RELOAD_COMMAND = ("nmcli", "connection", "reload")
DISCONNECT_COMMAND = ("nmcli", "connection", "down", CONNECTION_NAME)

UNAMBIGUOUS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits that are not easily confused in print."""

SSID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._'-]{0,30}[A-Za-z0-9]")
KEY_PATTERN = re.compile(r"[A-Za-z0-9._-]{8,63}")

CONNECTION_TEMPLATE = """[connection]
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
"""The connection file; with the lowest priority, any known network is preferred."""

DNS_CONFIG = f"""# Every name leads to the table: phones that look for the internet are answered by its pages.
address=/#/{HOTSPOT_ADDRESS}
"""


def new_key() -> str:
    """Return a random key of 10 characters of an alphabet of 31, which is 49 bits."""
    return "".join(secrets.choice(UNAMBIGUOUS) for _ in range(10))


@dataclass(frozen=True, slots=True)
class Hotspot:
    """A Wi-Fi: its name and its key."""

    name: str
    key: str = field(default_factory=new_key)

    def __post_init__(self) -> None:
        if not SSID_PATTERN.fullmatch(self.name):
            raise UsageError(
                f"a Wi-Fi's name has 2 to 32 letters, digits, spaces or . _ ' - and ends with none of these; "
                f"got {self.name!r}"
            )
        if not KEY_PATTERN.fullmatch(self.key):
            raise UsageError("a Wi-Fi's key has 8 to 63 letters, digits or . _ -")

    def connection(self) -> str:
        """Return the text of NetworkManager's connection file."""
        known = uuid.uuid5(uuid.NAMESPACE_DNS, f"{CONNECTION_NAME}.local")
        return CONNECTION_TEMPLATE.format(
            id=CONNECTION_NAME, uuid=known, ssid=self.name, key=self.key, address=HOTSPOT_ADDRESS
        )


def switch_on(hotspot: Hotspot, installer: Installer) -> None:
    """Install the access point, used when no known network is in range; raise BadOutput."""
    installer.write(CONNECTION_FILE, hotspot.connection().encode(), mode=0o600)
    installer.write(DNS_FILE, DNS_CONFIG.encode())
    installer.run(RELOAD_COMMAND)


def switch_off(installer: Installer) -> None:
    """Deactivate and remove the access point; raise BadOutput."""
    installer.run(DISCONNECT_COMMAND, must=False)
    installer.remove(CONNECTION_FILE)
    installer.remove(DNS_FILE)
    installer.run(RELOAD_COMMAND, must=False)
