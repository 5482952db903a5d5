"""Detections and names made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.vision.classifier import ClassProbabilities
from companion.vision.detector.detections import Detections

LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def detections_at(
    places: Sequence[tuple[float, float]], side: float = 40.0, turn_deg: float = 0.0
) -> Detections:
    """Return sure detections of square tiles at places in pixels."""
    n = len(places)
    return Detections(
        np.array(places, float).reshape(n, 2),
        np.tile(np.eye(2) * side, (n, 1, 1)),
        np.full(n, np.radians(turn_deg)),
        np.full(n, 0.9),
    )


def probabilities_of(
    *symbols: str, turns: Sequence[int] = (), sure: float = 0.99, others: str = ""
) -> ClassProbabilities:
    """Return names, a letter each, ``"_"`` a bare face; what is not sure goes to ``others``."""
    n = len(symbols)
    chance = np.full((n, len(LETTERS), 4), 1e-6)
    for k, symbol in enumerate(symbols):
        turn = turns[k] if turns else 0
        if symbol != "_":
            chance[k, LETTERS.index(symbol), turn] = sure
        if others:
            chance[k, LETTERS.index(others[k]), turn] += 1 - sure
    down = np.array([0.99 if symbol == "_" else 0.0 for symbol in symbols])
    return ClassProbabilities(LETTERS, chance, down, np.zeros(n))
