"""Several cameras of the same places: what they tell together, at rest, moving and gone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import cast

import pytest

from companion.config.table import BoardConfig, TableConfig
from companion.errors import BadConfig
from companion.model.calls import Noted, Seen
from companion.model.grid import Place
from companion.model.profile import Zone, ZoneKind
from companion.model.reading import Tile
from companion.model.sightings import Board, Sighting
from companion.model.tiles import tile_set
from companion.table.board_fusion import BoardPlan
from companion.table.devices import GameClock
from companion.table.fusion import CameraPose, Readings
from companion.table.loop import Loop
from companion.table.publisher import SightingPublisher
from companion.table.rest_history import LooseTile
from companion.table.seating_plan import (
    FirstCameraPlan,
    FusedPlan,
    SeatingPlan,
    camera_view,
    seating_plan,
    zones_of,
)
from companion.table.views import SHARED_BOARD, BoardView, Layout, View
from companion.vision.grid.homography import Box
from companion.vision.pipeline.frame import FrameDetections
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import TrackedReading
from tests.table.playing import NO_LOOK, FakeHealth, reading_of
from tests.table.test_views import pose_of, profile
from tests.vision.made_detections import detections_at, probabilities_of

PLACES = {"left": (1, 2, 3), "right": (2, 3)}
"""The left camera sees all of seats 1 and 2, the right one all of seat 2; seat 3 needs both."""

HERE: Sequence[Box] = ((0, 0, 9, 9),)


@dataclass
class Views:
    """A camera in whose picture all that moves moves before the same seats."""

    places: tuple[int, ...]
    counts = has_pool = True
    layout = Layout()

    def seen(self, _reading: object) -> dict[int, Sighting | Board]:
        raise AssertionError("together they are asked, not each")

    def placed(self, _place: int) -> Mapping[Place, Tile]:
        return {}

    def loose(self, _place: int) -> Sequence[Tile]:
        raise AssertionError("together they are asked, not each")

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        return set(self.places) if boxes else set()


class Plan:
    """Sees at each seat the words that all cameras' readings name, in the order of the cameras."""

    places: tuple[int, ...] = (1, 2, 3)
    view: View = BoardView(BoardConfig())
    lying: Sequence[Tile] = ()

    def seen(self, readings: Readings) -> Mapping[int, Sighting | Board]:
        words = "".join(
            cell.symbol for one in readings.values() for t in one.reading.tableaux for cell in t.cells
        )
        return {place: Sighting((words,) if words else ()) for place in self.places}

    def loose(self, _readings: Readings, _place: int) -> Sequence[Tile]:
        return self.lying

    def placed(self, place: int, name: str, seen: TrackedReading) -> Mapping[Place, Tile]:
        return {}

    def covered(self, probabilities: Collection[str]) -> set[int]:
        alone = {
            1: {"left"} & set(probabilities),
            2: set(probabilities),
            3: set(probabilities) == {"left", "right"},
        }
        return {place for place, fine in alone.items() if fine}


@dataclass
class Hearing:
    """Stands for the loop and its calls that wait: remembers what it is told."""

    told: list[Seen] = field(default_factory=list)
    noted: list[Noted] = field(default_factory=list)
    rested: dict[int, tuple[int, bool]] = field(default_factory=dict)
    loose: dict[int, list[tuple[str, int, int]]] = field(default_factory=dict)
    numbers = (1, 2, 3)
    blind = ()

    @property
    def call_queue(self) -> Hearing:
        return self

    @property
    def state(self) -> Hearing:
        return self

    def seat(self, number: int) -> SimpleNamespace:
        return SimpleNamespace(name=f"player {number}")

    def submit(self, heard: Seen | Noted) -> None:
        if isinstance(heard, Seen):
            self.told.append(heard)
        else:
            self.noted.append(heard)

    def wake(self, then: Callable[[], None]) -> None:
        then()

    def update_rest(self, place: int, at_ns: int, whole_ns: int | None) -> None:
        self.rested[place] = at_ns, whole_ns is not None

    def update_loose(self, place: int, loose: Sequence[LooseTile]) -> None:
        self.loose[place] = [(one.symbol, one.from_ns, one.until_ns) for one in loose]


def publishing(plan: SeatingPlan, views: Mapping[str, View], heard: Hearing) -> SightingPublisher:
    return SightingPublisher(plan, views, GameClock(lambda: 1000, 0), cast("Loop", heard))


@pytest.fixture
def heard() -> Hearing:
    return Hearing()


def of_two_cameras(heard: Hearing) -> SightingPublisher:
    views: dict[str, View] = {name: Views(places) for name, places in PLACES.items()}
    return publishing(Plan(), views, heard)


@pytest.fixture
def publisher(heard: Hearing) -> SightingPublisher:
    return of_two_cameras(heard)


def frame(at_ns: int, word: str = "", restless: Sequence[Box] = ()) -> TrackedReading:
    reading = reading_of(*([(word, 100, 100)] if word else []))
    return TrackedReading(reading, NO_LOOK, at_ns, at_ns, not restless, unseen=tuple(restless))


def test_only_places_that_are_seen_whole_are_told_of(publisher: SightingPublisher, heard: Hearing) -> None:
    publisher.update("left", frame(100, "AT"))
    assert [(one.seat, one.at_ns) for one in heard.told] == [(1, 100), (2, 100)]
    publisher.update("right", frame(110, "TO"))
    assert [(one.seat, one.at_ns) for one in heard.told[2:]] == [(1, 110), (2, 110), (3, 110)]


def test_it_is_told_whose_picture_is_too_busy(publisher: SightingPublisher, heard: Hearing) -> None:
    publisher.update("left", frame(100, "AT"), crowded=True)
    publisher.update("right", frame(110, "TO"))
    assert ["the camera left" in one.text and "too busy" in one.text for one in heard.noted] == [True]


def test_what_is_told_of_a_place_never_began_before_what_was_told_last(
    publisher: SightingPublisher, heard: Hearing
) -> None:
    publisher.update("left", frame(200, "AT"))
    publisher.update("right", frame(150, "TO"))
    assert [one.at_ns for one in heard.told if one.seat == 2] == [200, 200]


def test_a_place_on_which_a_hand_rests_is_not_at_rest(publisher: SightingPublisher, heard: Hearing) -> None:
    publisher.update("left", frame(100, "AT"))
    publisher.update("left", replace(frame(120, "AT"), unseen=tuple(HERE)))
    assert heard.rested[1] == (120, False)


def test_while_a_hand_is_at_a_place_it_is_told_since_when_loose_tiles_lie_in_sight(heard: Hearing) -> None:
    plan = Plan()
    views: dict[str, View] = {name: Views(places) for name, places in PLACES.items()}
    publisher = publishing(plan, views, heard)
    plan.lying = reading_of(("Q", 100, 100)).tiles
    publisher.update("left", frame(100, "AT"))
    publisher.update("left", replace(frame(120, "AT"), unseen=tuple(HERE)))
    assert heard.loose[1] == [("Q", 100, 120)]


def test_a_loose_tile_that_is_seen_laid_was_loose_while_its_new_place_was_bare(
    heard: Hearing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.table.rest_history.MIN_LIFT_NS", 0)
    plan = Plan()
    views: dict[str, View] = {name: Views(places) for name, places in PLACES.items()}
    publisher = publishing(plan, views, heard)
    plan.lying = reading_of(("T", 300, 300)).tiles
    publisher.update("left", frame(100, "A"))
    plan.lying = ()
    publisher.update("left", frame(150, "A", HERE))
    publisher.update("left", replace(frame(300, "AT"), changed=(1,), bare_ns=(220,)))
    assert heard.loose[1] == [("T", 100, 220)]


def test_a_tile_that_was_only_out_of_sight_was_not_laid(heard: Hearing) -> None:
    plan = Plan()
    views: dict[str, View] = {name: Views(places) for name, places in PLACES.items()}
    publisher = publishing(plan, views, heard)
    plan.lying = reading_of(("T", 300, 300)).tiles
    before = frame(100, "AT")
    publisher.update("left", before)
    plan.lying = ()
    publisher.update("left", replace(frame(150, "A", HERE), gone=before.reading.tiles[1:], gone_ns=(120,)))
    publisher.update("left", replace(frame(300, "AT"), changed=(1,), bare_ns=(220,)))
    assert heard.loose[1] == [("T", 100, 100)]
    assert [one.laid_after_ns for one in heard.told[-2:]] == [None, None]


def test_after_when_all_that_is_new_at_a_place_was_laid_there_is_told(
    publisher: SightingPublisher, heard: Hearing
) -> None:
    publisher.update("left", frame(100, "AT"))
    publisher.update("left", replace(frame(300, "CAT"), changed=(0, 1), bare_ns=(220, 250)))
    assert [one.laid_after_ns for one in heard.told[2:]] == [220, 220]


@pytest.mark.parametrize("same_tile", [(), (("C", 300, 100),)])
def test_what_was_still_seen_elsewhere_was_laid_after_that_or_after_the_first_alike(
    publisher: SightingPublisher, heard: Hearing, same_tile: Sequence[tuple[str, int, int]]
) -> None:
    before = reading_of(("C", 100, 100), *same_tile, ("AT", 100, 300))
    publisher.update("left", replace(frame(100), reading=before))
    gone, after = before.tiles[:-2], reading_of(("AT", 100, 300))
    publisher.update("left", replace(frame(250), reading=after, gone=gone, gone_ns=(240, 245)))
    now = reading_of(("C", 100, 200), ("AT", 100, 300))
    publisher.update("left", replace(frame(300), reading=now, changed=(0,), bare_ns=(120,)))
    assert [one.laid_after_ns for one in heard.told[-2:]] == [240, 240]


def test_where_a_hand_is_before_one_camera_the_other_knows_that_all_rests(
    publisher: SightingPublisher, heard: Hearing
) -> None:
    publisher.update("left", frame(100, "AT"))
    publisher.update("right", frame(110, "TO"))
    publisher.update("left", frame(130, "AT", HERE))
    assert heard.rested == {1: (130, False), 2: (110, True), 3: (130, False)}
    publisher.update("right", frame(140, "TO"))
    assert heard.rested[2] == (140, True)


def test_a_place_that_needs_two_cameras_rests_since_the_older_frame(
    publisher: SightingPublisher, heard: Hearing
) -> None:
    publisher.update("left", frame(100, "AT"))
    publisher.update("right", frame(110, "TO"))
    assert heard.rested == {1: (100, True), 2: (110, True), 3: (100, True)}


def test_what_a_lost_camera_knew_counts_no_more(publisher: SightingPublisher, heard: Hearing) -> None:
    publisher.update("left", frame(100, "AT"))
    publisher.update("right", frame(110, "TO"))
    heard.told.clear()
    publisher.update_health("left", FakeHealth("gone", "sends no picture"))
    assert [(one.seat, one.what) for one in heard.told] == [(2, Sighting(("TO",)))]
    assert [(one.sees, one.seats) for one in heard.noted] == [(False, (1, 3))]


def test_a_camera_that_is_only_starting_is_waited_for(publisher: SightingPublisher, heard: Hearing) -> None:
    publisher.update_health("left", FakeHealth("waiting", "is starting"))
    assert not heard.noted
    publisher.update_health("right", FakeHealth("gone", "sends no picture"))
    assert [(one.sees, one.seats) for one in heard.noted] == [(False, (3,))]


def test_the_picture_of_a_call_is_that_of_who_sees_most_of_the_place(publisher: SightingPublisher) -> None:
    publisher.update("left", frame(100, "AT"))
    publisher.update("right", frame(110, "TO"))
    assert [publisher.coverage(name, seat) for name in PLACES for seat in (1, 2, 3)] == [2, 2, 1, 0, 2, 1]
    assert publisher.coverage("right", 9) == 0


def test_what_is_missed_without_a_camera_is_known(publisher: SightingPublisher) -> None:
    assert not publisher.lacks_place(["left", "right"])
    assert publisher.lacks_place(["left"])


def test_what_is_seen_of_a_shared_board_depends_on_which_board_it_is() -> None:
    def seen_through(board: BoardConfig, pose: CameraPose | None) -> SeatingPlan:
        views = {name: camera_view(pose, board, (), alone=False) for name in PLACES}
        config = TableConfig("martian_boggle", ("Anna", "Bo"), board=board)
        return seating_plan(views, dict.fromkeys(PLACES, pose), config, Reader(tile_set("binary")))

    assert isinstance(seen_through(BoardConfig("scrabble"), None), BoardPlan)
    assert isinstance(seen_through(BoardConfig("volcano"), None), BoardPlan)
    assert isinstance(seen_through(BoardConfig("squares", 1, 2), None), FirstCameraPlan)
    zone = Zone(ZoneKind.BOARD, None, ((100, 100), (200, 100), (200, 200), (100, 200)))
    assert isinstance(seen_through(BoardConfig("squares", 1, 2), pose_of(zone)), FusedPlan)


def test_plain_squares_in_all_profiles_are_one_board_in_mm(heard: Hearing) -> None:
    zone = Zone(ZoneKind.BOARD, None, ((100, 100), (140, 100), (140, 120), (100, 120)))
    board = BoardConfig("squares", 1, 2)
    views = {name: camera_view(pose_of(zone), board, (), alone=False) for name in PLACES}
    config = TableConfig("martian_boggle", ("Anna", "Bo"), board=board)
    both = seating_plan(
        views, dict.fromkeys(PLACES, pose_of(zone)), config, Reader(tile_set("bananagrams-en"))
    )
    one = publishing(both, views, heard)
    for at_ns, name, letter, x in ((100, "left", "A", 110), (110, "right", "T", 130)):
        look = FrameDetections((640, 480), detections_at([(x, 110)], 20.0), probabilities_of(letter), 1.0)
        one.update(name, TrackedReading(reading_of(), look, at_ns, at_ns, True))
    assert [one.what for one in heard.told] == [Board(((0, 0, "A"),)), Board(((0, 0, "A"), (0, 1, "T")))]


def test_profiles_that_do_not_agree_where_the_board_lies_are_refused() -> None:
    zone = Zone(ZoneKind.BOARD, None, ((100, 100), (140, 100), (140, 120), (100, 120)))
    moved = replace(zone, corners_mm=((100, 200), (140, 200), (140, 220), (100, 220)))
    with pytest.raises(BadConfig, match="has the board elsewhere than another camera's"):
        zones_of([profile(zone), profile(moved)])


def test_of_cameras_over_plain_squares_without_profiles_the_first_that_sees_is_believed(
    heard: Hearing,
) -> None:
    views: dict[str, View] = {name: BoardView(BoardConfig("squares", 1, 2)) for name in PLACES}
    board = publishing(FirstCameraPlan(views), views, heard)
    board.update("right", frame(100, "TO"))
    board.update("left", frame(110, "AT"))
    board.update_health("left", FakeHealth("gone", "sends no picture"))
    said = [one.what.symbols() for one in heard.told if isinstance(one.what, Board)]
    assert said == [{(0, 0): a, (0, 1): b} for a, b in ("TO", "AT", "TO")]
    assert [(one.sees, "the other cameras see all seats" in one.text) for one in heard.noted] == [
        (None, True)
    ]


def test_a_camera_that_takes_more_for_tiles_than_there_are_is_told_of_once_until_it_does_not(
    publisher: SightingPublisher, heard: Hearing
) -> None:
    for at_ns in (100, 110):
        publisher.update("left", frame(at_ns, "AT"), crowded=True)
    (noted,) = heard.noted
    assert "too busy" in noted.text
    assert publisher.notes == (noted.text,)
    publisher.update("left", frame(120, "AT"))
    assert not publisher.notes


class Shared(Plan):
    """Sees one thing after the other at places that any camera sees whole."""

    def __init__(self, *seen: Mapping[int, Sighting | Board]) -> None:
        self.coming = list(seen)
        self.places = tuple(seen[0])

    def seen(self, _readings: Readings) -> Mapping[int, Sighting | Board]:
        return self.coming.pop(0)

    def covered(self, probabilities: Collection[str]) -> set[int]:
        return set(self.places) if probabilities else set()


def told(heard: Hearing, *seen: Mapping[int, Sighting | Board]) -> list[Sighting | Board]:
    """Return what the game hears of things that lie there one after the other, at 5 ns and every 4 after."""
    plan = Shared(*seen)
    publisher = publishing(plan, {"left": Views(plan.places)}, heard)
    for number in range(len(seen)):
        publisher.update("left", frame(5 + 4 * number, "AT"))
    return [one.what for one in heard.told]


def test_a_board_with_pyramids_tells_the_letter_under_one_and_since_when_it_lies_there(
    heard: Hearing,
) -> None:
    stands = ((1, ((0, 0),)),)
    first = Board(((0, 0, "A"), (0, 1, "B")), ((1, ((0, 1),)),))
    last = Board(((0, 0, "R"),), stands, ((0, 0),))
    found = told(heard, {SHARED_BOARD: first}, {SHARED_BOARD: last})[-1]
    assert isinstance(found, Board)
    assert (found.symbols()[0, 0], found.doubts, found.since) == ("A", (), ((0, 0, 0),))


def test_tiles_of_seats_and_boards_without_pyramids_are_told_as_they_are(heard: Hearing) -> None:
    board, tiles = Board(((7, 7, "1"),)), Sighting(("CAT",))
    assert told(heard, {SHARED_BOARD: board, 1: tiles}) == [board, tiles]
