"""Accuracy of tracking on Volcano boards: a hand moves the pyramids of a drawn game, one after another.

The letters that a pyramid bares must be read, and each pyramid must be seen on its new cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calibration.drawing.rng import Rng
from calibration.drawing.volcano import CELLS, VolcanoTable, place_pyramid
from calibration.evaluation.boards import LETTER_TILE_SET, martian_boggle_table, volcano_truth, volcano_view
from calibration.evaluation.laying import (
    FULL_LIGHT,
    LATER_FRAMES,
    REST_FRAMES,
    SCENES_PER_BOARD,
    Colours,
    Game,
    ReaderFor,
    TrackedGame,
    disturbed,
    game_metrics,
    next_light,
)
from calibration.evaluation.metric import Metric, Progress
from calibration.evaluation.scoring import Score, score
from calibration.evaluation.truth import Truth

SEED = 72_000
"""Game k is played from (SEED, k)."""

MOVES = 6
"""Number of pyramids that are moved in even light, and again while people lean over the table."""


def moving_metrics(scenes: int, reader_for: ReaderFor, progress: Progress) -> Iterator[Metric]:
    """Yield the metrics of games in which pyramids are moved on drawn boards; raise NoFonts."""
    many = max(1, scenes // SCENES_PER_BOARD)
    each = (moving_game((SEED, k), f"Volcano board {k + 1} of {many}") for k in range(many))
    yield from game_metrics("Volcano: ", each, reader_for, progress)


def moving_game(seed: tuple[int, ...], name: str) -> Game:
    """Return the game in which the pyramids of a drawn board are moved."""
    rng = np.random.default_rng(seed)
    table, side = drawn_table(rng)
    stages = partial(moved_pyramids, table, seed=seed, rng=rng)
    return Game(name, (LETTER_TILE_SET, "volcano"), side, rng, stages)


def drawn_table(rng: Rng) -> tuple[VolcanoTable, float]:
    """Return a table whose pyramids look the same in each picture, and the side of its tiles in pixels."""
    view = volcano_view(rng)
    table = martian_boggle_table(rng, view)
    standing = tuple(replace(one, seed=k) for k, one in enumerate(table.standing))
    return replace(table, standing=standing), view.tile_px


def moved_pyramids(
    table: VolcanoTable, game: TrackedGame, seed: tuple[int, ...], rng: Rng
) -> Iterator[tuple[str, Score]]:
    """Move pyramids from cell to cell, disturb the table, and move more of them while people lean over it.

    Yield scores by the name of their stage.
    """
    shown = partial(picture_of, seed=seed)
    picture, truth = shown(table)
    yield "boards as they are found", score(truth, game.rest(picture, REST_FRAMES))
    light = FULL_LIGHT
    for light_changes in (False, True):
        for _ in range(MOVES):
            lifted, lowered, places = random_move(rng, table)
            (without, _), before = shown(lifted), picture * light
            light = next_light(rng, light, picture, game.side) if light_changes else light
            table, (picture, truth) = lowered, shown(lowered)
            game.reach(before, without * light, places[0])
            game.reach(without * light, picture * light, places[1])
            reading = game.rest(picture * light, REST_FRAMES)
            yield "boards a second after a move" + " in a shadow" * light_changes, score(truth, reading)
        if not light_changes:
            yield from disturbed("boards", game, picture, truth, game.side)
    yield "boards in a shadow", score(truth, game.rest(picture * light, LATER_FRAMES))


def picture_of(table: VolcanoTable, seed: tuple[int, ...]) -> tuple[Colours, Truth]:
    """Return the picture of a table, in the material and light of a seed, and its ground truth."""
    scene = table.scene(np.random.default_rng(seed))
    return scene.picture.astype(np.float32), volcano_truth(scene)


def random_move(rng: Rng, table: VolcanoTable) -> tuple[VolcanoTable, VolcanoTable, NDArray[np.float64]]:
    """Return a table without one of its pyramids, and with it on a free cell; and both places, (2, 2)."""
    held = [one.cell for one in table.stood]
    number = int(rng.choice([k for k, cell in enumerate(held) if cell]))
    free = [(row, col) for row in range(CELLS) for col in range(CELLS) if (row, col) not in held]
    cell, standing, stood = free[int(rng.integers(len(free)))], list(table.standing), list(table.stood)
    before, one = standing.pop(number), stood.pop(number)
    after = replace(place_pyramid(rng, table.setting, cell, one.colour), seed=before.seed)
    lifted = replace(table, standing=tuple(standing), stood=tuple(stood))
    lowered = replace(table, standing=(*standing, after), stood=(*stood, replace(one, cell=cell)))
    places = table.seen.pixels(np.array([[one.x, one.y, 0.0] for one in (before, after)]))
    return lifted, lowered, places
