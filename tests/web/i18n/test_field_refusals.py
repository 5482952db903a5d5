"""What somebody types wrongly into a call or a ruling is said in German too, through the table's answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from companion.errors import BadCall
from companion.model.status import Answer
from companion.table import TableRequestHandler
from companion.web.i18n.language import translate, use_language
from tests.table.playing import Playing

Ask = Callable[[TableRequestHandler], Answer]


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (
            lambda desk: desk.ruling("rule_word", "why", None, {"word": "ca*", "valid": True}),
            "rule_word: 'word' muss ein einziges Wort aus Buchstaben sein, nicht 'ca*'",
        ),
        (
            lambda desk: desk.ruling("rule_word", " ", None, {"word": "cat", "valid": True}),
            "1 bis 200 Zeichen",
        ),
        (lambda desk: desk.ruling("rule_word", "why", None, {"word": "cat"}), "rule_word braucht 'valid'"),
        (lambda desk: desk.ruling("set_score", "why", 1, {"score": "much"}), "oder halbe Zahl von Punkten"),
        (lambda desk: desk.ruling("set_place", "why", 1, {"place": 0}), "ganze Zahl von 1 bis 100"),
        (lambda desk: desk.ruling("penalize", "why", 1, {"points": -1}), "muss mehr als 0 sein"),
        (lambda desk: desk.ruling("set_clock", "why", None, {"seconds": "soon"}), "etwa 12:30"),
        (lambda desk: desk.ruling("substitute", "why", 1, {"player": " "}), "Name mit 1 bis 40 Zeichen"),
        (lambda desk: desk.settle(1, (0, 0), "A" * 9), "Zeichen eines Steins"),
    ],
)
def test_what_is_typed_wrongly_is_said_in_german(tmp_path: Path, ask: Ask, says: str) -> None:
    with (
        Playing(tmp_path / "games.db", camera=None) as play,
        pytest.raises(BadCall) as error,
    ):
        ask(play.desk)
    with use_language("de"):
        assert says in translate(str(error.value))
