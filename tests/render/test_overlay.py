"""The drawing of what was seen: what lies where, in which colour and which line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.model.grid import Direction
from companion.model.reading import Corners, Face, Piece, Reading, Tile
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.render import pen
from companion.render.overlay import MAX_ENLARGED_SIDE_PX, MIN_TILE_SIDE_PX, fit_text, overlay
from companion.render.pen import Pen, bgr, label_size, line_length, resample_line, text_length, wave
from companion.vision.camera_frame import Frame, to_bgr
from companion.vision.picture import decode
from tests.made_up import reading, square, tableau, tile

GREY = 128


def picture(width: int = 600, height: int = 400) -> Frame:
    return np.full((height, width, 3), GREY, np.uint8)


def drawn(seen: Reading, *verdicts: TableauVerdict) -> Frame:
    """The overlay without its caption, in the picture's own size."""
    return overlay(picture(seen.width, seen.height), seen, verdicts, "table.jpg")[: seen.height, : seen.width]


def large(*others: tuple[str | None, bool]) -> Reading:
    """Loose tiles of 100 pixels in a row, so that the drawing is not enlarged: symbol and doubt."""
    tiles = [tile(symbol, (0, 0), doubt) for symbol, doubt in others]
    corners = [((x, 150.0), (x + 100.0, 150.0), (x + 100.0, 250.0), (x, 250.0)) for x in range(50, 600, 130)]
    placed = [replace(one, corners=where) for one, where in zip(tiles, corners, strict=False)]
    return reading(others=tuple(placed))


def pixels_of(frame: Frame, colour: str) -> int:
    """How many pixels are nearly of that colour."""
    away = np.abs(frame.astype(int) - np.array(bgr(colour))).max(axis=-1)
    return int((away < 12).sum())


def word(text: str, valid: bool | None, direction: Direction = Direction.ACROSS) -> TableauVerdict:
    return TableauVerdict((JudgedWord(text, 0, 0, direction, valid),), 1, valid)


# The picture below


def test_the_picture_itself_stays_as_it_is() -> None:
    before = picture()
    overlay(before, large(("A", False)), [], "x")
    assert (before == GREY).all()


def test_what_no_tile_was_seen_in_is_dimmed_and_a_tile_keeps_its_light() -> None:
    frame = drawn(large(("I", False)))
    assert frame[10, 10].tolist() == [GREY // 2] * 3
    assert frame[235, 130].tolist() == [GREY] * 3


def test_an_empty_table_is_drawn_dim_with_a_caption() -> None:
    frame = overlay(picture(), reading(), [], "x")
    assert (frame[:400] == GREY // 2).all()
    assert frame.shape[0] > 400


def test_a_drawing_with_large_tiles_has_the_size_of_the_picture_and_a_caption_below() -> None:
    frame = overlay(picture(), large(("A", False)), [], "x")
    assert frame.shape[1] == 600
    assert frame.dtype == np.uint8


def test_small_tiles_are_enlarged_until_their_labels_can_be_read() -> None:
    frame = overlay(picture(), reading(tableau("A B")), [TableauVerdict((), 1, False)], "x")
    assert frame.shape[1] == round(600 * MIN_TILE_SIDE_PX / 40)


def test_a_large_picture_is_not_enlarged_beyond_bounds() -> None:
    seen = reading(others=(tile("A", (50, 50)),), size=(3800, 60))
    assert overlay(picture(3800, 60), seen, [], "x").shape[1] == MAX_ENLARGED_SIDE_PX


# Tiles


def test_a_sure_tile_has_an_unbroken_outline_and_a_doubted_one_a_broken_one() -> None:
    edge = range(170, 230)
    frame = drawn(large(("A", False), ("B", True)))
    sure, doubted = frame[edge, 147], frame[edge, 277]
    assert pixels_of(sure[None], pen.LOOSE) == len(edge)
    assert 10 < pixels_of(doubted[None], pen.DOUBT) < 50
    assert pixels_of(doubted[None], pen.INK) > 5


def test_a_doubt_has_a_colour_of_its_own() -> None:
    assert pixels_of(drawn(large(("A", False))), pen.DOUBT) == 0
    assert pixels_of(drawn(large(("A", True))), pen.DOUBT) > 300


def test_a_tile_face_down_is_hatched_and_has_no_label() -> None:
    down, up = drawn(large((None, False))), drawn(large(("I", False)))
    inside = np.s_[190:240, 90:140]
    assert pixels_of(down[inside], pen.HATCH) > 100
    assert pixels_of(up[inside], pen.HATCH) == 0
    label = np.s_[160:180, 60:80]
    assert pixels_of(down[label], pen.LOOSE) == 0 < pixels_of(up[label], pen.LOOSE)


def test_the_label_lies_at_the_symbol_s_own_top_left() -> None:
    upright = large(("I", False))
    turned = reading(
        others=(
            replace(upright.tiles[0], corners=upright.tiles[0].corners[2:] + upright.tiles[0].corners[:2]),
        )
    )
    top_left, bottom_right = np.s_[160:180, 60:80], np.s_[220:240, 120:140]
    for seen, label, free in [(upright, top_left, bottom_right), (turned, bottom_right, top_left)]:
        frame = drawn(seen)
        assert pixels_of(frame[label], pen.LOOSE) > 150
        assert pixels_of(frame[free], pen.LOOSE) == 0


@pytest.mark.parametrize("symbol", ["Ä", "Ö", "Ü", "Å", "Ñ", "Ł"])
def test_letters_beyond_english_have_shapes_of_their_own(symbol: str) -> None:
    unknown = drawn(large(("\U000f0000", False)))
    assert not np.array_equal(drawn(large((symbol, False))), unknown)
    assert not np.array_equal(drawn(large((symbol, False))), drawn(large(("A", False))))


def test_an_accent_stays_within_its_label() -> None:
    pen = Pen(np.full((120, 120, 3), 255, np.uint8), 2)
    pen.label("Ö", (60, 60), 40, "#ff0000", "#ffffff")
    red = np.argwhere((pen.frame[..., 2] > 150) & (pen.frame[..., 0] < 90))
    assert red[:, 0].min() > 41
    assert red[:, 0].max() < 79


@pytest.mark.parametrize("centre", [(-40.0, -9.0), (410.0, 100.0), (200.0, 305.0)])
def test_a_label_at_the_pictures_edge_is_whole(centre: tuple[float, float]) -> None:
    at_edge, amid = (Pen(picture(400, 300), 2) for _ in range(2))
    at_edge.label("D/AND?", centre, 30, "#ff0000", "#00ff00")
    amid.label("D/AND?", (200, 150), 30, "#ff0000", "#00ff00")
    inks = [[pixels_of(pen.frame, colour) for colour in ("#ff0000", "#00ff00")] for pen in (at_edge, amid)]
    assert inks[0] == pytest.approx(inks[1], rel=0.03)


def test_a_doubt_is_spelt_out_on_a_wider_label() -> None:
    assert label_size("M/Z?", 30)[1] > 1.8 * label_size("M", 30)[1]


def test_the_label_of_a_doubt_keeps_off_a_neighbour() -> None:
    seen = reading(
        others=(
            tile("A", (100, 100), doubt=True),
            tile("B", (140, 100)),
            tile("C", (100, 60)),
            tile("D", (100, 140)),
        )
    )
    frame = drawn(replace(seen, tiles=tuple(replace(t, corners=square_of(t.centre)) for t in seen.tiles)))
    left, right = frame[250:310, 165:225], frame[250:310, 335:395]
    assert pixels_of(left, pen.DOUBT) > 200
    assert pixels_of(right, pen.DOUBT) < 50


def square_of(centre: tuple[float, float]) -> Corners:
    """The tile three times as large and as far away, so that nothing is enlarged."""
    a, b, c, d = (
        (2.5 * (x - centre[0]) + 2.8 * centre[0], 2.5 * (y - centre[1]) + 2.8 * centre[1])
        for x, y in square(*centre)
    )
    return a, b, c, d


# Words


def words_drawn(valid: bool | None, drawing: str = "A B C", direction: Direction = Direction.ACROSS) -> Frame:
    seen = reading(tableau(drawing), size=(300, 200))
    return overlay(picture(300, 200), seen, [word("ABC", valid, direction)], "x")[:230]


@pytest.mark.parametrize(("valid", "colour"), [(True, pen.VALID), (False, pen.INVALID)])
def test_a_verdict_has_its_colour(valid: bool, colour: str) -> None:
    other = pen.INVALID if valid else pen.VALID
    assert pixels_of(words_drawn(valid), colour) > 100
    assert pixels_of(words_drawn(valid), other) == 0


def test_an_invalid_word_is_a_wave_and_a_valid_one_is_straight() -> None:
    def rows(frame: Frame, colour: str) -> int:
        away = np.abs(frame.astype(int) - np.array(bgr(colour))).max(axis=-1)
        return int((away < 12).any(axis=1).sum())

    assert rows(words_drawn(False), pen.INVALID) > 1.6 * rows(words_drawn(True), pen.VALID)


def test_a_word_to_be_decided_is_dotted() -> None:
    frame = words_drawn(None)
    assert pixels_of(frame, pen.VALID) == pixels_of(frame, pen.INVALID) == 0
    assert not np.array_equal(
        frame,
        overlay(
            picture(300, 200), reading(tableau("A B C"), size=(300, 200)), [TableauVerdict((), 1, None)], "x"
        )[:230],
    )


def test_a_word_that_runs_down_is_marked_at_its_side() -> None:
    frame = words_drawn(True, "A\nB\nC", Direction.DOWN)
    away = np.abs(frame.astype(int) - np.array(bgr(pen.VALID))).max(axis=-1)
    rows, cols = np.nonzero(away < 12)
    assert np.ptp(rows) > 100
    assert np.ptp(cols) < 6


def test_a_word_whose_tiles_are_nowhere_is_not_drawn() -> None:
    seen = reading(tableau("A B"))
    away = TableauVerdict((JudgedWord("CAB", 7, 7, Direction.ACROSS, True),), 1, True)
    nothing = TableauVerdict((), 1, True)
    assert np.array_equal(drawn(seen, away), drawn(seen, nothing))


def test_a_tableau_without_any_tile_is_not_numbered() -> None:
    ghost = replace(reading(tableau("A B")), tiles=())
    assert (drawn(ghost, TableauVerdict((), 0, False)) == GREY // 2).all()


def test_each_tableau_has_its_own_colour() -> None:
    frame = drawn(
        reading(tableau("A B"), tableau("C D"), size=(700, 400)), *[TableauVerdict((), 1, None)] * 2
    )
    assert pixels_of(frame, pen.tableau_ink(0)) > 100
    assert pixels_of(frame, pen.tableau_ink(1)) > 100


def test_colours_of_tableaux_repeat_rather_than_end() -> None:
    assert pen.tableau_ink(len(pen.TABLEAU_COLOURS)) == pen.tableau_ink(0)


# Caption


def test_the_caption_grows_with_the_number_of_tableaux() -> None:
    one = overlay(picture(), replace(reading(tableau("A B")), tiles=()), [word("AB", True)], "x")
    two = overlay(
        picture(), replace(reading(tableau("A B"), tableau("A B")), tiles=()), [word("AB", True)] * 2, "x"
    )
    assert two.shape[0] > one.shape[0] > 400


def test_the_caption_tells_of_a_volcano_board_what_stands_on_it() -> None:
    on_board = replace(reading(tableau("A B")), board="volcano")
    plain, board, pyramid = (
        overlay(picture(), seen, [word("AB", None)], "x")[400:]
        for seen in (
            replace(on_board, board=None),
            on_board,
            replace(on_board, pieces=(Piece("red", 0, 0, "large"),)),
        )
    )
    assert plain.shape == board.shape == pyramid.shape
    assert (plain != board).any()
    assert (board != pyramid).any()


def test_the_caption_of_very_many_tableaux_ends_somewhere() -> None:
    many = replace(reading(*[tableau("A B")] * 90), tiles=())
    assert overlay(picture(), many, [word("AB", None)] * 90, "x").shape[0] < 800


def legend(seen: Reading, *verdicts: TableauVerdict) -> Frame:
    """The lowest rows of the caption of a large picture."""
    return overlay(picture(2000, 9), replace(seen, width=2000, height=9), verdicts, "x")[-60:]


@pytest.mark.parametrize(
    ("valid", "colour", "foreign"),
    [(True, pen.VALID, pen.INVALID), (False, pen.INVALID, pen.VALID), (None, pen.UNSURE, pen.DOUBT)],
)
def test_the_caption_explains_the_signs_that_occur_and_no_others(
    valid: bool | None, colour: str, foreign: str
) -> None:
    frame = legend(replace(reading(tableau("A B")), tiles=()), word("AB", valid))
    assert pixels_of(frame, colour) >= 8
    assert pixels_of(frame, foreign) == 0


def test_the_caption_explains_how_tiles_are_outlined() -> None:
    doubted, sure, down = (legend(large(one)) for one in [("A", True), ("A", False), (None, False)])
    assert pixels_of(doubted, pen.DOUBT) > 20 > pixels_of(sure, pen.DOUBT) == 0
    assert not np.array_equal(sure, down)


@pytest.mark.parametrize("width", [1, 7, 40, 150])
def test_a_caption_fits_below_the_narrowest_picture(width: int) -> None:
    seen = replace(reading(tableau("A B"), others=(tile("Q", (3, 3)),)), width=width, height=5)
    assert overlay(picture(width, 5), seen, [word("AB", False)], "a long name" * 9).shape[1] >= width


def test_a_long_text_is_cut_with_a_sign_and_a_short_one_is_not() -> None:
    assert fit_text("short", 20, 500) == "short"
    cut = fit_text("a long text that cannot fit", 20, 100)
    assert cut.endswith("…")
    assert text_length(cut, 20) <= 100 < text_length("a long text that", 20)


# Lines


def test_points_are_spaced_evenly_from_end_to_end() -> None:
    bent = np.array([[0.0, 0.0], [30.0, 0.0], [30.0, 10.0]])
    assert resample_line(bent, 10).tolist() == [[0, 0], [10, 0], [20, 0], [30, 0], [30, 10]]


def test_a_line_without_length_has_two_ends_all_the_same() -> None:
    assert resample_line(np.zeros((2, 2)), 10).tolist() == [[0, 0], [0, 0]]


def test_a_wave_swings_to_both_sides_of_its_line() -> None:
    swung = wave(np.array([[0.0, 50.0], [300.0, 50.0]]), 10)
    assert swung[:, 1].min() == pytest.approx(50 - 5 * 3**0.5 / 2)
    assert swung[:, 1].max() == pytest.approx(50 + 5 * 3**0.5 / 2)
    assert line_length(swung) > 300


PIXEL = st.floats(-100, 300)
ANY_TILE = st.builds(
    Tile,
    st.sampled_from(["A", "Ä", "", "AND", "\U000f0000", "🂠"]),
    st.sampled_from(Face),
    st.tuples(*[st.tuples(PIXEL, PIXEL)] * 4),
    st.just(0.5),
    st.booleans(),
    st.sampled_from([None, "", "OR"]),
    st.sampled_from([None, 0, 1, 9]),
    st.sampled_from([None, 0, 1]),
    st.sampled_from([None, 0, 1]),
)


@settings(max_examples=60)
@given(st.lists(ANY_TILE, max_size=5), st.sampled_from([True, False, None]))
def test_any_reading_can_be_drawn(tiles: list[Tile], valid: bool | None) -> None:
    seen = Reading(200, 100, "bananagrams-en", tuple(tiles), (tableau("A B"), tableau("C")))
    verdicts = [word("AB", valid), word("AB", valid, Direction.DOWN)]
    frame = overlay(picture(200, 100), seen, verdicts, "x\x00y")
    assert frame.dtype == np.uint8
    assert frame.shape[1] <= MAX_ENLARGED_SIDE_PX


def test_a_real_photograph_is_drawn_on(shared: Path) -> None:
    photo = to_bgr(decode(shared / "photos" / "bananagrams_fi" / "zawaer_1770633537245.jpg", colour=True))
    seen = reading(
        others=(replace(tile("Ä", (0, 0)), corners=((500, 500), (700, 520), (680, 720), (480, 700))),)
    )
    frame = overlay(photo, replace(seen, width=2200, height=1650), [], "Foto Ä.jpg")
    assert frame.shape[1] == 2200
    assert frame[:1650].mean() < 0.6 * photo.mean()
    assert np.array_equal(frame[640, 600], photo[640, 600])
