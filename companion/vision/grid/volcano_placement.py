"""From tiles in a colour picture to the Volcano board under them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from companion.vision.colour import face_colours
from companion.vision.detector.detections import Detections
from companion.vision.detector.pyramid_colours import MOST, REACH, tints_of
from companion.vision.grid.homography import Matrix3, Points, depths, project
from companion.vision.grid.volcano import CELLS, Lattice, Volcano, lattices
from companion.vision.picture import Frame, coloured

Floats = NDArray[np.float64]
Cells = NDArray[np.int_]

BEYOND = 3
"""Cells looked at beyond the board on each side: they tell what the table looks like."""
STRANGE = (0.1, 0.4)
"""A colour that differs less from those beside the board may be the table's; one that differs more is not."""
LIKE_THE_MOST = 0.6
"""And so many times as much as the strangest do: shadows and tips of pyramids beside the board are paler."""
ALIKE = 3
"""So many places beside the board must look like a cell before it is thought to be table."""
LEAST, SURER = 0.65, 0.06
"""So well the best place of the board must be told, 0 to 1, and so much better than the next best."""
WEIGHTS = np.array([0.4, 1.0, 1.0])
"""How much each part of a colour counts: lightness less than tone, for the light falls off."""


def find_volcano(frame: Frame, tiles: Detections, perhaps: Detections | None = None) -> Volcano | None:
    """Return the bare Volcano board in a picture, ``None`` where none is certain.

    Letters lie on a lattice of 5x5; where pyramids cover whole rows, their
    colours, which nothing else on the table has, tell where the board ends.

    Parameters
    ----------
    frame
        Blue, green, red, uint8, shape (h, w, 3); a grey one, shape (h, w), shows no pyramids.
    tiles
        The tiles in it that surely show a symbol.
    perhaps
        All that may be tiles.
    """
    every = (perhaps or tiles).centres
    found = lattices(tiles.centres, tiles.shapes)
    return next((board for one in found if (board := placed(coloured(frame), one, every))), None)


def placed(frame: Frame, lattice: Lattice, perhaps: Points) -> Volcano | None:
    """Return the board at the place on a lattice that tiles and colours tell best, if surely.

    A cell of the board holds a letter or a pyramid, and pyramids look like nothing beside the board.
    ``perhaps`` (n, 2) are the middles of all that may be a tile, in pixels.
    """
    held = np.unique(lattice.cells[lattice.members], axis=0)
    starts = [low for low in origins(held) if in_sight(lattice.homography, low, frame)]
    if not starts:
        return None
    seen = LatticeColours.of(frame, lattice.homography, np.vstack([held, lattice.cells_of(perhaps)]), starts)
    strange = [seen.strangeness(start) for start in starts]
    most = max(STRANGE[1], LIKE_THE_MOST * float(np.percentile(np.concatenate([*strange, [0.0]]), 90)))
    rates = [seen.evidence(start, away, most) for start, away in zip(starts, strange, strict=True)]
    order = np.argsort(rates)[::-1]
    if rates[order[0]] < LEAST or (len(order) > 1 and rates[order[0]] - rates[order[1]] < SURER):
        return None
    return Volcano(board_homography(lattice.homography, starts[order[0]]))


@dataclass(frozen=True, slots=True, eq=False)
class LatticeColours:
    """The cells of a lattice on and around the board that are in view.

    ``cells`` (n, 2) are their columns and rows, ``colours`` (n, 3) those of their middles, and
    ``lettered`` (n,) which of them hold a letter.
    """

    cells: Cells
    colours: Floats
    lettered: NDArray[np.bool_]

    @classmethod
    def of(cls, frame: Frame, homography: Matrix3, held: Cells, starts: list[Cells]) -> LatticeColours:
        """Return the cells of the boards that begin at some cells, and of what lies around them."""
        low, high = np.min(starts, axis=0) - BEYOND, np.max(starts, axis=0) + CELLS + BEYOND
        ways = (range(first, last) for first, last in zip(low.tolist(), high.tolist(), strict=True))
        every = np.array(list(product(*ways)))
        every = every[depths(homography, every) / homography[2, 2] > 0]
        spots = project(homography, every)
        seen = ((spots >= 0) & (spots < frame.shape[1::-1])).all(1)
        every, ends = every[seen], np.eye(2) * REACH / 2
        sides = np.stack([project(homography, every + a) - project(homography, every - a) for a in ends], -1)
        lettered = (every[:, None] == held).all(2).any(1)
        return cls(every, face_colours(frame, spots[seen], sides), lettered)

    def strangeness(self, start: Cells) -> Floats:
        """Return how far each cell without a letter is from looking like what lies beside the board, (m,)."""
        own = within(self.cells, start)
        beside = self.colours[~own] * WEIGHTS
        bare = self.colours[own & ~self.lettered] * WEIGHTS
        if not len(beside):
            return np.zeros(len(bare))
        away = np.sort(np.linalg.norm(bare[:, None] - beside, axis=2), axis=1)
        return np.asarray(away[:, min(ALIKE, len(beside)) - 1])

    def evidence(self, start: Cells, away: Floats, most: float) -> float:
        """Return how well letters and pyramids tell that the board begins at a cell, 0 to 1.

        A colour has five pyramids, so more of one speak against it.
        """
        own = within(self.cells, start)
        strange = np.clip((away - STRANGE[0]) / (most - STRANGE[0]), 0.0, 1.0)
        bare = own & ~self.lettered
        tints = tints_of((self.colours[bare] - np.median(self.colours[self.lettered], 0))[:, 1:])
        many = sum(max(0, int((tints.of == k).sum()) - MOST) for k in range(len(tints.shifts)))
        return float((own & self.lettered).sum() + strange.sum() - many) / CELLS**2


def origins(held: Cells) -> list[Cells]:
    """Return the first cells of the boards that hold nearly the most tiles; ``held`` (n, 2)."""
    ways = zip(held.min(0) - CELLS + 1, held.max(0) + 1, strict=True)
    starts = [np.array(start) for start in product(*(range(a, b) for a, b in ways))]
    counts = [int(within(held, start).sum()) for start in starts]
    return [start for start, count in zip(starts, counts, strict=True) if count >= max(counts) - 1]


def within(cells: Cells, start: Cells) -> NDArray[np.bool_]:
    """Return which cells lie on a board that begins at a cell, (n,)."""
    return np.asarray(((cells >= start) & (cells < start + CELLS)).all(1))


def in_sight(homography: Matrix3, start: Cells, frame: Frame) -> bool:
    """Return whether the middles of all cells of a board lie in the picture, before the horizon."""
    matrix = board_homography(homography, start)
    if np.linalg.det(matrix) <= 0 or (depths(matrix, Volcano.outline()) / matrix[2, 2] <= 0).any():
        return False
    inner = project(matrix, np.clip(Volcano.outline(), 0.5, CELLS - 0.5))
    return bool(((inner >= 0) & (inner < frame.shape[1::-1])).all())


def board_homography(homography: Matrix3, start: Cells) -> Matrix3:
    """Return the map from board coordinates, cells one broad from 0 on, of a board that begins at a cell."""
    shift = np.eye(3)
    shift[:2, 2] = start - 0.5
    return np.asarray(homography @ shift)
