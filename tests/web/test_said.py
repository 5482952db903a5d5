"""What the rules say, in German too: known again by its phrases in a log that keeps it in English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.bootstrap.checkup import judging_checks, machine_checks
from companion.bootstrap.checkup.table import file_checks
from companion.cli import main
from companion.config.table import TableConfig
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.reading import history
from companion.model.calls import SECOND, Called
from companion.web.language import phrases, spoken
from companion.web.messages import messages
from companion.web.said import LONGEST, said
from tests.web.made import watching

SCRIPTS = sorted((Path(__file__).parents[1] / "games").glob("*.jsonl"))
SPEAKS = (
    "refused no Warned Announced CallRefused RoundEnded RoundVoided PlayReopened closing stopped BadEquation"
)
"""What is called in the rules with something that people hear or read."""


UNSURE = "the table is not sure of the tile at %s; the referee must read it"
BACK = "21 Steine gehen zurück in die Mitte"
UNGLEICH = "ist keine gültige Gleichung"
UNEQUAL = "is no valid equation"
UNSICHER = "der Tisch ist sich beim Stein in %s nicht sicher; die Leitung muss ihn lesen"


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("time is up", "die Zeit ist um"),
        ("you hold 7 tiles", "du hast 7 Steine"),
        (
            "3 tiles are left in the bunch for 4 players: say PEEL",
            "3 Steine sind noch in der Mitte für 4 Spieler: sag PEEL",
        ),
        ("1 tile is not placed yet: Q", "1 Stein ist noch nicht angelegt: Q"),
        (UNSURE % "row 1 column 2, row 3 column 4", UNSICHER % "Zeile 1 Spalte 2, Zeile 3 Spalte 4"),
        (
            f"1=0 {UNEQUAL}: 1 is 1 and 0 is 0: not equal; 1=/0 {UNEQUAL}: no number stands before /",
            f"1=0 {UNGLEICH}: 1 ist 1 und 0 ist 0: nicht gleich; 1=/0 {UNGLEICH}: vor / steht keine Zahl",
        ),
        ("Ada: there is no word in the tableau", "Ada: im Tableau ist kein Wort"),
        (
            f"{UNSURE % 'row 0 column 0'}; Bo is disqualified and 21 tiles go back to the bunch",
            f"{UNSICHER % 'Zeile 0 Spalte 0'}; Bo ist ausgeschlossen, und {BACK}",
        ),
        ("somebody moved the table", "somebody moved the table"),
        ("", ""),
    ],
)
def test_what_the_table_said_is_known_again(english: str, german: str) -> None:
    with spoken("de"):
        assert said(english) == german
    with spoken("en"):
        assert said(english) == english


def test_a_players_name_stays_as_it_is_even_where_it_is_a_phrase() -> None:
    with spoken("de"):
        assert said("time is up has not won") == "time is up hat nicht gewonnen"
        assert said("100 % (a) is out of this round") == "100 % (a) ist in dieser Runde nicht mehr dabei"


def test_what_is_longer_than_anything_said_is_left_alone() -> None:
    with spoken("de"):
        text = "x" * LONGEST + " is disqualified"
        assert said(text) == text


def test_every_phrase_has_a_german_text_with_the_same_values() -> None:
    there = {one.id if isinstance(one.id, str) else one.id[0] for one in messages() if one.context}
    known = phrases("de")
    assert len(there) > 150
    assert there - known.keys() == set()
    for english in there:
        form = known[english]
        for german in form if isinstance(form, tuple) else [form]:
            assert set(re.findall(r"%\(\w+\)s", german)) == set(re.findall(r"%\(\w+\)s", english))


def spoken_parts(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield every expression of a module whose value people hear or read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in SPEAKS.split():
                yield from node.args
        if isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns) == "str | None":
            yield from (one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value)


def bare(node: ast.AST) -> Iterator[str]:
    """Yield every sentence in an expression that is no phrase."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "phrase":
        return
    texts = node.values if isinstance(node, ast.JoinedStr) else [node]
    for one in texts:
        if (
            isinstance(one, ast.Constant)
            and isinstance(one.value, str)
            and re.search("[a-z]{2} |[a-z] [a-z]", one.value)
        ):
            yield one.value
    for child in ast.iter_child_nodes(node):
        yield from bare(child)


def test_whatever_the_rules_say_is_a_phrase(root: Path) -> None:
    found = [
        f"{path.name}: {text}"
        for path in (root / "companion" / "rules").rglob("*.py")
        for part in spoken_parts(ast.parse(path.read_text("utf-8")))
        for text in bare(part)
    ]
    assert found == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_whatever_was_said_in_a_recorded_game_is_said_in_german(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["referee", str(script), "--log", str(tmp_path / "log"), "--game", "one"]) == 0
    capsys.readouterr()
    with EventLog(tmp_path / "log", writable=False) as log:
        events: list[Any] = [one.event for one in history(log, "one")]
    rulings = {one.reason for one in events if type(one).__name__ in {"Ruled", "RulingUndone"}}
    told = {getattr(one, field, "") for one in events for field in ("reason", "text")} - rulings - {"", None}
    with spoken("de"):
        assert [text for text in told if said(text) == text and not re.search(r"[A-Z]!$", text)] == []


def test_a_german_page_gives_a_refusal_in_german(app: Flask, match: Match, phone: FlaskClient) -> None:
    match.hear(Called(30 * SECOND, 1, "peel"))
    watching(app).look()
    phone.set_cookie("language", "de")
    assert "PEEL wird abgelehnt: 1 Stein ist noch nicht angelegt: Z" in phone.get("/").text


def test_the_doctors_lines_are_said_in_german_too(tmp_path: Path) -> None:
    log = tmp_path / "log"
    config = TableConfig("chew", ("Ada", "Bo"), policy="off", log=str(log))
    lines = [*machine_checks(log), *judging_checks(config), *file_checks(config, log)]
    with spoken("de"):
        told = {check.what: said(check.says) for check in lines}
        assert (
            said("people judge Ada until it sees again")
            == "über Ada entscheiden Menschen, bis sie wieder sieht"
        )
    assert told["disk space"].endswith(f" MB sind frei in {tmp_path}")
    assert told["reader"] == "kennt die 26 Zeichen von bananagrams-en"
    assert told["log"] == f"{log} wird angelegt"
    assert told["wiring"] == "0 Knöpfe vor 0 Plätzen, nichts stößt sich"
