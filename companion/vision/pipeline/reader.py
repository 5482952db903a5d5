"""The reader: a picture in, tiles and tableaux out."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadPicture
from companion.model.reading import Reading
from companion.model.tiles import TileSet
from companion.vision.classifier.probabilities import BARE, Names, cut_from
from companion.vision.classifier.rotation import righted
from companion.vision.decoding.choices import facing, linkable
from companion.vision.decoding.lexicon import Sense
from companion.vision.detector.back_projection import with_alike
from companion.vision.detector.detections import WORKING_PX, Finds, find
from companion.vision.detector.missed import told_by_squares
from companion.vision.detector.scale_search import found_at, search
from companion.vision.fewshot.choosing import namer_for
from companion.vision.grid.components import Layout, groups, joined, links, offsets
from companion.vision.grid.scrabble import Board, find_board
from companion.vision.grid.volcano import Volcano
from companion.vision.layout.compose import composed, decided, unsure_of
from companion.vision.layout.on_board import no_print, on_board
from companion.vision.layout.on_volcano import on_volcano, spaced, with_others
from companion.vision.networks import Finder
from companion.vision.ocr.interface import SymbolReader
from companion.vision.ocr.recheck import asked
from companion.vision.picture import grey
from companion.vision.pipeline.face_brightness import same_plastic
from companion.vision.pipeline.frame import Box, Look, evened_with, inside, moved, together, widened
from companion.vision.pipeline.volcano import upon_volcano

SCRABBLE, VOLCANO = BOARDS = ("scrabble", "volcano")
MARGIN = 1.0
"""What the finder must see around a part of a picture, in tile sides."""
LEAST = 0.2
"""A find that is a tile with less than this chance is dropped."""


class Reader:
    """Reads pictures of one tile set; safe to call from several threads.

    Parameters
    ----------
    tile_set
        The tiles on the table; symbols that it lacks are never read.
    board
        ``"scrabble"`` for a 15x15 board, ``"volcano"`` for 5x5 letters under pyramids, ``None`` for a free
        table.
    tile_px
        Breadth of a tile in the pictures, in pixels, where a calibration knows it.
    second
        Who is asked about the tiles in doubt when a whole picture is read, if anybody.
    sense
        Whether symbols side by side mean something, where anybody knows: tiles in doubt are taken for what
        makes sense, and stay in doubt.
    """

    def __init__(
        self,
        tile_set: TileSet,
        board: str | None = None,
        tile_px: float | None = None,
        second: SymbolReader | None = None,
        sense: Sense | None = None,
    ) -> None:
        if board is not None and board not in BOARDS:
            raise BadPicture(f"the board {board!r} cannot be read yet; there is {', '.join(BOARDS)}")
        self.tile_set, self.board, self.tile_px = tile_set, board, tile_px
        self._second = None if tile_set.looks else second  # nobody else ever saw the tiles of one's own set
        self._sense = sense
        self._finder = Finder()
        self._namer = namer_for(tile_set)

    @property
    def whole_board(self) -> bool:
        """Whether a look at any part of a picture costs a look at the whole board."""
        return self.board == VOLCANO

    def read(self, frame: NDArray[np.uint8]) -> Reading:
        """Return what lies on the table.

        ``frame`` is uint8, (h, w) grey or (h, w, 3) blue, green, red.  Raises BadPicture for anything else.
        """
        return self.reading(self._asked(as_grey(frame), self.looked(frame)))

    def looked(self, frame: NDArray[np.uint8]) -> Look:
        """Return the tiles in a picture before they are grouped; arguments and errors as for ``read``."""
        began = perf_counter()
        grey = as_grey(frame)
        board = find_board(frame) if self.board == SCRABBLE else None
        finds, scale = self._finds(grey)
        found = perf_counter()
        finds, names = self._named(grey, finds)
        height, width = grey.shape
        seen = Look((width, height), finds, names, scale, board)
        if board and frame.ndim == 3:
            seen = with_alike(frame, seen, self._finder, self._namer)
        look = self._upon_board(frame, seen)
        return timed(look, began, found)

    def looked_within(self, frame: NDArray[np.uint8], box: Box, known: Look) -> Look:
        """Return the tiles whose middle lies in a part of a picture of which more is known.

        From before are known the scale, the shapes of the other tiles, how bright those beside the part
        are, and the board.  Raises BadPicture where there is no scale, as no tile was ever seen.
        """
        if known.scale is None:
            raise BadPicture("nobody knows how large the tiles are: look at the whole picture first")
        began = perf_counter()
        wide = widened(box, MARGIN * WORKING_PX / known.scale, known.size)
        left, top, right, bottom = wide
        grey, corner = as_grey(frame[top:bottom, left:right]), np.array([left, top])
        finds = moved(find(self._finder, grey, known.scale), corner)
        finds = evened_with(finds.kept(inside(finds, box)), known.finds)
        found = perf_counter()
        beside = known.kept(inside(known.finds, wide) & ~inside(known.finds, box))
        finds, names = self._named(grey, moved(finds, -corner), beside.moved(-corner))
        look = replace(known, finds=moved(finds, corner), names=names)
        if self.board == VOLCANO:
            rest = known.kept(~inside(known.finds, box))
            every = together(look.finds, rest.finds), together(look.names, rest.names)
            look = self._upon_board(frame, replace(look, finds=every[0], names=every[1]))
            return timed(look.kept(inside(look.finds, box)), began, found)
        return timed(self._upon_board(frame, look), began, found)

    def names(self, grey: NDArray[np.uint8], finds: Finds) -> Names:
        """Return what lies on the tiles found in a grey picture."""
        return self._namer.names(*cut_from(grey, finds))

    def reading(self, look: Look) -> Reading:
        """Return what the tiles of a look say together."""
        began = perf_counter()
        finds, names, board = look.finds, look.names, look.board
        layout = self._layout(finds, names, board)
        tiles, tableaux = composed(finds, names, layout, self.tile_set, self._sense)
        timing = {**look.timing_ms, "fit": 1000 * (perf_counter() - began)}
        timing = {"total": sum(timing.values())} | timing
        name = self.tile_set.name
        pieces = board.pieces if isinstance(board, Volcano) else ()
        if isinstance(board, Volcano):
            tableaux = (replace(tableaux[0], turn_deg=board.turn_deg), *tableaux[1:])
        return Reading(*look.size, name, tiles, tableaux, self.board if board else None, pieces, timing)

    def _asked(self, grey: NDArray[np.uint8], look: Look) -> Look:
        """Return a look with what the second reader, if there is one, says of the tiles in doubt."""
        if self._second is None:
            return look
        began = perf_counter()
        chosen, _ = decided(look.names, self._layout(look.finds, look.names, look.board))
        if not (doubted := unsure_of(chosen)):
            return look
        names = asked(self._second, grey, look.finds, look.names, doubted)
        return replace(
            look, names=names, timing_ms=look.timing_ms | {"second": 1000 * (perf_counter() - began)}
        )

    def _finds(self, grey: NDArray[np.uint8]) -> tuple[Finds, float | None]:
        """Return the places that may be tiles, and the scale they were found at."""
        if self.tile_px is None:
            return search(self._finder, self._namer, grey)
        return found_at(self._finder, self._namer, grey, self.tile_px)

    def _named(
        self, grey: NDArray[np.uint8], finds: Finds, beside: Look | None = None
    ) -> tuple[Finds, Names]:
        """Return the finds that are tiles, with their names; ``beside`` them lie known tiles."""
        finds, names = righted(self._namer, grey, finds, self.names(grey, finds))
        keep = tiles_among(finds, names)
        finds, names = finds.kept(keep), names.kept(keep)
        vague = vaguely_named(names)
        if beside:
            every = together(finds, beside.finds)
            alike = same_plastic(grey, every, np.append(vague, vaguely_named(beside.names)))[: len(finds)]
        else:
            alike = same_plastic(grey, finds, vague)
        return finds.kept(alike), names.kept(alike)

    def _upon_board(self, frame: NDArray[np.uint8], look: Look) -> Look:
        """Return a look with what the board tells of it."""
        if self.board == VOLCANO:
            return upon_volcano(frame, look, self._finder, self._namer)
        board = look.board
        if not isinstance(board, Board):
            return look
        tiles = look.kept(no_print(look.finds, board))
        return told_by_squares(frame, tiles, board, self._namer)

    def _layout(self, finds: Finds, names: Names, board: Board | Volcano | None = None) -> Layout:
        """Return the groups that the tiles of a table form, on a board and beside it."""
        if isinstance(board, Board):
            return on_board(finds, names, board)
        if board:
            group, clashes, beside = on_volcano(finds, names, board)
            others = self._layout(spaced(finds.kept(beside)), names.kept(beside))
            return with_others(group, clashes, others, beside)
        lie = offsets(finds.centres, finds.vectors())
        reads = facing(names)
        return joined(groups(linkable(links(lie), names, self.tile_set.has_blanks), reads), lie, reads)


def timed(look: Look, began: float, found: float) -> Look:
    """Return a look with the time its stages took: found from ``began`` on, in s, then read until now."""
    timing = {"find": 1000 * (found - began), "read": 1000 * (perf_counter() - found)}
    return replace(look, timing_ms=timing)


def tiles_among(finds: Finds, names: Names) -> NDArray[np.bool_]:
    """Return which finds are tiles, as far as both networks can tell, (n,)."""
    return np.asarray((1 - names.none) * finds.scores > LEAST)


def vaguely_named(names: Names) -> NDArray[np.bool_]:
    """Return which tiles show no symbol, or none that is likelier than not, (n,)."""
    return np.asarray(names.bare() | (names.likeliest() < BARE))


def as_grey(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture in grey, (h, w); raise BadPicture where it is none."""
    if (
        frame.dtype != np.uint8
        or frame.ndim not in (2, 3)
        or frame.size == 0
        or (frame.ndim == 3 and frame.shape[2] != 3)
    ):
        raise BadPicture(f"a picture is uint8 of shape (h, w) or (h, w, 3), got {frame.dtype} {frame.shape}")
    return np.ascontiguousarray(grey(frame))
