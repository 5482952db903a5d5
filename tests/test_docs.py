"""What the README and the handbook say is so."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import companion.commands.rules as rules_command
from companion.cli import COMMANDS, main
from companion.config.table import load
from companion.packaging.__main__ import arguments as packaging
from companion.rules import registry
from companion.rules.rulings import SHARED_RULINGS


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def written(root: Path) -> dict[Path, str]:
    """The README and the pages of the handbook, by their files."""
    files = [root / "README.md", *sorted((root / "companion/docs").glob("*.md"))]
    return {path: path.read_text(encoding="utf-8") for path in files}


@pytest.fixture(scope="module")
def page(root: Path) -> Callable[[str], str]:
    """Reads one page of the handbook."""
    return lambda name: (root / f"companion/docs/{name}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, list[str]]:
    """The names of the packages that each part of the project needs; ``""`` is the companion itself."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = {"": settings["dependencies"], **settings["optional-dependencies"]}
    return {part: [re.split(r"[\s<>=!~;\[]", need)[0] for need in given] for part, given in needs.items()}


def test_the_table_of_commands_is_the_list_that_the_help_shows(page: Callable[[str], str]) -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \|$", page("commands"), re.MULTILINE)
    assert rows == list(COMMANDS.items())


def test_every_dependency_of_the_companion_has_a_line_that_says_what_for(
    page: Callable[[str], str], project: dict[str, list[str]]
) -> None:
    lines = re.findall(r"^- `([\w-]+)`: \S.{10,}$", page("developing"), re.MULTILINE)
    assert lines == project[""]


def test_every_further_dependency_is_named_with_its_part(
    page: Callable[[str], str], project: dict[str, list[str]]
) -> None:
    told = page("developing")
    for part, packages in project.items():
        assert part == "" or f"(`{part}`)" in told
        assert [package for package in packages if f"`{package}`" not in told] == []


def test_every_call_of_run_that_is_written_is_one_that_works(
    written: dict[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    calls = [call for text in written.values() for call in re.findall(r"^\./run (.+)$", text, re.MULTILINE)]
    assert "read table.jpg" in calls
    for word, *rest in map(str.split, calls):
        if word == "test":
            continue
        if word == "package":
            packaging().parse_args(rest)
            continue
        with pytest.raises(SystemExit):
            main([word, "--help"])
        told = capsys.readouterr().out
        assert [option for option in rest if option.startswith("-") and option not in told] == []


def test_the_readmes_table_can_be_loaded(readme: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(re.findall(r"```toml\n(.+?)```", readme, re.DOTALL)[0], "utf-8")
    table = load(path)
    assert (table.seats, len(table.cameras), len(table.controls.seats)) == (("Ada", "Ben"), 1, 2)


def test_every_page_is_listed_in_the_readme_and_by_the_command(
    readme: str, written: dict[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["docs"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [path.stem for path in written if path.name != "README.md"]
    assert [name for name in listed if f"(companion/docs/{name}.md)" not in readme] == []


def test_a_page_is_printed_as_it_is_where_no_terminal_is(
    page: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["docs", "table"]) == 0
    assert capsys.readouterr().out == page("table")


def test_a_page_that_is_not_there_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "gmes"]) == 2
    assert "did you mean 'games'" in capsys.readouterr().err


def test_the_readme_is_two_screens(readme: str) -> None:
    assert len(readme.splitlines()) <= 110


def test_every_path_that_a_page_for_developers_names_is_there(page: Callable[[str], str], root: Path) -> None:
    named = re.findall(
        r"`((?:companion|hardware|calibration|systemd|tests)/[\w/]+(?:\.\w+)?)`", page("developing")
    )
    assert len(named) > 20
    assert [path for path in named if not (root / path).exists() and "CODE" not in path] == []


def test_every_file_that_is_pointed_to_is_there(written: dict[Path, str]) -> None:
    for path, text in written.items():
        targets = re.findall(r"\]\((?!https?:)([^)#]+)", text)
        assert [target for target in targets if not (path.parent / target).exists()] == []


def test_the_table_of_options_is_what_the_games_that_ship_have(
    page: Callable[[str], str],
    root: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shipped = settings["entry-points"][registry.ENTRY_POINT_GROUP]
    monkeypatch.setattr(
        rules_command, "entries", lambda: {n: e for n, e in registry.entries().items() if n in shipped}
    )
    assert main(["rules", "--markdown"]) == 0
    rows = re.findall(r"^\|.*\|$", page("games"), re.MULTILINE)
    assert (len(shipped), rows) == (5, capsys.readouterr().out.splitlines())


def test_every_ruling_is_named(page: Callable[[str], str]) -> None:
    told = page("games")
    own = {name for game in registry.entries() for name in registry.game(game).rulings}
    assert [name for name in sorted({*SHARED_RULINGS, *own}) if f"`{name}`" not in told] == []


def test_the_written_game_of_the_handbook_is_played(
    page: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = re.findall(r"```\n(\{\"game\".*?)```", page("games"), re.DOTALL)
    script = tmp_path / "game.jsonl"
    script.write_text(block, encoding="utf-8")
    assert main(["referee", str(script)]) == 0
    assert "peel refused: 2 tiles are not placed yet: Q Z" in capsys.readouterr().out
