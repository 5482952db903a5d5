"""From photographs of tiles laid in a known order to examples of each symbol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.enrolment.photograph import Grey, tiles_in
from companion.errors import BadEnrolment
from companion.model.phrases import phrase, phrase_n
from companion.vision.classifier import crop_source
from companion.vision.detector.detections import Detections
from companion.vision.fewshot.sheet import LEAST_EXAMPLES, MOST_EXAMPLES, Examples, cut_looks, named

UPRIGHT_DEG = 30.0
"""A tile turned further than this may be the one or the other way up."""


@dataclass(frozen=True, slots=True)
class Laid:
    """What one photograph shows: its tiles in reading order, and the symbol of each as far as it is known."""

    detections: Detections
    symbols: tuple[str, ...]


def laid_in(picture: Grey, order: Sequence[str]) -> Laid:
    """Return the tiles of a grey photograph, each with its symbol.

    ``order`` are the symbols as they were laid in rows: all tiles of the first, all of the second, and so on,
    equally many of each, the first of each upright and the others at any turn.

    Raises
    ------
    BadEnrolment
        Where nothing can be read from the picture.
    """
    detections = tiles_in(picture, len(order))
    each, over = divmod(len(detections), len(order))
    whole = each > 0 and not over
    return Laid(detections, tuple(symbol for symbol in order for _ in range(each)) if whole else ())


def fault_of(laid: Laid, order: Sequence[str]) -> str | None:
    """Return what is wrong with the count of tiles and what to do, ``None`` where nothing is."""
    found, kinds = len(laid.detections), len(order)
    if not laid.symbols:
        near = max(LEAST_EXAMPLES, round(found / kinds)) * kinds
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
    if found // kinds > MOST_EXAMPLES:
        return phrase(
            "%(each)s tiles of each symbol; at most %(most)s are needed",
            each=found // kinds,
            most=MOST_EXAMPLES,
        )
    return None


def aslant(laid: Laid) -> str | None:
    """Return which symbol's first tile does not lie upright and what to do, ``None`` where all do."""
    for number in firsts(laid.symbols):
        lean = float(np.degrees(laid.detections.turns[number]))
        if laid.symbols[number] and abs(lean) > UPRIGHT_DEG:
            return phrase(
                "the first tile of %(symbol)s lies %(degrees)s degrees aslant; lay the first tile of each "
                "symbol upright, as it is read (the others may lie at any turn)",
                symbol=named(laid.symbols[number]),
                degrees=f"{abs(lean):.0f}",
            )
    return None


def firsts(symbols: Sequence[str]) -> list[int]:
    """Return the number of the first tile of each symbol."""
    return [list(symbols).index(symbol) for symbol in dict.fromkeys(symbols)]


def examples_of(shots: Sequence[tuple[Grey, Laid]]) -> Examples:
    """Return the examples that photographs show together; raise BadEnrolment or BadTileSet for too few."""
    looks = [cut_looks(*crop_source(picture, laid.detections)) for picture, laid in shots]
    symbols = [symbol for _, laid in shots for symbol in laid.symbols]
    first = list(dict.fromkeys(symbols))
    for symbol in first:
        if symbols.count(symbol) < 2:
            raise BadEnrolment(
                phrase(
                    "%(symbol)s is shown once; show at least two tiles of it, better three",
                    symbol=named(symbol),
                )
            )
    every = np.concatenate(looks)
    by_kind = sorted(range(len(symbols)), key=lambda k: first.index(symbols[k]))
    return Examples(every[by_kind], tuple(symbols[k] for k in by_kind))
