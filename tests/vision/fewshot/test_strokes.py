from __future__ import annotations

import numpy as np
import pytest

from companion.vision.fewshot.strokes import StrokeEmbedding, field, fields, with_feature_output
from companion.vision.networks import FOLDER, ClassifierNetwork

CROPS = np.random.default_rng(1).integers(0, 256, (5, 32, 32)).astype(np.uint8)


def test_asking_for_what_is_seen_leaves_the_logits_as_they_are() -> None:
    logits, _ = StrokeEmbedding().seen(CROPS)
    assert np.array_equal(logits, ClassifierNetwork().logits(CROPS))


def test_what_is_seen_is_a_row_for_each_crop_and_differs() -> None:
    _, seen = StrokeEmbedding().seen(CROPS)
    assert seen.shape[0] == 5
    assert seen.shape[1] > 100
    assert np.linalg.norm(seen[0] - seen[1]) > 0.1


def test_no_crops_give_no_rows() -> None:
    logits, seen = StrokeEmbedding().seen(CROPS[:0])
    assert (len(logits), len(seen)) == (0, 0)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 300, 20_000])
def test_a_field_is_read_back_as_it_was_written(size: int) -> None:
    assert list(fields(field(7, b"x" * size))) == [(7, b"x" * size)]


def test_numbers_between_fields_are_passed_over() -> None:
    # field 1 holds the whole number 300, field 2 eight bytes, field 3 four, field 4 a text
    message = b"\x08\xac\x02" + b"\x11" + bytes(8) + b"\x1d" + bytes(4) + b"\x22\x02ab"
    assert list(fields(message)) == [(4, b"ab")]


def test_a_few_bytes_ask_for_the_output() -> None:
    assert len(with_feature_output((FOLDER / "classifier.onnx").read_bytes())) < 100
