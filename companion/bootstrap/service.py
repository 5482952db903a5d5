"""Install and uninstall the table and its pages as systemd services."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from companion import processes
from companion.bootstrap.copying import COPY_FOLDER, COPY_MARKER, PROJECT, copy_program, inaccessible_folder
from companion.config.examples import DEFAULT_EXAMPLE, example
from companion.config.table import load
from companion.errors import BadOutput, UsageError
from companion.model.tiles import tile_set
from companion.web.serving.addresses import ANY_IPV4, HTTP_PORT

UNIT_TEMPLATES_FOLDER = PROJECT / "systemd"
"""Folder of the templates of units and other system files."""

PUBLISH_UNIT = "companion-publish.service"
HALL_UNIT = "companion-hall.service"
HALL_FOLDER = Path("/etc/tableau-companion/hall")
"""Folder of a hall's accounts and certificates."""
PASSWORD_FILE = "hall.password"  # noqa: S105  the name of a file
"""Default name of the file, beside the table's, with its password at a hall's broker."""
PUBLISH_UNIT_PATH = Path("/etc/systemd/system") / PUBLISH_UNIT
SERVICES = ("companion-table.service", "companion-web.service")
SOCKET_UNIT = "companion-web.socket"
CONFIG_PATH = Path("/etc/tableau-companion/table.toml")
SOCKET_UNIT_PATH = Path("/etc/systemd/system") / SOCKET_UNIT
PACKAGED_UNIT_PATH = Path("/usr/lib/systemd/system") / SERVICES[0]
"""Path of the table's unit from a Debian package."""
DROP_IN = Path("/etc/systemd/system/companion-table.service.d/network-camera.conf")
FILE_PATHS = {
    "companion-table.service": Path("/etc/systemd/system/companion-table.service"),
    "companion-web.service": Path("/etc/systemd/system/companion-web.service"),
    "sysusers.conf": Path("/etc/sysusers.d/companion.conf"),
    "tmpfiles.conf": Path("/etc/tmpfiles.d/companion.conf"),
    "udev.rules": Path("/etc/udev/rules.d/60-companion.rules"),
    "modules.conf": Path("/etc/modules-load.d/companion.conf"),
}
"""Templates that are always installed, with their paths."""


STATE_FOLDERS = (
    "/var/lib/companion",
    "/var/lib/companion-web",
    *("/var/lib/companion-publish", "/var/lib/private/companion-publish"),
    str(CONFIG_PATH.parent),
)
USERS = ("companion-table", "companion-web")
HOMES = ("home", "root")
"""Folders that services see only with ``ProtectHome=read-only``."""

SET_UP_COMMANDS = (
    ("systemd-sysusers", str(FILE_PATHS["sysusers.conf"])),
    ("systemd-tmpfiles", "--create", str(FILE_PATHS["tmpfiles.conf"])),
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
ENABLE_SOCKET = ("systemctl", "enable", "--now", SOCKET_UNIT)
DISABLE_SOCKET = ("systemctl", "disable", "--now", SOCKET_UNIT)
CLEAN_UP_COMMANDS = (("udevadm", "control", "--reload"), ("systemctl", "daemon-reload"))

PORT_TAKEN_HINT = (
    "another program may have it (sudo ss -ltnp 'sport = :80' says which): stop that one and install again, "
    "or leave it out with --no-port-80"
)

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Service:
    """The options of the services.

    ``config`` is the table's file, ``None`` for an example; ``host`` and ``port`` are where the pages listen;
    ``camera`` is the address of the only host of the network that the table may connect to; with ``port_80``
    the pages listen there too; ``folder`` has a hall's accounts and certificates.
    """

    config: Path | None = None
    host: str = ANY_IPV4
    port: int = 8080
    camera: str | None = None
    python: Path = Path(sys.executable)
    port_80: bool = True
    folder: Path = HALL_FOLDER

    def __post_init__(self) -> None:
        if not 1024 <= self.port <= 65_535:
            raise UsageError(f"--port is 1024 to 65535, as those below are for root; got {self.port}")
        for what, address in (("--host", self.host), ("--network-camera", self.camera)):
            if address is not None:
                check_address(what, address)

    @property
    def listen_stream(self) -> str:
        """The ``ListenStream`` of the port 80 socket; empty for no socket.

        Pages on a loopback address have none: a proxy before them uses that port itself.
        """
        where = ipaddress.ip_address(self.host)
        if not self.port_80 or where.is_loopback:
            return ""
        if where.is_unspecified:
            return str(HTTP_PORT)
        return f"[{where}]:{HTTP_PORT}" if where.version == 6 else f"{where}:{HTTP_PORT}"

    @property
    def password(self) -> str:
        """The name of the file with the table's password at a hall's broker; empty without a hall."""
        hall = load(self.config).hall if self.config is not None else None
        return Path(hall.password).name if hall is not None else ""

    def rendered(self, name: str) -> str:
        """Return a template with all placeholders replaced."""
        home = "read-only" if self.python.absolute().parts[1] in HOMES else "yes"
        known = {
            "companion": f"{self.python} -P -m companion",
            "home": home,
            "host": self.host,
            "port": str(self.port),
            "plain": self.listen_stream,
            "camera": self.camera or "",
            "password": self.password or PASSWORD_FILE,
            "folder": str(self.folder),
        }
        text = (UNIT_TEMPLATES_FOLDER / name).read_text(encoding="utf-8")
        for key, value in known.items():
            text = text.replace(f"@{key}@", value)
        return text

    def files(self) -> Iterator[tuple[Path, str]]:
        """Yield the path and the text of each system file."""
        for name, place in FILE_PATHS.items():
            yield place, self.rendered(name)
        if self.listen_stream:
            yield SOCKET_UNIT_PATH, self.rendered(SOCKET_UNIT)
        if self.password:
            yield PUBLISH_UNIT_PATH, self.rendered(PUBLISH_UNIT)
        if self.camera is not None:
            yield DROP_IN, self.rendered("network-camera.conf")

    def table(self) -> Iterator[tuple[Path, bytes]]:
        """Yield the path and the content of the table's file and of each file that it refers to.

        Raises
        ------
        BadConfig
            Where the table's file is invalid.
        UsageError
            Where it refers to files that cannot be installed with it.
        """
        if self.config is None:
            yield CONFIG_PATH, example(DEFAULT_EXAMPLE).encode()
            return
        folder, named = self.config.absolute().parent, referenced_files(self.config)
        for path in (self.config.absolute(), *named):
            if not path.is_relative_to(folder):
                raise UsageError(f"{path} must lie beside {self.config}, so that it is installed with it")
            try:
                body = path.read_bytes()
            except OSError as error:
                raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
            own = path == self.config.absolute()
            yield CONFIG_PATH if own else CONFIG_PATH.parent / path.relative_to(folder), body


@dataclass(frozen=True, slots=True)
class Installer:
    """Writes files and runs commands: below ``root``, or not at all with ``dry``.

    ``tell`` receives each step as text.  Commands run only where ``root`` is the system's own.
    """

    tell: Tell
    root: Path = Path("/")
    dry: bool = False

    @property
    def changes_system(self) -> bool:
        """Whether the running system is changed."""
        return self.root == Path("/") and not self.dry

    def write(self, place: Path, body: bytes, mode: int = 0o644) -> None:
        """Write a file, by default readable for all; raise BadOutput."""
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
        """Copy this program to a place; raise as ``copying.copy_program`` does."""
        path = self.at(place)
        self.tell(f"copy {PROJECT} to {path}")
        if not self.dry:
            copy_program(path)

    def remove(self, place: Path) -> None:
        """Remove a file or an empty folder, if it exists; raise BadOutput."""
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
        """Run a command, and return whether it succeeded; with ``must`` raise BadOutput where it fails."""
        self.tell(" ".join(command))
        if not self.changes_system:
            return True
        try:
            done = processes.run(command)
        except OSError as error:
            raise BadOutput(f"{command[0]}: {error.strerror}; the service needs systemd") from error
        if done.returncode and must:
            raise BadOutput(f"{' '.join(command)}: {done.stderr.strip() or 'it failed'}")
        return done.returncode == 0

    def at(self, place: Path) -> Path:
        """Return an absolute path below the root."""
        return self.root / place.relative_to("/")


def install(service: Service, installer: Installer) -> None:
    """Write every file and start the services; without a given one, an installed table's file is kept.

    Raises
    ------
    UsageError
        Where the table's file cannot be read, a folder is in the way of the program's copy, or a Debian
        package has the services already.
    BadOutput
        Where something cannot be written or the system refuses.
    """
    refuse_packaged(installer)
    table = list(service.table())
    service = accessible_service(service, installer)
    if not service.listen_stream:
        close_port_80(installer)
    for place, text in service.files():
        installer.write(place, text.encode())
    if service.config is not None or not installer.at(CONFIG_PATH).exists():
        for place, body in table:
            installer.write(place, body, 0o600 if place.name == service.password else 0o644)
    for command in SET_UP_COMMANDS:
        installer.run(command)
    # what runs starts again with what is new
    publish = [PUBLISH_UNIT] if service.password else []
    installer.run(("systemctl", "stop", SERVICES[0], *publish), must=False)
    installer.run(
        ("systemctl", "stop", *([SOCKET_UNIT] if service.listen_stream else []), SERVICES[1]), must=False
    )
    if service.listen_stream and not installer.run(ENABLE_SOCKET, must=False):
        installer.tell(
            f"port 80 could not be opened, so the pages are at port {service.port} alone; {PORT_TAKEN_HINT}"
        )
    installer.run(("systemctl", "enable", "--now", *SERVICES))
    if service.password:
        installer.run(("systemctl", "enable", "--now", PUBLISH_UNIT))


def refuse_packaged(installer: Installer) -> None:
    """Raise UsageError where a Debian package has installed the services."""
    if installer.at(PACKAGED_UNIT_PATH).exists():
        raise UsageError(
            "the Debian package tableau-companion has these services here: "
            "systemctl edit companion-web.service changes them, apt remove tableau-companion takes them away"
        )


def close_port_80(installer: Installer) -> None:
    """Disable and remove the port 80 socket, if it is installed."""
    if installer.at(SOCKET_UNIT_PATH).exists():
        installer.run(DISABLE_SOCKET, must=False)
        installer.remove(SOCKET_UNIT_PATH)


def uninstall(installer: Installer, *, purge: bool = False) -> None:
    """Stop the services and remove every file; ``purge`` removes games, pictures, table and users too.

    Raises UsageError where a Debian package has installed them.
    """
    refuse_packaged(installer)
    close_port_80(installer)
    installer.run(("systemctl", "disable", "--now", *SERVICES), must=False)
    if installer.at(PUBLISH_UNIT_PATH).exists():
        installer.run(("systemctl", "disable", "--now", PUBLISH_UNIT), must=False)
    for place in (*FILE_PATHS.values(), PUBLISH_UNIT_PATH, DROP_IN, DROP_IN.parent):
        installer.remove(place)
    for command in CLEAN_UP_COMMANDS:
        installer.run(command, must=False)
    if (installer.at(COPY_FOLDER) / COPY_MARKER).exists():
        installer.run(("rm", "-rf", str(COPY_FOLDER)))
    if purge:
        installer.remove(CONFIG_PATH)
        installer.run(("rm", "-rf", *STATE_FOLDERS))
        for user in USERS:
            installer.run(("userdel", user), must=False)
        installer.run(("groupdel", "companion"), must=False)


def referenced_files(config: Path) -> list[Path]:
    """Return the files that a table's file refers to; raise UsageError where it sets log or socket."""
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


def accessible_service(service: Service, installer: Installer) -> Service:
    """Return the service, run from a copy of the program where its users cannot enter this one's folder."""
    folder = inaccessible_folder(UNIT_TEMPLATES_FOLDER / "udev.rules", service.python)
    if folder is None or installer.root != Path("/"):
        return service
    installer.tell(f"{folder} is closed to other users, so the services run from a copy in {COPY_FOLDER}")
    installer.copy(COPY_FOLDER)
    installer.run((str(COPY_FOLDER / "run"), "--help"))
    return replace(service, python=COPY_FOLDER / ".venv/bin/python")


def check_address(what: str, address: str) -> None:
    """Raise UsageError for an invalid IP address."""
    try:
        ipaddress.ip_address(address)
    except ValueError as error:
        raise UsageError(f"{what} must be an address such as 192.168.1.20; got {address!r}") from error
