"""Fusion of several cameras over a shared board, in the frame of its squares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from companion.config.table import BoardConfig
from companion.model.grid import Place
from companion.model.reading import Piece, Reading, Tile
from companion.model.sightings import Board as Seen
from companion.model.sightings import Sighting
from companion.table.fusion import (
    PICTURE_MARGIN_SHARE,
    CameraPose,
    Floats,
    Grouper,
    Mask,
    Member,
    MemberPair,
    Observation,
    Readings,
    clear_of,
    from_quads,
    fused_detections,
    grouped_members,
    mutual_nearest_tiles,
)
from companion.table.views import SHARED_BOARD, BoardView
from companion.vision.detector.pyramids import LARGE
from companion.vision.grid.board import Board, cell_centres, quarter_turns
from companion.vision.grid.homography import Matrix3, inverse, project
from companion.vision.grid.volcano import MAX_PYRAMIDS_PER_COLOUR, Volcano
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.tracking import TrackedReading
from companion.vision.tracking.track import overlap

SQUARE_SIDE = 100.0
"""Side of a square in the common frame."""

SQUARES_TO_COMMON_FRAME = np.diag([SQUARE_SIDE, SQUARE_SIDE, 1.0])
"""The homography from a board's columns and rows to the common frame."""

BOARD_MARGIN = 0.5 * SQUARE_SIDE
"""Largest distance outside the board at which the top of a tile on it may appear, in the common frame."""


@dataclass(frozen=True, slots=True)
class StandingPyramid:
    """A pyramid that one camera knows; ``place`` (2,) is the middle of its base in the common frame."""

    piece: Piece
    place: Floats

    @property
    def square(self) -> Place:
        """Row and column, which extend beyond the board."""
        col, row = np.floor(self.place / SQUARE_SIDE).astype(int).tolist()
        return row, col

    def on_board(self, cells: int) -> bool:
        """Return whether it stands on a board with ``cells`` squares along each side."""
        return all(0 <= at < cells for at in self.square)


@dataclass(frozen=True, slots=True)
class BoardSnapshot:
    """The board that one camera knows, in the common frame: x along its columns, y down its rows.

    ``part`` are the tiles on it; ``pyramids`` the pyramids on and beside it; ``squares`` (n, n) which squares
    are in the picture, row by row.
    """

    part: Observation
    pyramids: tuple[StandingPyramid, ...]
    squares: Mask


def snapshot_of(seen: TrackedReading, homography: Matrix3, cells: int, quarters: int) -> BoardSnapshot:
    """Return a camera's board of ``cells`` squares a side; arguments as for ``to_pixels``."""
    into, detected, size = to_pixels(homography, cells, quarters), seen.detected, round(cells * SQUARE_SIDE)
    quads = detected.detections.quads()
    corners = project(inverse(into), quads.reshape(-1, 2)).reshape(quads.shape)
    detections = from_quads(corners, detected.detections.scores)
    plain = in_picture(into, detected.size, detections.centres)
    plain[list(seen.covered)] = False
    centres = detections.centres
    near = np.asarray(((centres > -BOARD_MARGIN) & (centres < size + BOARD_MARGIN)).all(1))
    places = project(inverse(into), detected.unread)
    tiles = FrameDetections((size, size), detections, detected.probabilities, None, unread=places).kept(near)
    part = Observation(tiles, plain[near], partial(visible, into, seen))
    middles = SQUARE_SIDE * cell_centres(cells)
    squares = in_picture(into, detected.size, middles).reshape(cells, cells)
    return BoardSnapshot(part, pyramids_of(detected.board, into), squares)


def to_pixels(homography: Matrix3, cells: int, quarters: int) -> Matrix3:
    """Return the homography from the common frame to pixels, (3, 3).

    ``homography`` is from a camera's columns and rows to pixels; the common rows are turned clockwise from
    those by ``quarters`` quarter turns.
    """
    return np.asarray(homography @ quarter_turns(cells, quarters) @ inverse(SQUARES_TO_COMMON_FRAME))


def pyramids_of(board: Board | Volcano | None, into: Matrix3) -> tuple[StandingPyramid, ...]:
    """Return the pyramids on a board and beside it; none if the board is not the Volcano board."""
    if not isinstance(board, Volcano):
        return ()
    found = []
    for piece in board.counted_pieces:
        middle = project(board.homography, np.array([[piece.col + 0.5, piece.row + 0.5]]))
        at = middle if piece.at is None else np.array([piece.at])
        found.append(StandingPyramid(piece, project(inverse(into), at)[0]))
    return tuple(found)


def in_picture(into: Matrix3, size: tuple[int, int], places: Floats) -> Mask:
    """Return a mask of places, (n, 2) in the common frame, that are in a picture, not too near its edge."""
    margin = PICTURE_MARGIN_SHARE * size[0]
    pixels = project(into, places)
    return np.asarray(((pixels >= margin) & (pixels <= np.array(size) - 1 - margin)).all(1))


def visible(into: Matrix3, seen: TrackedReading, places: Floats) -> Mask:
    """Return a mask of places, (n, 2) in the common frame, that are in the picture and not occluded."""
    return in_picture(into, seen.detected.size, places) & clear_of(seen.obscured, project(into, places))


MIN_AGREEMENT_SHARE = 0.5
"""Least agreement of two cameras' tiles, as a share of the smaller number of tiles (1 at least)."""

MIN_AGREEMENT_LEAD_TILES = 0.3
"""Least lead, in tiles, of the best rotation's agreement over the second best one's."""


Turned = Callable[[int], BoardSnapshot]
"""Returns a camera's board with its rows turned clockwise by some quarter turns."""


class Orientations:
    """The rotation of each camera's board, in quarter turns, to the common rows.

    With a camera's pose the rotation follows from the table: the common rows are those nearest to the
    table's left to right, and later those nearest to the last ones.  Without a pose it is the rotation in
    which the tiles agree best with the other cameras'.  If no camera has a pose, the first one defines the
    rows; until it detects the board, each camera keeps its own.

    Parameters
    ----------
    poses
        The pose of each camera, or ``None``, by its name, the first camera first.
    cells
        Squares along a side of the board.
    """

    def __init__(self, poses: Mapping[str, CameraPose | None], cells: int) -> None:
        self._poses = {name: pose for name, pose in poses.items() if pose}
        self._first, self._cells = next(iter(poses)), cells
        self._rows_deg = 0.0
        self._rotations: dict[str, int] = {}
        self._newest: dict[str, int] = {}

    def snapshots(self, readings: Mapping[str, TrackedReading]) -> dict[str, BoardSnapshot]:
        """Return each camera's board in the common frame, without cameras of unknown rotation."""
        boards = {name: one.detected.board.homography for name, one in readings.items() if one.detected.board}
        found: dict[str, BoardSnapshot] = {}
        for name in sorted(boards, key=self._rank):
            turned = partial(snapshot_of, readings[name], boards[name], self._cells)
            if (pose := self._poses.get(name)) is not None:
                quarters: int | None = self._by_table(boards[name], pose)
            else:
                quarters = self._by_tiles(name, turned, list(found.values()))
            if quarters is None:
                continue
            found[name] = turned(quarters)
            self._newest[name] = quarters
            if len(found) > 1 or name == self._first:
                self._rotations[name] = quarters
        return {name: found[name] for name in readings if name in found}

    def cells(self, name: str, homography: Matrix3, pixels: Floats) -> list[Place] | None:
        """Return the common cells of a camera's pixels, (n, 2).

        ``homography`` is from the camera's columns and rows to pixels.  ``None`` if the camera's rotation is
        not known.
        """
        if name not in self._newest:
            return None
        common = inverse(to_pixels(homography, self._cells, self._newest[name]))
        found = np.floor(project(common, pixels) / SQUARE_SIDE).astype(int)
        return [(row, col) for col, row in found.tolist()]

    def _rank(self, name: str) -> tuple[bool, ...]:
        """Return the sort key that puts cameras with known rotation first."""
        return name not in self._poses, name != self._first, name not in self._rotations

    def _by_tiles(self, name: str, turned: Turned, known: Sequence[BoardSnapshot]) -> int | None:
        """Return a camera's rotation by its tiles, given boards of known rotation, or ``None``."""
        if not known:
            return self._rotations.get(name, 0)
        parts = [turned(quarters).part for quarters in range(4)]
        return best_rotation(parts, [one.part for one in known], self._rotations.get(name))

    def _by_table(self, homography: Matrix3, pose: CameraPose) -> int:
        """Return a camera's rotation by the direction of its rows on the table."""
        middle = self._cells / 2
        ends = project(homography, np.array([[middle - 1, middle], [middle + 1, middle]]))
        across, down = np.diff(pose.to_table(ends), axis=0)[0]
        rows_deg = float(np.degrees(np.arctan2(down, across)))
        quarters = round((self._rows_deg - rows_deg) / 90)
        self._rows_deg = rows_deg + 90 * quarters
        return quarters % 4


def best_rotation(
    ways: Sequence[Observation], known: Sequence[Observation], before: int | None
) -> int | None:
    """Return which of four rotations agrees best with known tiles, or ``None`` if none is clearly best.

    ``before`` is the previous rotation, which is kept unless another one is clearly better.
    """
    agree = [sum(agreement(one, way) for one in known) for way in ways]
    best, second = sorted(agree)[:-3:-1]
    fewer = min(len(ways[0].detected.detections), max(len(one.detected.detections) for one in known))
    clear = best > MIN_AGREEMENT_SHARE * max(1, fewer) and best > second + MIN_AGREEMENT_LEAD_TILES
    return agree.index(best) if clear else before


def agreement(one: Observation, other: Observation) -> float:
    """Return the agreement of two cameras in tiles: the overlap of probabilities at the same places."""
    ours, theirs = one.detected.detections, other.detected.detections
    a, b = mutual_nearest_tiles(ours, theirs)
    probabilities = other.detected.probabilities.kept(b).rotated(ours.turns[a] - theirs.turns[b])
    return float(overlap(one.detected.probabilities.kept(a), probabilities).sum())


MAX_PYRAMID_OFFSET_SQUARES, PYRAMID_OFFSET_GROWTH_PER_SQUARE = 0.6, 0.05
"""Largest distance between one pyramid beside the board for two cameras, in squares, as each sees another
side of it; and its increase with each square of distance from the board."""

DIFFERENT_SQUARES_SEPARATION = 99.0
"""Distance given to pyramids on different squares of the board, so that they are never merged."""


class FusedPyramid(NamedTuple):
    """A pyramid, and whether a camera that sees its place sees none there."""

    piece: Piece
    denied: bool


def fused_pyramids(snapshots: Sequence[BoardSnapshot], played: Collection[str] = ()) -> tuple[Piece, ...]:
    """Return the pyramids of all cameras, in reading order and in the common frame.

    A pyramid is in doubt if cameras that see its place disagree about its colour, its size or whether it is
    there.  It is left out if all pyramids of its colour are elsewhere, as glare looks like one.  An occluded
    pyramid is remembered, unless another camera sees it gone.  ``played`` are the players' colours, which win
    if as many cameras see another colour.
    """
    members = [(n, k) for n, one in enumerate(snapshots) for k in range(len(one.pyramids))]
    groups = grouped_members(members, same_piece_pairs(snapshots, members))
    found = [one for group in groups if (one := fused_pyramid(snapshots, group, played))]
    stand = Counter(one.piece.colour for one in found if one.piece.size == LARGE and not one.denied)
    real = [
        one.piece
        for one in found
        if not (one.denied and one.piece.size == LARGE and stand[one.piece.colour] >= MAX_PYRAMIDS_PER_COLOUR)
    ]
    return tuple(sorted(real, key=lambda one: (one.row, one.col, one.colour)))


def same_piece_pairs(snapshots: Sequence[BoardSnapshot], members: Sequence[Member]) -> list[MemberPair]:
    """Return pairs of pyramids of different cameras that may be one, the nearest pair first."""
    cells = len(snapshots[0].squares)
    found = [
        (far, one, other)
        for one, other in combinations(members, 2)
        if one[0] != other[0]
        and (far := separation(pyramid_at(snapshots, one), pyramid_at(snapshots, other), cells)) < 1
    ]
    return [(one, other) for _, one, other in sorted(found)]


def separation(one: StandingPyramid, other: StandingPyramid, cells: int) -> float:
    """Return the distance of pyramids relative to the largest distance of one; 0 on one square."""
    if one.on_board(cells) or other.on_board(cells):
        return 0.0 if one.square == other.square else DIFFERENT_SQUARES_SEPARATION
    beyond = np.hypot(*np.maximum(0, np.abs(one.place / SQUARE_SIDE - cells / 2) - cells / 2))
    away = np.hypot(*(one.place - other.place)) / SQUARE_SIDE
    return float(away / (MAX_PYRAMID_OFFSET_SQUARES + PYRAMID_OFFSET_GROWTH_PER_SQUARE * beyond))


def pyramid_at(snapshots: Sequence[BoardSnapshot], member: Member) -> StandingPyramid:
    """Return a camera's pyramid."""
    return snapshots[member[0]].pyramids[member[1]]


def fused_pyramid(
    snapshots: Sequence[BoardSnapshot], group: Sequence[Member], played: Collection[str]
) -> FusedPyramid | None:
    """Return one pyramid fused from its members, ``None`` if other cameras see that it is gone."""
    place = np.mean([pyramid_at(snapshots, one).place for one in group], 0)
    plain = [n for n, one in enumerate(snapshots) if one.part.sees(place[None])[0]]
    telling = [pyramid_at(snapshots, one).piece for one in group if one[0] in plain]
    denied = bool(set(plain) - {n for n, _ in group})
    if denied and not telling:
        return None
    asked = telling or [pyramid_at(snapshots, one).piece for one in group]
    sure = [piece for piece in asked if not piece.doubt]
    kinds = Counter((piece.colour, piece.size) for piece in sure or asked)
    colour, size = max(sorted(kinds), key=lambda kind: (kinds[kind], kind[0] in played))
    col, row = np.floor(place / SQUARE_SIDE).astype(int).tolist()
    x, y = place.tolist()
    return FusedPyramid(Piece(colour, row, col, size, denied or not sure or len(kinds) > 1, (x, y)), denied)


class BoardPlan:
    """The seating plan of cameras over a board that the reader finds, from any position.

    Parameters
    ----------
    config
        The board.
    views
        The view of each camera, by its name.
    poses
        The pose of each camera, or ``None``, the first camera first; without it the camera's rotation
        follows from the tiles.
    groups
        Groups the fused tiles into a reading; a reader of that board.
    """

    places = (SHARED_BOARD,)

    def __init__(
        self,
        config: BoardConfig,
        views: Mapping[str, BoardView],
        poses: Mapping[str, CameraPose | None],
        groups: Grouper,
    ) -> None:
        self._views, self._groups, self._config = views, groups, config
        self._turns = Orientations(poses, config.size[0])
        self._squares: dict[str, Mask] = {name: np.zeros(config.size, bool) for name in views}
        self.view = BoardView(config)

    def seen(self, readings: Readings) -> Mapping[int, Sighting | Seen]:
        """Return the fused board, nothing if no camera finds it."""
        for name, one in readings.items():
            self._views[name].note(one.reading)
        reading = self.reading(readings)
        return self.view.seen(reading) if reading else {}

    def placed(self, place: int, name: str, seen: TrackedReading) -> Mapping[Place, Tile]:
        """Return a camera's tiles on the board by the common cells; none while its rotation is not known."""
        board, own = seen.detected.board, self._views[name].placed(place)
        if not own or board is None:
            return {}
        cells = self._turns.cells(name, board.homography, np.array([tile.centre for tile in own.values()]))
        return {} if cells is None else dict(zip(cells, own.values(), strict=True))

    def reading(self, readings: Readings) -> Reading | None:
        """Return the fused reading of tiles and pyramids, in the common frame, or ``None``."""
        found = self._turns.snapshots(readings)
        self._squares |= {name: one.squares for name, one in found.items()}
        if not found:
            return None
        snapshots = list(found.values())
        board: Board | Volcano = Board(SQUARES_TO_COMMON_FRAME)
        if self._config.kind == "volcano":
            board = Volcano(SQUARES_TO_COMMON_FRAME, fused_pyramids(snapshots, self._config.colours))
        return self._groups.reading(replace(fused_detections([one.part for one in snapshots]), board=board))

    def loose(self, _readings: Readings, _place: int, /) -> Sequence[Tile]:
        """Return no tiles: those beside the board belong to no seat."""
        return ()

    def covered(self, names: Collection[str]) -> set[int]:
        """Return the board if cameras of these names see all of it that all cameras see.

        If another camera has not seen the board yet, these must see all of it.  If no camera has seen it yet,
        any camera is assumed to.
        """
        every = np.any(list(self._squares.values()), 0)
        if not names or not every.any():
            return {SHARED_BOARD} if names else set()
        these = np.any([self._squares[name] for name in names], 0)
        unknown = any(not squares.any() for name, squares in self._squares.items() if name not in names)
        return {SHARED_BOARD} if (these == (True if unknown else every)).all() else set()
