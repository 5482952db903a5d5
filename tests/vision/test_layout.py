"""From chances to statements that a player can trust."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.model.reading import Face
from companion.vision.classifier import ClassProbabilities
from companion.vision.decoding import (
    allowed_edges,
    compose,
    symbol_likelihoods,
    turn_log_likelihoods,
)
from companion.vision.detector.detections import Detections
from companion.vision.grid.components import Component, Layout, connected_components, edges, pairwise_offsets
from tests.vision.made_detections import detections_at, probabilities_of

ROW = [(100.0, 100.0), (141.0, 100.0), (182.0, 100.0)]
SIZE = (300, 200)


def layout_of(detections: Detections, probabilities: ClassProbabilities, blanks: bool = False) -> Layout:
    """Return the groups of tiles."""
    lie = pairwise_offsets(detections.centres, detections.vectors())
    return connected_components(
        allowed_edges(edges(lie), probabilities, blanks), turn_log_likelihoods(probabilities)
    )


def test_three_tiles_in_a_row_are_a_tableau_read_left_to_right() -> None:
    detections, probabilities = detections_at(ROW), probabilities_of("C", "A", "T")
    tiles, tableaux = compose(detections, probabilities, layout_of(detections, probabilities), SIZE)
    assert [(tile.symbol, tile.row, tile.col, tile.doubt) for tile in tiles] == [
        ("C", 0, 0, False),
        ("A", 0, 1, False),
        ("T", 0, 2, False),
    ]
    assert tableaux[0].turn_deg == 0


def test_a_tableau_seen_upside_down_is_read_from_its_own_left() -> None:
    detections, probabilities = detections_at(ROW), probabilities_of("T", "A", "C", turns=(2, 2, 2))
    tiles, tableaux = compose(detections, probabilities, layout_of(detections, probabilities), SIZE)
    assert [(tile.symbol, tile.col) for tile in tiles] == [("T", 2), ("A", 1), ("C", 0)]
    assert tableaux[0].turn_deg == 180
    assert tiles[0].corners[0] == (120.0, 120.0)


def test_the_direction_of_the_tableau_settles_a_letter_that_could_be_either() -> None:
    probabilities = probabilities_of("C", "A", "N")
    probabilities.p_symbol[2, 13, 0], probabilities.p_symbol[2, 25, 1] = (
        0.45,
        0.54,
    )  # N upright, Z turned by a quarter
    detections = detections_at(ROW)
    tiles, _ = compose(detections, probabilities, layout_of(detections, probabilities), SIZE)
    assert tiles[2].symbol == "N"


def test_an_unsure_letter_is_a_doubt_with_its_alternative() -> None:
    detections, probabilities = detections_at(ROW[:1]), probabilities_of("C", sure=0.7, others="G")
    (tile,), _ = compose(detections, probabilities, Layout((), frozenset()), SIZE)
    assert (tile.symbol, tile.doubt, tile.alternative) == ("C", True, "G")


def test_a_sure_letter_that_hardly_looks_like_a_tile_is_a_doubt() -> None:
    detections = replace(detections_at(ROW[:1]), scores=np.array([0.3]))
    (tile,), _ = compose(detections, probabilities_of("C"), Layout((), frozenset()), SIZE)
    assert tile.doubt


@pytest.mark.parametrize(
    ("size", "doubt"), [((300, 200), False), ((113, 200), False), ((111, 200), True), ((300, 111), True)]
)
@pytest.mark.parametrize("symbol", ["C", "_"])
def test_a_tile_whose_ink_the_pictures_edge_cuts_is_a_doubt(
    symbol: str, size: tuple[int, int], doubt: bool
) -> None:
    (tile,), _ = compose(detections_at(ROW[:1]), probabilities_of(symbol), Layout((), frozenset()), size)
    assert tile.doubt == doubt


def test_a_bare_face_off_the_tableaux_lies_face_down() -> None:
    (tile,), tableaux = compose(detections_at(ROW[:1]), probabilities_of("_"), Layout((), frozenset()), SIZE)
    assert (tile.symbol, tile.face, tableaux) == (None, Face.DOWN, ())


def test_a_bare_face_that_may_be_no_tile_shows_no_letter() -> None:
    probabilities = replace(probabilities_of("_"), p_blank=np.array([0.45]), p_background=np.array([0.5]))
    (tile,), _ = compose(detections_at(ROW[:1]), probabilities, Layout((), frozenset()), SIZE)
    assert (tile.symbol, tile.face, tile.doubt) == (None, Face.DOWN, True)


def test_a_face_down_tile_beside_a_word_is_not_in_it_where_the_set_has_no_blanks() -> None:
    detections, probabilities = detections_at(ROW), probabilities_of("C", "A", "_")
    assert [group.tiles for group in layout_of(detections, probabilities).components] == [(0, 1)]


def test_a_bare_face_in_a_word_is_a_blank_where_the_set_has_blanks() -> None:
    detections, probabilities = detections_at(ROW), probabilities_of("C", "_", "T")
    layout = layout_of(detections, probabilities, blanks=True)
    tiles, tableaux = compose(detections, probabilities, layout, SIZE)
    assert (tiles[1].symbol, tiles[1].face, tiles[1].col) == ("", Face.UP, 1)
    assert [cell.symbol for cell in tableaux[0].cells] == ["C", "", "T"]


def test_tiles_whose_cell_is_in_doubt_are_doubts() -> None:
    detections, probabilities = detections_at(ROW), probabilities_of("C", "A", "T")
    layout = Layout(layout_of(detections, probabilities).components, frozenset({1}))
    tiles, tableaux = compose(detections, probabilities, layout, SIZE)
    assert [tile.doubt for tile in tiles] == [False, True, False]
    assert [cell.doubt for cell in tableaux[0].cells] == [False, True, False]


def test_an_empty_board_is_a_tableau_without_cells() -> None:
    tiles, tableaux = compose(
        detections_at([]), probabilities_of(), Layout((Component((), {}, {}, 15),), frozenset()), SIZE
    )
    assert tiles == ()
    assert tableaux[0].cells == ()


def test_a_symbol_known_to_be_upright_is_as_sure_as_the_network_says() -> None:
    chance = np.zeros((1, 2, 4))
    chance[0, 0, 0], chance[0, 1, 0] = 0.6, 0.2
    nothing = np.zeros(1)
    first = symbol_likelihoods(ClassProbabilities(("A", "B"), chance, nothing, nothing), np.zeros(1, np.intp))
    assert first[0].tolist() == pytest.approx([0.6 / 0.8 * 0.8, 0.2 / 0.8 * 0.8])


def test_an_o_is_as_sure_in_a_row_as_alone_as_its_turn_tells_nothing() -> None:
    chance = np.zeros((1, 2, 4))
    chance[0, 0], chance[0, 1, 0] = 0.6 / 4, 0.3
    nothing = np.zeros(1)
    first = symbol_likelihoods(ClassProbabilities(("O", "Q"), chance, nothing, nothing), np.zeros(1, np.intp))
    assert first[0, 0] > 0.55 > 0.35 > first[0, 1]
