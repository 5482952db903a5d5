"""The drawn table is read as it lies: by the same reader as a real camera's pictures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from companion.bootstrap.simulated.game import GAMES, SimulatedGame
from companion.model.patterns import Pattern
from companion.model.tiles import tile_set
from companion.table.fusion import CameraPose
from companion.table.seating_plan import camera_view
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import Tracker
from hardware.lights.patterns import rhythm
from hardware.simulated.camera import SimulatedCamera, SteppedClock
from hardware.simulated.draw import Canvas
from hardware.simulated.draw_table import LED_CENTRE, Mat, table_top
from hardware.simulated.world import MoveTile, PlacedTile, World
from tests.slow import mostly_slow

SIZE, PX = (40.0, 30.0), 32.0
WORDS = (("QUICK", 8.0, 24.0, 0), ("JUMBO", 4.0, 4.0, 1), ("VEXED", 34.0, 3.0, 2), ("PLANTS", 36.0, 26.0, 3))


def word(letters: str, x: float, y: float, quarter_turns: int) -> list[PlacedTile]:
    turn = quarter_turns * math.pi / 2
    return [
        PlacedTile(one, x + 1.04 * k * math.cos(turn), y + 1.04 * k * math.sin(turn), turn, up=True)
        for k, one in enumerate(letters)
    ]


@pytest.fixture(scope="module")
def top() -> np.ndarray:
    return table_top(np.random.default_rng(3), SIZE, PX, Mat(20.0, 15.0, 10.0, 8.0))


def table(*down: PlacedTile) -> World:
    tiles = [tile for given in WORDS for tile in word(*given)]
    return World(SIZE, [*tiles, *down], [((20.0, 33.0), 0.0)])


def test_words_turned_to_every_side_are_read_exactly(top: np.ndarray) -> None:
    heap = [PlacedTile("Z", 17.0 + 1.2 * (k % 6), 13.0 + 1.2 * (k // 6), 0.5 * k) for k in range(18)]
    reading = Reader(tile_set("bananagrams-en"), tile_size=PX).read(Canvas(table(*heap), top, PX).frame())
    read = {"".join(cell.symbol for cell in tableau.cells): tableau.turn_deg for tableau in reading.tableaux}
    assert sorted(read) == sorted(letters for letters, *_ in WORDS)
    for letters, _, _, quarter_turns in WORDS:
        assert abs((read[letters] - 90 * quarter_turns + 180) % 360 - 180) < 5
    assert sum(tile.face == "down" for tile in reading.tiles) == 18
    assert not any(tile.doubt for tile in reading.tiles if tile.tableau is not None)


def test_every_face_down_tile_is_seen_on_bare_wood() -> None:
    size, px = (60.0, 45.0), 28.0
    rng = np.random.default_rng(3)
    wood = table_top(rng, size, px, Mat(30.0, 22.5, 14.0, 12.0))
    rows = [
        PlacedTile("Z", 2.0 + 1.7 * k, y, float(rng.normal(0, 0.03)))
        for y in (2.0, 4.0, 40.0, 42.0)
        for k in range(33)
    ]
    frame = Canvas(World(size, rows, [((30.0, 50.0), 0.0)]), wood, px).frame()
    reading = Reader(tile_set("bananagrams-en")).read(frame)
    assert [tile.face for tile in reading.tiles] == ["down"] * len(rows)


def test_only_what_has_changed_is_drawn_anew(top: np.ndarray) -> None:
    world = table()
    canvas = Canvas(world, top, PX)
    canvas.frame()
    world.put(0, x=20.0)
    moved = canvas.frame().astype(int)
    whole = Canvas(world, top, PX).frame().astype(int)
    assert np.abs(moved - whole).max() < 16  # noise and flicker alone


def test_a_hand_hides_what_it_reaches_over_and_leaves_no_trace(top: np.ndarray) -> None:
    world = table()
    canvas = Canvas(world, top, PX)
    before = canvas.frame().astype(int)
    world.queue(0, MoveTile(2, 20.0, 20.0))
    world.advance(0.5)
    over = canvas.frame().astype(int)
    assert (np.abs(over - before).max(2) > 40).mean() > 0.005
    world.arms[0].actions.clear()
    world.advance(10.0)
    assert np.abs(canvas.frame().astype(int) - before).max() < 16


def test_the_camera_lets_the_table_go_on_with_every_frame(top: np.ndarray) -> None:
    world, clock = table(), SteppedClock()
    lived: list[int] = []
    camera = SimulatedCamera(Canvas(world, top, PX), clock, lived.append)
    with camera:
        shots = [camera.newest(0, 0.1) for _ in range(3)]
    stamps = [shot.at_ns for shot in shots if shot]
    assert stamps == lived
    assert np.diff(stamps).tolist() == [125_000_000] * 2
    assert camera.newest(stamps[-1] + 10**9, 0.0) is None


def test_a_stepped_clock_goes_by_fine_steps_while_a_finger_is_on_a_button() -> None:
    clock = SteppedClock()
    seen: list[int] = []

    def resting() -> bool:
        seen.append(clock.now_ns())
        return len(seen) > 3

    clock.state.fingers_idle = resting
    began = clock.now_ns()
    clock.step(125_000_000)
    assert [at - began for at in seen] == [0, 6_000_000, 12_000_000, 18_000_000]
    assert clock.now_ns() == began + 125_000_000


LIGHTS = [colour for pattern in Pattern for colour in {step.colour for step in rhythm(pattern, 3).steps}]


def lit(plan: SimulatedGame, frame: int) -> Canvas:
    """Return a table on which nothing lies, its lights showing one colour after the other."""
    per_seat = 1 if plan.players <= 4 else 6
    lamps = [
        (plan.seating.console(seat), lambda seat=seat: [LIGHTS[(seat + frame) % len(LIGHTS)]] * per_seat)
        for seat in range(plan.players)
    ]
    return Canvas(World(plan.seating.size, [], []), plan.table_image(), plan.tile_px, frame, lamps)


@pytest.mark.parametrize(
    ("game", "players"),
    mostly_slow([("chew", 2), ("bananagrams", 4), ("league_city", 8), ("binary_scrabble", 2)]),
)
def test_a_seats_buttons_and_lights_are_seen_and_nothing_is_read_there(
    game: str, players: int, tmp_path: Path
) -> None:
    plan = SimulatedGame.of(game, players, 2, tmp_path)
    kind = GAMES[game].board
    reader = Reader(tile_set(GAMES[game].tile_set), kind.kind if kind else None, plan.tile_px)
    for frame in range(0, len(LIGHTS), 3):
        assert reader.read(lit(plan, frame).frame()).tiles == ()


def test_a_light_that_goes_on_is_to_be_seen_in_its_colour(tmp_path: Path) -> None:
    plan = SimulatedGame.of("bananagrams", 4, 1, tmp_path)
    console, shines = plan.seating.console(0), [(0.0, 0.0, 0.0)]
    canvas = Canvas(
        World(plan.seating.size, [], []), plan.table_image(), plan.tile_px, 1, [(console, lambda: shines)]
    )
    x, y = (round(at * plan.tile_px) for at in console.spot(LED_CENTRE))
    dark = canvas.frame()[y, x]
    shines[0] = (1.0, 0.0, 0.0)
    red = canvas.frame()[y, x]
    assert max(dark) < 90
    assert red[2] > 200 > 90 > max(red[:2])


@pytest.mark.slow
def test_lights_that_blink_keep_no_seat_waiting(tmp_path: Path) -> None:
    plan = SimulatedGame.of("bananagrams", 4, 1, tmp_path)
    steady = Tracker(Reader(tile_set("bananagrams-en"), None, plan.tile_px))
    seats = camera_view(CameraPose(plan.profile()), None, (0.0, 90.0, 180.0, 270.0))
    blinking = []
    for frame in range(12):
        seen = steady.update(lit(plan, max(0, frame - 4)).frame(), 125_000_000 * (frame + 1))
        blinking += [(seen.moving, seats.touched(seen.moving))] * (frame > 4)
    assert all(restless and not touched for restless, touched in blinking)
