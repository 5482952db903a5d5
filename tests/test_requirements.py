"""The pinned requirements: they fit ``pyproject.toml`` and each other, and their licences are known."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
OURS = re.compile(r"# +(via )?tableau-companion ")
ALLOWED = re.compile(
    r"MIT|BSD|Apache|ISC|MPL|Python Software|PSF|ZPL|Zope|LGPL|Lesser General|HPND|CMU|Unlicense"
)
PARTS = {"play": [], "pi": ["pi"], "dev": ["pi", "dev"]}


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def wanted(project: dict[str, Any], part: str) -> list[Requirement]:
    """Return what ``pyproject.toml`` asks for, for one of the locks."""
    extras = project["project"]["optional-dependencies"]
    further = [line for extra in PARTS[part] for line in extras[extra]]
    return [Requirement(line) for line in [*project["project"]["dependencies"], *further]]


def to_build(project: dict[str, Any]) -> list[Requirement]:
    """Return what ``pyproject.toml`` asks for to install the companion itself."""
    return [Requirement(line) for line in project["build-system"]["requires"]]


def lock(root: Path, part: str) -> str:
    return (root / ".requirements" / f"{part}.txt").read_text(encoding="utf-8")


def pins(root: Path, part: str) -> dict[str, str]:
    """Return the version of each package in a lock."""
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ;]+)", lock(root, part), re.MULTILINE))


def entries(text: str) -> list[str]:
    """Return the entry of each package: its pin, its hashes, and what asked for it."""
    return re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("part", PARTS)
def test_every_requirement_is_pinned_to_a_version_that_it_allows(
    root: Path, project: dict[str, Any], part: str
) -> None:
    pinned, asked = pins(root, part), [*wanted(project, part), *to_build(project)]
    assert [str(one) for one in asked if not one.specifier.contains(pinned.get(one.name, "0"))] == []


@pytest.mark.parametrize("part", PARTS)
def test_a_lock_names_no_requirement_that_is_gone(root: Path, project: dict[str, Any], part: str) -> None:
    named = {entry.partition("==")[0] for entry in entries(lock(root, part)) if OURS.search(entry)}
    assert named == {canonicalize_name(one.name) for one in wanted(project, part)}


@pytest.mark.parametrize("part", PARTS)
def test_every_version_is_pinned_with_hashes_and_no_address(root: Path, part: str) -> None:
    text = lock(root, part)
    assert [entry for entry in entries(text) if not HASH.search(entry)] == []
    assert "//" not in text


@pytest.mark.parametrize("part", ["play", "pi"])
def test_what_plays_is_what_was_tested(root: Path, part: str) -> None:
    assert pins(root, part).items() <= pins(root, "dev").items()


def test_every_requirement_is_bounded_by_the_next_major_version(project: dict[str, Any]) -> None:
    extras = [line for extra in project["project"]["optional-dependencies"].values() for line in extra]
    every = [*wanted(project, "play"), *to_build(project), *map(Requirement, extras)]
    assert [str(one) for one in every if "<" not in {bound.operator for bound in one.specifier}] == []


def test_the_version_that_a_pi_4_cannot_run_is_never_taken(project: dict[str, Any]) -> None:
    (runtime,) = (one for one in wanted(project, "play") if one.name == "onnxruntime")
    assert runtime.specifier.contains("1.22.0")
    assert not runtime.specifier.contains("1.21.0")


def test_every_package_has_a_licence_that_lets_this_one_be_used(root: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "piplicenses",
        "--from=mixed",
        "--with-system",
        "--format=json",
        "--packages",
    ]
    told = subprocess.run([*command, *pins(root, "play")], capture_output=True, text=True, check=True).stdout
    licences = {one["Name"]: one["License"] for one in json.loads(told)}
    assert len(licences) > 30
    assert {name: licence for name, licence in licences.items() if not ALLOWED.search(licence)} == {}
