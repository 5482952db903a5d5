"""What chance does to whole inputs."""

from __future__ import annotations

import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from companion.drill.mutation import mutated, mutated_json, mutated_lines


@given(st.binary(max_size=200), st.integers(0, 10**6))
def test_any_bytes_can_be_broken_and_the_same_seed_breaks_them_alike(data: bytes, seed: int) -> None:
    assert mutated(data, Random(seed)) == mutated(data, Random(seed))


@given(st.integers(0, 10**6))
def test_a_broken_value_leaves_the_whole_one_as_it_was_and_can_be_written(seed: int) -> None:
    whole = {"ask": "call", "seat": 1, "details": {"word": ["A", "B"]}}
    before = json.dumps(whole)
    json.dumps(mutated_json(whole, Random(seed)))
    assert json.dumps(whole) == before


def test_values_and_lines_are_really_changed() -> None:
    whole, text = (
        {"a": {"b": [1, 2, 3]}, "c": "x"},
        'game = "chew"\nseats = ["A", "B"]\n\n[pictures]\nwidth = 640',
    )
    rng = Random(1)
    assert len({json.dumps(mutated_json(whole, rng)) for _ in range(50)}) > 20
    assert len({mutated_lines(text, rng) for _ in range(50)}) > 20
