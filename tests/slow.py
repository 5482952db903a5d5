"""Long tables of examples: the first few are tested every day, all of them by ``./run test --all``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import pytest
from _pytest.mark import ParameterSet


def mostly_slow(examples: Iterable[object], every_day: int = 1) -> list[ParameterSet]:
    """Return the examples as parameters of a test; those after the first few are marked slow."""
    rest = iter(examples)
    first = [parameters(example) for example in islice(rest, every_day)]
    return first + [parameters(example, pytest.mark.slow) for example in rest]


def parameters(example: object, *marks: pytest.MarkDecorator) -> ParameterSet:
    """Return an example as the parameters of a test; a tuple is several."""
    return pytest.param(*(example if isinstance(example, tuple) else (example,)), marks=marks)
