"""Events of each game as sentences for players."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from companion.model.phrases import phrase
from companion.rules import event as ev
from companion.rules.binary_scrabble.values import (
    PlayTakenBack,
    PlayUpheld,
    TurnForfeited,
    TurnMissed,
    UnplayedCounted,
)
from companion.rules.chew.values import TieLeft, WordLookedUp
from companion.rules.league_city.values import PenaltyGiven
from companion.rules.martian_boggle.values import LetterAsked, PiecesPlaced, WordSpelled, WordStruck
from companion.rules.registry import entries, game
from companion.web.i18n.event_text import EVENT_TEXTS, HIDDEN_EVENTS, event_sentence
from companion.web.i18n.language import use_language

NAMES = ("Ada", "Bo")


@pytest.mark.parametrize(
    ("event", "english", "german"),
    [
        (WordLookedUp(1, "cat", True), "CAT is a good word", "CAT ist ein gutes Wort"),
        (WordLookedUp(1, "cax", False), "CAX is no good word", "CAX ist kein gutes Wort"),
        (WordLookedUp(1, "q", None), "Q: the referee must rule", "Q: die Leitung muss entscheiden"),
        (
            TieLeft((1, 2)),
            "Done at the same moment: Ada, Bo. The referee sets their places.",
            "Im selben Augenblick fertig: Ada, Bo. Die Leitung bestimmt die Plätze.",
        ),
        (UnplayedCounted((5, -5)), "Unplayed tiles: Ada +5, Bo -5", "Übrige Steine: Ada +5, Bo -5"),
        (PlayTakenBack(1), "takes the play back", "nimmt den Zug zurück"),
        (PlayUpheld(1), "keeps the play", "behält den Zug"),
        (TurnForfeited(1), "will miss the next turn", "setzt beim nächsten Mal aus"),
        (TurnMissed(1), "misses this turn", "setzt aus"),
        (PenaltyGiven(2, 10), "10 points off", "10 Punkte Abzug"),
        (PenaltyGiven(2, 1), "1 point off", "1 Punkt Abzug"),
        (
            LetterAsked(1, 2, "a", "blank"),
            "The letter in row 2 column 3 was A, and blank is seen.",
            "Der Buchstabe in Zeile 2 Spalte 3 war A, und Blanko ist zu sehen.",
        ),
        (
            PiecesPlaced(1, ((0, 1), (2, 3))),
            "The pieces stand at row 1 column 2, row 3 column 4",
            "Die Figuren stehen auf Zeile 1 Spalte 2, Zeile 3 Spalte 4",
        ),
        (WordSpelled(1, "tiger", 6, 1, ()), "spells TIGER: 6 points", "legt TIGER: 6 Punkte"),
        (WordStruck(1, "tiger"), "TIGER does not count", "TIGER zählt nicht"),
        (
            ev.Warned(1, phrase("not valid: %(words)s", words="XQ")),
            "stands, but the table warns: not valid: XQ",
            "gilt, aber der Tisch warnt: nicht gültig: XQ",
        ),
    ],
)
def test_an_event_is_told_in_the_language_spoken(event: ev.Event, english: str, german: str) -> None:
    with use_language("en"):
        assert event_sentence(NAMES, event)[0] == english
    with use_language("de"):
        assert event_sentence(NAMES, event)[0] == german


@pytest.mark.parametrize("name", entries())
def test_every_event_that_a_game_tells_has_a_sentence_of_its_own(name: str) -> None:
    silent = [kind for kind in game(name).events if kind.in_record and kind.says is ev.Event.says]
    assert silent == []


def test_every_shared_event_that_is_told_has_a_sentence_or_shows_by_itself() -> None:
    known = {kind.__name__ for kind in (*EVENT_TEXTS, *HIDDEN_EVENTS)}
    assert {kind.__name__ for kind in ev.SHARED_EVENTS if kind.in_record} - known == set()


def test_a_strangers_event_without_a_sentence_is_told_by_its_name_and_fields() -> None:
    @dataclass(frozen=True, slots=True)
    class CardTurned(ev.Event):
        card: str

    assert event_sentence(NAMES, CardTurned("ace")) == ("card turned, card ace", "plain")
