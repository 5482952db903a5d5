"""What the table says is said in German too, by its ids; only what older logs have stays in English."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.bootstrap.readiness import judging_checks, machine_checks
from companion.bootstrap.readiness.table import file_checks
from companion.cli import main
from companion.config.table import TableConfig
from companion.errors import BadProfile
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.replay import history
from companion.model.calls import SECOND, Called
from companion.model.phrases import PLACEHOLDER, Message, joined, phrase, phrase_n
from companion.model.profile import CameraId, Profile
from companion.web.i18n.language import phrases, translate, use_language
from companion.web.messages import PHRASE_FOLDERS, messages
from tests.web.made import monitor

SCRIPTS = sorted((Path(__file__).parents[2] / "games").glob("*.jsonl"))
SPEAKS = (
    "refused no Warned Announced CallRefused RoundEnded RoundVoided PlayReopened closing stopped BadEquation"
)
"""What is called with something that people hear or read."""

MAKES = {"phrase", "phrase_n", "joined"}
LEFT = phrase_n("%(count)s tile is left in the bunch", "%(count)s tiles are left in the bunch", 1)
PHONY = phrase("not valid: %(words)s", words="CATT")
HELD = phrase_n("you hold %(count)s tile", "you hold %(count)s tiles", 7)


def german(text: str) -> str:
    """Return what pages say in German."""
    with use_language("de"):
        return translate(text)


def test_a_message_is_said_in_the_language_spoken() -> None:
    assert german(PHONY) == "nicht gültig: CATT"
    with use_language("en"):
        assert translate(PHONY) == "not valid: CATT"


def test_the_count_chooses_the_form() -> None:
    assert german(LEFT) == "1 Stein ist noch in der Mitte"
    assert german(HELD) == "du hast 7 Steine"


def test_messages_in_a_message_are_translated_too() -> None:
    assert german(phrase("%(name)s: %(reason)s", name="Ada", reason=PHONY)) == "Ada: nicht gültig: CATT"


def test_each_of_several_messages_is_translated() -> None:
    assert german(joined([PHONY, HELD], "; ")) == "nicht gültig: CATT; du hast 7 Steine"


def test_a_value_that_is_text_stays_as_it_is_even_where_it_is_a_phrase() -> None:
    assert german(phrase("%(name)s has not won", name="time is up")) == "time is up hat nicht gewonnen"


def test_what_no_catalogue_has_is_said_in_english_around_what_one_has() -> None:
    assert german(phrase("nobody wrote this: %(reason)s", reason=PHONY)) == (
        "nobody wrote this: nicht gültig: CATT"
    )


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ("time is up", "die Zeit ist um"),
        ("you hold 7 tiles", "you hold 7 tiles"),
        ("somebody moved the table", "somebody moved the table"),
        ("", ""),
    ],
)
def test_a_text_of_an_older_log_is_translated_where_it_is_a_whole_sentence(kept: str, told: str) -> None:
    assert german(kept) == told


def forms(text: str | tuple[str, ...] | list[str]) -> list[str]:
    """Return all forms of a message."""
    return [text] if isinstance(text, str) else list(text)


def places(sentence: str) -> set[str]:
    """Return the names of the values that a sentence has places for."""
    return {place for place in PLACEHOLDER.findall(sentence) if place}


def test_every_phrase_has_a_german_text_with_the_same_values() -> None:
    there = [one.id for one in messages() if one.context]
    known = phrases("de")
    assert len(there) > 150
    for english in map(forms, there):
        translate_message = forms(known[english[0]])
        wanted = set[str]().union(*map(places, english))
        assert [places(form) | {"count"} for form in translate_message] == [wanted | {"count"}] * len(english)


def calls(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    """Yield every call of some functions or classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in names:
            yield node


def spoken_parts(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield every expression of a module whose value people hear or read."""
    for call in calls(tree, set(SPEAKS.split())):
        yield from call.args
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns) == "str | None":
            yield from (one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value)


def bare(node: ast.AST) -> Iterator[str]:
    """Yield every sentence in an expression that is no phrase."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MAKES:
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


def parsed(folder: Path) -> Iterator[tuple[str, ast.AST]]:
    """Yield every module of a folder with its name."""
    for path in sorted(folder.rglob("*.py")):
        yield path.name, ast.parse(path.read_text("utf-8"))


def test_whatever_the_rules_say_is_a_phrase(root: Path) -> None:
    found = [
        f"{name}: {text}"
        for name, tree in parsed(root / "companion" / "rules")
        for part in spoken_parts(tree)
        for text in bare(part)
    ]
    assert found == []


def flattened(tree: ast.AST) -> Iterator[str]:
    """Yield every place where messages are put together as plain text, and so lose their ids."""
    for node in ast.walk(tree):
        plus = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        join = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "join"
        if (plus or join or isinstance(node, ast.JoinedStr)) and any(calls(node, MAKES)):
            yield ast.unparse(node)


@pytest.mark.parametrize("source", PHRASE_FOLDERS, ids=lambda path: path.name)
def test_no_message_is_put_together_as_plain_text(source: Path) -> None:
    found = [f"{name}: {text}" for name, tree in parsed(source) for text in flattened(tree)]
    assert found == []


def ids(text: str) -> Iterator[str]:
    """Yield the ids in a text, and the text itself where it has none."""
    if not isinstance(text, Message):
        yield text
        return
    yield text.id
    for value in text.values.values():
        if isinstance(value, Message):
            yield from ids(value)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_whatever_was_said_in_a_recorded_game_is_known_by_its_id(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["referee", str(script), "--log", str(tmp_path / "log"), "--game", "one"]) == 0
    capsys.readouterr()
    with EventLog(tmp_path / "log", writable=False) as log:
        events: list[Any] = [one.event for one in history(log, "one")]
    rulings = {one.reason for one in events if type(one).__name__ in {"Ruled", "RulingUndone"}}
    told = {getattr(one, field, "") for one in events for field in ("reason", "text")} - rulings - {"", None}
    unknown = {one for text in told for one in ids(text)} - phrases("de").keys()
    assert [one for one in unknown if re.search("[a-z]", PLACEHOLDER.sub("", one))] == []


def test_a_german_page_gives_a_refusal_in_german(app: Flask, match: Match, phone: FlaskClient) -> None:
    match.handle(Called(30 * SECOND, 1, "peel"))
    monitor(app).poll_log()
    phone.set_cookie("language", "de")
    assert "PEEL wird abgelehnt: 1 Stein ist noch nicht angelegt: Z" in phone.get("/").text


def test_the_doctors_lines_are_said_in_german_too(tmp_path: Path) -> None:
    log = tmp_path / "log"
    config = TableConfig("chew", ("Ada", "Bo"), policy="off", log=str(log))
    lines = [*machine_checks(log), *judging_checks(config), *file_checks(config, log)]
    told = {check.what: german(check.says) for check in lines}
    assert told["disk space"].endswith(f" MB sind frei in {tmp_path}")
    assert told["reader"] == "kennt die 26 Zeichen von bananagrams-en"
    assert told["log"] == f"{log} wird angelegt"
    assert told["wiring"] == "0 Knöpfe vor 0 Plätzen, nichts stößt sich"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: CameraId("a", 0, 9), "ein Bild hat 1 bis 32766 Pixel je Seite, nicht 0 x 9"),
        (lambda: Profile(CameraId("a", 9, 9), "now", tile_px=1), "ein Stein ist 2 bis 2000 Pixel breit"),
    ],
)
def test_why_a_profile_is_not_usable_is_translated_too(make: Callable[[], object], says: str) -> None:
    with pytest.raises(BadProfile) as raised:
        make()
    assert german(str(raised.value)) == f"das Profil ist nicht brauchbar: {says}; kalibriere noch einmal"
