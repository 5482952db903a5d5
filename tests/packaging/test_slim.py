"""What is left of the Python packages, and whether it can still be loaded."""

from __future__ import annotations

import ctypes
import gzip
import importlib.util
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from companion.packaging.compiled import (
    MAX_PAGE_BYTES,
    PT_LOAD,
    SEGMENT_STRUCT,
    imported_symbols,
    is_loadable,
    needed_libraries,
    strip_unmapped,
)
from companion.packaging.site import (
    DEBIAN,
    KEPT_PICTURE_FORMATS,
    REFUSED_LIBRARIES,
    RENAMED_PREFIX,
    SYSTEM_LIBRARIES,
    UNUSED,
    closure,
    compress_paper,
    fenced_languages,
    modules,
    prune,
    prune_lexers,
    prune_libraries,
    prune_locales,
    prune_plugins,
    replace_by_refusing_library,
    trim_metadata,
    use_system_libraries,
)
from companion.packaging.sources import without_docstrings
from companion.vision.picture import PICTURE_FORMATS

MACHINE = platform.machine()
OPENCV = "opencv_python_headless"
with_binutils = pytest.mark.skipif(
    shutil.which(f"{MACHINE}-linux-gnu-ld") is None, reason="binutils for this machine are not here"
)


def installed(name: str) -> Path:
    """Return the folder of an installed package."""
    found = importlib.util.find_spec(name)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def bundled(name: str) -> Path:
    """Return the folder of the libraries that a wheel brings."""
    return installed("cv2").parent / f"{name}.libs"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of packages with Pygments in it."""
    shutil.copytree(
        installed("pygments"), tmp_path / "pygments", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path


def asked(site: Path, code: str) -> str:
    """Return what Python code prints that takes its packages from a folder first."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_languages_that_the_pages_speak_are_kept(tmp_path: Path) -> None:
    for name in ("root", "en", "de", "fr", "de_AT"):
        (tmp_path / f"{name}.dat").touch()
    for name in ("pl", "es"):
        (tmp_path / name / "LC_MESSAGES").mkdir(parents=True)
    prune_locales(tmp_path, {"en", "de", "es"})
    assert {path.stem for path in tmp_path.iterdir()} == {"root", "en", "de", "es"}


def test_what_programs_ask_of_a_package_is_kept_and_what_it_tells_people_goes(tmp_path: Path) -> None:
    (folder,) = installed("rich").parent.glob("rich-*.dist-info")
    site = Path(shutil.copytree(folder, tmp_path / folder.name))
    whole = (site / "METADATA").stat().st_size
    trim_metadata(site / "METADATA")
    code = "from importlib.metadata import metadata as m; print(m('rich')['Version'], m('rich')['License'])"
    assert asked(tmp_path, code) == f"{version('rich')} MIT\n"
    assert (site / "METADATA").stat().st_size < whole / 5


@pytest.mark.parametrize("kind", PICTURE_FORMATS)
def test_every_kind_of_picture_that_is_read_is_still_read_when_others_are_gone(
    kind: str, tmp_path: Path
) -> None:
    shutil.copytree(installed("PIL"), tmp_path / "PIL", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(bundled("pillow"), tmp_path / "pillow.libs")
    prune_plugins(tmp_path / "PIL", KEPT_PICTURE_FORMATS)
    assert len(list(tmp_path.glob("PIL/*ImagePlugin.py"))) == len(KEPT_PICTURE_FORMATS)
    picture = tmp_path / "picture"
    Image.new("RGB", (40, 30), "white").save(picture, kind, exif=Image.Exif())
    decoding = f"from companion.vision.picture import decode; print(decode({str(picture)!r}).shape)"
    told = asked(tmp_path, f"import PIL; print(PIL.__file__); {decoding}")
    assert told == f"{tmp_path}/PIL/__init__.py\n(30, 40)\n"


def test_code_in_the_documents_is_still_coloured_when_the_other_lexers_are_gone(
    site: Path, root: Path
) -> None:
    lexers = site / "pygments/lexers"
    before, quoted = len(list(lexers.iterdir())), {*fenced_languages(root / "companion/docs"), "text"}
    prune_lexers(lexers, quoted)
    names = [f"get_lexer_by_name({name!r})" for name in sorted(quoted)]
    code = f"from pygments.lexers import get_lexer_by_name; print({', '.join(names)})"
    assert asked(site, code).count("Lexer") == len(quoted)
    assert len(list(lexers.iterdir())) < before / 10


SOURCE = '''"""What it is for."""
from __future__ import annotations

class Tile:
    """A tile,
    as it lies."""

    def letter(self) -> str: "Its letter"; return "x"

    async def turn(self):
        """Turn it."""

TEXT = """stays"""
'''


def test_a_source_without_docstrings_does_the_same_in_the_same_lines() -> None:
    made = without_docstrings(SOURCE.encode()).decode()
    known: dict[str, Any] = {}
    exec(compile(made, "tile.py", "exec"), known)  # noqa: S102 - it is written above
    tile = known["Tile"]
    assert (tile().letter(), known["TEXT"], known.get("__doc__")) == ("x", "stays", None)
    assert (tile.__doc__, tile.letter.__doc__, tile.turn.__doc__) == (None, None, None)
    assert tile.turn.__code__.co_firstlineno == 10
    assert made.endswith('TEXT = """stays"""\n# Changed for this package: docstrings are left out.\n')


@pytest.mark.parametrize("source", [b"x = 1\n", b'"""Text."""\r\nx = 1\r\n', b'\xef\xbb\xbf"""Text."""\n'])
def test_a_source_without_docstrings_or_with_other_lines_stays_as_it_is(source: bytes) -> None:
    assert without_docstrings(source) == source


def test_long_licences_are_compressed_and_short_ones_stay(tmp_path: Path) -> None:
    long, short = tmp_path / "LICENSE", tmp_path / "NOTICE"
    long.write_text("You may.\n" * 1000)
    short.write_text("You may.\n")
    for paper in (long, short):
        compress_paper(paper)
    assert {path.name for path in tmp_path.iterdir()} == {"LICENSE.gz", "NOTICE"}
    assert gzip.decompress((tmp_path / "LICENSE.gz").read_bytes()) == b"You may.\n" * 1000


def test_players_are_still_paired_by_what_is_left_of_networkx(tmp_path: Path) -> None:
    for package in ("networkx", "rich"):
        ignored = shutil.ignore_patterns("__pycache__", "tests")
        shutil.copytree(installed(package), tmp_path / package, ignore=ignored)
    prune(tmp_path)
    code = """
import networkx as nx
graph = nx.Graph()
for pair, weight in {("a", "b"): 1, ("b", "c"): 3, ("c", "d"): 1}.items():
    graph.add_edge(*pair, weight=weight)
print(nx.__file__, sorted(map(sorted, nx.max_weight_matching(graph, maxcardinality=True))))
"""
    told = asked(tmp_path, code)
    assert told == f"{tmp_path}/networkx/__init__.py [['a', 'b'], ['c', 'd']]\n"
    assert len(list(tmp_path.glob("networkx/**/*.py"))) < 40


@pytest.mark.parametrize("asked_for", ["", "9.0.0"])
def test_text_is_as_wide_as_before_whatever_unicode_is_asked_for(asked_for: str, tmp_path: Path) -> None:
    for package in ("networkx", "rich"):
        ignored = shutil.ignore_patterns("__pycache__", "tests")
        shutil.copytree(installed(package), tmp_path / package, ignore=ignored)
    prune(tmp_path)
    version = f"import os; os.environ['UNICODE_VERSION'] = {asked_for!r}; " if asked_for else ""
    code = f"{version}import rich; from rich.cells import cell_len; print(rich.__file__, cell_len('語x'))"
    assert asked(tmp_path, code) == f"{tmp_path}/rich/__init__.py 3\n"


def test_what_a_library_needs_is_found_through_others() -> None:
    needs = {"a": {"b"}, "b": {"c", "a"}, "d": {"c"}}
    assert closure({"a"}, needs) == {"a", "b", "c"}


@with_binutils
def test_opencv_takes_the_systems_lapack_and_its_own_goes(tmp_path: Path) -> None:
    shutil.copytree(bundled(OPENCV), tmp_path / f"{OPENCV}.libs")
    module = Path(shutil.copy(installed("cv2") / "cv2.abi3.so", tmp_path))
    use_system_libraries(tmp_path, MACHINE)
    prune_libraries(tmp_path)
    left = {path.name for path in (tmp_path / f"{OPENCV}.libs").iterdir()}
    assert needed_libraries(module) >= {"liblapack.so.3", "libblas.so.3"}
    assert [one for one in left if one.startswith(("libopenblas", "libgfortran"))] == []
    assert {one for one in needed_libraries(module) if one.startswith(("libav", "libpng"))} <= left
    assert is_loadable(module.read_bytes())


@with_binutils
def test_numpy_takes_the_systems_lapack_under_its_own_names_and_the_bundled_one_goes(tmp_path: Path) -> None:
    shutil.copytree(bundled("numpy"), tmp_path / "numpy.libs")
    (linear,) = installed("numpy").glob("linalg/_umath_linalg.*.so")
    module = Path(shutil.copy(linear, tmp_path))
    use_system_libraries(tmp_path, MACHINE)
    prune_libraries(tmp_path)
    assert needed_libraries(module) >= {"liblapack64.so.3", "libblas64.so.3"}
    assert imported_symbols(module, RENAMED_PREFIX, MACHINE) == []
    assert {"dgesdd_", "dgesv_"} <= {*imported_symbols(module, "dges", MACHINE)}
    assert not (tmp_path / "numpy.libs").exists()


def test_the_package_asks_for_the_libraries_that_the_modules_take_from_the_system(root: Path) -> None:
    assert {library for libraries in SYSTEM_LIBRARIES.values() for library in libraries} == {*DEBIAN}
    assert " @libraries@," in (root / "systemd/debian/control").read_text()


@with_binutils
def test_a_library_that_nothing_calls_has_the_same_functions_and_refuses(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bundled(OPENCV), tmp_path / "opencv.libs"))
    for beginning, functions in REFUSED_LIBRARIES.items():
        (library,) = folder.glob(f"{beginning}*")
        names = {name for one in modules(folder) for name in imported_symbols(one, functions, MACHINE)}
        before = library.stat().st_size
        replace_by_refusing_library(library, MACHINE)
        made = ctypes.CDLL(str(library))
        answers = {name: getattr(made, name)() for name in names}
        assert library.stat().st_size < before / 50
        assert {name for name, answer in answers.items() if answer} >= {f"{functions}codec_dec_init_ver"}


def test_opencv_opens_no_picture_from_outside(root: Path) -> None:
    files = (
        path for name in ("companion", "hardware", "calibration") for path in (root / name).rglob("*.py")
    )
    opening = {
        path.relative_to(root) for path in files if re.search(r"cv2\.im(read|decode)", path.read_text())
    }
    assert {str(path.parent) for path in opening} <= {"calibration/drawing", "companion/drill"}


def test_a_packed_module_is_loaded_like_the_whole_one(tmp_path: Path) -> None:
    site = tmp_path / "markupsafe"
    shutil.copytree(installed("markupsafe"), site, ignore=shutil.ignore_patterns("__pycache__"))
    (module,) = site.glob("_speedups.*.so")
    whole = module.read_bytes()
    module.write_bytes(strip_unmapped(whole))
    code = "import markupsafe._speedups as s; print(s.__file__, s._escape_inner('<'))"
    assert asked(tmp_path, code) == f"{module} &lt;\n"
    assert module.stat().st_size < len(whole)


def test_a_packed_library_for_large_pages_keeps_what_is_mapped_and_loses_its_padding() -> None:
    library = bytearray(0x20400)
    library[:4] = b"\x7fELF"
    struct.pack_into("<Q", library, 32, 64)  # where the table of segments is
    struct.pack_into("<HH", library, 54, SEGMENT_STRUCT.size, 2)
    SEGMENT_STRUCT.pack_into(library, 64, PT_LOAD, 5, 0, 0, 0, 0x500, 0x500, 0x10000)
    SEGMENT_STRUCT.pack_into(library, 120, PT_LOAD, 6, 0x20000, 0x30000, 0x30000, 0x400, 0x900, 0x10000)
    library[0x20000:] = b"data" * 0x100
    made = strip_unmapped(bytes(library))
    assert is_loadable(made)
    assert (len(made), made[MAX_PAGE_BYTES:], made[176:MAX_PAGE_BYTES]) == (
        MAX_PAGE_BYTES + 0x400,
        b"data" * 0x100,
        bytes(MAX_PAGE_BYTES - 176),
    )


def test_a_library_whose_segments_were_moved_is_told_from_a_sound_one() -> None:
    sound = next(installed("greenlet").glob("_greenlet*.so")).read_bytes()
    table = int.from_bytes(sound[32:40], "little")
    first = next(
        at for at in range(table, len(sound), 56) if int.from_bytes(sound[at : at + 4], "little") == 1
    )
    moved = bytearray(sound)
    moved[first + 8] ^= 8  # the segment's place in the file
    assert (is_loadable(sound), is_loadable(bytes(moved)), is_loadable(sound[:4096])) == (True, False, False)


@pytest.mark.parametrize("package", ["fontTools", "zeroconf"])
def test_compiled_modules_that_go_have_their_source_beside_them(package: str) -> None:
    assert f"{package}/**/*.so" in UNUSED
    gone = list(installed(package).rglob("*.so"))
    assert gone
    assert [path for path in gone if not (path.parent / f"{path.name.split('.')[0]}.py").exists()] == []
