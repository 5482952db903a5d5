"""Accuracy of table calibration, and of reading with a calibrated profile, on drawn tables.

The cameras are tilted and their lenses distort.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.drawing.camera import View, camera
from calibration.drawing.marker_tables import (
    MarkedTable,
    after_camera_move,
    corner_cards,
    lens_of,
    marked_game,
    marked_table,
)
from calibration.drawing.rng import Rng
from calibration.evaluation.drawn import truth_of, vocabulary
from calibration.evaluation.metric import Metric, Progress, cpu_timed, percent
from calibration.evaluation.results import timed_read
from calibration.evaluation.scoring import Score, score, total
from calibration.table.drift import DriftState, drift, landmarks
from calibration.table.finding import KnownLengths, table_by_markers
from calibration.table.sizes import px_per_mm
from calibration.table.zones import default_zones
from companion.model.profile import CameraId, Profile
from companion.model.reading import Reading
from companion.model.tiles import TileSet, tile_set
from companion.table.seating_plan import with_seats
from companion.vision.grid.homography import to_table
from companion.vision.pipeline.reader import Reader

PICTURE_SIZE_PX = (4056, 3040)
SEED = 40_000
"""Table k is drawn from (SEED, k)."""

TILE_MM = 20.0
TABLE_MM = (1040.0, 740.0)
PX_PER_TILE = 58.0

TABLE_SHARE, GAME_SHARE = 0.5, 0.2
"""Numbers of empty tables and of games, as shares of the number of scenes."""

MAX_CORNER_ERROR_PX, MAX_PLACE_ERROR_MM, MAX_CPU_PER_FRAME_S = 0.5, 1.0, 0.5
"""Targets: error of a marker's corner, error of a place on the table, processor time for one frame."""


@dataclass(frozen=True, slots=True)
class TableErrors:
    """Largest errors of one table: corner in px and place in mm, also after the camera moved; processor time.

    ``bumped_mm`` is found by markers, ``unmarked_mm`` by the background alone; infinite where it was not
    found.
    """

    corner_px: float
    place_mm: float
    took_s: float
    bumped_mm: float
    unmarked_mm: float


def calibration_metrics(scenes: int, progress: Progress) -> Iterator[Metric]:
    """Yield the errors of calibrated drawn tables, and the accuracy of games read with
    them; raise NoFonts.
    """
    tried = []
    for k in range(math.ceil(TABLE_SHARE * scenes)):
        progress(f"a table with markers, {k + 1}")
        tried.append(table_errors(k))
    yield from table_metrics(tried)
    games = []
    for k in range(math.ceil(GAME_SHARE * scenes)):
        progress(f"a game on a measured table, {k + 1}")
        games.append(game_result(k, tile_set("bananagrams-en")))
    yield from game_metrics(games)


def view_of(rng: Rng) -> View:
    """Return a random camera over a table, tilted and with the distortion of cheap lenses."""
    tilt, distortion = float(rng.uniform(0, 18)), float(rng.uniform(-0.06, 0.04))
    return View(*PICTURE_SIZE_PX, PX_PER_TILE, tilt, float(rng.normal(0, 3)), distortion)


def profile_of(drawn: MarkedTable) -> tuple[Profile, NDArray[np.float64], float]:
    """Return the profile of a drawn table, the corners' errors in px, (n,), and the processor time in s."""
    lens = lens_of(camera(drawn.view))
    (table, marks), ms = cpu_timed(lambda: table_by_markers(drawn.picture, lens, KnownLengths()))
    zones = default_zones(4, table.width_mm, table.height_mm)
    name = CameraId("drawn", *PICTURE_SIZE_PX)
    profile = Profile(name, "drawn", lens, table, None, zones, landmarks(drawn.picture))
    off = [np.hypot(*(mark.corners - drawn.corners_px(mark.number)).T) for mark in marks]
    return replace(profile, tile_px=TILE_MM * px_per_mm(profile)), np.concatenate(off), ms / 1000


def worst_mm(profile: Profile, drawn: MarkedTable) -> float:
    """Return the largest error of a profile over a grid of places on the table, in mm."""
    table = profile.table
    across, down = (
        (np.linspace(0, side, 9) for side in (table.width_mm, table.height_mm)) if table else ((), ())
    )
    places = np.stack(np.meshgrid(across, down), -1).reshape(-1, 2)
    return float(np.hypot(*(to_table(drawn.pixels(places), profile) - places).T).max())


def table_errors(k: int) -> TableErrors:
    """Return the errors of one drawn table, and those after its camera moved."""
    rng = np.random.default_rng((SEED, k))
    view = view_of(rng)
    cards = corner_cards(rng, *TABLE_MM)
    drawn = marked_table(rng, view, TILE_MM, cards)
    profile, off, took_s = profile_of(drawn)
    bumped = replace(view, tilt_deg=view.tilt_deg + 0.8, turn_deg=view.turn_deg + 1.2)
    after = marked_table(rng, bumped, TILE_MM, cards)
    by_marks = drift(after.picture, profile)
    again = after_camera_move(drawn.picture, camera(view), camera(bumped))
    by_spots = drift(again, without_markers(profile))
    return TableErrors(
        float(off.max()),
        worst_mm(profile, drawn),
        took_s,
        worst_mm(by_marks.profile, after) if by_marks.state is DriftState.MOVED else math.inf,
        worst_mm(by_spots.profile, after) if by_spots.state is DriftState.MOVED else math.inf,
    )


def without_markers(profile: Profile) -> Profile:
    """Return a profile without markers."""
    table = profile.table and replace(profile.table, markers=())
    return replace(profile, table=table)


def table_metrics(tried: list[TableErrors]) -> Iterator[Metric]:
    """Yield the metrics of tables."""
    how = f"{len(tried)} tables at 12 MP, tilted up to 18 degrees, lens bent by up to 6 %"
    corner, place = max(one.corner_px for one in tried), max(one.place_mm for one in tried)
    yield Metric("a marker's corner, at worst", corner, "px", most=MAX_CORNER_ERROR_PX, how=how)
    yield Metric("a place on the table, at worst", place, "mm", most=MAX_PLACE_ERROR_MM, how=how)
    took = max(one.took_s for one in tried)
    yield Metric("a table measured from one frame, at worst", took, "s", most=MAX_CPU_PER_FRAME_S, how=how)
    bumped = max(one.bumped_mm for one in tried)
    yield Metric(
        "after a bump, by markers, at worst",
        bumped,
        "mm",
        most=2 * MAX_PLACE_ERROR_MM,
        how="a place on the table",
    )
    spots = [one.unmarked_mm for one in tried if math.isfinite(one.unmarked_mm)]
    found = f"by the background alone: {len(spots)} of {len(tried)} found again, the others ask for one tap"
    yield Metric("after a bump, by the background, at worst", max(spots, default=math.nan), "mm", how=found)


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game read without and with its profile: scores, times in ms; tableaux, and those with the right
    seat.
    """

    scores: tuple[Score, Score]
    took_ms: tuple[float, float]
    tableaux: int
    seats: int


def game_result(k: int, box: TileSet) -> GameResult:
    """Return the results of a drawn game, read without and with the profile of its table."""
    rng = np.random.default_rng((SEED, 1, k))
    view = replace(view_of(rng), tilt_deg=float(rng.uniform(0, 10)))
    cards = corner_cards(rng, *TABLE_MM)
    profile, _, _ = profile_of(marked_table(rng, view, TILE_MM, cards))
    drawn, scene, grids = marked_game(rng, view, TILE_MM, cards, vocabulary(), box)
    truth = truth_of(scene, grids, box)
    without, plain_ms = timed_read(Reader(box), drawn.picture)
    known, known_ms = timed_read(Reader(box, tile_size=profile.tile_px), drawn.picture)
    owners = seat_owners(
        with_seats(known, profile),
        [(tile.placed.group, tile.corners.mean(0)) for tile in scene.tiles],
    )
    scores = score(truth, without), score(truth, known)
    return GameResult(scores, (plain_ms, known_ms), len(owners), sum(owners))


def seat_owners(reading: Reading, laid: list[tuple[int, NDArray[np.float64]]]) -> list[bool]:
    """Return for each tableau that was read whether it was given to the player who laid it."""
    middles = np.array([middle for _, middle in laid])
    right = []
    for number, tableau in enumerate(reading.tableaux):
        own = [np.array(tile.centre) for tile in reading.tiles if tile.tableau == number]
        groups = [laid[int(np.hypot(*(middles - at).T).argmin())][0] for at in own]
        player = statistics.mode(groups)
        if player >= 0:
            right.append(tableau.seat == str(player + 1))
    return right


def game_metrics(games: list[GameResult]) -> Iterator[Metric]:
    """Yield the metrics of games, the profile's beside those without it."""
    how = f"{len(games)} games of four at 12 MP"
    for what, which in (("without a profile", 0), ("with it", 1)):
        ms = statistics.median(game.took_ms[which] for game in games)
        counts = total([game.scores[which] for game in games])
        yield Metric(f"a game read {what}", ms, "ms", how=how)
        how_right = f"{counts.silent} silent faults, {counts.exact} of {counts.tableaux} tableaux exact"
        yield Metric(f"symbols right {what}", percent(counts.right, counts.tiles), "%", how=how_right)
    seats, there = sum(game.seats for game in games), sum(game.tableaux for game in games)
    yield Metric(
        "tableaux given to the right seat", percent(seats, there), "%", least=99, how=f"{seats} of {there}"
    )
