"""What was no tile a moment ago is looked into again: the hand that kept it from being read may have gone."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.vision.tracking.background import REDETECTION_DELAY_NS, BackgroundModel
from companion.vision.tracking.block_grid import BlockGrid, sample_points
from tests.vision import simple_table
from tests.vision.simple_table import LETTERS, Watch, word

STEP = 100_000_000
LATER = 10**12


def changed() -> tuple[BackgroundModel, np.ndarray]:
    """Return a table on which something has come to lie, judged to be no tile at 1 s, and the frame."""
    grid = BlockGrid.of(np.zeros((256, 256), np.uint8), 32)
    bare = grid.downsample(np.full((256, 256), 90, np.uint8))
    frame = np.full((256, 256), 90, np.uint8)
    frame[96:160, 96:160] = 200
    background = BackgroundModel(grid, bare, np.zeros(grid.shape, bool), 0)
    for n in range(1, 11):
        background.update(frame, n * STEP)
    background.judge(background.differs, LATER)
    return background, frame


def test_what_was_judged_is_left_alone_for_a_moment() -> None:
    background, frame = changed()
    background.update(frame, 10 * STEP + 1)
    before = background.judged.copy()
    background.update(frame, 10 * STEP + 2)
    assert (background.judged == before).all()


def test_what_was_judged_is_looked_into_again_soon() -> None:
    background, frame = changed()
    assert background.judged[background.differs].all()
    background.update(frame, 10 * STEP + REDETECTION_DELAY_NS)
    assert not background.judged.any()


def test_what_has_lain_there_long_is_still_known_to_be_no_tile() -> None:
    background, frame = changed()
    background.update(frame, LATER)
    assert background.static[background.differs].all()
    background.judge(background.differs, LATER)
    background.update(frame, LATER + 2 * REDETECTION_DELAY_NS)
    assert background.judged[background.differs].all()


def test_what_comes_to_lie_on_something_old_makes_only_itself_young() -> None:
    background, frame = changed()
    background.update(frame, LATER)
    background.judge(background.differs, LATER)
    before, covered = background.static.copy(), frame.copy()
    covered[96:112, 96:112] = 30
    background.update(covered, LATER + STEP)
    assert before[6, 6]
    assert (before & ~background.static).sum() == 1
    assert not background.judged.any()  # all of it is looked into again


def grained(dark: float) -> tuple[BlockGrid, np.ndarray, np.ndarray]:
    """Return a grid, grained wood, and the same with a sleeve over it that is ``dark`` grey levels darker."""
    grain = cv2.GaussianBlur(np.random.default_rng(5).normal(0, 1, (512, 512)).astype(np.float32), (0, 0), 4)
    wood = 90 + 4 * grain / grain.std()
    sleeve = wood.copy()
    sleeve[240:304, 128:] = 90 - dark
    grid = BlockGrid.of(np.zeros((512, 512), np.uint8), 32)
    bare, covered = (one.round().astype(np.uint8) for one in (wood, sleeve))
    return grid, bare, covered


def test_a_sleeve_that_was_taken_for_grained_wood_is_a_ghost_once_it_is_gone() -> None:
    grid, wood, sleeve = grained(18)
    background = BackgroundModel(grid, grid.downsample(sleeve), np.zeros(grid.shape, bool), 0)
    background.update(wood, STEP)
    assert background.differs.sum() > 30
    assert background.ghosts(background.differs).sum() > 0.9 * background.differs.sum()


def test_a_sleeve_that_lies_on_grained_wood_is_no_ghost() -> None:
    grid, wood, sleeve = grained(18)
    background = BackgroundModel(grid, grid.downsample(wood), np.zeros(grid.shape, bool), 0)
    background.update(sleeve, STEP)
    assert background.differs.sum() > 30
    assert not background.ghosts(background.differs).any()


@pytest.mark.parametrize(("others", "doubted"), [(0.9, False), (0.3, True)])
def test_a_tile_that_the_detector_hardly_saw_is_looked_for_at_other_scales(
    others: float, doubted: bool
) -> None:
    watch = Watch()
    watch.reader.scores = {"A": (0.3, others)}
    watch.table.tiles = {(300, 200): "A", (500, 200): "B"}
    first = watch.see()
    last = watch.see(12)
    assert [tile.doubt for tile in first.reading.tiles if tile.symbol == "A"] == [True]
    assert [tile.doubt for tile in last.reading.tiles if tile.symbol == "A"] == [doubted]


def test_a_tile_that_the_detector_overlooks_at_other_scales_stays_in_doubt() -> None:
    watch = Watch()
    watch.reader.scores = {"A": (0.3, 0.9)}
    watch.table.tiles = {(300, 200): "A"}
    watch.see()
    watch.reader.blind = {"A"}
    assert [tile.doubt for tile in watch.see(12).reading.tiles] == [True]


def test_a_tile_that_was_found_at_other_scales_is_no_doubt_for_one_more_look_that_hardly_sees_it() -> None:
    watch = Watch()
    watch.reader.scores = {"A": (0.3, 0.9)}
    watch.table.tiles = {(300, 200): "A"}
    watch.see(12)
    watch.reader.scores = {"A": (0.3, 0.3)}
    watch.steady.request_detection()
    assert [tile.doubt for tile in watch.see(2).reading.tiles] == [False]


@pytest.mark.parametrize(
    ("at", "turn", "stays"),
    [((218, 184), 0.0, False), ((214, 188), 0.8, False), ((226, 226), 0.0, True), ((400, 400), 0.0, True)],
)
def test_a_ghost_on_a_tile_goes_where_the_detector_never_finds_it_again(
    at: tuple[int, int], turn: float, stays: bool
) -> None:
    watch = Watch()
    watch.table.tiles = {(200, 200): "A", (500, 400): "B"}
    watch.rests()
    scene = watch.steady._scene  # noqa: SLF001 - a detection that noise brought about once
    assert scene is not None
    ghost = scene.tracks.detected.kept(np.array([0]))
    detections = replace(
        ghost.detections, centres=np.array([at], float), scores=np.array([0.25]), turns=np.array([turn])
    )
    ghost = replace(ghost, detections=detections)
    scene.tracks.replace_tiles(np.ones(2, bool), ghost, np.zeros(1, np.int64))
    scene.dirty = True
    assert [tile.doubt for tile in watch.see().reading.tiles] == [False, False, True]
    seen = watch.see(12).reading.tiles
    assert [tile.doubt for tile in seen] == [False, False, True][: 2 + stays]
    assert [tile.symbol for tile in seen][:2] == ["A", "B"]


def test_a_tile_that_is_not_at_rest_is_not_learnt_as_its_neighbours_rim() -> None:
    watch = Watch()
    watch.table.tiles = {(500, 400): "D"}
    watch.rests()
    scene = watch.steady._scene  # noqa: SLF001 - frames of half a tile at rest come by chance
    assert scene is not None
    watch.table.row("ABC", (204, 200))
    frame = watch.table.drawn()
    scene.update(frame, watch.now + STEP, 0)
    middle = scene.grid.at(sample_points(np.array([[237.0, 200.0]]), np.eye(2)[None] * 32))
    everywhere = np.ones(scene.grid.shape, bool)
    for at_rest, held in ((False, "ACD"), (True, "ABCD")):
        scene.settled.flat[middle] = at_rest
        detected = watch.reader.detect(frame)
        scene.apply_detections(detected, everywhere, scene.changeable)
        symbols = scene.tracks.detected.probabilities.p_symbol.sum(2).argmax(1)
        assert sorted(LETTERS[k] for k in symbols) == list(held)
        assert scene.background.differs.flat[middle].all() or at_rest


def test_a_known_tile_that_seems_to_lie_a_little_further_keeps_nothing_unlearnt() -> None:
    watch = Watch()
    watch.table.tiles = {(211, 200): "A"}
    watch.rests()
    scene = watch.steady._scene  # noqa: SLF001 - a detection that trembles by two pixels
    assert scene is not None
    watch.table.tiles[254, 200] = "B"
    frame = watch.table.drawn()
    scene.update(frame, watch.now + STEP, 0)
    detected = watch.reader.detect(frame)
    centres = detected.detections.centres + np.where(detected.detections.centres[:, :1] < 230, [2, 0], 0)
    detected = replace(detected, detections=replace(detected.detections, centres=centres))
    everywhere = np.ones(scene.grid.shape, bool)
    scene.apply_detections(detected, everywhere, scene.changeable)
    assert len(scene.tracks) == 2
    assert not scene.background.differs.any()
    assert not scene.recent.any()


def test_a_tile_whose_place_is_seen_bare_only_beside_its_neighbour_goes() -> None:
    watch = Watch()
    watch.table.tiles = {(500, 400): "D"}
    watch.rests()
    watch.table.tiles |= {(196, 200): "A", (229, 200): "B"}
    watch.rests()
    scene = watch.steady._scene  # noqa: SLF001 - blocks of two tiles at once differ last by chance
    assert scene is not None
    del watch.table.tiles[196, 200]
    frame = watch.table.drawn()
    scene.update(frame, watch.now + STEP, 0)
    left = scene.tracks.detected.detections.centres[:, 0] < 210
    shared = scene.grid.mask(scene.tracks.spots[left]) & scene.grid.mask(scene.tracks.spots[~left])
    assert shared.any()
    scene.background.differs &= shared
    assert scene.pending.any()
    scene.remove_uncovered()
    symbols = scene.tracks.detected.probabilities.p_symbol.sum(2).argmax(1)
    assert sorted(LETTERS[k] for k in symbols) == ["B", "D"]
    assert scene.since_ns == watch.now + STEP


def test_a_place_that_is_seen_bare_in_one_frame_keeps_no_tile_under_the_next_arm() -> None:
    watch = Watch()
    watch.table.row("AB", (200, 200))
    watch.rests()
    watch.table.tiles[500, 400] = "D"
    watch.rests()
    del watch.table.tiles[500, 400]
    bare_ns = watch.see().at_ns
    watch.table.over = [(420, 0, 580, 500)]
    seen = watch.see(4)
    assert sorted(str(tile.symbol) for tile in seen.reading.tiles) == ["A", "B"]
    assert seen.since_ns == bare_ns
    watch.table.over = []
    assert sorted(str(tile.symbol) for tile in watch.see(30).reading.tiles) == ["A", "B"]
    watch.table.tiles[500, 400] = "E"
    assert sorted(str(tile.symbol) for tile in watch.rests().reading.tiles) == ["A", "B", "E"]


def test_a_sleeve_as_bright_as_the_table_takes_no_tile_as_it_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simple_table, "SKIN", simple_table.TABLE)
    monkeypatch.setattr(simple_table, "FOLDS", 1)
    watch = Watch()
    watch.rests()
    watch.table.row("AB", (200, 200))
    watch.table.tiles[500, 400] = "D"
    watch.rests()
    for top in range(0, 600, 60):
        watch.table.over = [(0, top, 800, min(600, top + 150))]
        seen = watch.see()
        assert sorted(str(tile.symbol) for tile in seen.reading.tiles) == ["A", "B", "D"]
    watch.table.over = []
    assert sorted(str(tile.symbol) for tile in watch.see(30).reading.tiles) == ["A", "B", "D"]


def test_a_cup_that_shows_again_from_under_a_hand_hides_nothing_beside_it() -> None:
    watch, cup = Watch(), (540, 300, 700, 500)
    watch.table.row("AB", (200, 200))
    watch.rests()
    watch.table.over = [cup]
    watch.see(90)
    for k in range(6):
        watch.table.over = [cup, (560 + 8 * k, 0, 720 + 8 * k, 460)]
        watch.see()
    watch.table.tiles[518, 400] = "E"
    watch.table.over = [cup]
    assert word(watch.see(8)) == "ABE"


def test_an_arm_that_comes_back_to_its_place_has_not_lain_there_since() -> None:
    watch, arm = Watch(), (540, 0, 700, 500)
    watch.table.row("AB", (200, 200))
    watch.rests()
    for over in ([arm], [], [arm]):
        watch.table.over = over
        watch.see(60)
    watch.table.tiles[518, 400] = "E"
    assert word(watch.see(8)) == "AB"


def test_a_tile_that_is_not_quite_sure_is_read_in_more_than_one_frame() -> None:
    watch = Watch(0.9, 0.4)
    watch.table.tiles[300, 200] = "A"
    (tile,) = watch.see().reading.tiles
    assert not tile.doubt
    (tile,) = watch.see(9).reading.tiles
    assert tile.doubt
    assert tile.confidence < 0.6


def test_a_plain_sleeve_that_moves_over_grained_wood_is_not_learnt_as_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(simple_table, "WOOD", 4 * simple_table.WOOD)
    monkeypatch.setattr(simple_table, "SKIN", simple_table.TABLE)
    monkeypatch.setattr(simple_table, "FOLDS", 0)
    watch = Watch()
    watch.table.row("AB", (200, 200))
    watch.rests()
    for n, letter in enumerate("CDECDE"):
        for k in range(4):
            left = 420 + 10 * n + 5 * k
            watch.table.over = [(left, 0, left + 140, 470)]
            watch.see()
        watch.table.tiles[320 + 50 * n, 520] = letter
        watch.table.over = []
        assert word(watch.see(8)) == "ABCDECDE"[: n + 3]


def test_blocks_that_were_made_for_a_false_tile_of_another_size_are_made_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watch = Watch()
    watch.table.row("A", (200, 200))
    found = watch.reader.detect(watch.table.drawn())
    large = replace(found.detections, shapes=3 * found.detections.shapes)
    with monkeypatch.context() as once:
        once.setattr(watch.reader, "detect", lambda *_: replace(found, detections=large))
        watch.see()
    watch.table.row("BCDE", (300, 400))
    watch.rests()
    watch.steady.request_detection()
    assert word(watch.see()) == "ABCDE"
    scene = watch.steady._scene  # noqa: SLF001 - motions of the camera are right or wrong by its blocks
    assert scene is not None
    assert not scene.grid.misfits(simple_table.SIDE)
