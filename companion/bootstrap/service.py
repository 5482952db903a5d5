"""The table as a service of the machine: which files it takes, what is told to the system, and all undone."""

from __future__ import annotations

import ipaddress
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import companion
from companion.config.examples import example
from companion.errors import BadOutput, UsageError

UNITS = Path(companion.__file__).parents[1] / "systemd"
"""The units and the other files of the service, as they ship."""

SERVICES = ("companion-table.service", "companion-web.service")
CONFIG = Path("/etc/companion/table.toml")
DROP_IN = Path("/etc/systemd/system/companion-table.service.d/network-camera.conf")
PLACES = {
    "companion-table.service": Path("/etc/systemd/system/companion-table.service"),
    "companion-web.service": Path("/etc/systemd/system/companion-web.service"),
    "sysusers.conf": Path("/etc/sysusers.d/companion.conf"),
    "tmpfiles.conf": Path("/etc/tmpfiles.d/companion.conf"),
    "udev.rules": Path("/etc/udev/rules.d/60-companion.rules"),
}
"""Each file that ships, and where it goes."""

EVERYWHERE = "0.0.0.0"  # noqa: S104
"""Where the pages listen: phones are to reach them.  The table itself has no network."""

STATE = ("/var/lib/companion", "/var/lib/companion-web", "/etc/companion")
USERS = ("companion-table", "companion-web")
HOMES = ("home", "root")
"""Folders that a service cannot see unless it is let."""

BEFORE = (
    ("systemd-sysusers", str(PLACES["sysusers.conf"])),
    ("systemd-tmpfiles", "--create", str(PLACES["tmpfiles.conf"])),
    ("udevadm", "control", "--reload"),
    (
        "udevadm",
        "trigger",
        "--subsystem-match=gpio",
        "--subsystem-match=spidev",
        "--subsystem-match=dma_heap",
    ),
    ("systemctl", "daemon-reload"),
    ("systemctl", "enable", "--now", *SERVICES),
)
AFTER = (("udevadm", "control", "--reload"), ("systemctl", "daemon-reload"))

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Service:
    """What the service is to be: which table, where its pages listen, and a camera in the network, if any.

    ``config`` is the table's file, or ``None`` for an example; ``camera`` the address of the only machine in
    the network that the table may talk to.
    """

    config: Path | None = None
    host: str = EVERYWHERE
    port: int = 8080
    camera: str | None = None
    python: Path = Path(sys.executable)

    def __post_init__(self) -> None:
        if not 1024 <= self.port <= 65_535:
            raise UsageError(f"--port is 1024 to 65535, as those below are for root; got {self.port}")
        for what, address in (("--host", self.host), ("--network-camera", self.camera)):
            if address is not None:
                checked(what, address)

    def filled(self, name: str) -> str:
        """Return a file that ships with everything filled in."""
        home = "read-only" if self.python.absolute().parts[1] in HOMES else "yes"
        known = {
            "companion": f"{self.python} -P -m companion",
            "home": home,
            "host": self.host,
            "port": str(self.port),
            "camera": self.camera or "",
        }
        text = (UNITS / name).read_text(encoding="utf-8")
        for key, value in known.items():
            text = text.replace(f"@{key}@", value)
        return text

    def files(self) -> Iterator[tuple[Path, str]]:
        """Yield where each file goes, and what is in it."""
        for name, place in PLACES.items():
            yield place, self.filled(name)
        if self.camera is not None:
            yield DROP_IN, self.filled("network-camera.conf")

    def table(self) -> str:
        """Return the table's file; raise UsageError where it cannot be read."""
        if self.config is None:
            return example("bananagrams")
        try:
            return self.config.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{self.config}: cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class Hands:
    """What does the work: below another root for a try, or not at all for a dry run.

    ``tell`` says each step; commands are run on the machine itself alone, never for another root.
    """

    tell: Tell
    root: Path = Path("/")
    dry: bool = False

    @property
    def real(self) -> bool:
        """Whether it is this machine that is changed."""
        return self.root == Path("/") and not self.dry

    def write(self, place: Path, text: str) -> None:
        """Write a file, readable for all; raise BadOutput."""
        path = self.at(place)
        self.tell(f"write {path}")
        if self.dry:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o644)
        except OSError as error:
            raise BadOutput(f"{path}: {error.strerror}; as root: sudo ./run install") from error

    def remove(self, place: Path) -> None:
        """Take away a file or an empty folder, where it is there; raise BadOutput."""
        path = self.at(place)
        if not path.exists():
            return
        self.tell(f"remove {path}")
        if self.dry:
            return
        try:
            path.rmdir() if path.is_dir() else path.unlink()
        except OSError as error:
            raise BadOutput(f"{path}: {error.strerror}; as root: sudo ./run uninstall") from error

    def run(self, command: Sequence[str], *, must: bool = True) -> None:
        """Run a command of the system; raise BadOutput where one that must succeed fails."""
        self.tell(" ".join(command))
        if not self.real:
            return
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        except OSError as error:
            raise BadOutput(f"{command[0]}: {error.strerror}; the service needs systemd") from error
        if done.returncode and must:
            raise BadOutput(f"{' '.join(command)}: {done.stderr.strip() or 'it failed'}")

    def at(self, place: Path) -> Path:
        """Return where a place is below the root."""
        return self.root / place.relative_to("/")


def install(service: Service, hands: Hands) -> None:
    """Write every file and start the services; a table's file that is there already stays as it is.

    Raises
    ------
    UsageError
        Where the table's file cannot be read, or the services could not read this program.
    BadOutput
        Where something cannot be written or the system refuses.
    """
    if hands.real:
        readable(service.python)
    for place, text in service.files():
        hands.write(place, text)
    if service.config is not None or not hands.at(CONFIG).exists():
        hands.write(CONFIG, service.table())
    for command in BEFORE:
        hands.run(command)


def uninstall(hands: Hands, *, purge: bool = False) -> None:
    """Stop the services and take away every file; with ``purge``, games, pictures, table and users too."""
    hands.run(("systemctl", "disable", "--now", *SERVICES), must=False)
    for place in (*PLACES.values(), DROP_IN, DROP_IN.parent):
        hands.remove(place)
    for command in AFTER:
        hands.run(command, must=False)
    if purge:
        hands.remove(CONFIG)
        hands.run(("rm", "-rf", *STATE))
        for user in USERS:
            hands.run(("userdel", user), must=False)
        hands.run(("groupdel", "companion"), must=False)


def readable(python: Path) -> None:
    """Raise UsageError where a service with a user of its own could not read this program."""
    for folder in (UNITS, *UNITS.parents, *python.absolute().parents):
        if folder.is_dir() and not folder.stat().st_mode & stat.S_IXOTH:
            raise UsageError(
                f"{folder} is closed to other users, so the service could not run from there; "
                "move the companion to /opt and install it from there"
            )


def checked(what: str, address: str) -> None:
    """Raise UsageError for what is no address."""
    try:
        ipaddress.ip_address(address)
    except ValueError as error:
        raise UsageError(f"{what} must be an address such as 192.168.1.20; got {address!r}") from error
