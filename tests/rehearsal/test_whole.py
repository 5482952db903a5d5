"""A whole game, from the host's start to the last score, held against what really lay there."""

from __future__ import annotations

import numpy as np
import pytest

from companion.rehearsal.runner import PROFILE, WIZARD, Rehearsal, rehearse
from hardware.simulated.draw import Canvas
from hardware.simulated.draw_table import Bytes

TURNED_AT_FRAME = 300
"""Number of the frame, of some 1500, from which on the camera sees the table upside down."""


@pytest.mark.slow
def test_a_game_at_a_table_that_was_set_up_by_its_pages_ends_with_the_right_score() -> None:
    played = rehearse(Rehearsal("chew", 2, 1, WIZARD))
    assert played.passed, played.reason
    assert played.honest_calls > 5
    assert played.honest_refused == 0


@pytest.mark.slow
def test_a_camera_that_is_turned_round_in_the_middle_of_a_game_costs_no_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames, upright = 0, Canvas.frame

    def turned(canvas: Canvas) -> Bytes:
        nonlocal frames
        frames += 1
        picture = upright(canvas)
        return np.ascontiguousarray(picture[::-1, ::-1]) if frames > TURNED_AT_FRAME else picture

    monkeypatch.setattr(Canvas, "frame", turned)
    played = rehearse(Rehearsal("bananagrams", 2, 1, PROFILE))
    assert played.passed, played.reason
    assert frames > 2 * TURNED_AT_FRAME
    assert played.honest_refused == 0
