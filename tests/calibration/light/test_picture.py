"""The picture that shows where the light is bad."""

from __future__ import annotations

import numpy as np

from calibration.drawing.light_faults import with_glare
from calibration.light import check, light_overlay
from calibration.light.report import report_lines
from tests.calibration.light.made import report, table, taken


def test_what_is_bad_is_marked_where_it_is() -> None:
    picture, truth = with_glare(table().picture, (0.3, 0.4), 0.09)
    frame = taken(picture)
    found = report(frame)
    scale = 1200 / frame.shape[1]
    shown = light_overlay(frame, found)
    red = (shown[..., 2].astype(int) - shown[..., 1] > 100)[: round(frame.shape[0] * scale)]
    y, x = np.nonzero(red)
    inside = np.argwhere(truth).mean(0) * scale
    assert np.hypot(y.mean() - inside[0], x.mean() - inside[1]) < 25  # tiles in it are outlined too


def test_every_finding_is_told_with_a_sign_and_what_to_do_follows() -> None:
    picture, _ = with_glare(table().picture, (0.3, 0.4), 0.09)
    lines = [text for text, _ in report_lines(report(taken(picture)))]
    assert [line[0] for line in lines] == ["+", "+", "+", "+", "!", "?", "→"]
    assert lines[4].startswith("!  glare: ")
    assert "lamp" in lines[-1]


def test_what_is_said_of_several_things_is_said_once() -> None:
    lines = [text for text, _ in report_lines(check([taken(table().picture)], table().quads[:2]))]
    assert lines[0] == "?  resolution, focus, exposure, shadow: 2 tiles were found"
    assert sum(line.startswith("→") for line in lines) == 1
