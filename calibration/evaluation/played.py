"""Games photographed after every move: no earlier frame may show what the final board has not.

A move that was challenged and taken back shows as such a cell too; the
figures name every one, so that people can tell it from a misreading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from calibration.evaluation.figure import Figure
from calibration.evaluation.readings import ReaderFor, Tell, share
from calibration.evaluation.truth import PICTURES, Grid, Truth, truths_in
from companion.model.reading import Cell, Reading
from companion.vision.picture import decode

DRAW = "board-00"
"""How the frames begin that show the draw for the start, not the game."""

NAMED = 12
"""Strays that a figure names; it tells the number of all."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A cell of an earlier frame and what the final board has there, ``None`` for nothing."""

    cell: Cell
    final: str | None

    def __str__(self) -> str:
        instead = "nothing" if self.final is None else self.final or "a blank"
        what = f"{self.cell.symbol or 'a blank'}{' (doubt)' if self.cell.doubt else ''}"
        return f"{self.cell.row + 1}{chr(ord('A') + self.cell.col)} {what}, at last {instead}"


def game_figures(folder: Path, reader_for: ReaderFor, tell: Tell) -> Iterator[Figure]:
    """Yield how each game of a folder agrees with its final board; raise BadTruth or BadPicture."""
    for final, truth in truths_in(folder):
        frames = earlier(final)
        if truth.board and truth.grids and frames:
            yield from agreement(
                f"{folder.name}/{final.parent.name}", strays(frames, truth, reader_for, tell)
            )


def earlier(final: Path) -> list[Path]:
    """Return the frames of a game before the final one, in order, the draw for the start left out."""
    frames = [path for path in final.parent.iterdir() if path.suffix in PICTURES and path.name < final.name]
    return sorted(path for path in frames if not path.name.startswith(DRAW))


def strays(
    frames: list[Path], truth: Truth, reader_for: ReaderFor, tell: Tell
) -> dict[str, tuple[Stray, ...]]:
    """Read frames and return the strays of each by its name."""
    found = {}
    reader = reader_for(truth.tile_set, truth.board)
    for frame in frames:
        tell(f"{frame.parent.name}/{frame.name}")
        found[frame.stem] = strays_of(reader.read(decode(frame, colour=True)), truth.grids[0])
    return found


def strays_of(reading: Reading, final: Grid) -> tuple[Stray, ...]:
    """Return the cells of a board that the final board has otherwise."""
    return tuple(
        Stray(cell, final.get((cell.row, cell.col)))
        for tableau in reading.tableaux
        for cell in tableau.cells
        if final.get((cell.row, cell.col)) != cell.symbol
    )


def agreement(name: str, found: Mapping[str, tuple[Stray, ...]]) -> Iterator[Figure]:
    """Yield how many frames agree, and how many strays were read without a doubt."""
    what = f"{name}: earlier frames that agree with the final board"
    agree = sum(not one for one in found.values())
    yield share(what, (agree, len(found)), 100, named(found))
    sure = {frame: tuple(one for one in each if not one.cell.doubt) for frame, each in found.items()}
    count = sum(map(len, sure.values()))
    yield Figure(f"{name}: cells that disagree, without a doubt", count, "", most=0, how=named(sure))


def named(found: Mapping[str, tuple[Stray, ...]]) -> str:
    """Return the first strays with their frames in words."""
    told = [f"{frame} {stray}" for frame, each in found.items() for stray in each]
    more = f"{len(told) - NAMED} more cells"
    return "; ".join(told[:NAMED] + [more] * (len(told) > NAMED))
