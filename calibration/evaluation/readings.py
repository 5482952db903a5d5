"""Many pictures read: how right, how fast, beside what is asked."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from calibration.evaluation.figure import Figure, percent, timed
from calibration.evaluation.scoring import Score, score, total
from calibration.evaluation.truth import Truth
from companion.model.reading import Reading
from companion.vision.picture import Frame


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
    are, or with ``whole``, every tableau exact; ``pieces`` on a board.  At most: ``doubts`` and
    ``invented`` tiles.  No silent fault is asked of everything.
    """

    right: float | None = None
    exact: float | None = None
    uncovered: float | None = None
    down: float | None = None
    whole: float | None = None
    pieces: float | None = None
    doubts: float | None = None
    invented: int | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """Names and scores of several pictures, and the milliseconds that each took the processor."""

    names: tuple[str, ...]
    scores: tuple[Score, ...]
    took_ms: tuple[float, ...]

    @property
    def total(self) -> Score:
        """All scores as one."""
        return total(self.scores)

    def where(self, faulty: Callable[[Score], bool]) -> str:
        """Return which pictures are faulty, in words, empty where none is."""
        names = [name for name, one in zip(self.names, self.scores, strict=True) if faulty(one)]
        more = [f"{len(names) - NAMED} more"] * (len(names) > NAMED)
        return f"see {', '.join(names[:NAMED] + more)}" if names else ""


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
    yield from symbol_figures(name, done, asked)
    yield from tableau_figures(name, done, asked)
    yield Figure(f"{name}: a picture", statistics.median(done.took_ms), "ms", how="median of all, CPU time")


def symbol_figures(name: str, done: Read, asked: Asked) -> Iterator[Figure]:
    """Yield how right the symbols are."""
    one = done.total
    faults = f"{one.wrong:,} wrong, {one.missed:,} missed, {one.invented:,} invented"
    how = (faults, pictures(one.pictures), done.where(lambda each: each.right < each.tiles))
    yield share(f"{name}: symbols right", (one.right, one.tiles), asked.right, *how)
    if asked.invented is not None:
        where = done.where(lambda each: each.invented > 0)
        yield Figure(f"{name}: invented", one.invented, "tiles", most=asked.invented, how=where)
    where = done.where(lambda each: each.silent > 0) or "wrong or invented and no doubt"
    yield Figure(f"{name}: silent faults", one.silent, "", most=0, how=where)
    doubts = percent(one.doubts, one.tiles)
    yield Figure(
        f"{name}: doubts", doubts, "%", most=asked.doubts, how=f"{one.doubts:,} to {one.tiles:,} tiles"
    )
    if one.empty:
        what, how_many = f"{name}: invented on empty tables", pictures(one.empty)
        yield Figure(what, one.invented_on_empty, "", most=0, how=how_many)


def tableau_figures(name: str, done: Read, asked: Asked) -> Iterator[Figure]:
    """Yield how right the tableaux and the counts of tiles face down are."""
    one = done.total
    if one.tableaux:
        where = done.where(lambda each: each.exact < each.tableaux)
        yield share(f"{name}: tableaux exact", (one.exact, one.tableaux), asked.exact, where)
    if asked.whole is not None:
        whole = sum(each.exact == each.tableaux for each in done.scores)
        yield share(f"{name}: pictures with every tableau exact", (whole, one.pictures), asked.whole)
    if one.uncovered < one.tableaux:
        what, parts = f"{name}: uncovered tableaux exact", (one.uncovered_exact, one.uncovered)
        where = done.where(lambda each: each.uncovered_exact < each.uncovered)
        yield share(what, parts, asked.uncovered, where)
    if one.pieces:
        where = done.where(lambda each: each.pieces_right < each.pieces)
        yield share(f"{name}: pyramids right", (one.pieces_right, one.pieces), asked.pieces, where)
        how = done.where(lambda each: each.pieces_silent > 0)
        yield Figure(f"{name}: silent faults about pyramids", one.pieces_silent, "", most=0, how=how)
    if one.counted_down:
        what, parts = f"{name}: pictures with face-down tiles exact", (one.exact_down, one.counted_down)
        yield share(what, parts, asked.down, done.where(lambda each: each.exact_down < each.counted_down))


def pictures(count: int) -> str:
    """Return a number of pictures in words."""
    return f"{count:,} picture{'s' * (count != 1)}"


def share(what: str, part_of: tuple[int, int], least: float | None, *more: str) -> Figure:
    """Return a part of a whole as a figure in per cent; ``more`` is what else there is to tell."""
    part, whole = part_of
    how = "; ".join(filter(None, (f"{part:,} of {whole:,}", *more)))
    return Figure(what, percent(part, whole), "%", least=least, how=how)
