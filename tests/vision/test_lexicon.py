"""Tiles in doubt are taken for what makes sense, and stay in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from companion.model.grid import Place, parsed, runs
from companion.model.tiles import tile_set
from companion.vision.decoding import MOST, best_symbols, linked_places, ranked_readings, turn_log_likelihoods
from companion.vision.grid.components import Component, Layout, connected_components, edges, pairwise_offsets
from companion.vision.layout.compose import compose
from tests.vision.made_detections import detections_at, probabilities_of

ENGLISH = tile_set("bananagrams-en")
ROW = [(100.0, 100.0), (141.0, 100.0), (182.0, 100.0)]
WORDS = {"CAT", "COT", "DOG", "AT", "OX"}


def word(symbols: Sequence[str]) -> bool | None:
    """Return whether symbols are one of a few words; nobody knows of one with a blank."""
    return "".join(symbols) in WORDS if all(symbols) else None


def said(lines: Sequence[str], unsure: Mapping[Place, Mapping[str, float]]) -> str:
    """Return what is thought of the tiles in doubt, by row and column."""
    told = best_symbols(parsed(lines), unsure, word)
    return "".join(told[place] for place in sorted(told))


def test_a_letter_in_doubt_is_the_one_that_makes_a_word() -> None:
    assert said(["CGT"], {(0, 1): {"G": 0.6, "O": 0.3, "Z": 0.05}}) == "O"


def test_what_can_hardly_be_seen_is_not_believed_for_a_word() -> None:
    assert said(["CGT"], {(0, 1): {"G": 0.8, "O": 0.006}}) == "G"


def test_words_across_and_down_both_count() -> None:
    # COT would be a word, but only an A makes one both ways
    assert said(["CUT", ".T."], {(0, 1): {"U": 0.5, "O": 0.3, "A": 0.1}}) == "A"


def test_letters_of_one_word_are_thought_of_together() -> None:
    assert said(["GQG"], {(0, 0): {"G": 0.5, "D": 0.4}, (0, 1): {"Q": 0.6, "O": 0.3}}) == "DO"


def test_where_a_blank_leaves_it_open_the_likeliest_stays() -> None:
    assert said(["C?X"], {(0, 2): {"X": 0.6, "T": 0.4}}) == "X"


def test_tiles_hang_together_by_the_rows_they_share() -> None:
    rows = runs(parsed(["ABC..", "..D.E", "..F.G"]))
    doubts = {(0, 0), (2, 2), (1, 4)}
    parts = linked_places([row for row in rows if doubts & set(row.places)], doubts)
    assert sorted(map(sorted, parts)) == [[(0, 0)], [(1, 4)], [(2, 2)]]
    assert sorted(map(sorted, linked_places(rows, doubts | {(0, 2)}))) == [[(0, 0), (0, 2), (2, 2)], [(1, 4)]]


@pytest.mark.parametrize("many", [1, 3, 7, 40])
def test_few_readings_are_compared_however_many_tiles_are_in_doubt(many: int) -> None:
    likely = {(0, col): {"A": 0.4, "B": 0.3, "C": 0.2, "D": 0.1} for col in range(many)}
    every = list(ranked_readings(likely))
    assert every[0] == dict.fromkeys(likely, "A")
    assert len(every) == min(MOST, 4**many)
    assert len({tuple(said.values()) for said in every}) == len(every)


def test_readings_come_by_how_likely_they_are() -> None:
    likely = {
        (0, 0): {"Q": 0.8, "O": 0.15, "D": 0.02},
        (0, 1): {"D": 0.3, "I": 0.25},
        (0, 2): {"A": 0.96, "R": 0.01},
    }
    said = ["".join(one.values()) for one in ranked_readings(likely)]
    assert said[:5] == ["QDA", "QIA", "ODA", "OIA", "DDA"]
    assert len(said) == 12


def test_the_guess_gets_better_and_the_doubt_stays() -> None:
    detections, probabilities = detections_at(ROW), probabilities_of("C", "Q", "T", sure=0.99)
    probabilities.p_symbol[1] = 0
    probabilities.p_symbol[1, [16, 14], 0] = 0.6, 0.35
    lie = pairwise_offsets(detections.centres, detections.vectors())
    layout = connected_components(edges(lie), turn_log_likelihoods(probabilities))
    tiles, _ = compose(detections, probabilities, layout, ENGLISH, row_check=word)
    assert tiles[1].symbol == "O"
    assert (tiles[1].alternative, tiles[1].doubt) == ("Q", True)
    assert tiles[1].confidence == pytest.approx(0.35, abs=0.03)
    assert [tile.doubt for tile in tiles] == [False, True, False]


@pytest.mark.parametrize(("other", "symbol"), [(0.03, "O"), (0.008, "Q"), (0.001, "Q")])
def test_a_sure_letter_is_doubted_where_another_one_that_may_be_seen_makes_a_word(
    other: float, symbol: str
) -> None:
    detections, probabilities = detections_at(ROW), probabilities_of("C", "Q", "T")
    probabilities.p_symbol[1, [16, 14], 0] = 1 - other, other
    lie = pairwise_offsets(detections.centres, detections.vectors())
    tiles, _ = compose(
        detections,
        probabilities,
        connected_components(edges(lie), turn_log_likelihoods(probabilities)),
        ENGLISH,
        row_check=word,
    )
    assert (tiles[1].symbol, tiles[1].doubt) == (symbol, symbol == "O")


def test_letters_that_lie_turned_any_way_spell_nothing() -> None:
    detections, probabilities = detections_at(ROW), probabilities_of("C", "Q", "T")
    probabilities.p_symbol[1, [16, 14], 0] = 0.6, 0.35
    board = Component((0, 1, 2), {0: (0, 0), 1: (0, 1), 2: (0, 2)}, {}, 5)
    tiles, _ = compose(detections, probabilities, Layout((board,), frozenset()), ENGLISH, row_check=word)
    assert tiles[1].symbol == "Q"
