"""A table set up step by step over drawn pictures: what is told, what is kept, what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import camera
from calibration.drawing.marker_tables import after_camera_move
from calibration.profile import write_profile
from companion.errors import BadCapture, BadProfile, UsageError
from companion.model.profile import ZoneKind
from companion.model.set_up import SetUpPicture, SheetKind
from companion.vision.camera_frame import Frame
from tests.calibration.plain_tables import HEIGHT, VIEW, WIDTH, table
from tests.calibration.test_sizes import measured as with_letters
from tests.table.playing import FakePress
from tests.wizard.made import Around, Shows

STRAIGHT = replace(VIEW, distortion=0.0)
"""A view without a bend, as no lens was measured."""


@pytest.fixture(scope="module")
def picture() -> Frame:
    """A table with its four markers."""
    return table(view=STRAIGHT, speckled=True).picture


@pytest.fixture
def around(tmp_path: Path, picture: Frame) -> Around:
    """That table, of which nothing is known yet."""
    return Around(tmp_path, Shows(picture))


@pytest.fixture
def known(around: Around) -> Around:
    """The same table, found by its markers."""
    around.wizard.markers(0, None, None)
    return around


def lettered(printed: float) -> Frame:
    """Return a table with tiles of 20 mm, its markers printed so many times as large as they should be."""
    return with_letters(printed)[0]


def size_of(jpeg: bytes) -> tuple[int, ...]:
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    height, width, depth = picture.shape
    return int(height), int(width), int(depth)


def test_of_a_table_that_nobody_set_up_only_the_picture_is_known(around: Around) -> None:
    told = around.wizard.state(0)
    assert (told.cameras, told.width, told.height) == (("lamp",), VIEW.width, VIEW.height)
    assert (told.table, told.zones, told.tile_px, told.kept, told.sees) == (None, (), None, "", "")
    assert told.seats == 3


def test_markers_show_the_table_which_is_kept_and_shared_among_the_seats(around: Around) -> None:
    said = around.wizard.markers(0, (WIDTH, HEIGHT), None)
    assert said.startswith("The table is 80")
    found = around.profile.table
    assert found is not None
    assert (found.width_mm, found.height_mm) == pytest.approx((WIDTH, HEIGHT), abs=1.5)
    assert [zone.seat for zone in around.profile.zones] == [1, 2, 3, None]
    assert around.looked_again == [True]
    told = around.wizard.state(0)
    assert told.table is not None
    assert told.table.markers == 4
    assert told.kept == str(around.path)


def test_a_camera_that_sends_another_size_is_set_up_anew(known: Around) -> None:
    smaller = replace(STRAIGHT, width=1200, height=900, tile_px=0.75 * STRAIGHT.tile_px)
    known.camera.picture, before = table(view=smaller).picture, known.profile
    with pytest.raises(BadProfile, match="set the camera to that size"):
        known.wizard.tile(0, 20.0)
    assert known.profile == before
    assert known.wizard.markers(0, (WIDTH, HEIGHT), None).startswith("The table is 80")
    assert (known.profile.camera.width, known.profile.camera.height) == (1200, 900)
    assert known.profile.tile_px is None


@pytest.mark.parametrize("step", ["markers", "taps"])
def test_a_profile_that_was_cut_off_is_told_and_replaced_by_a_table_measured_anew(
    known: Around, step: str
) -> None:
    told = known.wizard.state(0).table
    assert told is not None
    cut = known.path.read_bytes()[:-200]
    known.path.write_bytes(cut)
    broken = known.wizard.state(0)
    assert (broken.table, broken.width) == (None, VIEW.width)
    assert "is no profile" in broken.broken
    assert size_of(known.wizard.shown(0, SetUpPicture.TABLE, 400)) == (300, 400, 3)
    with pytest.raises(BadProfile, match="is no profile"):
        known.wizard.tile(0, 20.0)
    assert known.path.read_bytes() == cut
    if step == "markers":
        known.wizard.markers(0, None, None)
    else:
        known.wizard.taps(0, told.corners, (WIDTH, HEIGHT))
    again = known.wizard.state(0)
    assert again.table is not None
    assert again.broken == ""
    assert (known.path.parent / "lamp.toml.broken").read_bytes() == cut


@pytest.mark.parametrize(
    ("size_mm", "ruler_mm", "says"),
    [
        (None, None, "the sheet's scale is not checked: measure the 100 mm ruler printed on it"),
        (None, 98.0, "the sheet's scale is that of its ruler, 98 mm long"),
        (None, 100.0, "the sheet's scale is that of its ruler, 100 mm long"),
        ((WIDTH, HEIGHT), None, "the sheet's scale agrees with your tape measure"),
    ],
)
def test_how_the_scale_of_the_sheet_is_checked_is_said(
    around: Around, size_mm: tuple[float, float] | None, ruler_mm: float | None, says: str
) -> None:
    assert says in around.wizard.markers(0, size_mm, ruler_mm).split("; ")[1]


def test_tiles_that_contradict_the_sheet_are_told_where_a_tile_is_measured(tmp_path: Path) -> None:
    tiled = Around(tmp_path, Shows(lettered(0.93)))
    tiled.wizard.markers(0, None, None)
    said = tiled.wizard.tile(0, 20.0).split("; ")
    assert tiled.profile.tile_px == pytest.approx(40, rel=0.03)
    assert said[1].startswith("two known lengths disagree: by the markers the tiles are 2")


def test_a_set_that_knows_its_tiles_breadth_checks_the_sheet_unasked(tmp_path: Path) -> None:
    tiled = Around(tmp_path, Shows(lettered(1.0)))
    tiled.wizard.tiles = replace(tiled.wizard.tiles, side_mm=20.0)
    assert "the sheet's scale agrees with the tiles" in tiled.wizard.markers(0, None, None)
    assert "the sheet's scale agrees with the tiles" in tiled.wizard.tile(0, None)


def test_what_is_wrong_with_a_picture_is_told_and_nothing_is_kept(around: Around) -> None:
    around.camera.picture = np.full((1200, 1600), 120, np.uint8)
    with pytest.raises(BadCapture, match="no marker is seen"):
        around.wizard.markers(0, None, None)
    assert around.kept() is None
    assert around.looked_again == []


def test_a_profile_whose_folder_cannot_be_made_is_told(around: Around) -> None:
    around.path.parent.write_text("no folder")
    with pytest.raises(BadProfile, match="cannot be written"):
        around.wizard.markers(0, None, None)


def test_a_tape_measure_that_disagrees_is_told(around: Around) -> None:
    with pytest.raises(BadCapture, match="two known lengths disagree"):
        around.wizard.markers(0, (2 * WIDTH, 2 * HEIGHT), None)


def test_four_taps_show_the_table_too(known: Around) -> None:
    told = known.wizard.state(0).table
    assert told is not None
    known.path.unlink()
    assert "as you say" in known.wizard.taps(0, told.corners, (WIDTH, HEIGHT))
    again = known.wizard.state(0).table
    assert again is not None
    assert again.markers == 0
    assert np.abs(np.array(again.corners) - told.corners).max() < 0.2


def test_taps_in_a_wrong_order_are_refused(around: Around) -> None:
    with pytest.raises(BadCapture, match="clockwise"):
        around.wizard.taps(0, ((0, 0), (0, 900), (900, 900), (900, 0)), (WIDTH, HEIGHT))


def test_zones_moved_by_hand_stay_when_the_same_table_is_found_anew(known: Around) -> None:
    zones = list(known.wizard.state(0).zones)
    first = zones[0].corners
    zones[0] = replace(zones[0], corners=((first[0][0] - 60, first[0][1] - 20), *first[1:]))
    assert known.wizard.zones(0, zones) == "The zones are kept."
    known.wizard.markers(0, None, None)
    again = known.wizard.state(0).zones[0].corners
    assert np.abs(np.array(again) - zones[0].corners).max() < 1.0


def test_a_table_shared_anew_has_as_many_seats_as_were_asked_for(known: Around) -> None:
    known.wizard.seats(0, 6, None)
    assert [zone.seat for zone in known.profile.zones] == [1, 2, 3, 4, 5, 6, None]
    known.wizard.seats(0, 2, (200.0, 200.0))
    assert known.profile.zones[-1].kind is ZoneKind.BOARD


def test_a_board_larger_than_the_table_is_refused(known: Around) -> None:
    with pytest.raises(BadCapture, match="smaller than the table"):
        known.wizard.seats(0, 2, (2000.0, 200.0))


def test_seats_and_zones_need_a_table_first(around: Around) -> None:
    with pytest.raises(BadCapture, match="corners first"):
        around.wizard.seats(0, 4, None)
    with pytest.raises(BadCapture, match="corners first"):
        around.wizard.zones(0, ())
    with pytest.raises(BadProfile, match="knows no table"):
        around.wizard.drift(0)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: (c[1], c[0], *c[2:]), "seat 1: its edge crosses itself"),
        (lambda c: (c[0], (c[0][0] + 9, c[0][1]), (c[0][0] + 9, c[0][1] + 9)), "seat 1 is too small"),
        (lambda c: c[:2], "seat 1: its edge crosses itself"),
    ],
)
def test_a_zone_that_is_a_slip_of_the_finger_is_refused(known: Around, change: object, says: str) -> None:
    first, *rest = known.wizard.state(0).zones
    assert callable(change)
    with pytest.raises(BadCapture, match=says):
        known.wizard.zones(0, [replace(first, corners=change(first.corners)), *rest])


def test_two_zones_of_one_seat_and_zones_of_no_kind_are_refused(known: Around) -> None:
    first, second, *rest = known.wizard.state(0).zones
    with pytest.raises(BadProfile, match="two zones"):
        known.wizard.zones(0, [first, replace(second, seat=1), *rest])
    with pytest.raises(BadCapture, match="a zone is a seat, pool, board"):
        known.wizard.zones(0, [replace(first, kind="sofa", seat=None)])


def test_a_camera_that_was_bumped_is_noticed_and_mended_even_while_a_game_is_played(known: Around) -> None:
    assert "stands as it did" in known.wizard.drift(0)
    known.camera.picture = table(view=replace(STRAIGHT, turn_deg=STRAIGHT.turn_deg + 2)).picture
    known.playing = True
    assert "bumped" in known.wizard.drift(0)
    told = known.wizard.state(0)
    assert told.drift is not None
    assert told.drift.stand == "moved"
    assert told.drift.moved_mm is not None
    assert told.drift.moved_mm > 5
    assert "stands as it did" in known.wizard.mend(0, None)
    assert known.looked_again == [True, True]


def test_a_mended_table_without_markers_stays_where_it_is(known: Around) -> None:
    stored = known.profile
    assert stored.table is not None
    write_profile(replace(stored, table=replace(stored.table, markers=())), known.path)
    bumped = replace(STRAIGHT, turn_deg=STRAIGHT.turn_deg + 2)
    assert known.camera.picture is not None
    known.camera.picture = after_camera_move(known.camera.picture, camera(STRAIGHT), camera(bumped))
    assert "bumped" in known.wizard.drift(0)
    assert "stands as it did" in known.wizard.mend(0, None)
    mended = known.profile.table
    known.wizard.mend(0, None)
    assert known.profile.table == mended


def test_while_a_game_is_played_nothing_else_is_changed(known: Around) -> None:
    known.playing = True
    assert "a game is being played" in known.wizard.state(0).busy
    with pytest.raises(BadCapture, match="a game is being played"):
        known.wizard.seats(0, 2, None)


def test_a_table_that_is_lost_is_found_by_one_tap(known: Around) -> None:
    known.camera.picture = np.full((1200, 1600), 90, np.uint8)
    assert "tap the table's top left corner" in known.wizard.drift(0)
    with pytest.raises(BadCapture, match="tap the table's top left corner"):
        known.wizard.mend(0, None)
    old = known.wizard.state(0).table
    assert old is not None
    x, y = old.corners[0]
    assert "moved" in known.wizard.mend(0, (x + 30, y + 10))
    new = known.wizard.state(0).table
    assert new is not None
    assert new.corners[0] == pytest.approx((x + 30, y + 10), abs=0.3)


def test_a_tile_is_as_broad_as_somebody_says_or_as_the_picture_tells(known: Around) -> None:
    assert known.wizard.tile(0, 20.0).startswith("A tile is 3")
    assert known.profile.tile_px is not None
    with pytest.raises(BadCapture, match="too few tiles"):
        known.wizard.tile(0, None)


def test_the_light_is_looked_at_and_the_picture_shows_what_is_bad(around: Around) -> None:
    said = around.wizard.light(0)
    told = around.wizard.state(0).light
    assert told is not None
    assert said == f"The light is {told.grade}."
    assert {one.aspect for one in told.findings} >= {"resolution", "focus", "glare"}
    assert around.camera.looked >= 8
    assert size_of(around.wizard.shown(0, SetUpPicture.LIGHT, 480))[1] == 480


@pytest.mark.parametrize("kind", list(SetUpPicture))
def test_every_picture_is_there_from_the_beginning(around: Around, kind: SetUpPicture) -> None:
    assert size_of(around.wizard.shown(0, kind, 400)) == (300, 400, 3)


def test_what_is_known_of_the_table_is_drawn_on_its_picture(known: Around) -> None:
    plain, drawn = (known.wizard.shown(0, kind, 800) for kind in (SetUpPicture.PLAIN, SetUpPicture.TABLE))
    assert plain != drawn
    assert size_of(drawn) == size_of(plain)


def test_zones_are_called_in_the_language_of_whoever_looks(known: Around) -> None:
    english = known.wizard.shown(0, SetUpPicture.TABLE, 800)
    assert known.wizard.shown(0, SetUpPicture.TABLE, 800, {"seat": "seat", "pool": "pool"}) == english
    assert known.wizard.shown(0, SetUpPicture.TABLE, 800, {"seat": "Platz", "pool": "Vorräte"}) != english


def test_a_camera_that_shows_nothing_says_so(around: Around) -> None:
    around.camera.picture = None
    assert around.wizard.state(0).sees == "is gone: see to its cable"
    with pytest.raises(BadCapture, match="the camera lamp is gone"):
        around.wizard.shown(0, SetUpPicture.PLAIN, 400)


def test_a_camera_that_is_not_there_is_refused(around: Around) -> None:
    with pytest.raises(BadCapture, match="no camera 3, this table has 1"):
        around.wizard.state(3)
    around.wizard.cameras = ()
    with pytest.raises(BadCapture, match="this table has no camera"):
        around.wizard.state(0)


def test_buttons_that_were_pressed_are_remembered_once(around: Around) -> None:
    for seat, button in ((2, 1), (1, 3), (2, 1)):
        around.wizard.pressed(FakePress(1, seat, button))
    assert around.wizard.state(0).pressed == ((1, 3), (2, 1))


@pytest.mark.parametrize("kind", list(SheetKind))
def test_every_sheet_is_a_pdf(around: Around, kind: SheetKind) -> None:
    assert around.wizard.sheet(kind, "letter", 3, "http://10.0.0.1/").startswith(b"%PDF")


def test_sheets_that_cannot_be_printed_are_refused(around: Around) -> None:
    with pytest.raises(UsageError, match="paper is a4 or letter"):
        around.wizard.sheet(SheetKind.MARKERS, "napkin", 3, "")
    with pytest.raises(UsageError, match="need the address"):
        around.wizard.sheet(SheetKind.SEATS, "a4", 3, "")
