"""What is left of the Python packages, and whether it can still be loaded."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion.packaging.site import (
    SYSTEM_LIBRARIES,
    UNUSED,
    closure,
    fenced,
    loadable,
    needed_by,
    prune_lexers,
    prune_libraries,
    prune_locales,
    use_system_libraries,
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


def test_languages_that_the_pages_speak_are_kept(tmp_path: Path) -> None:
    for name in ("root", "en", "de", "fr", "de_AT"):
        (tmp_path / f"{name}.dat").touch()
    prune_locales(tmp_path, {"en", "de"})
    assert {path.stem for path in tmp_path.iterdir()} == {"root", "en", "de"}


def test_code_in_the_documents_is_still_coloured_when_the_other_lexers_are_gone(
    site: Path, root: Path
) -> None:
    lexers = site / "pygments/lexers"
    before, quoted = len(list(lexers.iterdir())), {*fenced(root / "companion/docs"), "text"}
    prune_lexers(lexers, quoted)
    names = [f"get_lexer_by_name({name!r})" for name in sorted(quoted)]
    code = f"from pygments.lexers import get_lexer_by_name; print({', '.join(names)})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.count("Lexer") == len(quoted), done.stderr
    assert len(list(lexers.iterdir())) < before / 10


def test_what_a_library_needs_is_found_through_others() -> None:
    needs = {"a": {"b"}, "b": {"c", "a"}, "d": {"c"}}
    assert closure({"a"}, needs) == {"a", "b", "c"}


def test_opencv_takes_the_systems_lapack_and_its_own_goes(tmp_path: Path) -> None:
    name = "opencv_python_headless"
    shutil.copytree(bundled(name), tmp_path / f"{name}.libs")
    module = Path(shutil.copy(installed("cv2") / "cv2.abi3.so", tmp_path))
    own = {one for one in needed_by(module) if one.startswith(tuple(SYSTEM_LIBRARIES))}
    use_system_libraries(module)
    prune_libraries(tmp_path)
    left = {path.name for path in (tmp_path / f"{name}.libs").iterdir()}
    assert own
    assert needed_by(module) >= {"liblapack.so.3", "libblas.so.3"}
    assert [one for one in left if one.startswith((*SYSTEM_LIBRARIES, "libgfortran"))] == []
    assert {one for one in needed_by(module) if one.startswith(("libav", "libpng"))} <= left
    assert loadable(module.read_bytes())


def test_the_package_asks_for_the_libraries_that_the_modules_take_from_the_system(root: Path) -> None:
    told = (root / "systemd/debian/control").read_text()
    wanted = [library for libraries in SYSTEM_LIBRARIES.values() for library in libraries]
    assert [one for one in wanted if f" | {one}" not in told] == []


def test_a_library_whose_segments_were_moved_is_told_from_a_sound_one() -> None:
    sound = next(installed("greenlet").glob("_greenlet*.so")).read_bytes()
    table = int.from_bytes(sound[32:40], "little")
    first = next(
        at for at in range(table, len(sound), 56) if int.from_bytes(sound[at : at + 4], "little") == 1
    )
    moved = bytearray(sound)
    moved[first + 8] ^= 8  # the segment's place in the file
    assert (loadable(sound), loadable(bytes(moved)), loadable(sound[:4096])) == (True, False, False)


def test_compiled_modules_that_go_have_their_source_beside_them() -> None:
    fonts = installed("fontTools")
    gone = list(fonts.parent.glob(next(one for one in UNUSED if one.startswith("fontTools"))))
    assert gone
    assert [path for path in gone if not (path.parent / f"{path.name.split('.')[0]}.py").exists()] == []
