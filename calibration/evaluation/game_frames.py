"""Consistency of games that were photographed after every move: earlier frames against the final board.

A move that was challenged and taken back is a mismatch too; the metrics name each one, so that people can
distinguish it from a misreading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from calibration.evaluation.metric import Metric, Progress
from calibration.evaluation.results import ReaderFactory, share_metric
from calibration.evaluation.truth import PICTURE_SUFFIXES, Grid, Truth, truths_in
from companion.model.reading import Cell, Reading
from companion.vision.picture import decode

DRAW_FRAME_PREFIX = "board-00"
"""Beginning of the names of frames that show the draw for the start, not the game."""

MAX_NAMED_MISMATCHES = 12
"""Largest number of mismatches that a metric names; the others are counted."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A cell of an earlier frame, and the symbol of the final board there, ``None`` for an empty cell."""

    cell: Cell
    final: str | None

    def __str__(self) -> str:
        instead = "nothing" if self.final is None else self.final or "a blank"
        what = f"{self.cell.symbol or 'a blank'}{' (doubt)' if self.cell.doubt else ''}"
        return f"{self.cell.row + 1}{chr(ord('A') + self.cell.col)} {what}, at last {instead}"


def game_metrics(folder: Path, reader_for: ReaderFactory, progress: Progress) -> Iterator[Metric]:
    """Yield the agreement of each game of a folder with its final board; raise BadTruth or BadPicture."""
    for final, truth in truths_in(folder):
        frames = earlier_frames(final)
        if truth.board and truth.grids and frames:
            yield from agreement_metrics(
                f"{folder.name}/{final.parent.name}",
                mismatches_in_frames(frames, truth, reader_for, progress),
            )


def earlier_frames(final: Path) -> list[Path]:
    """Return the frames of a game before the final one, in order, without the draw for the start."""
    frames = [
        path for path in final.parent.iterdir() if path.suffix in PICTURE_SUFFIXES and path.name < final.name
    ]
    return sorted(path for path in frames if not path.name.startswith(DRAW_FRAME_PREFIX))


def mismatches_in_frames(
    frames: list[Path], truth: Truth, reader_for: ReaderFactory, progress: Progress
) -> dict[str, tuple[Mismatch, ...]]:
    """Read frames and return the mismatches of each by its name."""
    found = {}
    reader = reader_for(truth.tile_set, truth.board)
    for frame in frames:
        progress(f"{frame.parent.name}/{frame.name}")
        found[frame.stem] = mismatches(reader.read(decode(frame, colour=True)), truth.grids[0])
    return found


def mismatches(reading: Reading, final: Grid) -> tuple[Mismatch, ...]:
    """Return the cells of a board that differ from the final board."""
    return tuple(
        Mismatch(cell, final.get((cell.row, cell.col)))
        for tableau in reading.tableaux
        for cell in tableau.cells
        if final.get((cell.row, cell.col)) != cell.symbol
    )


def agreement_metrics(name: str, found: Mapping[str, tuple[Mismatch, ...]]) -> Iterator[Metric]:
    """Yield the share of frames that agree, and the number of mismatches without a doubt."""
    what = f"{name}: earlier frames that agree with the final board"
    agree = sum(not one for one in found.values())
    yield share_metric(what, (agree, len(found)), 100, mismatches_text(found))
    sure = {frame: tuple(one for one in each if not one.cell.doubt) for frame, each in found.items()}
    count = sum(map(len, sure.values()))
    yield Metric(
        f"{name}: cells that disagree, without a doubt", count, "", most=0, how=mismatches_text(sure)
    )


def mismatches_text(found: Mapping[str, tuple[Mismatch, ...]]) -> str:
    """Return the first mismatches with their frames as a text."""
    texts = [f"{frame} {mismatch}" for frame, each in found.items() for mismatch in each]
    more = f"{len(texts) - MAX_NAMED_MISMATCHES} more cells"
    return "; ".join(texts[:MAX_NAMED_MISMATCHES] + [more] * (len(texts) > MAX_NAMED_MISMATCHES))
