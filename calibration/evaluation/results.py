"""Metrics of the reader over many labelled pictures: accuracy and processor time beside their targets."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from calibration.evaluation.metric import Metric, Progress, cpu_timed, percent
from calibration.evaluation.scoring import Score, score, total
from calibration.evaluation.truth import Truth
from companion.model.reading import Reading
from companion.vision.camera_frame import CameraFrame


class FrameReader(Protocol):
    """A reader of pictures of one tile set."""

    def read(self, frame: CameraFrame) -> Reading:
        """Return the reading of a frame, uint8, (h, w) grey or (h, w, 3) blue, green, red."""


ReaderFactory = Callable[[str, str | None], FrameReader]
"""Returns the reader for the name of a tile set and the name of a board, ``None`` for a free table."""

MAX_NAMED_PICTURES = 4
"""Largest number of faulty pictures that a metric names; the others are counted."""

LabelledPicture = tuple[str, CameraFrame, Truth]
"""The name of a picture, the picture and its ground truth."""


@dataclass(frozen=True, slots=True)
class Targets:
    """Targets of one set of pictures, ``None`` where there is none.

    At least, in per cent: symbols ``right``; tableaux ``exact``, and exact among the ``uncovered`` ones;
    pictures whose face ``down`` tiles are counted right; pictures in which the ``whole`` table, every
    tableau, is exact; ``pieces`` on a board.  At most: ``doubts`` in per cent, the number of ``invented``
    tiles.  The target for silent faults is always 0.
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
class EvaluationResults:
    """Names and scores of several pictures, and the processor time of each in milliseconds."""

    names: tuple[str, ...]
    scores: tuple[Score, ...]
    took_ms: tuple[float, ...]

    @property
    def total(self) -> Score:
        """All scores as one."""
        return total(self.scores)

    def pictures_where(self, faulty: Callable[[Score], bool]) -> str:
        """Return the names of the pictures with faulty scores as a text, empty where there are none."""
        names = [name for name, one in zip(self.names, self.scores, strict=True) if faulty(one)]
        more = [f"{len(names) - MAX_NAMED_PICTURES} more"] * (len(names) > MAX_NAMED_PICTURES)
        return f"see {', '.join(names[:MAX_NAMED_PICTURES] + more)}" if names else ""


def evaluate(
    tables: Iterable[LabelledPicture], reader_for: ReaderFactory, progress: Progress
) -> EvaluationResults:
    """Read labelled pictures and return their scores and times."""
    names, scores, took_ms = [], [], []
    for name, frame, truth in tables:
        progress(name)
        reading, ms = timed_read(reader_for(truth.tile_set, truth.board), frame)
        names.append(name)
        scores.append(score(truth, reading))
        took_ms.append(ms)
    return EvaluationResults(tuple(names), tuple(scores), tuple(took_ms))


def timed_read(reader: FrameReader, frame: CameraFrame) -> tuple[Reading, float]:
    """Return the reading of a picture and the processor time that it took, in milliseconds."""
    return cpu_timed(lambda: reader.read(frame))


def score_metrics(name: str, results: EvaluationResults, targets: Targets) -> Iterator[Metric]:
    """Yield the metrics of one set of pictures: symbols, tableaux, and the median time of a picture."""
    if not results.scores:
        yield Metric.not_measured(name, "there are no pictures with a truth file")
        return
    yield from symbol_metrics(name, results, targets)
    yield from tableau_metrics(name, results, targets)
    yield Metric(
        f"{name}: a picture", statistics.median(results.took_ms), "ms", how="median of all, CPU time"
    )


def symbol_metrics(name: str, results: EvaluationResults, targets: Targets) -> Iterator[Metric]:
    """Yield accuracy, invented tiles, silent faults and doubts of the symbols."""
    yield from fault_metrics(name, results, targets)
    one = results.total
    doubts = percent(one.doubts, one.tiles)
    yield Metric(
        f"{name}: doubts", doubts, "%", most=targets.doubts, how=f"{one.doubts:,} to {one.tiles:,} tiles"
    )
    if one.empty:
        what, how_many = f"{name}: invented on empty tables", picture_count(one.empty)
        yield Metric(what, one.invented_on_empty, "", most=0, how=how_many)


def fault_metrics(name: str, results: EvaluationResults, targets: Targets) -> Iterator[Metric]:
    """Yield accuracy, invented tiles and silent faults of the symbols."""
    one = results.total
    faults = f"{one.wrong:,} wrong, {one.missed:,} missed, {one.invented:,} invented"
    how = (faults, picture_count(one.pictures), results.pictures_where(lambda each: each.right < each.tiles))
    yield share_metric(f"{name}: symbols right", (one.right, one.tiles), targets.right, *how)
    if targets.invented is not None:
        where = results.pictures_where(lambda each: each.invented > 0)
        yield Metric(f"{name}: invented", one.invented, "tiles", most=targets.invented, how=where)
    where = results.pictures_where(lambda each: each.silent > 0) or "wrong or invented and no doubt"
    yield Metric(f"{name}: silent faults", one.silent, "", most=0, how=where)


def tableau_metrics(name: str, results: EvaluationResults, targets: Targets) -> Iterator[Metric]:
    """Yield the accuracy of tableaux, pyramids and counts of face-down tiles, where the set has any."""
    one = results.total
    if one.tableaux:
        where = results.pictures_where(lambda each: each.exact < each.tableaux)
        yield share_metric(f"{name}: tableaux exact", (one.exact, one.tableaux), targets.exact, where)
    if targets.whole is not None:
        whole = sum(each.exact == each.tableaux for each in results.scores)
        yield share_metric(f"{name}: pictures with every tableau exact", (whole, one.pictures), targets.whole)
    if one.uncovered < one.tableaux:
        what, parts = f"{name}: uncovered tableaux exact", (one.uncovered_exact, one.uncovered)
        where = results.pictures_where(lambda each: each.uncovered_exact < each.uncovered)
        yield share_metric(what, parts, targets.uncovered, where)
    yield from pyramid_metrics(name, results, targets)
    if one.counted_down:
        what, parts = f"{name}: pictures with face-down tiles exact", (one.exact_down, one.counted_down)
        yield share_metric(
            what,
            parts,
            targets.down,
            results.pictures_where(lambda each: each.exact_down < each.counted_down),
        )


def pyramid_metrics(name: str, results: EvaluationResults, targets: Targets) -> Iterator[Metric]:
    """Yield the accuracy of pyramids on boards, where the set has any."""
    one = results.total
    if one.pieces:
        where = results.pictures_where(lambda each: each.pieces_right < each.pieces)
        yield share_metric(f"{name}: pyramids right", (one.pieces_right, one.pieces), targets.pieces, where)
        how = results.pictures_where(lambda each: each.pieces_silent > 0)
        yield Metric(f"{name}: silent faults about pyramids", one.pieces_silent, "", most=0, how=how)


def picture_count(count: int) -> str:
    """Return "1 picture" or "N pictures"."""
    return f"{count:,} picture{'s' * (count != 1)}"


def share_metric(what: str, part_of: tuple[int, int], least: float | None, *more: str) -> Metric:
    """Return (part, whole) as a metric in per cent; ``more`` texts follow in its ``how``."""
    part, whole = part_of
    how = "; ".join(filter(None, (f"{part:,} of {whole:,}", *more)))
    return Metric(what, percent(part, whole), "%", least=least, how=how)
