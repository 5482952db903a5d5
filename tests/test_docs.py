"""What the README says is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import companion.commands.rules as rules_command
from companion.cli import COMMANDS, main
from companion.rules import registry
from companion.rules.rulings import SHARED


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, list[str]]:
    """The names of the packages that each part of the project needs; ``""`` is the companion itself."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = {"": settings["dependencies"], **settings["optional-dependencies"]}
    return {part: [re.split(r"[\s<>=!~;\[]", need)[0] for need in given] for part, given in needs.items()}


def section(readme: str, title: str) -> str:
    return readme.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_table_of_commands_is_the_list_that_the_help_shows(readme: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", section(readme, "What works today"), re.MULTILINE)
    assert rows == list(COMMANDS.items())


def test_every_dependency_of_the_companion_has_a_line_that_says_what_for(
    readme: str, project: dict[str, list[str]]
) -> None:
    lines = re.findall(r"^- `([\w-]+)`: \S.{10,}$", section(readme, "What it is built with"), re.MULTILINE)
    assert lines == project[""]


def test_every_further_dependency_is_named_with_its_part(readme: str, project: dict[str, list[str]]) -> None:
    told = section(readme, "What it is built with")
    for part, packages in project.items():
        assert part == "" or f"(`{part}`)" in told
        assert [package for package in packages if f"`{package}`" not in told] == []


def test_every_call_of_run_in_the_readme_is_one_that_works(
    readme: str, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = re.findall(r"^\./run (.+)$", readme, re.MULTILINE)
    assert "read table.jpg" in calls
    for word, *rest in map(str.split, calls):
        if word == "test":
            continue
        with pytest.raises(SystemExit):
            main([word, "--help"])
        told = capsys.readouterr().out
        assert [option for option in rest if option.startswith("-") and option not in told] == []


def test_every_file_that_the_readme_points_to_is_there(readme: str, root: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", readme)
    assert targets
    assert [target for target in targets if not (root / target).exists()] == []


def test_the_table_of_options_is_what_the_games_that_ship_have(
    readme: str, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shipped = settings["entry-points"][registry.GROUP]
    monkeypatch.setattr(
        rules_command, "entries", lambda: {n: e for n, e in registry.entries().items() if n in shipped}
    )
    assert main(["rules", "--markdown"]) == 0
    rows = re.findall(r"^\|.*\|$", section(readme, "Games"), re.MULTILINE)
    assert (len(shipped), rows) == (5, capsys.readouterr().out.splitlines())


def test_every_ruling_is_named(readme: str) -> None:
    told = section(readme, "Games")
    own = {name for game in registry.entries() for name in registry.game(game).rulings}
    assert [name for name in sorted({*SHARED, *own}) if f"`{name}`" not in told] == []
