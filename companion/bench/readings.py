"""Many pictures read: how right, how fast, beside what is asked."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from companion.bench.figure import Figure, percent
from companion.bench.scoring import Score, score, total
from companion.bench.timing import timed
from companion.bench.truth import Truth
from companion.model.reading import Reading
from companion.reading.picture import Frame


class Reads(Protocol):
    """What reads pictures of one tile set."""

    def read(self, frame: Frame) -> Reading:
        """Return what lies on the table; ``frame`` is uint8, (h, w) grey or (h, w, 3) blue, green, red."""


ReaderFor = Callable[[str, str | None], Reads]
"""Gives the reader of a tile set, by its name, on a board or on a free table."""

NAMED = 4
"""Pictures that a figure names as guilty; it tells the number of the others."""

Tell = Callable[[str], None]
"""Says what is at work."""

Table = tuple[str, Frame, Truth]
"""The name of a picture, the picture and what lies there."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What must be reached, in per cent or in number; ``None`` where nothing is asked.

    At least: symbols ``right``; tableaux ``exact``, also among the
    ``uncovered`` ones; pictures with as many tiles face ``down`` as there
    are, or with ``whole``, every tableau exact.  At most: ``doubts`` and
    ``invented`` tiles.  No silent fault is asked of everything.
    """

    right: float | None = None
    exact: float | None = None
    uncovered: float | None = None
    down: float | None = None
    whole: float | None = None
    doubts: float | None = None
    invented: int | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """Names and scores of several pictures, and the milliseconds that each took the processor."""

    names: tuple[str, ...]
    scores: tuple[Score, ...]
    took_ms: tuple[float, ...]


def read_all(tables: Iterable[Table], reader_for: ReaderFor, tell: Tell) -> Read:
    """Read pictures and return how right and how fast."""
    names, scores, took_ms = [], [], []
    for name, frame, truth in tables:
        tell(name)
        reading, ms = read(reader_for(truth.tile_set, truth.board), frame)
        names.append(name)
        scores.append(score(truth, reading))
        took_ms.append(ms)
    return Read(tuple(names), tuple(scores), tuple(took_ms))


def read(reader: Reads, frame: Frame) -> tuple[Reading, float]:
    """Return what was read and the milliseconds that it took the processor."""
    return timed(lambda: reader.read(frame))


def score_figures(name: str, done: Read, asked: Asked) -> Iterator[Figure]:
    """Yield how right the pictures of one kind were read."""
    if not done.scores:
        yield Figure.missing(name, "there are no pictures with a truth file")
        return
    yield from symbol_figures(name, total(done.scores), asked)
    yield silent_figure(name, done)
    yield from tableau_figures(name, done.scores, asked)
    yield Figure(f"{name}: a picture", statistics.median(done.took_ms), "ms", how="median of all, CPU time")


def symbol_figures(name: str, all_in_all: Score, asked: Asked) -> Iterator[Figure]:
    """Yield how right the symbols are."""
    one = all_in_all
    counts = (
        f"{one.wrong:,} wrong, {one.missed:,} missed, {one.invented:,} invented; {pictures(one.pictures)}"
    )
    yield share(f"{name}: symbols right", one.right, one.tiles, asked.right, counts)
    if asked.invented is not None:
        yield Figure(f"{name}: invented", one.invented, "tiles", most=asked.invented)
    doubts = percent(one.doubts, one.tiles)
    how = f"{one.doubts:,} to {one.tiles:,} tiles"
    yield Figure(f"{name}: doubts", doubts, "%", most=asked.doubts, how=how)
    if one.empty:
        how = pictures(one.empty)
        yield Figure(f"{name}: invented on empty tables", one.invented_on_empty, "", most=0, how=how)


def silent_figure(name: str, done: Read) -> Figure:
    """Return how many symbols are wrong or invented without a doubt, and in which pictures first."""
    guilty = [picture for picture, one in zip(done.names, done.scores, strict=True) if one.silent]
    more = [f"{len(guilty) - NAMED} more"] * (len(guilty) > NAMED)
    where = ", ".join(guilty[:NAMED] + more) or "wrong or invented and no doubt"
    return Figure(f"{name}: silent faults", total(done.scores).silent, "", most=0, how=where)


def tableau_figures(name: str, scores: tuple[Score, ...], asked: Asked) -> Iterator[Figure]:
    """Yield how right the tableaux and the counts of tiles face down are."""
    one = total(scores)
    if one.tableaux:
        yield share(f"{name}: tableaux exact", one.exact, one.tableaux, asked.exact)
    if asked.whole is not None:
        whole = sum(each.exact == each.tableaux for each in scores)
        yield share(f"{name}: pictures with every tableau exact", whole, one.pictures, asked.whole)
    if one.uncovered < one.tableaux:
        what = f"{name}: uncovered tableaux exact"
        yield share(what, one.uncovered_exact, one.uncovered, asked.uncovered)
    if one.counted_down:
        what = f"{name}: pictures with face-down tiles exact"
        yield share(what, one.exact_down, one.counted_down, asked.down)


def pictures(count: int) -> str:
    """Return a number of pictures in words."""
    return f"{count:,} picture{'s' * (count != 1)}"


def share(what: str, part: int, whole: int, least: float | None, more: str = "") -> Figure:
    """Return a part of a whole as a figure in per cent."""
    how = "; ".join(filter(None, (f"{part:,} of {whole:,}", more)))
    return Figure(what, percent(part, whole), "%", least=least, how=how)
