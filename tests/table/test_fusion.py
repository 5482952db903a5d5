"""Several cameras over one table: what they know, put together in millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.model.reading import Face, Reading
from companion.model.tiles import tile_set
from companion.table.fusion import Floats, Mask, Observation, Visibility, fused_detections
from companion.vision.classifier import ClassProbabilities
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.pipeline.reader import Reader
from tests.vision.made_detections import detections_at, probabilities_of

SIDE = 20.0
READER = Reader(tile_set("bananagrams-en"))
ROW = [(100 + 21 * n, 100) for n in range(3)]
"""Three places side by side, in mm."""


def everywhere(places: Floats) -> Mask:
    return np.ones(len(places), bool)


def nowhere(places: Floats) -> Mask:
    return np.zeros(len(places), bool)


def part(
    letters: str,
    places: Sequence[tuple[float, float]],
    *,
    turn_deg: float = 0.0,
    hidden: tuple[int, ...] = (),
    probabilities: ClassProbabilities | None = None,
    sees: Visibility = everywhere,
    unread: Sequence[tuple[float, float]] = (),
) -> Observation:
    """Return what a camera knows: letters and unread places in mm, turned clockwise; some are hidden now."""
    plain = np.array([n not in hidden for n in range(len(letters))], bool)
    detected = FrameDetections(
        (1000, 800),
        detections_at(places, SIDE, turn_deg),
        probabilities or probabilities_of(*letters),
        None,
        unread=np.array(unread, float).reshape(-1, 2),
    )
    return Observation(detected, plain, sees)


def read(*parts: Observation) -> Reading:
    """Return what a table says that several cameras see."""
    return READER.reading(fused_detections(parts))


def words(reading: Reading) -> list[str]:
    """Return the letters of each tableau in reading order."""
    return sorted("".join(cell.symbol for cell in one.cells) for one in reading.tableaux)


def test_a_tile_that_both_see_counts_once() -> None:
    reading = read(part("CAT", ROW), part("CAT", ROW))
    assert words(reading) == ["CAT"]
    assert len(reading.tiles) == 3


def test_a_word_of_which_each_camera_sees_a_part_is_one_word() -> None:
    row = [(100 + 21 * n, 100) for n in range(5)]
    assert words(read(part("CRA", row[:3]), part("ANE", row[2:]))) == ["CRANE"]


def test_tiles_seen_from_opposite_sides_are_the_same_tiles() -> None:
    probabilities = probabilities_of("C", "A", "T", turns=(2, 2, 2))
    reading = read(part("CAT", ROW), part("CAT", ROW, turn_deg=180.0, probabilities=probabilities))
    assert (words(reading), [tile.doubt for tile in reading.tiles]) == (["CAT"], [False] * 3)


def test_where_two_sure_cameras_disagree_there_is_a_doubt_with_both_names() -> None:
    reading = read(part("CAT", ROW), part("COT", ROW))
    doubted = [cell for cell in reading.tableaux[0].cells if cell.doubt]
    assert [{cell.symbol, cell.alternative} for cell in doubted] == [{"A", "O"}]


def test_who_is_sure_helps_who_is_not() -> None:
    glaring = probabilities_of("C", "O", "T", sure=0.6, others="GQI")
    reading = read(part("CAT", ROW), part("COT", ROW, probabilities=glaring))
    assert words(reading) == ["CAT"]
    assert not any(tile.doubt for tile in reading.tiles)


def test_where_no_camera_is_sure_it_stays_a_doubt() -> None:
    probabilities = probabilities_of("C", "A", "T", sure=0.6, others="GRI")
    assert all(
        tile.doubt
        for tile in read(
            part("CAT", ROW, probabilities=probabilities), part("CAT", ROW, probabilities=probabilities)
        ).tiles
    )


def test_face_up_for_one_and_face_down_for_the_other_is_a_doubt() -> None:
    reading = read(part("X", [(100, 100)]), part("_", [(100, 100)]))
    assert [tile.doubt for tile in reading.tiles] == [True]


def test_a_tile_that_a_hand_hides_from_one_is_named_by_the_other() -> None:
    before = part("COT", ROW, hidden=(1,))
    assert words(read(before, part("CAT", ROW))) == ["CAT"]


def test_a_hidden_tile_that_another_camera_sees_gone_is_gone() -> None:
    reading = read(part("CATS", [*ROW, (400, 400)], hidden=(3,)), part("CAT", ROW))
    assert "".join(tile.symbol or "" for tile in reading.tiles) == "CAT"


@pytest.mark.parametrize("hidden", [(), (3,)])
def test_a_tile_that_the_other_camera_cannot_see_is_believed(hidden: tuple[int, ...]) -> None:
    reading = read(part("CATS", [*ROW, (400, 400)], hidden=hidden), part("CAT", ROW, sees=nowhere))
    assert "".join(tile.symbol or "" for tile in reading.tiles) == "CATS"


def test_tiles_are_put_back_where_the_cameras_height_shifts_them() -> None:
    shifted = [(x + 8, y - 5) for x, y in ROW]
    one = fused_detections([part("CAT", ROW), part("CAT", shifted)])
    assert one.detections.centres == pytest.approx(np.add(ROW, (4, -2.5)))


def test_a_word_over_the_edge_of_two_shifted_pictures_is_whole() -> None:
    row = [(100 + 21 * n, 100) for n in range(9)]
    left, right = row[:6], [(x + 6, y + 6) for x, y in row[3:]]
    assert words(read(part("ABSOLU", left), part("OLUTES", right))) == ["ABSOLUTES"]


def test_neighbours_are_never_taken_for_one_tile() -> None:
    close = [(100 + 20 * n, 100) for n in range(8)]
    reading = read(part("ABSOLUTE", close), part("ABSOLUTE", [(x + 7, y) for x, y in close]))
    assert words(reading) == ["ABSOLUTE"]


def unread_places(reading: Reading) -> list[tuple[float, float]]:
    return [place.at for tableau in reading.tableaux for place in tableau.unread]


NEXT = (163.0, 100.0)
"""The place after a row of three, in mm."""


def test_a_place_that_no_other_camera_sees_stays_unread() -> None:
    assert unread_places(read(part("CAT", ROW, unread=[NEXT]))) == [NEXT]
    for other in (part("CAT", ROW, sees=nowhere), part("CAT", ROW, unread=[NEXT])):
        for both in permutations((part("CAT", ROW, unread=[NEXT]), other)):
            assert unread_places(read(*both)) == [NEXT]


def test_a_place_that_another_camera_sees_is_read_by_that_one() -> None:
    dazzled = part("CAT", ROW, unread=[NEXT])
    bare = read(dazzled, part("CAT", ROW))
    assert (words(bare), unread_places(bare)) == (["CAT"], [])
    whole = read(dazzled, part("CATS", [*ROW, NEXT]))
    assert (words(whole), unread_places(whole)) == (["CATS"], [])
    assert not any(tile.doubt for tile in whole.tiles)


def test_a_camera_does_not_deny_a_tile_where_it_reads_nothing() -> None:
    weak = part("CATS", [*ROW, NEXT])
    scores = np.where(np.arange(4) == 3, 0.45, 0.9)
    weak = replace(
        weak, detected=replace(weak.detected, detections=replace(weak.detected.detections, scores=scores))
    )
    denied, dazzled = (read(weak, part("CAT", ROW, unread=places)) for places in ([], [NEXT]))
    assert [tile.doubt for tile in denied.tiles] != [tile.doubt for tile in dazzled.tiles]


def test_unread_places_shift_with_the_cameras_tiles() -> None:
    shifted = [(x + 8, y - 5) for x, y in ROW]
    far = (NEXT[0] + 8, NEXT[1] - 5)
    one = fused_detections([part("CAT", ROW, sees=nowhere), part("CAT", shifted, unread=[far], sees=nowhere)])
    assert one.unread == pytest.approx(np.add([NEXT], (4, -2.5)))


def test_cameras_that_see_nothing_know_nothing() -> None:
    assert read(part("", []), part("", [])).tiles == ()
    assert words(read(part("", []), part("CAT", ROW))) == ["CAT"]


def test_three_cameras_see_each_tile_once() -> None:
    places = [[(x + dx, y + dy) for x, y in ROW] for dx, dy in ((0, 0), (5, 0), (0, 5))]
    assert words(read(*(part("CAT", row) for row in places))) == ["CAT"]


PLACES = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), unique=True, max_size=25)


@st.composite
def tables(draw: st.DrawFn) -> list[Observation]:
    """Return two to four cameras over one table, each of which sees a part of it."""
    places = draw(PLACES)
    letters = draw(st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=len(places), max_size=len(places)))
    parts = []
    for _ in range(draw(st.integers(2, 4))):
        seen = draw(st.lists(st.booleans(), min_size=len(places), max_size=len(places)))
        mine = [n for n, sees in enumerate(seen) if sees]
        shift = draw(st.tuples(st.integers(-4, 4), st.integers(-4, 4)))
        at = [(100 + 30 * places[n][0] + shift[0], 100 + 30 * places[n][1] + shift[1]) for n in mine]
        parts.append(part("".join(letters[n] for n in mine), at, sees=nowhere))
    return parts


def cell(x: float, y: float) -> tuple[int, int]:
    """Return which place of the strategy's table a tile lies on."""
    return round((x - 100) / 30), round((y - 100) / 30)


def told(detected: FrameDetections) -> dict[tuple[int, int], tuple[str, float, float]]:
    """Return what lies on which place, and where exactly."""
    symbols = np.array(detected.probabilities.symbols)[
        detected.probabilities.p_symbol.sum(2).argmax(1)
    ].tolist()
    centres = detected.detections.centres.tolist()
    return {cell(x, y): (symbol, x, y) for (x, y), symbol in zip(centres, symbols, strict=True)}


@settings(max_examples=60, deadline=None)
@given(tables())
def test_the_order_of_the_cameras_does_not_matter(parts: list[Observation]) -> None:
    first = told(fused_detections(parts))
    for order in permutations(parts):
        other = told(fused_detections(order))
        assert {at: what[0] for at, what in first.items()} == {at: what[0] for at, what in other.items()}
        assert [first[at][1:] for at in first] == [pytest.approx(other[at][1:]) for at in first]


@settings(max_examples=60, deadline=None)
@given(tables())
def test_every_tile_that_anybody_sees_is_there_once(parts: list[Observation]) -> None:
    seen = {cell(x, y) for one in parts for x, y in one.detected.detections.centres}
    assert sorted(cell(x, y) for x, y in fused_detections(parts).detections.centres) == sorted(seen)


@settings(max_examples=30, deadline=None)
@given(tables())
def test_one_camera_alone_is_believed_as_it_is(parts: list[Observation]) -> None:
    one = parts[0]
    assert fused_detections([one]) is one.detected


def test_a_face_down_tile_stays_so() -> None:
    reading = read(part("_", [(100, 100)]), part("_", [(102, 100)]))
    assert [(tile.face, tile.doubt) for tile in reading.tiles] == [(Face.DOWN, False)]


def test_nothing_of_a_part_is_changed() -> None:
    one, other = part("CAT", ROW), part("COT", [(x + 5, y) for x, y in ROW])
    before = replace(one.detected.detections, centres=one.detected.detections.centres.copy())
    fused_detections([one, other])
    assert np.array_equal(one.detected.detections.centres, before.centres)
