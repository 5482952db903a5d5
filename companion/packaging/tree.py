"""A Debian package as a tree of files, and its control files."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from companion import processes
from companion.bootstrap.copying import PROJECT
from companion.bootstrap.service import (
    CONFIG_PATH,
    HALL_UNIT,
    PUBLISH_UNIT,
    SERVICES,
    SOCKET_UNIT,
    UNIT_TEMPLATES_FOLDER,
    Service,
)
from companion.config.examples import DEFAULT_EXAMPLE, example
from companion.errors import BadOutput
from companion.packaging.manual import manual
from companion.packaging.site import DEBIAN, SELDOM_IMPORTED_PATTERNS, fill

PACKAGE_NAME = "tableau-companion"
ENVIRONMENT_FOLDER = Path("/usr/lib") / PACKAGE_NAME
"""The environment of Python that the package brings."""

RELEASES = {"bookworm": ("deb12", "3.11"), "trixie": ("deb13", "3.13")}
"""By release of Debian, the suffix of its packages' versions, and its Python."""

COMPRESSED = ("-Zzstd", "-z10")
"""Options of dpkg-deb: zstd unpacks several times as fast as xz, and packs in a twentieth of its time."""

UPDATES = ("companion-update.path", "companion-update.timer")
"""Units that only a package has and that start by themselves; a checkout is updated by its owner."""

ON_REQUEST_UNITS = ("companion-update.service", "companion-backup@.service")
"""Units of the package that others start."""

HALL_UNITS = (PUBLISH_UNIT, HALL_UNIT)
"""Units that start where the table's file names a hall, and where this machine is one."""

MAINTAINER_SCRIPTS = ("preinst", "postinst", "prerm", "postrm")

UNCOMPILED_PATTERN = f".*/site-packages/({'|'.join(SELDOM_IMPORTED_PATTERNS)})"
"""Pattern, for py3compile, of the modules without bytecode."""

LAUNCHER = f"""#!/bin/sh
exec {ENVIRONMENT_FOLDER}/bin/python3 -P -m companion "$@"
"""


@dataclass(frozen=True, slots=True)
class Package:
    """A package: its release, machine, version and date."""

    release: str
    arch: str
    version: str
    made: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def python(self) -> str:
        """The version of the release's Python."""
        return RELEASES[self.release][1]

    @property
    def full_version(self) -> str:
        """The version as Debian compares it: a later release's is higher."""
        return f"{self.version}+{RELEASES[self.release][0]}"

    @property
    def file(self) -> str:
        """The package's file."""
        return f"{PACKAGE_NAME}_{self.full_version}_{self.arch}.deb"


def build(package: Package, out: Path) -> Path:
    """Build a package into a folder, and return its file; raise BadOutput."""
    if shutil.which("dpkg-deb") is None:
        raise BadOutput("dpkg-deb is not here; packages are built on Debian and Raspberry Pi OS")
    tree = out / package.file.removesuffix(".deb")
    shutil.rmtree(tree, ignore_errors=True)
    write_environment(tree, package)
    write_system_files(tree)
    write_papers(tree, package)
    open_to_all(tree)
    write_control(tree, package)
    command = ["dpkg-deb", "--root-owner-group", *COMPRESSED, "--build", str(tree), str(out / package.file)]
    stamp = {"SOURCE_DATE_EPOCH": str(int(package.made.timestamp()))}
    done = processes.run(command, env=os.environ | stamp)
    if done.returncode:
        raise BadOutput(f"dpkg-deb: {done.stderr.strip()}")
    shutil.rmtree(tree)
    return out / package.file


def write_environment(tree: Path, package: Package) -> None:
    """Write the environment of Python: the system's interpreter, with the package's own packages first."""
    home = tree / ENVIRONMENT_FOLDER.relative_to("/")
    fill(home / f"lib/python{package.python}/site-packages", package.python, package.arch)
    (home / "bin").mkdir()
    (home / "bin/python3").symlink_to(f"../../../bin/python{package.python}")
    settings = f"home = /usr/bin\ninclude-system-site-packages = true\nversion = {package.python}\n"
    write(home / "pyvenv.cfg", settings)
    write(tree / "usr/bin/companion", LAUNCHER, 0o755)


def write_system_files(tree: Path) -> None:
    """Write the table's file and the system files of the services, in /usr/lib."""
    service = Service(python=ENVIRONMENT_FOLDER / "bin/python3")
    for place, text in service.files():
        write(tree / "usr/lib" / place.relative_to("/etc"), text)
    for unit in HALL_UNITS:
        write(tree / "usr/lib/systemd/system" / unit, service.rendered(unit))
    for unit in (*UPDATES, *ON_REQUEST_UNITS):
        write(tree / "usr/lib/systemd/system" / unit, service.rendered(f"packaged/{unit}"))
    write(tree / "usr/lib/tmpfiles.d/companion-update.conf", service.rendered("packaged/tmpfiles.conf"))
    write(tree / "usr/lib/udev/rules.d/70-companion-backup.rules", service.rendered("packaged/udev.rules"))
    write(tree / CONFIG_PATH.relative_to("/"), example(DEFAULT_EXAMPLE))


def write_papers(tree: Path, package: Package) -> None:
    """Write the manual page, the licence, the notices and the changelog."""
    shelf = tree / "usr/share/doc" / PACKAGE_NAME
    write_gzip(
        tree / "usr/share/man/man1/companion.1.gz", manual(package.version, f"{package.made:%Y-%m-%d}")
    )
    write_gzip(shelf / "changes.md.gz", (PROJECT / "companion/docs/changes.md").read_text(encoding="utf-8"))
    heading = f"{PACKAGE_NAME} ({package.full_version}) {package.release}; urgency=medium"
    entry = f"{heading}\n\n  * changes.md.gz tells.\n"
    by = "The tableau-companion maintainers <maintainers@tableau-companion.invalid>"
    write_gzip(shelf / "changelog.gz", f"{entry}\n -- {by}  {format_datetime(package.made)}\n")
    licence = (PROJECT / "LICENSE").read_text(encoding="utf-8").split("\n\n", 2)[2]
    write(shelf / "copyright", fill_template("copyright", {"licence": "\n".join(indented_licence(licence))}))
    overrides = tree / "usr/share/lintian/overrides" / PACKAGE_NAME
    write(overrides, fill_template("lintian-overrides", {}))


def indented_licence(licence: str) -> Iterator[str]:
    """Yield the lines of a licence in the format of Debian's copyright file."""
    for line in licence.strip().splitlines():
        yield f" {line}" if line.strip() else " ."


def write_control(tree: Path, package: Package) -> None:
    """Write dpkg's control files: description, scripts, questions, conffiles, checksums."""
    major, minor = package.python.split(".")
    known = {
        "version": package.full_version,
        "arch": package.arch,
        "size": str(sum(path.lstat().st_size for path in tree.rglob("*")) // 1024),
        "python": package.python,
        "libraries": ", ".join(DEBIAN.values()),
        "next": f"{major}.{int(minor) + 1}",
        "units": " ".join((*SERVICES, SOCKET_UNIT, *UPDATES)),
        "halls": " ".join(HALL_UNITS),
        "publish": PUBLISH_UNIT,
        "updates": " ".join(UPDATES),
        "services": " ".join(SERVICES),
        "socket": SOCKET_UNIT,
        "seldom": UNCOMPILED_PATTERN,
    }
    for name in ("control", "conffiles", "templates"):
        write(tree / "DEBIAN" / name, fill_template(name, known))
    for name in MAINTAINER_SCRIPTS:
        write(tree / "DEBIAN" / name, fill_template(name, known), 0o755)
    write(tree / "DEBIAN/md5sums", md5_sums(tree))


def md5_sums(tree: Path) -> str:
    """Return the MD5 sum of every file except the settings, as dpkg -V compares them."""
    files = (path for path in sorted(tree.glob("usr/**/*")) if path.is_file() and not path.is_symlink())
    entries = (
        f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}  {path.relative_to(tree)}\n"
        for path in files
    )
    return "".join(entries)


def fill_template(name: str, known: dict[str, str]) -> str:
    """Return a template of the package with its placeholders filled in."""
    text = (UNIT_TEMPLATES_FOLDER / "debian" / name).read_text(encoding="utf-8")
    for key, value in known.items():
        text = text.replace(f"@{key}@", value)
    return text


def write(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file, and create its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def write_gzip(path: Path, text: str) -> None:
    """Write a gzip file, with the same bytes each time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def open_to_all(tree: Path) -> None:
    """Make everything readable for all and writable for root only; programs in ``bin`` are executable."""
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
