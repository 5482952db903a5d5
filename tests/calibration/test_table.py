"""The table found in drawn pictures, and what is said of a picture in which it is not."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.drawing.camera import View, camera
from calibration.drawing.marker_tables import Card, lens_of
from calibration.table.finding import KnownLengths, table_by_markers, table_by_taps
from calibration.table.preview import table_preview
from companion.errors import BadCapture
from companion.model.profile import TableMap
from companion.vision.camera_frame import Frame
from companion.vision.grid.homography import to_table
from tests.calibration.plain_tables import HEIGHT, VIEW, WIDTH, cards, profile, table

LENS = lens_of(camera(VIEW))
CORNERS = np.array([[0.0, 0.0], [WIDTH, 0.0], [WIDTH, HEIGHT], [0.0, HEIGHT]])


def found(picture: Frame, told: KnownLengths | None = None) -> TableMap:
    return table_by_markers(picture, LENS, told or KnownLengths())[0]


def test_the_table_is_as_large_as_its_markers_lie_apart() -> None:
    got = found(table().picture)
    assert got.width_mm == pytest.approx(WIDTH, abs=0.3)
    assert got.height_mm == pytest.approx(HEIGHT, abs=0.3)
    assert got.error_mm < 0.05


@pytest.mark.parametrize(
    ("tilt", "turn", "bend"), [(0, 2, 0), (20, 3, -0.05), (10, -10, 0.04), (5, 25, -0.06)]
)
def test_every_place_of_the_table_is_known_to_half_a_millimetre(
    tilt: float, turn: float, bend: float
) -> None:
    drawn = table(view=View(1600, 1200, 27.0, tilt, turn, bend))
    places = np.stack(np.meshgrid(np.linspace(0, WIDTH, 9), np.linspace(0, HEIGHT, 7)), -1).reshape(-1, 2)
    got = to_table(drawn.pixels(places), profile(drawn))
    assert np.hypot(*(got - places).T).max() < 0.5


def test_markers_may_lie_crooked() -> None:
    laid = tuple(
        replace(card, turn=turn) for card, turn in zip(cards(), (0.1, -0.15, 0.05, 0.2), strict=True)
    )
    drawn = table(laid)
    places = np.array([[0.0, 0.0], [300.0, 200.0], [700.0, 450.0]])
    got = to_table(drawn.pixels(places), profile(drawn))
    assert np.hypot(*(got - places).T).max() < 0.5


def test_a_tape_measure_that_agrees_changes_nothing() -> None:
    picture = table().picture
    assert found(picture, KnownLengths((WIDTH + 3, HEIGHT - 2))) == found(picture)


def test_a_sheet_printed_at_another_scale_is_noticed_and_its_scale_told() -> None:
    with pytest.raises(BadCapture, match=r"two known lengths disagree.*printed at about 94.*--ruler 94"):
        found(table(cards(0.94)).picture, KnownLengths((WIDTH, HEIGHT)))


def test_what_its_ruler_measures_makes_up_for_a_sheet_printed_too_small() -> None:
    got = found(table(cards(0.94)).picture, KnownLengths((WIDTH, HEIGHT), 94.0))
    assert got.width_mm == pytest.approx(WIDTH, abs=0.3)


def test_a_marker_from_another_sheet_of_another_scale_is_noticed() -> None:
    laid = (*cards()[:3], replace(cards()[3], side_mm=57.0))
    with pytest.raises(
        BadCapture, match=r"two known lengths disagree: marker . is . % too large beside marker 3"
    ):
        found(table(laid).picture)


def test_breadth_and_depth_given_the_wrong_way_round_are_noticed() -> None:
    with pytest.raises(BadCapture, match="swap --size"):
        found(table().picture, KnownLengths((HEIGHT, WIDTH)))


@pytest.mark.parametrize(
    ("number", "place"), list(enumerate(("top left", "top right", "bottom right", "bottom left")))
)
def test_a_missing_marker_is_named_with_its_place(number: int, place: str) -> None:
    laid = tuple(card for card in cards() if card.number != number)
    with pytest.raises(BadCapture, match=rf"^marker {number} \({place}\) cannot be seen"):
        found(table(laid).picture)


def test_an_upside_down_picture_is_told() -> None:
    with pytest.raises(BadCapture, match="upside down"):
        found(np.ascontiguousarray(table().picture[::-1, ::-1]))


@pytest.mark.parametrize(("quarters", "way"), [(1, "anticlockwise"), (3, "clockwise")])
def test_a_picture_turned_a_quarter_is_told(quarters: int, way: str) -> None:
    with pytest.raises(BadCapture, match=f"turned a quarter {way}"):
        found(np.ascontiguousarray(np.rot90(table().picture, quarters)))


def test_markers_in_a_wrong_order_are_told() -> None:
    with pytest.raises(BadCapture, match="not in order"):
        found(table(cards(numbers=(0, 2, 1, 3))).picture)


def test_a_mirrored_picture_is_told() -> None:
    with pytest.raises(BadCapture, match="mirrored"):
        found(np.ascontiguousarray(table().picture[:, ::-1]))


def test_a_blurred_picture_is_told_with_its_blur() -> None:
    soft = np.asarray(cv2.GaussianBlur(table().picture, (0, 0), 5.0), np.uint8)
    with pytest.raises(BadCapture, match=r"is blurred over \d+\.\d of its \d+ pixels: focus"):
        found(soft)


def test_a_burnt_out_picture_is_told() -> None:
    pale = np.asarray(np.clip(150 + 0.5 * table().picture.astype(float), 0, 255), np.uint8)
    with pytest.raises(BadCapture, match="burnt out"):
        found(pale)


def test_a_dark_picture_is_told() -> None:
    with pytest.raises(BadCapture, match="nearly black"):
        found(np.zeros((1200, 1600), np.uint8))


def test_a_table_without_markers_is_told_where_to_get_them() -> None:
    grain = np.random.default_rng(1).integers(0, 255, (1200, 1600)).astype(np.uint8)
    with pytest.raises(BadCapture, match="companion sheets markers"):
        found(grain)


def test_four_taps_and_a_measure_are_enough() -> None:
    drawn = table()
    got = table_by_taps(drawn.pixels(CORNERS), (WIDTH, HEIGHT), LENS)
    places = np.array([[123.0, 45.0], [700.0, 500.0]])
    known = replace(profile(drawn), table=got)
    assert np.hypot(*(to_table(drawn.pixels(places), known) - places).T).max() < 0.01


@pytest.mark.parametrize("order", [(0, 3, 2, 1), (2, 3, 0, 1), (0, 2, 1, 3)])
def test_taps_in_another_order_are_refused(order: tuple[int, ...]) -> None:
    with pytest.raises(BadCapture, match="clockwise: top left, top right"):
        table_by_taps(table().pixels(CORNERS)[list(order)], (WIDTH, HEIGHT), LENS)


def test_a_measure_that_no_rectangle_through_the_lens_can_have_is_refused() -> None:
    with pytest.raises(BadCapture, match=r"800 mm broad would be 5\d\d mm deep as tapped, not 700"):
        table_by_taps(table().pixels(CORNERS), (WIDTH, 700.0), LENS)


def test_a_preview_shows_the_table_and_tells_its_size() -> None:
    drawn = table()
    known = profile(drawn)
    _, marks = table_by_markers(drawn.picture, LENS, KnownLengths())
    colour = np.asarray(cv2.cvtColor(drawn.picture, cv2.COLOR_GRAY2BGR), np.uint8)
    shown = table_preview(colour, known, marks, "here")
    assert shown.shape[1] == 1600
    assert shown.shape[0] > 1200
    middle = drawn.pixels(np.array([[10.0, HEIGHT / 2]]))[0].astype(int)
    blue, green, red = shown[middle[1], middle[0]].astype(int)
    assert max(blue, red) > green + 5  # the left seat's purple


def test_a_card_blackens_what_its_pattern_says() -> None:
    card = Card(0, (0.0, 0.0), 0.0, 70.0)
    assert card.ink(np.array([[-34.0, -34.0], [34.0, 34.0], [-36.0, 0.0]])).tolist() == [True, True, False]
