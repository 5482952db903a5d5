"""Labels for the tiles of a photograph that were laid in a known order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.enrolment.photograph import Grey, detect_tiles
from companion.errors import BadEnrolment
from companion.model.phrases import phrase, phrase_n
from companion.vision.classifier import crop_source
from companion.vision.detector.detections import Detections
from companion.vision.fewshot.sheet import MAX_EXAMPLES, MIN_EXAMPLES, Examples, cut_looks, symbol_label

MAX_UPRIGHT_ROTATION_DEG = 30.0
"""Rotation beyond which a tile no longer counts as upright."""


@dataclass(frozen=True, slots=True)
class LabelledDetections:
    """The tiles of one photograph in reading order, and their symbols, empty where the count does not fit."""

    detections: Detections
    symbols: tuple[str, ...]


def label_tiles(picture: Grey, order: Sequence[str]) -> LabelledDetections:
    """Return the tiles of a grey photograph, each with its symbol.

    ``order`` are the symbols as they were laid in rows: all tiles of the first, all of the second, and so on,
    equally many of each, the first of each upright and the others at any turn.

    Raises
    ------
    BadEnrolment
        Where nothing can be read from the picture.
    """
    detections = detect_tiles(picture, len(order))
    each, over = divmod(len(detections), len(order))
    whole = each > 0 and not over
    return LabelledDetections(
        detections, tuple(symbol for symbol in order for _ in range(each)) if whole else ()
    )


def count_fault(laid: LabelledDetections, order: Sequence[str]) -> str | None:
    """Return a message for a wrong count of tiles, ``None`` where it is right."""
    found, kinds = len(laid.detections), len(order)
    if not laid.symbols:
        near = max(MIN_EXAMPLES, round(found / kinds)) * kinds
        off = (
            phrase("%(number)s too few", number=near - found)
            if found < near
            else phrase("%(number)s too many", number=found - near)
        )
        return phrase_n(
            "%(count)s tile is seen, %(off)s for %(each)s of each of %(kinds)s symbols; look at the picture "
            "of what was found, lay all tiles apart on a plain cloth, and take it again",
            "%(count)s tiles are seen, %(off)s for %(each)s of each of %(kinds)s symbols; look at the "
            "picture of what was found, lay all tiles apart on a plain cloth, and take it again",
            found,
            off=off,
            each=near // kinds,
            kinds=kinds,
        )
    if found // kinds > MAX_EXAMPLES:
        return phrase(
            "%(each)s tiles of each symbol; at most %(most)s are needed",
            each=found // kinds,
            most=MAX_EXAMPLES,
        )
    return None


def rotation_fault(laid: LabelledDetections) -> str | None:
    """Return a message for the first symbol whose first tile is not upright, ``None`` where all are."""
    for number in first_indices(laid.symbols):
        lean = float(np.degrees(laid.detections.turns[number]))
        if laid.symbols[number] and abs(lean) > MAX_UPRIGHT_ROTATION_DEG:
            return phrase(
                "the first tile of %(symbol)s lies %(degrees)s degrees aslant; lay the first tile of each "
                "symbol upright, as it is read (the others may lie at any turn)",
                symbol=symbol_label(laid.symbols[number]),
                degrees=f"{abs(lean):.0f}",
            )
    return None


def first_indices(symbols: Sequence[str]) -> list[int]:
    """Return the index of the first tile of each symbol."""
    return [list(symbols).index(symbol) for symbol in dict.fromkeys(symbols)]


def examples_of(shots: Sequence[tuple[Grey, LabelledDetections]]) -> Examples:
    """Return the examples of all photographs; raise BadEnrolment or BadTileSet for too few."""
    looks = [cut_looks(*crop_source(picture, laid.detections)) for picture, laid in shots]
    symbols = [symbol for _, laid in shots for symbol in laid.symbols]
    first = list(dict.fromkeys(symbols))
    for symbol in first:
        if symbols.count(symbol) < 2:
            raise BadEnrolment(
                phrase(
                    "%(symbol)s is shown once; show at least two tiles of it, better three",
                    symbol=symbol_label(symbol),
                )
            )
    every = np.concatenate(looks)
    by_kind = sorted(range(len(symbols)), key=lambda k: first.index(symbols[k]))
    return Examples(every[by_kind], tuple(symbols[k] for k in by_kind))
