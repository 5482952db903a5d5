"""What somebody types wrongly into a call or a ruling is said in German too, through the table's answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from companion.errors import BadCall, BadOption
from companion.model.status import Answer
from companion.rules.fields import details
from companion.rules.options import option_values
from companion.rules.registry import game
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
        (lambda desk: desk.ruling("rule_word", "why", None, {"word": "cat", "valid": 1}), "true oder false"),
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


@pytest.mark.parametrize(
    ("name", "call", "given", "says"),
    [
        ("binary_scrabble", "play", {"blanks": [[0, 0]]}, "muss [Zeile, Spalte, Zeichen] sein"),
        ("binary_scrabble", "play", {"blanks": [[0, 0, ""]]}, "muss sagen, für welches Zeichen"),
        ("binary_scrabble", "play", {"blanks": [[0, 0, "E"]]}, "oder ein leerer Text"),
        ("binary_scrabble", "play", {"sideways": [[0]]}, "muss ein Feld [Zeile, Spalte] sein"),
        ("binary_scrabble", "out", {"unplayed": []}, "muss Steine nach Plätzen nennen"),
        ("martian_boggle", "roll", {"dice": [1]}, "muss zwei Zahlen von 1 bis 4 sein"),
        ("martian_boggle", "roll", {"dice": [1, 2, 3]}, "muss eine Liste mit höchstens 2 Einträgen sein"),
        ("martian_boggle", "move", {"from": [9, 9], "to": [0, 0]}, "muss ein Feld [Zeile, Spalte] sein, je"),
    ],
)
def test_what_only_one_game_asks_for_is_refused_in_german(
    name: str, call: str, given: Mapping[str, Any], says: str
) -> None:
    kind = game(name).calls[call]
    with pytest.raises(BadCall) as error:
        details(call, kind.takes, frozenset(), given)
    with use_language("de"):
        assert says in translate(str(error.value))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"series": "best_of_4"}, "Option 'series' muss single, best_of_ und eine ungerade Zahl"),
        ({"policy": "strickt"}, "strict, advise, off sein, nicht 'strickt'; meinst du 'strict'?"),
        ({"duplicates": 1}, "Option 'duplicates' muss true oder false"),
        ({"cap_s": -1}, "Option 'cap_s' muss eine ganze Zahl von 0 bis 86400 sein"),
        ({"warn_s": 60}, "muss eine Liste ganzer Zahlen von 1 bis 86400 sein, nicht 60"),
        ({"warn_s": [0]}, "muss eine ganze Zahl von 1 bis 86400 sein, nicht 0"),
    ],
)
def test_an_option_is_refused_in_german(given: Mapping[str, Any], says: str) -> None:
    with pytest.raises(BadOption) as error:
        option_values(game("bananagrams").options, given)
    with use_language("de"):
        assert says in translate(str(error.value))
