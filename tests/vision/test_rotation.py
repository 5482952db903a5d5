"""A find whose turn was misjudged is turned until its symbol can be read."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.model.tiles import tile_set
from companion.vision.classifier.probabilities import Names, TrainedNamer, cut_from
from companion.vision.classifier.rotation import MOST, righted
from companion.vision.detector.detections import Finds
from companion.vision.networks import INSPECTOR, Namer
from tests.vision.made_detections import LETTERS, finds_at

GREY = np.full((200, 200), 90, np.uint8)


class Wanting:
    """Reads an A the better the nearer an outline's turn is to what it wants, and counts its looks."""

    symbols = LETTERS

    def __init__(self, wanted: float) -> None:
        self.wanted, self.looked_at = wanted, 0

    def glance(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> Names:
        assert picture.ndim == 2
        self.looked_at += len(quads)
        across = quads[:, 1] - quads[:, 0]
        off = np.abs(np.arctan2(across[:, 1], across[:, 0]) - self.wanted)
        chance = np.zeros((len(quads), len(LETTERS), 4))
        chance[:, 0, 0] = np.clip(1 - 3 * off, 0, 1)
        return Names(LETTERS, chance, np.zeros(len(quads)), 1 - chance.sum((1, 2)), np.zeros(len(quads)))

    names = glance


def seen(namer: Wanting, finds: Finds) -> tuple[Finds, Names]:
    """Return what becomes of finds once those that are read badly are turned."""
    return righted(namer, GREY, finds, namer.names(*cut_from(GREY, finds)))


def test_a_tile_that_lies_askew_is_turned_until_it_is_read() -> None:
    finds, names = seen(Wanting(0.3), finds_at([(100, 100)]))
    assert finds.turns[0] == pytest.approx(0.3)
    assert names.likeliest()[0] == pytest.approx(1)


def test_a_tile_that_is_read_well_stays_as_it_is() -> None:
    namer = Wanting(0.02)
    finds, _ = seen(namer, finds_at([(100, 100)]))
    assert (finds.turns[0], namer.looked_at) == (0, 1)


def test_what_is_read_in_no_turn_stays_as_it_is() -> None:
    before = finds_at([(100, 100)])
    finds, names = seen(Wanting(1.2), before)
    assert finds.turns.tolist() == before.turns.tolist()
    assert names.none[0] == 1


def test_a_wild_pattern_costs_no_more_than_the_strongest_finds() -> None:
    namer = Wanting(1.2)
    many = finds_at([(100, 100)] * (MOST + 50))
    seen(namer, many)
    assert namer.looked_at == len(many) + 6 * MOST


def test_nothing_is_turned_where_nothing_was_found() -> None:
    finds, names = seen(Wanting(0), finds_at([]))
    assert (len(finds), len(names.none)) == (0, 0)


def test_the_shipped_network_reads_a_bare_picture_as_no_letter_in_any_turn() -> None:
    namer = TrainedNamer(Namer(), Namer(INSPECTOR), tile_set("bananagrams-en"))
    finds = finds_at([(100, 100)])
    turned, _ = righted(namer, GREY, finds, namer.names(*cut_from(GREY, finds)))
    assert turned.turns[0] == 0
