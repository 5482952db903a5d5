"""The arm64 package on emulated processors of Raspberry Pis: installed, read and refereed with, tested."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.bootstrap.copying import EXCLUDED
from companion.packaging.site import uv
from companion.packaging.tree import RELEASES
from companion.version import VERSION
from tests.packaging.emulated import PROCESSORS, Machine, Told, depends, lacking, packaged

pytestmark = pytest.mark.emulated

PYTHON = "/usr/lib/tableau-companion/bin/python3"
MEMORY_MB = {"cortex-a53": 512, "cortex-a72": 1024, "cortex-a76": 2048}
"""That of the smallest Pi with the processor."""

TESTED = ("model", "words", "rules", "games", "hardware", "vision")
FOR_TESTS = ("pytest", "hypothesis", "iniconfig", "packaging", "pluggy", "pygments", "sortedcontainers")
"""What the tests need besides what the package has, or has only a part of."""

WITH_CLOCKS = ("hardware/cameras", "hardware/test_felt.py", "vision/test_ocr.py", "rules/test_bench_rules.py")
"""Tests that wait for real seconds, which an emulated machine has too few of."""

READING = ("read", "--json", "--alone", "companion/pictures/photograph.jpg")
"""Reads a photograph without Tesseract, whose version differs between releases."""

NEAR_PX = 20.0
"""Between two readings of a tile's middle; a tile of the photograph is 56 pixels broad."""

SWAP = "fallocate -l 512M /swap && chmod 600 /swap && mkswap /swap && swapon /swap"
"""Adds swap for the tests, which draw large pictures; Raspberry Pi OS has some too."""


@pytest.fixture(
    scope="module",
    params=[(release, processor) for release in RELEASES for processor in PROCESSORS],
    ids="-".join,
)
def told(request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    release, processor = request.param
    if reason := lacking(processor):
        pytest.skip(reason)
    place = root / "build/machines"
    package = packaged(release, place, root)
    machine = Machine.fresh(release, place, depends(package))
    folder = tmp_path_factory.mktemp(f"{release}-{processor}")
    given = folder / "given"
    shutil.copytree(root, given / "project", ignore=copied)
    shutil.copy(package, given / "now.deb")
    for_tests(root, given / "for-tests", RELEASES[release][1])
    told = machine.do(tasks(root), processor, given, folder, memory_mb=MEMORY_MB[processor])
    shutil.rmtree(given)
    shutil.copy(told.folder / "told.json", place / f"{release}-{processor}.json")
    return told


def copied(folder: str, names: list[str]) -> set[str]:
    """Return what of the checkout's folder the machine does not get."""
    return EXCLUDED(folder, names) - {"tests"}


def for_tests(root: Path, folder: Path, python: str) -> None:
    """Install what tests need besides the package, in the locked versions."""
    locked = re.findall(
        r"^\S+==[^\n]*\\\n(?: +--hash\S+[^\n]*\n)+", (root / ".requirements/dev.txt").read_text(), re.M
    )
    folder.mkdir()
    wanted = folder / "requirements.txt"
    wanted.write_text("".join(one for one in locked if one.partition("==")[0] in FOR_TESTS))
    target = [
        "--target",
        str(folder),
        "--python-version",
        python,
        "--python-platform",
        "aarch64-manylinux_2_36",
    ]
    uv("install", *target, "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", str(wanted))


def tasks(root: Path) -> dict[str, list[str]]:
    """Return the name and the command of everything that a machine does."""
    tests = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    tests += ["-m", "not slow and not live and not debian and not emulated"]
    tests += [f"--ignore=tests/{path}" for path in WITH_CLOCKS]
    tests = ["env", "PYTHONPATH=/srv/for-tests", *tests]
    return {
        "install": ["apt-get", "-q", "-y", "--no-install-recommends", "install", "/srv/now.deb"],
        "version": ["companion", "--version"],
        "processor": [PYTHON, "-c", "import platform; print(platform.machine(), platform.python_version())"],
        "libraries": [
            PYTHON,
            "-c",
            "import onnxruntime, cv2; print(onnxruntime.__version__, cv2.__version__)",
        ],
        "read": ["companion", *READING],
        "read_all": ["companion", "read", "companion/pictures/photograph.jpg"],
        "referee": ["companion", *refereeing(root)],
        "swap": ["sh", "-c", SWAP],
        **{name: [*tests, f"tests/{name}"] for name in TESTED},
    }


def refereeing(root: Path) -> list[str]:
    """Return the command that plays the written games."""
    scripts = sorted((root / "tests/games").glob("*.jsonl"))
    return ["referee", "--json", *(str(path.relative_to(root)) for path in scripts)]


def here(root: Path, *words: str) -> str:
    """Return what the companion prints on this machine."""
    command = [sys.executable, "-P", "-m", "companion", *words]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def tiles(text: str) -> list[tuple[str, bool, NDArray[np.float64]]]:
    """Return symbol, doubt and middle, in pixels, of every tile of a reading."""
    return [
        (tile["symbol"], tile["doubt"], np.mean(tile["corners"], axis=0))
        for tile in json.loads(text)["tiles"]
    ]


def contradictions(one: str, other: str) -> list[tuple[str, str]]:
    """Return the letters that two readings are both sure of at one place, and that differ."""
    return [
        (symbol, its)
        for symbol, doubt, middle in tiles(one)
        for its, doubted, place in tiles(other)
        if symbol != its and not (doubt or doubted) and np.hypot(*(place - middle)) < NEAR_PX
    ]


def test_the_package_is_installed_without_a_network(told: Told) -> None:
    told.well("install")
    assert told.well("version") == f"tableau-companion {VERSION}\n"
    assert told.well("processor").startswith("aarch64 3.")
    assert len(told.well("libraries").split()) == 2


def test_a_photograph_is_read_and_no_letter_is_sure_there_and_another_here(told: Told, root: Path) -> None:
    there_read = told.well("read")
    assert len([doubt for _, doubt, _ in tiles(there_read) if not doubt]) >= 15
    assert contradictions(here(root, *READING), there_read) == []
    assert told.well("read_all")


def test_written_games_end_as_on_this_machine(told: Told, root: Path) -> None:
    assert told.well("referee") == here(root, *refereeing(root))


@pytest.mark.parametrize("package", TESTED)
def test_the_tests_of_a_package_pass_there(told: Told, package: str) -> None:
    assert told.well("swap")
    assert " passed" in told.well(package)
