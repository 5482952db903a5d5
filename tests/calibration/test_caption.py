"""Words below a picture of setting up."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.caption import BAD, captioned, resized_for_display, wrapped
from companion.render.pen import text_length


@pytest.mark.parametrize(("width", "becomes"), [(640, 1200), (1800, 1800), (4608, 2400)])
def test_a_picture_is_brought_to_a_handy_size(width: int, becomes: int) -> None:
    frame, scale = resized_for_display(np.zeros((width // 2, width), np.uint8))
    assert frame.shape == (becomes // 2, becomes, 3)
    assert scale == becomes / width


def test_a_long_sentence_is_broken_where_words_end() -> None:
    lines = wrapped("take the cap off the lens and turn on the light", 20, 250)
    assert " ".join(" ".join(lines).split()) == "take the cap off the lens and turn on the light"
    assert len(lines) > 1
    assert all(text_length(line, 20) <= 250 for line in lines)


def test_one_word_that_is_too_long_stays_whole() -> None:
    assert wrapped("undistortedness", 20, 30) == ["undistortedness"]


def test_more_sentences_need_more_room() -> None:
    frame = np.zeros((100, 1200, 3), np.uint8)
    one = captioned(frame, "Light", [("good", BAD)])
    two = captioned(frame, "Light", [("good", BAD), ("bad", BAD)])
    assert two.shape[0] > one.shape[0] > 100
    assert (one[:100] == 0).all()
