"""Several cameras over one board that all share: one board is seen, its squares the frame of all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from companion.config.table import BoardConfig
from companion.model.grid import Place
from companion.model.profile import Profile
from companion.model.reading import Reading, Tile
from companion.model.sightings import Board as Seen
from companion.model.sightings import Sighting
from companion.table.glimpse import UNIT
from companion.table.merging import Mask, merged
from companion.table.outlook import Groups, Readings, loose_tiles
from companion.table.pyramids import pyramids
from companion.table.turning import Turns
from companion.table.views import SHARED, BoardView
from companion.vision.grid.scrabble import Board
from companion.vision.grid.volcano.board import Volcano
from companion.vision.tracking import TrackedReading

SQUARES = np.diag([UNIT, UNIT, 1.0])
"""From a board's columns and rows to the common frame."""


class OneBoard:
    """Cameras over a board that the reader finds by itself, each wherever it hangs.

    Parameters
    ----------
    config
        Which board.
    views
        What each camera sees, by its name.
    profiles
        What calibration knows of each, the first camera first; without it the tiles tell which way round a
        camera sees the board.
    groups
        Groups the tiles that the cameras know together; a reader of that board.
    """

    places = (SHARED,)

    def __init__(
        self,
        config: BoardConfig,
        views: Mapping[str, BoardView],
        profiles: Mapping[str, Profile | None],
        groups: Groups,
    ) -> None:
        self._views, self._groups, self._config = views, groups, config
        self._turns = Turns(profiles, config.size[0])
        self._squares: dict[str, Mask] = {name: np.zeros(config.size, bool) for name in views}
        self.view = BoardView(config)

    def seen(self, readings: Readings) -> Mapping[int, Sighting | Seen]:
        """Return the board as the cameras know it together, nothing where none of them finds it."""
        for name, one in readings.items():
            self._views[name].note(one.reading)
        reading = self.reading(readings)
        return self.view.seen(reading) if reading else {}

    def placed(self, place: int, name: str, seen: TrackedReading) -> Mapping[Place, Tile]:
        """Return a camera's tiles on the board by the common cells; none while its way round is not known."""
        board, own = seen.look.board, self._views[name].placed(place)
        if not own or board is None:
            return {}
        cells = self._turns.cells(name, board.homography, np.array([tile.centre for tile in own.values()]))
        return {} if cells is None else dict(zip(cells, own.values(), strict=True))

    def reading(self, readings: Readings) -> Reading | None:
        """Return what lies on the board and stands on it and beside it, in the common frame."""
        found = self._turns.glimpses(readings)
        self._squares |= {name: one.squares for name, one in found.items()}
        if not found:
            return None
        glimpses = list(found.values())
        board: Board | Volcano = Board(SQUARES, 1.0, 1.0)
        if self._config.kind == "volcano":
            board = Volcano(SQUARES, pyramids(glimpses, self._config.colours))
        return self._groups.reading(replace(merged([one.part for one in glimpses]), board=board))

    def loose(self, readings: Readings, place: int) -> Sequence[Tile]:
        """Return none: what lies beside the board is nobody's."""
        return loose_tiles(self.view, place) if readings else ()

    def covered(self, names: Collection[str]) -> set[int]:
        """Return the board, where cameras of these names see all of it that all cameras see.

        What one of the others sees is not known before it has seen the board: then these must see all of it.
        Until anybody has seen it, each camera is trusted to.
        """
        every = np.any(list(self._squares.values()), 0)
        if not names or not every.any():
            return {SHARED} if names else set()
        these = np.any([self._squares[name] for name in names], 0)
        unknown = any(not squares.any() for name, squares in self._squares.items() if name not in names)
        return {SHARED} if (these == (True if unknown else every)).all() else set()
