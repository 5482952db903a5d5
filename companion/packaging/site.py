"""The Python packages of a Debian package: those of the lock file and the companion, made smaller."""

from __future__ import annotations

import gzip
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pygments.lexers import get_lexer_by_name

from companion import processes
from companion.bootstrap.copying import EXCLUDED, PROJECT
from companion.errors import BadOutput
from companion.packaging.compiled import (
    imported_symbols,
    is_loadable,
    needed_libraries,
    relink,
    strip_unmapped,
    write_refusing,
)
from companion.packaging.sources import without_docstrings
from companion.web.i18n.language import languages

UNUSED = (
    "**/tests",
    *("bin", "include", "share"),
    "*.dist-info/RECORD",  # it would be outdated, and dpkg has its own
    "setuptools",
    "setuptools-*",
    "pkg_resources",
    "_distutils_hack",
    "distutils-precedence.pth",
    "onnxruntime/capi/libonnxruntime.so*",  # the module beside it has the same code
    *(f"onnxruntime/{name}" for name in ("transformers", "quantization", "tools", "datasets")),
    *("google", "protobuf-*", "flatbuffers", "flatbuffers-*"),  # no other part imports them
    *(f"numpy/{name}" for name in ("f2py", "_core/include", "_core/lib", "random/lib")),  # to build modules
    *(f"numpy/{name}" for name in ("distutils", "polynomial", "testing", "conftest.py", "_pyinstaller")),
    *(f"numpy/{name}" for name in ("_core/*_tests.*.so", "_core/_simd.*.so", "linalg/lapack_lite.*.so")),
    *(f"numpy/{name}" for name in ("ma/testutils.py", "matlib.py", "random/_examples")),
    *(f"gevent/{name}" for name in ("testing", "libuv", "_ffi", "libev/*ffi*", "libev/watcher.py")),
    *(f"gevent/{name}" for name in ("ares.py", "resolver_ares.py", "resolver/*ares.*", "resolver/dns*.py")),
    # compiled from the module beside each; too rarely used to gain
    *("fontTools/**/*.so", "zeroconf/**/*.so"),
    *(f"fontTools/{name}" for name in ("diff", "merge", "mtiLib", "t1Lib", "ufoLib", "voltLib")),
    *(f"fontTools/{name}" for name in ("cu2qu", "qu2cu", "afmLib.py", "fontBuilder.py", "tfmLib.py")),
    *(f"fontTools/feaLib/{name}.py" for name in ("__main__", "builder", "lexer", "parser", "var*")),
    *(f"fontTools/varLib/{name}" for name in ("avar", "avarPlanner.py", "interpol*.py", "mutator.py")),
    *(f"fontTools/{name}.py" for name in ("ttx", "misc/ps[LO]*", "misc/symfont", "misc/testTools")),
    *(f"fontTools/pens/{name}Pen.py" for name in ("area", "cairo", "cocoa", "cu2qu", "freetype")),
    *(f"fontTools/pens/{name}Pen.py" for name in ("hashPoint", "moments", "perimeter", "qt", "quartz")),
    *(f"fontTools/pens/{name}Pen.py" for name in ("qu2cu", "reportLab", "statistics", "svgPath", "wx")),
    "cv2/LICENSE*",  # the same as in its .dist-info
    *(f"PIL/{name}*.so" for name in ("_avif", "_imagingcms", "_imagingm", "_imagingtk")),
    *(f"PIL/{name}*.py" for name in ("Bdf", "FontFile", "ImageDraw2", "ImageGrab", "ImageMath")),
    *(f"PIL/{name}*.py" for name in ("ImageMorph", "ImageQt", "ImageTk", "ImageWin", "Pcf", "PdfP", "PSD")),
    *(f"networkx/{name}" for name in ("drawing", "generators", "linalg", "readwrite", "conftest.py")),
    *(f"networkx/algorithms/{name}" for name in ("*/", "[a-ln-z]*.py", "m[b-z]*.py")),  # matching stays
    *(f"packaging/{name}.py" for name in ("_elffile", "_m*linux", "_parser", "_ranges", "_tokenizer")),
    *(f"packaging/{name}.py" for name in ("de*", "di*", "markers", "metadata", "pylock", "ranges", "req*")),
    *(f"packaging/{name}" for name in ("licenses", "specifiers.py", "tags.py", "utils.py")),  # versions stay
    *("rich/_unicode_data/unicode[!1]*.py", "rich/_unicode_data/unicode1[0-6]-*.py"),  # newest only
    *(f"pygments/{name}" for name in ("__main__.py", "cmdline.py", "formatters", "sphinxext.py")),
    "pygments/styles/[!_dm]*.py",  # documents use the style monokai
    *(f"werkzeug/{name}" for name in ("debug", "middleware", "_reloader.py", "testapp.py")),
    *(f"babel/messages/{name}.py" for name in ("frontend", "setuptools_frontend")),
    *("cattr", "cattrs/preconf", "onnxruntime/backend"),  # for other formats than the files here have
    "companion/packaging",
    *(f"calibration/training/{name}.py" for name in ("__main__", "augmentation", "cl*", "detector", "e*")),
    *(f"calibration/training/{name}" for name in ("networks.py", "optimise.py", "signs", "targets.py")),
    *("uharfbuzz/_harfbuzz_test*.so", "ifaddr/test_ifaddr.py"),
    *(f"**/*.{kind}" for kind in ("c", "cpp", "h", "hpp", "pyx", "pxd", "pyi", "lib", "a")),
)
"""Files that a game never uses, as patterns below the folder of packages."""

SELDOM_IMPORTED_PATTERNS = (
    *("calibration/(evaluation|training)/", "companion/(bench|drill|rehearsal)/"),
    *(f"fontTools/{name}" for name in ("agl", "(cff|color|designspace|fea|otl|svg|var)Lib", "ttLib/woff2")),
    "fontTools/ttLib/tables/[A-FI-Z]_",
    *("click/(_win|shell|testing)", "numpy/(ctypeslib|typing|lib/recfunctions|ma/mrecords)"),
    *("pygments/lexers/", "rich/(_emoji_codes|_inspect|_win|layout|pretty|prompt|traceback|tree)"),
    "zope/interface/common/",
)
"""Modules that the services do not import as they start, as patterns below the folder of packages.

Their bytecode is not kept: they measure and test, show documents, or change fonts for printed sheets, and are
compiled whenever a process imports them.
"""

IMPORTS_OF_UNUSED = {
    "networkx/__init__.py": r"^from networkx(?:\.| import )(?:drawing|generators|linalg|readwrite)\b.*$",
    "networkx/algorithms/__init__.py": r"^from networkx\.algorithms(?!\.matching\b).*$",
    "rich/_unicode_data/_versions.py": r'^    "[\d.]+",$(?=\n    ")',
}
"""For modules that import removed ones, a pattern of the lines that do."""

READ_DOCSTRINGS = ("numpy/_core/numeric.py",)
"""Modules whose docstrings stay: ``numpy.ma``, which ``numpy.unique`` loads, checks their text."""

LICENCES = ("*.dist-info/licenses/**/*", "*.dist-info/LICEN*", "onnxruntime/ThirdPartyNotices.txt")
"""Files only for people; compressed, as Debian requires."""

MAX_UNCOMPRESSED_BYTES = 4096
"""Size in bytes below which such files are not compressed (Debian policy 12.3)."""

KEPT_PICTURE_FORMATS = {"BMP", "GIF", "JPEG", "PNG", "WEBP"} | {"MPO", "PPM", "TIFF"}
"""Picture formats that are read, and those whose modules others need: two in a JPEG, at start, for EXIF."""

SYSTEM_LIBRARIES = {
    "opencv_python_headless.libs/libopenblasp-": ("liblapack.so.3", "libblas.so.3"),
    "numpy.libs/libscipy_openblas64_-": ("liblapack64.so.3", "libblas64.so.3"),
    "pillow.libs/libfreetype-": ("libfreetype.so.6",),
    "pillow.libs/libharfbuzz-": ("libharfbuzz.so.0",),
    "pillow.libs/libjpeg-": ("libjpeg.so.62",),
    "pillow.libs/libopenjp2-": ("libopenjp2.so.7",),
    "pillow.libs/libtiff-": ("libtiff.so.6",),
    "pillow.libs/libwebp-": ("libwebp.so.7",),
    "pillow.libs/libwebpdemux-": ("libwebpdemux.so.2",),
    "pillow.libs/libwebpmux-": ("libwebpmux.so.3",),
    "pillow.libs/libxcb-": ("libxcb.so.1",),
}
"""By folder and beginning of a bundled library's name, the system's libraries with the same functions.

Of LAPACK and CBLAS, OpenCV calls 19 functions and NumPy 63, those with 64-bit integers.  Tesseract brings
most of Pillow's.  OpenCV's libpng stays, as Debian 12's lacks functions.
"""

DEBIAN = {
    "liblapack.so.3": "liblapack3 | liblapack.so.3",
    "libblas.so.3": "libblas3 | libblas.so.3",
    "liblapack64.so.3": "liblapack64-3 | liblapack64.so.3",
    "libblas64.so.3": "libblas64-3 | libblas64.so.3",
    "libfreetype.so.6": "libfreetype6",
    "libharfbuzz.so.0": "libharfbuzz0b",
    "libjpeg.so.62": "libjpeg62-turbo",
    "libopenjp2.so.7": "libopenjp2-7",
    "libtiff.so.6": "libtiff6",
    "libwebp.so.7": "libwebp7",
    "libwebpdemux.so.2": "libwebpdemux2",
    "libwebpmux.so.3": "libwebpmux3",
    "libxcb.so.1": "libxcb1",
}
"""For a library of the system, the dependency of the package that provides it."""

OLDER_FUNCTION_NAMES = {"hb_ft_font_get_ft_face": "hb_ft_font_get_face"}
"""For a function of HarfBuzz 10.4, its name in older and later versions."""

RENAMED_PREFIX = "scipy_"
"""Beginning of the names that NumPy's wheels give to functions of LAPACK and CBLAS; 64_ is their end."""

REFUSED_LIBRARIES = {"libaom-": "aom_", "libvpx-": "vpx_"}
"""By the beginning of a bundled library's name, that of its functions, which are replaced by refusing ones.

OpenCV reads and writes AVIF pictures with libaom; pictures from outside are read by Pillow, in the formats of
``companion.vision.picture`` only.  FFmpeg writes VP8 and VP9 films with libvpx, but reads them without it.
"""

LOCK_FILES = {"amd64": ("x86_64", "play"), "arm64": ("aarch64", "pi")}
"""By Debian's name of a machine, Python's name of it and the lock file; arm64 is the Pi."""


def slim(site: Path, machine: str) -> None:
    """Make a folder of packages smaller; nothing in it is run.

    Parameters
    ----------
    site
        The folder.
    machine
        Python's name of the target machine, as ``aarch64``.

    Raises
    ------
    BadOutput
        Where a tool fails or is not installed.
    """
    prune(site)
    prune_locales(site / "babel/locale-data", set(languages()))
    prune_lexers(site / "pygments/lexers", set(fenced_languages(PROJECT / "companion/docs")))
    prune_locales(site / "wtforms/locale", set(languages()))
    prune_plugins(site / "PIL", KEPT_PICTURE_FORMATS)
    for metadata in site.glob("*.dist-info/METADATA"):
        trim_metadata(metadata)
    for pattern in LICENCES:
        for paper in list(site.glob(pattern)):
            compress_paper(paper)
    strip_docstrings(site)
    use_system_libraries(site, machine)
    prune_libraries(site)
    for library in modules(site):
        replace_by_refusing_library(library, machine)
    for library in modules(site):  # no other tool reads them afterwards
        strip_compiled_module(library)


def prune(site: Path) -> None:
    """Delete files that a game never uses, and the lines that import them."""
    for pattern in UNUSED:
        for path in list(site.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    for name, lines in IMPORTS_OF_UNUSED.items():
        text = (site / name).read_text(encoding="utf-8")
        (site / name).write_text(re.sub(lines, "", text, flags=re.MULTILINE), encoding="utf-8")


def strip_docstrings(site: Path) -> None:
    """Remove the docstrings of modules, except where they are read at run time."""
    read = {site / name for name in READ_DOCSTRINGS}
    for source in site.rglob("*.py"):
        if source not in read:
            source.write_bytes(without_docstrings(source.read_bytes()))


def prune_locales(folder: Path, kept: set[str]) -> None:
    """Delete a package's files or folders of languages that the pages do not have."""
    for path in (*folder.glob("*.dat"), *folder.glob("*/")):
        if path.stem != "root" and path.stem not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def trim_metadata(metadata: Path) -> None:
    """Delete a package's description after the fields that programs read."""
    fields, end, _ = metadata.read_text(encoding="utf-8").partition("\n\n")
    metadata.write_text(fields + end, encoding="utf-8")


def compress_paper(paper: Path) -> None:
    """Compress a document, unless it is short."""
    if paper.is_file() and paper.stat().st_size > MAX_UNCOMPRESSED_BYTES:
        paper.with_name(f"{paper.name}.gz").write_bytes(gzip.compress(paper.read_bytes(), 9, mtime=0))
        paper.unlink()


def prune_plugins(folder: Path, kept: set[str]) -> None:
    """Delete Pillow's plug-ins for formats that are never opened."""
    names = {name.lower() for name in kept}
    for path in folder.glob("*ImagePlugin.py"):
        if path.name.removesuffix("ImagePlugin.py").lower() not in names:
            path.unlink()


def prune_lexers(folder: Path, kept: set[str]) -> None:
    """Delete Pygments' lexers of languages that no document quotes."""
    needed = {get_lexer_by_name(name).__class__.__module__.rpartition(".")[2] for name in kept | {"text"}}
    known = {path.stem for path in folder.glob("*.py")}
    needs = {name: imported_modules(folder / f"{name}.py") & known for name in known}
    for name in known - closure(needed | {"__init__", "_mapping"}, needs):
        (folder / f"{name}.py").unlink()


def fenced_languages(folder: Path) -> Iterator[str]:
    """Yield the languages of the code that the documents in a folder quote."""
    for path in folder.glob("*.md"):
        yield from re.findall(r"^```(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)


def imported_modules(path: Path) -> set[str]:
    """Return the modules of Pygments' lexers that one of them imports."""
    return set(re.findall(r"from pygments\.lexers\.(\w+) import", path.read_text(encoding="utf-8")))


def modules(site: Path) -> list[Path]:
    """Return the compiled modules and libraries below a folder."""
    return [path for path in sorted(site.rglob("*.so*")) if path.is_file() and not path.is_symlink()]


def use_system_libraries(site: Path, machine: str) -> None:
    """Let compiled modules load the system's libraries in place of bundled ones."""
    found = modules(site)
    folders = {path.name: path.parent.name for path in found if path.parent.suffix == ".libs"}
    for library in found:
        names = {name: f"{folders.get(name)}/{name}" for name in needed_libraries(library)}
        others = {
            name: own
            for name, bundled in names.items()
            for beginning, own in SYSTEM_LIBRARIES.items()
            if bundled.startswith(beginning)
        }
        if others:
            functions = {
                name: plain_function_name(name) for name in imported_symbols(library, RENAMED_PREFIX, machine)
            }
            relink(library, others, functions | OLDER_FUNCTION_NAMES)


def plain_function_name(name: str) -> str:
    """Return the name in LAPACK or CBLAS of a function that NumPy's wheels rename."""
    return name.removeprefix(RENAMED_PREFIX).removesuffix("64_")


def prune_libraries(site: Path) -> None:
    """Delete bundled libraries that no module needs any more."""
    needs = {path: needed_libraries(path) for path in modules(site)}
    bundled = {path.name: path for path in needs if path.parent.suffix == ".libs"}
    by_name = {path.name: names & set(bundled) for path, names in needs.items() if path.name in bundled}
    for folder in {path.parent for path in bundled.values()}:
        outside = {name for path, names in needs.items() if path.parent.suffix != ".libs" for name in names}
        own = {path.name for path in bundled.values() if path.parent == folder}
        for name in own - closure(outside & own, by_name):
            bundled[name].unlink()
        if not any(folder.iterdir()):
            folder.rmdir()


def replace_by_refusing_library(library: Path, machine: str) -> None:
    """Replace a bundled library that no code calls by one whose functions refuse."""
    for beginning, functions in REFUSED_LIBRARIES.items():
        if library.name.startswith(beginning):
            beside = modules(library.parent)
            names = sorted({name for other in beside for name in imported_symbols(other, functions, machine)})
            # functions that begin an operation report a failure; the others return nothing
            answers = {name: int("init" in name or "config" in name) for name in names}
            write_refusing(library, answers, machine)


def strip_compiled_module(library: Path) -> None:
    """Remove the parts of a compiled module that are never mapped into memory."""
    smaller = strip_unmapped(library.read_bytes())
    if not is_loadable(smaller):
        raise BadOutput(f"{library.name} cannot be loaded once it is packed")
    library.write_bytes(smaller)


def closure(first: set[str], needs: dict[str, set[str]]) -> set[str]:
    """Return some names with everything that they need, directly or not."""
    found: set[str] = set()
    left = set(first)
    while left:
        found |= left
        left = {other for name in left for other in needs.get(name, ())} - found
    return found


def fill(site: Path, python: str, arch: str) -> None:
    """Install the locked packages and the companion into a folder, without files that a game never uses.

    No installed code is run, so it may be for another kind of machine and another Python.

    Parameters
    ----------
    site
        The folder, which is created.
    python
        The version of Python that will use it, as ``3.13``.
    arch
        Debian's name of the machine, a key of ``LOCK_FILES``.

    Raises
    ------
    BadOutput
        Where uv cannot get a package of the lock file.
    """
    machine, lock = LOCK_FILES[arch]
    target = ["--target", str(site), "--python-version", python]
    target += ["--python-platform", f"{machine}-manylinux_2_36", "--no-deps", "--link-mode", "copy"]
    locked = str(PROJECT / f".requirements/{lock}.txt")
    uv("install", *target, "--require-hashes", "--only-binary", ":all:", "-r", locked)
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder) / "clean"  # without the contents of a checkout's build folder
        shutil.copytree(PROJECT, clean, ignore=EXCLUDED)
        uv("install", *target, "--no-build-isolation", str(clean))
    slim(site, machine)


def uv(*words: str) -> None:
    """Run ``uv pip``; raise BadOutput with its output."""
    command = [sys.executable, "-m", "uv", "pip", *words, "--no-config", "--python", sys.executable]
    done = processes.run(command)
    if done.returncode:
        raise BadOutput(f"uv pip {words[0]}: {done.stderr.strip()[-2000:]}")
