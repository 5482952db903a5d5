"""The reader: a picture in, tiles and tableaux out."""

from __future__ import annotations

from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadPicture
from companion.model.reading import Reading
from companion.model.tiles import TileSet
from companion.reading.board import find_board
from companion.reading.compose import composed
from companion.reading.decode import facing, linkable
from companion.reading.find import (
    LARGEST_PX,
    SCALES,
    SMALLEST_PX,
    WORKING_PX,
    Finds,
    find,
    nothing,
    working_scale,
)
from companion.reading.lattice import Layout, groups, joined, links, offsets
from companion.reading.name import Names, SetNamer, cut_from
from companion.reading.networks import Finder, Namer
from companion.reading.on_board import no_print, on_board
from companion.reading.shape import evened

BOARDS = ("scrabble",)
LEAST = 0.2
"""A find that is a tile with less than this chance is dropped."""


class Reader:
    """Reads pictures of one tile set; safe to call from several threads.

    Parameters
    ----------
    tile_set
        The tiles on the table; symbols that it lacks are never read.
    board
        ``"scrabble"`` for a 15x15 board, ``None`` for a free table.
    tile_px
        Breadth of a tile in the pictures, in pixels, where a calibration knows it.
    """

    def __init__(self, tile_set: TileSet, board: str | None = None, tile_px: float | None = None) -> None:
        if board is not None and board not in BOARDS:
            raise BadPicture(f"the board {board!r} cannot be read yet; there is {', '.join(BOARDS)}")
        self.tile_set, self.board, self.tile_px = tile_set, board, tile_px
        self._finder = Finder()
        self._namer = SetNamer(Namer(), tile_set)

    def read(self, frame: NDArray[np.uint8]) -> Reading:
        """Return what lies on the table.

        ``frame`` is uint8, (h, w) grey or (h, w, 3) blue, green, red.  Raises BadPicture for anything else.
        """
        times = [perf_counter()]
        grey = as_grey(frame)
        board = find_board(frame) if self.board else None
        finds = self._finds(grey)
        times.append(perf_counter())
        finds, names = self._named(grey, finds)
        if board:
            tiles_only = no_print(finds, board)
            finds, names = finds.kept(tiles_only), names.kept(tiles_only)
        times.append(perf_counter())
        layout = on_board(finds, names, board) if board else self._layout(finds, names)
        tiles, tableaux = composed(finds, names, layout, self.tile_set)
        times.append(perf_counter())
        stages = dict(zip(("find", "read", "fit"), np.diff(times) * 1000, strict=True))
        timing = {"total": 1000 * (times[-1] - times[0])} | {stage: float(ms) for stage, ms in stages.items()}
        height, width = grey.shape
        return Reading(
            width, height, self.tile_set.name, tiles, tableaux, self.board if board else None, (), timing
        )

    def _finds(self, grey: NDArray[np.uint8]) -> Finds:
        """Return the places that may be tiles."""
        if self.tile_px:
            return evened(find(self._finder, grey, min(1.5, WORKING_PX / self.tile_px)))
        scale = self._scale(grey)
        if scale is None:
            return nothing()
        finds = find(self._finder, grey, scale)
        likely = tiles_among(finds, self._namer.glance(*cut_from(grey, finds)))
        return evened(finds.kept(likely))

    def _scale(self, grey: NDArray[np.uint8]) -> float | None:
        """Return the scale to work at in a picture of unknown tile size, ``None`` where no tile is seen."""
        best, most = None, 0.0
        for scale in SCALES:
            seen = find(self._finder, grey, scale)
            seen = seen.kept((seen.sides * scale > SMALLEST_PX) & (seen.sides * scale < LARGEST_PX))
            names = self._namer.glance(*cut_from(grey, seen))
            proof = np.maximum(0, 2 * seen.scores * names.likeliest() - 1)
            if proof.sum() > most:
                best, most = working_scale(seen.sides, proof), float(proof.sum())
        return best

    def _named(self, grey: NDArray[np.uint8], finds: Finds) -> tuple[Finds, Names]:
        """Return the finds that are tiles, with their names."""
        names = self._namer.names(*cut_from(grey, finds))
        keep = tiles_among(finds, names)
        return finds.kept(keep), names.kept(keep)

    def _layout(self, finds: Finds, names: Names) -> Layout:
        """Return the groups that the tiles of a free table form."""
        lie = offsets(finds.centres, finds.vectors())
        reads = facing(names)
        return joined(groups(linkable(links(lie), names, self.tile_set.has_blanks), reads), lie, reads)


def tiles_among(finds: Finds, names: Names) -> NDArray[np.bool_]:
    """Return which finds are tiles, as far as both networks can tell, (n,)."""
    return np.asarray((1 - names.none) * finds.scores > LEAST)


def as_grey(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture in grey, (h, w); raise BadPicture where it is none."""
    if (
        frame.dtype != np.uint8
        or frame.ndim not in (2, 3)
        or frame.size == 0
        or (frame.ndim == 3 and frame.shape[2] != 3)
    ):
        raise BadPicture(f"a picture is uint8 of shape (h, w) or (h, w, 3), got {frame.dtype} {frame.shape}")
    return (
        np.ascontiguousarray(frame)
        if frame.ndim == 2
        else np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
    )
