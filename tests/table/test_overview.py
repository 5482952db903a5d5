"""Several cameras of the same places: what they tell together, at rest, moving and gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from companion.config.table import BoardConfig, TableConfig
from companion.errors import BadConfig
from companion.model.calls import Seen
from companion.model.grid import Place
from companion.model.profile import Profile, Zone, ZoneKind
from companion.model.reading import Tile
from companion.model.sightings import Board, Sighting
from companion.model.tiles import tile_set
from companion.table.calibrated import outlook, view
from companion.table.clock import GameClock
from companion.table.devices import Health
from companion.table.layout import Layout
from companion.table.one_board import OneBoard
from companion.table.outlook import FirstOf, Outlook, Readings, Together, zones_of
from companion.table.overview import Overview
from companion.table.stays import Stay
from companion.table.views import BoardView, View
from companion.vision import Reader
from companion.vision.pipeline.frame import Box, FrameDetections
from companion.vision.tracking import TrackedReading
from tests.table.playing import NO_LOOK, FakeHealth, reading_of
from tests.table.test_views import profile
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

    def touched(self, boxes: Sequence[Box]) -> set[int]:
        return set(self.places) if boxes else set()


class Outlooks:
    """Sees at each seat the words that all cameras' readings name, in the order of the cameras."""

    places = (1, 2, 3)
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
    """Remembers what it is told."""

    busy: bool = True
    told: list[Seen] = field(default_factory=list)
    rested: dict[int, tuple[int, bool]] = field(default_factory=dict)
    loose: dict[int, list[tuple[str, int, int]]] = field(default_factory=dict)
    fared: list[tuple[str, Mapping[int, bool]]] = field(default_factory=list)
    too_busy: set[str] = field(default_factory=set)

    def seen(self, seen: Seen) -> None:
        self.told.append(seen)

    def rest(self, place: int, at_ns: int, whole_ns: int | None) -> None:
        self.rested[place] = at_ns, whole_ns is not None

    def held(self, place: int, loose: Sequence[Stay], _whole_ns: int) -> None:
        self.loose[place] = [(one.symbol, one.from_ns, one.until_ns) for one in loose]

    def laid(self, layout: Layout) -> None:
        """Pass over what is seen of the table as a whole."""

    def crowded(self, name: str, *, crowded: bool) -> None:
        (self.too_busy.add if crowded else self.too_busy.discard)(name)

    def fares(self, name: str, health: Health, seen: Mapping[int, bool]) -> None:
        self.fared.append((name, seen))


@pytest.fixture
def heard() -> Hearing:
    return Hearing()


@pytest.fixture
def overview(heard: Hearing) -> Overview:
    views: dict[str, View] = {name: Views(places) for name, places in PLACES.items()}
    return Overview(Outlooks(), views, GameClock(lambda: 1000, 0), heard)


def frame(at_ns: int, word: str = "", restless: Sequence[Box] = ()) -> TrackedReading:
    reading = reading_of(*([(word, 100, 100)] if word else []))
    return TrackedReading(reading, NO_LOOK, at_ns, at_ns, not restless, unseen=tuple(restless))


def test_only_places_that_are_seen_whole_are_told_of(overview: Overview, heard: Hearing) -> None:
    overview.looked("left", frame(100, "AT"))
    assert [(one.seat, one.at_ns) for one in heard.told] == [(1, 100), (2, 100)]
    overview.looked("right", frame(110, "TO"))
    assert [(one.seat, one.at_ns) for one in heard.told[2:]] == [(1, 110), (2, 110), (3, 110)]


def test_it_is_told_whose_picture_is_too_busy(overview: Overview, heard: Hearing) -> None:
    overview.looked("left", frame(100, "AT"), crowded=True)
    overview.looked("right", frame(110, "TO"))
    assert heard.too_busy == {"left"}


def test_the_same_is_told_once_and_again_where_that_is_asked_for(overview: Overview, heard: Hearing) -> None:
    overview.looked("left", frame(100, "AT"))
    overview.looked("left", frame(120, "AT"))
    assert len(heard.told) == 2
    overview.tell_again()
    overview.looked("left", replace(frame(130, "AT"), since_ns=100))
    assert [(one.seat, one.at_ns) for one in heard.told[2:]] == [(1, 100), (2, 100)]


def test_what_is_told_of_a_place_never_began_before_what_was_told_last(
    overview: Overview, heard: Hearing
) -> None:
    overview.looked("left", frame(200, "AT"))
    overview.looked("right", frame(150, "TO"))
    assert [one.at_ns for one in heard.told if one.seat == 2] == [200, 200]


def test_a_place_on_which_a_hand_rests_is_not_at_rest(overview: Overview, heard: Hearing) -> None:
    overview.looked("left", frame(100, "AT"))
    overview.looked("left", replace(frame(120, "AT"), unseen=tuple(HERE)))
    assert heard.rested[1] == (120, False)


def test_while_a_hand_is_at_a_place_it_is_told_since_when_loose_tiles_lie_in_sight(heard: Hearing) -> None:
    outlook = Outlooks()
    views: dict[str, View] = {name: Views(places) for name, places in PLACES.items()}
    overview = Overview(outlook, views, GameClock(lambda: 1000, 0), heard)
    outlook.lying = reading_of(("Q", 100, 100)).tiles
    overview.looked("left", frame(100, "AT"))
    overview.looked("left", replace(frame(120, "AT"), unseen=tuple(HERE)))
    assert heard.loose[1] == [("Q", 100, 120)]


def test_after_when_all_that_is_new_at_a_place_was_laid_there_is_told(
    overview: Overview, heard: Hearing
) -> None:
    overview.looked("left", frame(100, "AT"))
    overview.looked("left", replace(frame(300, "CAT"), changed=(0, 1), bare_ns=(220, 250)))
    assert [one.laid_after_ns for one in heard.told[2:]] == [220, 220]


def test_what_was_still_seen_elsewhere_was_laid_after_that(overview: Overview, heard: Hearing) -> None:
    before = frame(100, "CAT")
    overview.looked("left", before)
    overview.looked("left", replace(frame(250, "AT"), gone=before.reading.tiles[:1], gone_ns=(240,)))
    overview.looked("left", replace(frame(300, "CAT"), changed=(0,), bare_ns=(120,)))
    assert [one.laid_after_ns for one in heard.told[-2:]] == [240, 240]


def test_where_a_hand_is_before_one_camera_the_other_knows_that_all_rests(
    overview: Overview, heard: Hearing
) -> None:
    overview.looked("left", frame(100, "AT"))
    overview.looked("right", frame(110, "TO"))
    overview.looked("left", frame(130, "AT", HERE))
    assert heard.rested == {1: (130, False), 2: (110, True), 3: (130, False)}
    overview.looked("right", frame(140, "TO"))
    assert heard.rested[2] == (140, True)


def test_a_place_that_needs_two_cameras_rests_since_the_older_frame(
    overview: Overview, heard: Hearing
) -> None:
    overview.looked("left", frame(100, "AT"))
    overview.looked("right", frame(110, "TO"))
    assert heard.rested == {1: (100, True), 2: (110, True), 3: (100, True)}


def test_what_a_lost_camera_knew_counts_no_more(overview: Overview, heard: Hearing) -> None:
    overview.looked("left", frame(100, "AT"))
    overview.looked("right", frame(110, "TO"))
    heard.told.clear()
    overview.fares("left", FakeHealth("gone", "sends no picture"))
    assert [(one.seat, one.what) for one in heard.told] == [(2, Sighting(("TO",)))]
    assert heard.fared == [("left", {1: False, 2: True, 3: False})]


def test_a_camera_that_is_only_starting_is_waited_for(overview: Overview, heard: Hearing) -> None:
    overview.fares("left", FakeHealth("waiting", "is starting"))
    assert heard.fared == [("left", {1: True, 2: True, 3: True})]


def test_the_picture_of_a_call_is_that_of_who_sees_most_of_the_place(overview: Overview) -> None:
    overview.looked("left", frame(100, "AT"))
    overview.looked("right", frame(110, "TO"))
    assert [overview.worth(name, seat) for name in PLACES for seat in (1, 2, 3)] == [2, 2, 1, 0, 2, 1]
    assert overview.worth("right", 9) == 0


def test_what_is_missed_without_a_camera_is_known(overview: Overview) -> None:
    assert not overview.misses(["left", "right"])
    assert overview.misses(["left"])


def test_what_is_seen_of_a_shared_board_depends_on_which_board_it_is() -> None:
    def seen_through(board: BoardConfig, profile: Profile | None) -> Outlook:
        views = {name: view(profile, board, (), alone=False) for name in PLACES}
        config = TableConfig("martian_boggle", ("Anna", "Bo"), board=board)
        return outlook(views, dict.fromkeys(PLACES, profile), config, Reader(tile_set("binary")))

    assert isinstance(seen_through(BoardConfig("scrabble"), None), OneBoard)
    assert isinstance(seen_through(BoardConfig("volcano"), None), OneBoard)
    assert isinstance(seen_through(BoardConfig("squares", 1, 2), None), FirstOf)
    zone = Zone(ZoneKind.BOARD, None, ((100, 100), (200, 100), (200, 200), (100, 200)))
    assert isinstance(seen_through(BoardConfig("squares", 1, 2), profile(zone)), Together)


def test_plain_squares_in_all_profiles_are_one_board_in_mm(heard: Hearing) -> None:
    zone = Zone(ZoneKind.BOARD, None, ((100, 100), (140, 100), (140, 120), (100, 120)))
    board = BoardConfig("squares", 1, 2)
    views = {name: view(profile(zone), board, (), alone=False) for name in PLACES}
    config = TableConfig("martian_boggle", ("Anna", "Bo"), board=board)
    both = outlook(views, dict.fromkeys(PLACES, profile(zone)), config, Reader(tile_set("bananagrams-en")))
    one = Overview(both, views, GameClock(lambda: 1000, 0), heard)
    for at_ns, name, letter, x in ((100, "left", "A", 110), (110, "right", "T", 130)):
        look = FrameDetections((640, 480), detections_at([(x, 110)], 20.0), probabilities_of(letter), 1.0)
        one.looked(name, TrackedReading(reading_of(), look, at_ns, at_ns, True))
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
    board = Overview(FirstOf(views), views, GameClock(lambda: 1000, 0), heard)
    board.looked("right", frame(100, "TO"))
    board.looked("left", frame(110, "AT"))
    board.fares("left", FakeHealth("gone", "sends no picture"))
    said = [one.what.symbols() for one in heard.told if isinstance(one.what, Board)]
    assert said == [{(0, 0): a, (0, 1): b} for a, b in ("TO", "AT", "TO")]
    assert heard.fared[-1] == ("left", {0: True})
