"""The table as a service of the machine: which files it takes, what is told to the system, and all undone."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from companion import processes
from companion.bootstrap.copying import COPY, MARK, PROJECT, closed_to_others, copy
from companion.config.examples import FIRST, example
from companion.config.table import load
from companion.errors import BadOutput, UsageError
from companion.model.tiles import tile_set
from companion.web.serving.addresses import EVERYWHERE, PLAIN

UNITS = PROJECT / "systemd"
"""The units and the other files of the service, as they ship."""

PUBLISH = "companion-publish.service"
HALL = "companion-hall.service"
HALLS = Path("/etc/tableau-companion/hall")
"""Where a hall's accounts and certificates are."""
PASSWORD = "hall.password"  # noqa: S105  the name of a file
"""Where a table's password at a hall's broker lies beside its file, where nobody says otherwise."""
PUBLISHED = Path("/etc/systemd/system") / PUBLISH
SERVICES = ("companion-table.service", "companion-web.service")
SOCKET = "companion-web.socket"
CONFIG = Path("/etc/tableau-companion/table.toml")
OPENED = Path("/etc/systemd/system") / SOCKET
PACKAGED = Path("/usr/lib/systemd/system") / SERVICES[0]
"""Where a Debian package has the table's unit."""
DROP_IN = Path("/etc/systemd/system/companion-table.service.d/network-camera.conf")
PLACES = {
    "companion-table.service": Path("/etc/systemd/system/companion-table.service"),
    "companion-web.service": Path("/etc/systemd/system/companion-web.service"),
    "sysusers.conf": Path("/etc/sysusers.d/companion.conf"),
    "tmpfiles.conf": Path("/etc/tmpfiles.d/companion.conf"),
    "udev.rules": Path("/etc/udev/rules.d/60-companion.rules"),
    "modules.conf": Path("/etc/modules-load.d/companion.conf"),
}
"""Each file that ships and that every service has, and where it goes."""


STATE = (
    "/var/lib/companion",
    "/var/lib/companion-web",
    *("/var/lib/companion-publish", "/var/lib/private/companion-publish"),
    str(CONFIG.parent),
)
USERS = ("companion-table", "companion-web")
HOMES = ("home", "root")
"""Folders that a service cannot see unless it is let."""

BEFORE = (
    ("systemd-sysusers", str(PLACES["sysusers.conf"])),
    ("systemd-tmpfiles", "--create", str(PLACES["tmpfiles.conf"])),
    ("systemctl", "restart", "systemd-modules-load.service"),
    ("udevadm", "control", "--reload"),
    (
        "udevadm",
        "trigger",
        "--subsystem-match=gpio",
        "--subsystem-match=spidev",
        "--subsystem-match=dma_heap",
    ),
    ("systemctl", "daemon-reload"),
)
OPEN = ("systemctl", "enable", "--now", SOCKET)
SHUT = ("systemctl", "disable", "--now", SOCKET)
AFTER = (("udevadm", "control", "--reload"), ("systemctl", "daemon-reload"))

TAKEN = (
    "another program may have it (sudo ss -ltnp 'sport = :80' says which): stop that one and install again, "
    "or leave it out with --no-port-80"
)

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Service:
    """What the service is to be: which table, where its pages listen, and a camera in the network, if any.

    ``config`` is the table's file, or ``None`` for an example; ``camera`` the address of the only machine in
    the network that the table may talk to; ``plain`` says whether the pages are to have port 80 too;
    ``folder`` has a hall's accounts and certificates.
    """

    config: Path | None = None
    host: str = EVERYWHERE
    port: int = 8080
    camera: str | None = None
    python: Path = Path(sys.executable)
    plain: bool = True
    folder: Path = HALLS

    def __post_init__(self) -> None:
        if not 1024 <= self.port <= 65_535:
            raise UsageError(f"--port is 1024 to 65535, as those below are for root; got {self.port}")
        for what, address in (("--host", self.host), ("--network-camera", self.camera)):
            if address is not None:
                checked(what, address)

    @property
    def opened(self) -> str:
        """Where the system is to open port 80 for the pages, as its socket's unit says it; empty for nowhere.

        Pages that only this machine reaches have something else before them, which has that port itself.
        """
        where = ipaddress.ip_address(self.host)
        if not self.plain or where.is_loopback:
            return ""
        if where.is_unspecified:
            return str(PLAIN)
        return f"[{where}]:{PLAIN}" if where.version == 6 else f"{where}:{PLAIN}"

    @property
    def password(self) -> str:
        """The file with the password by which the table publishes to a hall; empty where it does not."""
        hall = load(self.config).hall if self.config is not None else None
        return Path(hall.password).name if hall is not None else ""

    def filled(self, name: str) -> str:
        """Return a file that ships with everything filled in."""
        home = "read-only" if self.python.absolute().parts[1] in HOMES else "yes"
        known = {
            "companion": f"{self.python} -P -m companion",
            "home": home,
            "host": self.host,
            "port": str(self.port),
            "plain": self.opened,
            "camera": self.camera or "",
            "password": self.password or PASSWORD,
            "folder": str(self.folder),
        }
        text = (UNITS / name).read_text(encoding="utf-8")
        for key, value in known.items():
            text = text.replace(f"@{key}@", value)
        return text

    def files(self) -> Iterator[tuple[Path, str]]:
        """Yield where each file goes, and what is in it."""
        for name, place in PLACES.items():
            yield place, self.filled(name)
        if self.opened:
            yield OPENED, self.filled(SOCKET)
        if self.password:
            yield PUBLISHED, self.filled(PUBLISH)
        if self.camera is not None:
            yield DROP_IN, self.filled("network-camera.conf")

    def table(self) -> Iterator[tuple[Path, bytes]]:
        """Yield the table's file and those that it names, each with where it goes.

        Raises
        ------
        BadConfig
            Where the file describes no table.
        UsageError
            Where it names files that the service could not have.
        """
        if self.config is None:
            yield CONFIG, example(FIRST).encode()
            return
        folder, named = self.config.absolute().parent, belongings(self.config)
        for path in (self.config.absolute(), *named):
            if not path.is_relative_to(folder):
                raise UsageError(f"{path} must lie beside {self.config}, so that it is installed with it")
            try:
                body = path.read_bytes()
            except OSError as error:
                raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
            own = path == self.config.absolute()
            yield CONFIG if own else CONFIG.parent / path.relative_to(folder), body


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

    def write(self, place: Path, body: bytes, mode: int = 0o644) -> None:
        """Write a file, readable for all unless told otherwise; raise BadOutput."""
        path = self.at(place)
        self.tell(f"write {path}")
        if self.dry:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=mode)
            path.chmod(mode)
            path.write_bytes(body)
        except OSError as error:
            raise BadOutput(f"{path}: {error.strerror}; as root: sudo ./run install") from error

    def copy(self, place: Path) -> None:
        """Copy this program to a place; raise as ``copying.copy`` does."""
        path = self.at(place)
        self.tell(f"copy {PROJECT} to {path}")
        if not self.dry:
            copy(path)

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

    def run(self, command: Sequence[str], *, must: bool = True) -> bool:
        """Run a command of the system, and return whether it worked; raise BadOutput where it must."""
        self.tell(" ".join(command))
        if not self.real:
            return True
        try:
            done = processes.run(command)
        except OSError as error:
            raise BadOutput(f"{command[0]}: {error.strerror}; the service needs systemd") from error
        if done.returncode and must:
            raise BadOutput(f"{' '.join(command)}: {done.stderr.strip() or 'it failed'}")
        return done.returncode == 0

    def at(self, place: Path) -> Path:
        """Return where a place is below the root."""
        return self.root / place.relative_to("/")


def install(service: Service, hands: Hands) -> None:
    """Write every file and start the services; a table's file that is there already stays as it is.

    Raises
    ------
    UsageError
        Where the table's file cannot be read, a folder is in the way of the program's copy, or a Debian
        package has the services already.
    BadOutput
        Where something cannot be written or the system refuses.
    """
    refuse_packaged(hands)
    table = list(service.table())
    service = reachable(service, hands)
    if not service.opened:
        shut(hands)
    for place, text in service.files():
        hands.write(place, text.encode())
    if service.config is not None or not hands.at(CONFIG).exists():
        for place, body in table:
            hands.write(place, body, 0o600 if place.name == service.password else 0o644)
    for command in BEFORE:
        hands.run(command)
    hands.run(("systemctl", "stop", *([SOCKET] if service.opened else []), SERVICES[1]), must=False)
    if service.opened and not hands.run(OPEN, must=False):
        hands.tell(f"port 80 could not be opened, so the pages are at port {service.port} alone; {TAKEN}")
    hands.run(("systemctl", "enable", "--now", *SERVICES))
    if service.password:
        hands.run(("systemctl", "enable", "--now", PUBLISH))


def refuse_packaged(hands: Hands) -> None:
    """Raise UsageError where the services came with a Debian package, which takes them away itself."""
    if hands.at(PACKAGED).exists():
        raise UsageError(
            "the Debian package tableau-companion has these services here: "
            "systemctl edit companion-web.service changes them, apt remove tableau-companion takes them away"
        )


def shut(hands: Hands) -> None:
    """Give port 80 back, where the pages have it."""
    if hands.at(OPENED).exists():
        hands.run(SHUT, must=False)
        hands.remove(OPENED)


def uninstall(hands: Hands, *, purge: bool = False) -> None:
    """Stop the services and take away every file; with ``purge``, games, pictures, table and users too.

    Raises UsageError where they came with a Debian package.
    """
    refuse_packaged(hands)
    shut(hands)
    hands.run(("systemctl", "disable", "--now", *SERVICES), must=False)
    if hands.at(PUBLISHED).exists():
        hands.run(("systemctl", "disable", "--now", PUBLISH), must=False)
    for place in (*PLACES.values(), PUBLISHED, DROP_IN, DROP_IN.parent):
        hands.remove(place)
    for command in AFTER:
        hands.run(command, must=False)
    if (hands.at(COPY) / MARK).exists():
        hands.run(("rm", "-rf", str(COPY)))
    if purge:
        hands.remove(CONFIG)
        hands.run(("rm", "-rf", *STATE))
        for user in USERS:
            hands.run(("userdel", user), must=False)
        hands.run(("groupdel", "companion"), must=False)


def belongings(config: Path) -> list[Path]:
    """Return the files that a table's file names; raise UsageError where it places the service's own."""
    table = load(config)
    if table.log or table.socket:
        raise UsageError(f"{config}: leave log and socket out: the service keeps them itself")
    named = [Path(camera.profile) for camera in table.cameras if camera.profile]
    if table.hall is not None:
        named += [Path(one) for one in (table.hall.password, table.hall.authority) if one]
    if table.tile_set.endswith(".json"):
        looks = tile_set(table.tile_set).looks
        named += [Path(table.tile_set), *([looks] if looks else [])]
    return named


def reachable(service: Service, hands: Hands) -> Service:
    """Return a service that its own users can run: of a copy, where this program lies in a closed folder."""
    folder = closed_to_others(UNITS / "udev.rules", service.python)
    if folder is None or hands.root != Path("/"):
        return service
    hands.tell(f"{folder} is closed to other users, so the services run from a copy in {COPY}")
    hands.copy(COPY)
    hands.run((str(COPY / "run"), "--help"))
    return replace(service, python=COPY / ".venv/bin/python")


def checked(what: str, address: str) -> None:
    """Raise UsageError for what is no address."""
    try:
        ipaddress.ip_address(address)
    except ValueError as error:
        raise UsageError(f"{what} must be an address such as 192.168.1.20; got {address!r}") from error
