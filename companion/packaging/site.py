"""The Python packages of a Debian package: those of the lock file and the companion, made smaller."""

from __future__ import annotations

import os
import re
import shutil
import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pygments.lexers import get_lexer_by_name

from companion import processes
from companion.bootstrap.copying import LEFT_OUT, PROJECT
from companion.errors import BadOutput
from companion.web.i18n.language import languages

UNUSED = (
    "**/tests",
    "bin",
    "setuptools",
    "setuptools-*",
    "pkg_resources",
    "_distutils_hack",
    "distutils-precedence.pth",
    "onnxruntime/capi/libonnxruntime.so*",  # the module beside it holds the same code
    *(f"onnxruntime/{name}" for name in ("transformers", "quantization", "tools", "datasets")),
    *(f"numpy/{name}" for name in ("f2py", "_core/include", "_core/lib", "random/lib")),  # to build modules
    *(f"gevent/{name}" for name in ("testing", "libuv")),  # libev serves
    "fontTools/**/*.so",  # each is compiled from the module beside it, and paper is drawn too seldom to gain
    "PIL/_avif*.so",
    "PIL/_imagingtk*.so",
    *(f"**/*.{kind}" for kind in ("c", "cpp", "h", "hpp", "pyx", "pxd", "pyi", "lib", "a")),
)
"""What playing never opens, as patterns below the folder of packages."""

SYSTEM_LIBRARIES = {"libopenblasp-": ("liblapack.so.3", "libblas.so.3")}
"""Beginning of a bundled library's name: the system's libraries with the same functions.

OpenCV calls 19 functions of LAPACK and CBLAS.  Debian's liblapack3 and libblas3 have all of them under the
same names; NumPy's own library names its functions otherwise and stays.
"""


PT_LOAD = 1
"""The kind of segment that is mapped into memory (System V ABI, program header)."""

LOCKS = {"amd64": ("x86_64", "play"), "arm64": ("aarch64", "pi")}
"""Debian's name of a kind of machine: Python's name of it, and the lock file; arm64 is the Pi."""


def slim(site: Path, machine: str) -> None:
    """Make a folder of packages smaller; nothing in it is run.

    Parameters
    ----------
    site
        The folder.
    machine
        Python's name of the kind of machine that it is for, as ``aarch64``.

    Raises
    ------
    BadOutput
        Where a tool fails or is not here.
    """
    for pattern in UNUSED:
        for path in list(site.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    prune_locales(site / "babel/locale-data", set(languages()))
    prune_lexers(site / "pygments/lexers", set(fenced(PROJECT / "companion/docs")))
    strip(site, machine)
    for library in modules(site):
        use_system_libraries(library)
    prune_libraries(site)


def prune_locales(folder: Path, kept: set[str]) -> None:
    """Delete what Babel knows of languages that the pages do not speak."""
    for path in folder.glob("*.dat"):
        if path.stem != "root" and path.stem not in kept:
            path.unlink()


def prune_lexers(folder: Path, kept: set[str]) -> None:
    """Delete what Pygments knows of languages that no document quotes."""
    needed = {get_lexer_by_name(name).__class__.__module__.rpartition(".")[2] for name in kept | {"text"}}
    known = {path.stem for path in folder.glob("*.py")}
    needs = {name: imported(folder / f"{name}.py") & known for name in known}
    for name in known - closure(needed | {"__init__", "_mapping"}, needs):
        (folder / f"{name}.py").unlink()


def fenced(folder: Path) -> Iterator[str]:
    """Yield the languages of the code that the documents in a folder quote."""
    for path in folder.glob("*.md"):
        yield from re.findall(r"^```(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)


def imported(path: Path) -> set[str]:
    """Return the modules of Pygments' lexers that one of them imports."""
    return set(re.findall(r"from pygments\.lexers\.(\w+) import", path.read_text(encoding="utf-8")))


def modules(site: Path) -> list[Path]:
    """Return the compiled modules and libraries below a folder."""
    return [path for path in sorted(site.rglob("*.so*")) if path.is_file() and not path.is_symlink()]


def use_system_libraries(library: Path) -> None:
    """Let a compiled module load the system's library in place of a bundled one."""
    for name in needed_by(library):
        for bundled, own in SYSTEM_LIBRARIES.items():
            if name.startswith(bundled):
                more = [word for other in own[1:] for word in ("--add-needed", other)]
                tool("patchelf", "--replace-needed", name, own[0], *more, str(library))


def prune_libraries(site: Path) -> None:
    """Delete bundled libraries that no module needs any more."""
    needs = {path: needed_by(path) for path in modules(site)}
    bundled = {path.name: path for path in needs if path.parent.suffix == ".libs"}
    by_name = {path.name: names & set(bundled) for path, names in needs.items() if path.name in bundled}
    for folder in {path.parent for path in bundled.values()}:
        outside = {name for path, names in needs.items() if path.parent.suffix != ".libs" for name in names}
        own = {path.name for path in bundled.values() if path.parent == folder}
        for name in own - closure(outside & own, by_name):
            bundled[name].unlink()


def closure(first: set[str], needs: dict[str, set[str]]) -> set[str]:
    """Return some names with everything that they need, directly or not."""
    found: set[str] = set()
    left = set(first)
    while left:
        found |= left
        left = {other for name in left for other in needs.get(name, ())} - found
    return found


def needed_by(library: Path) -> set[str]:
    """Return the names of the libraries that a compiled module loads."""
    return set(tool("patchelf", "--print-needed", str(library)).split())


def strip(site: Path, machine: str) -> None:
    """Delete the symbols of compiled modules that only a debugger reads.

    A library that was changed after it was linked, as auditwheel does, may not survive it, and then stays.
    """
    for library in modules(site):
        smaller = library.with_name(f"{library.name}.stripped")
        tool(f"{machine}-linux-gnu-strip", "--strip-unneeded", "-o", str(smaller), str(library))
        if loadable(smaller.read_bytes()):
            smaller.replace(library)
        else:
            smaller.unlink()


def loadable(library: bytes) -> bool:
    """Return whether every segment of a 64-bit ELF file can be mapped: inside the file, and aligned in it."""
    (table,) = struct.unpack_from("<Q", library, 32)
    size, count = struct.unpack_from("<HH", library, 54)
    segments = (struct.unpack_from("<IIQQQQQQ", library, table + size * index) for index in range(count))
    return all(
        (address - offset) % align == 0 and offset + length <= len(library)
        for kind, _, offset, address, _, length, _, align in segments
        if kind == PT_LOAD
    )


def tool(*words: str) -> str:
    """Run a tool, and return what it says; raise BadOutput."""
    found = shutil.which(words[0], path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        raise BadOutput(f"{words[0]} is not here")
    done = processes.run([found, *words[1:]])
    if done.returncode:
        raise BadOutput(f"{words[0]}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def fill(site: Path, python: str, arch: str) -> None:
    """Install the locked packages and the companion into a folder, without what playing never opens.

    Nothing that is installed is run, so it may be for another kind of machine and another Python.

    Parameters
    ----------
    site
        The folder, made here.
    python
        The version of Python that will use it, as ``3.13``.
    arch
        Debian's name of the machine, a key of ``LOCKS``.

    Raises
    ------
    BadOutput
        Where pip's stand-in cannot get a package that the lock file names.
    """
    machine, lock = LOCKS[arch]
    target = ["--target", str(site), "--python-version", python]
    target += ["--python-platform", f"{machine}-manylinux_2_36", "--no-deps", "--link-mode", "copy"]
    locked = str(PROJECT / f".requirements/{lock}.txt")
    uv("install", *target, "--require-hashes", "--only-binary", ":all:", "-r", locked)
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder) / "clean"  # what lay in a checkout's build folder is never packed
        shutil.copytree(PROJECT, clean, ignore=LEFT_OUT)
        uv("install", *target, "--no-build-isolation", str(clean))
    slim(site, machine)


def uv(*words: str) -> None:
    """Run ``uv pip``; raise BadOutput with what it says."""
    command = [sys.executable, "-m", "uv", "pip", *words, "--no-config", "--python", sys.executable]
    done = processes.run(command)
    if done.returncode:
        raise BadOutput(f"uv pip {words[0]}: {done.stderr.strip()[-2000:]}")
