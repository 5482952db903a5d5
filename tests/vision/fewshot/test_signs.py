from __future__ import annotations

import numpy as np

from companion.vision.fewshot.embedding import (
    BARE,
    EMBEDDING_DIM,
    LETTERED,
    SIGN_CROP,
    SignEmbedding,
)
from tests.shapes import tile

SIDE, TILE_SIDE = SIGN_CROP


def cropped(symbol: str, seed: int, quarters: int = 0) -> np.ndarray:
    """Return a tile with a shape as a crop, turned clockwise by quarters."""
    crop = np.full((SIDE, SIDE), 95, np.uint8)
    edge = (SIDE - TILE_SIDE) // 2
    face = np.rot90(tile(symbol, np.random.default_rng(seed), TILE_SIDE), -quarters)
    crop[edge : edge + TILE_SIDE, edge : edge + TILE_SIDE] = face
    return crop


def test_tiles_of_one_shape_lie_nearer_to_each_other_than_to_those_of_another() -> None:
    places, _ = SignEmbedding().embed(np.array([cropped("Γ", 1), cropped("Γ", 2), cropped("↑", 3)]))
    one, same, other = places
    assert np.linalg.norm(one - same) < np.linalg.norm(one - other) / 2


def test_a_turned_tile_lies_elsewhere() -> None:
    places, _ = SignEmbedding().embed(
        np.array([cropped("Γ", 1), cropped("Γ", 2), cropped("Γ", 3, quarters=1)])
    )
    one, same, turned = places
    assert np.linalg.norm(one - same) < np.linalg.norm(one - turned) / 2


def test_a_tile_with_a_shape_is_told_from_a_bare_one() -> None:
    _, states = SignEmbedding().embed(np.array([cropped("△", 1), cropped("", 2)]))
    assert states.argmax(1).tolist() == [LETTERED, BARE]


def test_no_crops_give_no_rows() -> None:
    places, states = SignEmbedding().embed(np.zeros((0, SIDE, SIDE), np.uint8))
    assert (places.shape, states.shape) == ((0, EMBEDDING_DIM), (0, 3))


def test_more_crops_than_are_seen_at_once_are_all_seen() -> None:
    cut = np.repeat(cropped("△", 1)[None], 300, 0)
    places, _ = SignEmbedding().embed(cut)
    assert places.shape == (300, EMBEDDING_DIM)
    assert np.allclose(places, places[0], atol=1e-3)
