from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from calibration.enrolment.capture import (
    MIN_STILL_FRAMES,
    CapturePrompt,
    capture_steps,
    instruction,
    still_frames,
)
from companion.errors import BadEnrolment
from companion.vision.camera_frame import Frame
from tests.shapes import photograph

EMPTY = np.full((192, 384), 95, np.uint8)


def row(symbol: str, count: int = 3) -> Frame:
    """Return up to three tiles of a symbol in a picture that is always as large."""
    picture, whole = photograph([[symbol] * count]), EMPTY.copy()
    whole[:, : picture.shape[1]] = picture
    return whole


def shown(*pictures: Frame, times: int = MIN_STILL_FRAMES) -> Iterator[Frame]:
    """Yield each picture as a camera sends it that looks for a while."""
    for picture in pictures:
        for _ in range(times):
            yield picture


def test_symbols_are_taken_one_after_the_other_as_soon_as_all_their_tiles_lie_still() -> None:
    told: list[CapturePrompt] = []
    one, other = row("△"), row("Γ")
    taken = capture_steps(shown(row("△", 2), one, one, other), [["△"], ["Γ"]], 3, told.append)
    assert [(frame is one or frame is other, order) for frame, order in taken] == [
        (True, ["△"]),
        (True, ["Γ"]),
    ]
    assert [(now.done, now.text) for now in told] == [
        (0, "Lay 3 tiles of '△' in a row, the first of them upright, and nothing else."),
        (0, "2 tiles are seen; 3 should lie there."),
        (1, "Taken.  Lay 3 tiles of 'Γ' in a row, the first of them upright, and nothing else."),
        (2, "All symbols are taken."),
    ]


def test_a_camera_that_ends_before_the_last_symbol_is_told_with_what_is_missing() -> None:
    with pytest.raises(BadEnrolment, match=r"after 1 of 2 steps.*Lay 3 tiles of 'Γ'"):
        capture_steps(shown(row("△")), [["△"], ["Γ"]], 3, lambda _: None)


def test_an_empty_table_is_told_while_tiles_are_waited_for() -> None:
    told: list[CapturePrompt] = []
    with pytest.raises(BadEnrolment, match="after 0 of 1 steps"):
        capture_steps(shown(EMPTY), [["△"]], 3, told.append)
    assert told[-1].text == "no tiles are seen; 3 should lie there."


def test_nothing_is_still_while_a_picture_changes() -> None:
    moving = [np.roll(row("△"), 12 * k, 1) for k in range(6)]
    assert list(still_frames(moving, lambda: None)) == []


def test_a_picture_of_another_shape_is_a_change() -> None:
    wide = np.full((100, 200), 200, np.uint8)
    taller = np.full((150, 200), 200, np.uint8)
    assert len(list(still_frames(shown(wide, taller), lambda: wide))) == 1


def test_what_was_taken_is_not_taken_again() -> None:
    one = row("△")
    assert list(still_frames([one] * 5, lambda: one)) == []


def test_a_blank_has_no_way_up() -> None:
    assert instruction([""], 2) == "Lay 2 tiles of a blank in a row, and nothing else."


def test_symbols_laid_together_are_asked_for_in_their_order() -> None:
    assert instruction(["A", ""], 3).endswith("the first of each upright, in this order: A blank.")
