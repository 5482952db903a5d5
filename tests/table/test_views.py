"""Who sits before what: by zones, by how tableaux face, or round one board."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.config.table import BoardConfig
from companion.errors import BadConfig
from companion.model.profile import CameraId, Profile, TableMap, Zone, ZoneKind
from companion.model.reading import Cell, Piece, Reading, Tableau, Unread
from companion.model.sightings import Board, Sighting
from companion.table.facing_seats import FacingSeats, even_facing_deg
from companion.table.fusion import CameraPose
from companion.table.seating_plan import camera_view
from companion.table.views import SHARED_BOARD, BoardView, Layout, SeatTiles, sighting
from tests.table.playing import reading_of, tile

CAMERA = CameraId("cam", 640, 480)
HALVES = (
    Zone(ZoneKind.SEAT, 1, ((0, 200), (640, 200), (640, 480), (0, 480))),
    Zone(ZoneKind.SEAT, 2, ((0, 0), (640, 0), (640, 200), (0, 200)), 180.0),
)


def profile(*zones: Zone) -> Profile:
    """Return a profile whose millimetres are the picture's pixels."""
    return Profile(
        CAMERA, "2026-11-21", None, TableMap((1, 0, 0, 0, 1, 0, 0, 0, 1), 640, 480, 0.0), None, zones
    )


def pose_of(*zones: Zone) -> CameraPose:
    """Return the pose of a camera with such a profile."""
    return CameraPose(profile(*zones))


def both(one: Reading, other: Reading) -> Reading:
    """Return a reading of what two readings show."""
    many = len(one.tableaux)
    moved = tuple(t if t.tableau is None else replace(t, tableau=t.tableau + many) for t in other.tiles)
    return replace(one, tiles=one.tiles + moved, tableaux=one.tableaux + other.tableaux)


def test_each_seat_has_the_tiles_in_its_zone_face_down_ones_counted() -> None:
    seen = camera_view(pose_of(*HALVES), None, (0.0, 180.0)).seen(
        both(
            reading_of(("CAT", 100, 400), loose=[tile("X", 300, 450), tile(None, 320, 450)]),
            reading_of(("DOG", 100, 100), loose=[tile(None, 320, 150)]),
        )
    )
    assert seen == {1: Sighting(("CAT",), "X", 1), 2: Sighting(("DOG",), "", 1)}


def test_tiles_in_the_pool_are_nobodys_though_it_lies_in_the_seats_parts() -> None:
    pool = Zone(ZoneKind.POOL, None, ((280, 100), (400, 100), (400, 480), (280, 480)))
    reading = reading_of(("CAT", 100, 400), loose=[tile(None, 320, 450), tile(None, 320, 150)])
    seen = camera_view(pose_of(*HALVES, pool), None, (0.0, 180.0)).seen(reading)
    assert seen == {1: Sighting(("CAT",), "", 0), 2: Sighting((), "", 0)}


def test_what_lies_in_the_pool_and_in_nobodys_part_is_counted() -> None:
    pool = Zone(ZoneKind.POOL, None, ((280, 380), (400, 380), (400, 480), (280, 480)))
    seats = camera_view(pose_of(HALVES[0], pool), None, (0.0,))
    seats.seen(reading_of(("CAT", 100, 400), loose=[tile(None, 320, 450), tile("X", 320, 150)]))
    assert seats.layout == Layout(pool=1, stray=1)


def test_tableaux_that_touch_are_told_while_they_do() -> None:
    seats = camera_view(pose_of(*HALVES), None, (0.0, 180.0))
    seats.seen(both(reading_of(("CAT", 100, 210)), reading_of(("DOGS", 100, 190))))
    together = reading_of(("CATDOGS", 100, 210))
    places = [(100 + 20 * n, 210 if n < 3 else 190) for n in range(3)] + [
        (100 + 20 * n, 190) for n in range(4)
    ]
    tiles = [
        replace(one, corners=tile("X", *at).corners) for one, at in zip(together.tiles, places, strict=True)
    ]
    for _ in range(2):
        seats.seen(replace(together, tiles=tuple(tiles)))
        assert len(seats.layout.touching) == 1


def test_a_tableau_that_grows_into_the_pool_stays_its_players() -> None:
    pool = Zone(ZoneKind.POOL, None, ((120, 380), (400, 380), (400, 480), (120, 480)))
    seen = camera_view(pose_of(*HALVES, pool), None, (0.0, 180.0)).seen(reading_of(("CATS", 100, 400)))
    assert isinstance(seen[1], Sighting)
    assert seen[1].placed == 4


def column(*heights: int) -> Reading:
    """Return a reading of tiles one above the other, all in one tableau."""
    tiles = tuple(replace(tile("X", 100, y), tableau=0) for y in heights)
    cells = tuple(Cell(row, 0, "X", False, 1.0) for row in range(len(tiles)))
    return Reading(640, 480, "bananagrams-en", tiles, (Tableau(cells, 180.0),))


def test_a_tableau_stays_its_players_while_it_grows_over_the_border() -> None:
    seats = camera_view(pose_of(*HALVES), None, (0.0, 180.0))
    seen = [seats.seen(column(*range(280, top - 20, -20))) for top in range(280, 20, -40)][-1]
    assert [one.placed for one in seen.values() if isinstance(one, Sighting)] == [13, 0]


def test_a_tableau_across_the_border_is_before_whom_it_faces() -> None:
    upright = [replace(tile("CATS"[n], 100 + 20 * n, 195), tableau=0) for n in range(4)]
    below = [replace(tile("S", 100, 215), tableau=0)]
    word = reading_of(("CATSS", 100, 195))
    seen = camera_view(pose_of(*HALVES), None, (0.0, 180.0)).seen(replace(word, tiles=(*upright, *below)))
    assert isinstance(seen[1], Sighting)
    assert seen[1].placed == 5


def test_a_loose_tile_beside_a_tableau_is_that_players_beyond_the_border() -> None:
    reading = reading_of(("CAT", 100, 205), ("DOG", 400, 100), loose=[tile("X", 100, 180)])
    seen = camera_view(pose_of(*HALVES), None, (0.0, 180.0)).seen(reading)
    assert {seat: one.loose for seat, one in seen.items() if isinstance(one, Sighting)} == {1: "X", 2: ""}


def test_a_tableau_that_reaches_over_belongs_to_the_seat_with_most_of_it() -> None:
    upright = reading_of(("CATS", 100, 205))
    standing = [replace(tile("CATS"[n], 100, 250 - 20 * n), tableau=0) for n in range(4)]
    seen = camera_view(pose_of(*HALVES), None, (0.0, 180.0)).seen(replace(upright, tiles=tuple(standing)))
    assert isinstance(seen[1], Sighting)
    assert seen[1].placed == 4


def test_a_hand_in_a_seats_zone_away_from_its_tiles_concerns_nobody() -> None:
    seats = camera_view(pose_of(*HALVES), None, (0.0, 180.0))
    seats.seen(both(reading_of(("CAT", 100, 400)), reading_of(("DOG", 100, 100))))
    assert seats.touched([(400, 300, 500, 470)]) == set()
    assert seats.touched([(150, 380, 200, 470)]) == {1}


def test_tiles_outside_all_zones_are_nobodys() -> None:
    seats = (HALVES[0],)
    seen = camera_view(pose_of(*seats), None, (0.0, 180.0)).seen(
        reading_of(("DOG", 100, 100), loose=[tile("X", 9, 9)])
    )
    assert seen == {1: Sighting((), "", 0)}


def test_what_moves_concerns_the_seats_in_whose_zone_it_may_lie() -> None:
    seen = camera_view(pose_of(*HALVES), None, (0.0, 180.0))
    assert seen.touched([(0, 0, 50, 50)]) == {2}
    assert seen.touched([(0, 150, 50, 300)]) == {1, 2}
    assert seen.touched([]) == set()


def test_each_of_several_cameras_sees_the_seats_in_its_picture() -> None:
    beside = Zone(ZoneKind.SEAT, 3, ((640, 0), (900, 0), (900, 480), (640, 480)))
    assert camera_view(pose_of(*HALVES, beside), None, (0.0, 120.0, 240.0), alone=False).places == (1, 2)
    with pytest.raises(BadConfig, match="no seat that the camera sees"):
        camera_view(pose_of(beside), None, (0.0, 120.0, 240.0), alone=False)
    with pytest.raises(BadConfig, match="each of several needs a profile"):
        camera_view(None, None, (0.0, 180.0), alone=False)


def test_without_zones_each_tableau_faces_its_player() -> None:
    seats = FacingSeats(even_facing_deg(2))
    seen = seats.seen(both(reading_of(("CAT", 100, 400)), reading_of(("DOG", 100, 100), turn_deg=180.0)))
    assert seen == {1: Sighting(("CAT",)), 2: Sighting(("DOG",))}


@pytest.mark.parametrize(
    ("turn_deg", "x", "y", "seat"),
    [(0, 300, 400, 1), (90, 60, 240, 2), (180, 300, 80, 3), (270, 560, 240, 4)],
)
def test_four_seats_follow_clockwise_from_the_lower_edge(
    turn_deg: float, x: float, y: float, seat: int
) -> None:
    seen = FacingSeats(even_facing_deg(4)).seen(reading_of(("CAT", x, y), turn_deg=turn_deg))
    assert [n for n, what in seen.items() if isinstance(what, Sighting) and what.placed] == [seat]


def test_a_tableau_keeps_its_seat_while_it_grows_over_the_middle() -> None:
    facing = FacingSeats(even_facing_deg(2))
    facing.shares(reading_of(("CAT", 100, 300)))
    grown = reading_of(("CATS", 100, 300), turn_deg=0.0)
    leaning = replace(grown, tableaux=(replace(grown.tableaux[0], turn_deg=95.0),))
    assert len(facing.shares(leaning)[1].tableaux) == 1


def test_a_loose_tile_is_the_nearest_tableaus_else_that_of_its_side() -> None:
    facing = FacingSeats(even_facing_deg(2))
    alone = facing.shares(reading_of(loose=[tile("X", 300, 450), tile("Y", 300, 30)]))
    assert [len(alone[n].loose) for n in (1, 2)] == [1, 1]
    near = both(
        reading_of(("CAT", 100, 300)),
        reading_of(("DOG", 100, 60), turn_deg=180.0, loose=[tile("X", 100, 230)]),
    )
    assert [len(facing.shares(near)[n].loose) for n in (1, 2)] == [1, 0]


def test_what_moves_near_a_seats_tiles_is_known() -> None:
    facing = FacingSeats(even_facing_deg(2))
    facing.shares(reading_of(("CAT", 100, 400)))
    assert facing.touched([(150, 410, 200, 470)]) == {1}
    assert facing.touched([(400, 0, 500, 100)]) == set()


def test_two_tableaux_of_a_seat_stand_apart_with_their_doubts() -> None:
    reading = reading_of(("AT", 10, 10), ("CAT", 10, 90))
    doubted = replace(
        reading.tableaux[0],
        cells=(reading.tableaux[0].cells[0], replace(reading.tableaux[0].cells[1], doubt=True)),
    )
    seen = sighting(SeatTiles((doubted, reading.tableaux[1])), counted=False)
    assert (seen.grid, seen.doubts, seen.face_down) == (("CAT..AT",), ((0, 6),), None)


def test_a_tile_beside_which_another_was_not_read_is_in_doubt() -> None:
    reading = reading_of(("AT", 10, 10))
    beside = replace(reading.tableaux[0], unread=(Unread((90.0, 10.0), 0, 1),))
    seen = sighting(SeatTiles((beside,)), counted=False)
    assert (seen.doubts, seen.unread) == (((0, 1),), ((0, 1),))


def test_a_doubted_tile_beside_which_another_was_not_read_is_asked_about_by_its_letter() -> None:
    reading = reading_of(("AT", 10, 10))
    cells = (reading.tableaux[0].cells[0], replace(reading.tableaux[0].cells[1], doubt=True))
    beside = replace(reading.tableaux[0], cells=cells, unread=(Unread((90.0, 10.0), 0, 1),))
    seen = sighting(SeatTiles((beside,)), counted=False)
    assert (seen.doubts, seen.unread) == (((0, 1),), ())


def test_a_tile_on_a_board_beside_which_another_was_not_read_is_in_doubt() -> None:
    reading = replace(reading_of(("CAT", 100, 100)), board="scrabble")
    beside = replace(reading.tableaux[0], unread=(Unread((160.0, 100.0), 0, 2),))
    seen = BoardView(BoardConfig("scrabble")).seen(replace(reading, tableaux=(beside,)))
    assert seen[SHARED_BOARD].doubts == ((0, 2),)


def test_a_tile_on_squares_beside_which_another_was_not_read_is_in_doubt() -> None:
    zone = Zone(ZoneKind.BOARD, None, ((95, 95), (195, 95), (195, 195), (95, 195)))
    view = camera_view(pose_of(zone), BoardConfig("squares", 5, 5), (0.0, 180.0))
    reading = reading_of(("CAT", 100, 100))
    beside = replace(reading.tableaux[0], unread=(Unread((160.0, 100.0), 0, 2),))
    seen = view.seen(replace(reading, tableaux=(beside,)))[SHARED_BOARD]
    assert isinstance(seen, Board)
    assert [symbol for row, col, symbol in seen.cells if (row, col) in seen.doubts] == ["T"]


def test_a_tile_of_several_letters_is_asked_about() -> None:
    reading = reading_of(("AT", 10, 10))
    cell = replace(reading.tableaux[0].cells[0], symbol="QU")
    seen = sighting(
        SeatTiles((replace(reading.tableaux[0], cells=(cell, reading.tableaux[0].cells[1])),)), counted=False
    )
    assert (seen.grid, seen.doubts) == (("?T",), ((0, 0),))


def test_a_printed_board_is_taken_as_it_is_read_and_only_where_it_is_seen() -> None:
    board = BoardView(BoardConfig("scrabble"))
    reading = reading_of(("CAT", 100, 100))
    assert board.seen(reading) == {}
    assert board.seen(replace(reading, board="scrabble")) == {
        SHARED_BOARD: Board(((0, 0, "C"), (0, 1, "A"), (0, 2, "T")))
    }


def test_the_pieces_of_each_seats_colour_are_its_own() -> None:
    board = BoardView(BoardConfig("volcano", colours=("red", "blue")))
    pieces = (Piece("blue", 0, 1, "large"), Piece("red", 4, 4, "large"), Piece("green", 1, 1, "large"))
    seen = board.seen(replace(reading_of(("CAT", 100, 100)), board="volcano", pieces=pieces))[SHARED_BOARD]
    assert isinstance(seen, Board)
    assert seen.pieces == ((1, ((4, 4),)), (2, ((0, 1),)))


def test_squares_are_those_of_the_boards_zone() -> None:
    zone = Zone(ZoneKind.BOARD, None, ((100, 100), (200, 100), (200, 200), (100, 200)))
    board = camera_view(pose_of(zone), BoardConfig("squares", 5, 5), (0.0, 180.0))
    loose = [tile("A", 110, 190), tile("B", 150, 150, doubt=True), tile("C", 300, 300), tile(None, 130, 110)]
    seen = board.seen(reading_of(loose=loose))[SHARED_BOARD]
    assert seen == Board(((2, 2, "B"), (4, 0, "A")), (), ((2, 2),))


def test_two_tiles_on_one_square_are_in_doubt() -> None:
    zone = Zone(ZoneKind.BOARD, None, ((100, 100), (200, 100), (200, 200), (100, 200)))
    board = camera_view(pose_of(zone), BoardConfig("squares", 5, 5), (0.0, 180.0))
    seen = board.seen(reading_of(loose=[tile("A", 105, 105), tile("B", 115, 115)]))[SHARED_BOARD]
    assert seen == Board(((0, 0, "A"),), (), ((0, 0),))


def test_without_a_zone_the_largest_block_of_tiles_is_the_board_if_it_is_whole() -> None:
    board = BoardView(BoardConfig("squares", 1, 3))
    seen = board.seen(reading_of(("CAT", 100, 100), ("AT", 400, 400)))
    assert seen == {SHARED_BOARD: Board(((0, 0, "C"), (0, 1, "A"), (0, 2, "T")))}
    assert board.seen(reading_of(("AT", 400, 400))) == {}
    assert board.seen(reading_of()) == {}


def test_before_a_board_was_seen_anything_that_moves_may_be_on_it() -> None:
    board = BoardView(BoardConfig("scrabble"))
    assert board.touched([(0, 0, 5, 5)]) == {SHARED_BOARD}
    board.seen(replace(reading_of(("CAT", 100, 100)), board="scrabble"))
    assert (board.touched([(0, 0, 5, 5)]), board.touched([(90, 90, 95, 95)])) == (set(), {SHARED_BOARD})


def test_a_crooked_board_zone_is_refused() -> None:
    zone = Zone(ZoneKind.BOARD, None, ((100, 100), (200, 100), (200, 200)))
    with pytest.raises(BadConfig, match="four corners; got 3"):
        camera_view(pose_of(zone), BoardConfig("squares", 5, 5), (0.0, 180.0))
