"""Whole games as scripts, each with a score sheet kept by hand beside it.

A sheet is the ``.md`` file of the script's name.  Its tables have a column
``line`` (of the script) and columns named as the fields that ``companion
referee --json`` prints; a field of the seats has one value a seat, parted by
spaces.  ``-`` stands for none, an empty cell for nothing noted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main

HERE = Path(__file__).parent
SCRIPTS = sorted(HERE.glob("*.jsonl"))
SEAT_FIELDS = {"hand", "face_down", "placed", "place", "score", "total", "handicap"}


def sheet_rows(text: str) -> Iterator[dict[str, str]]:
    """Yield the rows of all tables of a sheet, by the names of their columns."""
    head: list[str] | None = None
    for line in text.splitlines():
        if not line.startswith("|"):
            head = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if head is None:
            head = cells
        elif not set(line) <= set("|-: "):
            yield dict(zip(head, cells, strict=True))


def shown(told: dict[str, Any], field: str) -> str:
    """Return what a line of the referee's shows in a field, as a sheet has it."""
    values = [seat[field] for seat in told["seats"]] if field in SEAT_FIELDS else [told[field]]
    return " ".join(sign(value) for value in values)


def sign(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_game_agrees_with_its_score_sheet_to_the_last_point(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["referee", "--json", str(script)]) == 0
    told = {line["line"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    noted = 0
    for row in sheet_rows(script.with_suffix(".md").read_text(encoding="utf-8")):
        number = int(row.pop("line"))
        fields = {field: value for field, value in row.items() if value and field != "what happens"}
        assert {field: shown(told[number], field) for field in fields} == fields, f"line {number}"
        noted += len(fields)
    assert noted >= 10


def test_every_game_has_several_scripts() -> None:
    played = [json.loads(script.read_text(encoding="utf-8").splitlines()[0])["game"] for script in SCRIPTS]
    games = ("bananagrams", "chew", "league_city", "martian_boggle", "binary_scrabble")
    assert all(played.count(name) >= 2 for name in games)


def test_every_script_has_a_sheet_and_every_sheet_a_script() -> None:
    assert {path.stem for path in SCRIPTS} == {path.stem for path in HERE.glob("*.md")}
