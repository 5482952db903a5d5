"""Whether the words that players spelt beside a board are read as words: their letters in one row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from calibration.evaluation.figure import Figure
from calibration.evaluation.readings import share
from calibration.evaluation.scoring import REACH, paired
from calibration.evaluation.truth import TrueTile
from companion.model.reading import Reading, Tile

Word = tuple[TrueTile, ...]
"""The tiles of a word in the order of reading."""


def spelt_figures(name: str, spelt: Sequence[Sequence[Word]], seen: Sequence[Reading]) -> Iterator[Figure]:
    """Yield how many words are read whole, where there are any; those with a covered letter do not count."""
    told = [
        is_whole(word, reading)
        for words, reading in zip(spelt, seen, strict=True)
        for word in words
        if not any(tile.covered for tile in word)
    ]
    if told:
        yield share(f"{name}: words beside the board whole", (sum(told), len(told)), None)


def is_whole(word: Word, reading: Reading) -> bool:
    """Return whether the letters of a word lie side by side in one tableau that has no others."""
    reach = REACH * min(tile.side or 0.0 for tile in word)
    pairs = dict(paired([tile.centre for tile in word], [tile.centre for tile in reading.tiles], reach))
    found = [reading.tiles[pairs[k]] for k in range(len(word)) if k in pairs]
    if len(found) < len(word) or found[0].tableau is None:
        return False
    others = sum(tile.tableau == found[0].tableau for tile in reading.tiles) - len(found)
    return others == 0 and all(follows(one, following) for one, following in pairwise(found))


def follows(one: Tile, following: Tile) -> bool:
    """Return whether a tile lies right of another one in a tableau."""
    return (
        one.row is not None
        and one.col is not None
        and (one.tableau, one.row, one.col + 1) == (following.tableau, following.row, following.col)
    )
