"""A picture that shows where the light is bad."""

from __future__ import annotations

from itertools import groupby, pairwise

import numpy as np

from calibration.caption import BAD, GOOD, PLAIN, QUIET, Line, captioned, dimmed, handy
from calibration.light.report import Aspect, Finding, Grade, LightReport
from companion.render.pen import DOUBT, INVALID, PAPER, UNSURE, Pen
from companion.vision.picture import Frame

SIGNS = {Grade.GOOD: "+", Grade.FAIR: "~", Grade.BAD: "!", Grade.UNKNOWN: "?"}
"""What stands before a line, so that no colour is needed to tell good from bad."""

INKS = {Grade.GOOD: GOOD, Grade.FAIR: PLAIN, Grade.BAD: BAD, Grade.UNKNOWN: QUIET}

TITLES = {
    Grade.GOOD: "The light is good",
    Grade.FAIR: "The light will do",
    Grade.BAD: "The light is bad here",
    Grade.UNKNOWN: "The light",
}


def shown_light(picture: Frame, report: LightReport) -> Frame:
    """Return a picture with every bad place marked and all findings below it."""
    return captioned(marked(picture, report), TITLES[report.grade], told(report))


def marked(picture: Frame, report: LightReport) -> Frame:
    """Return a picture, dimmed and handy in size, with every bad place marked."""
    handed, scale = handy(picture)
    frame = dimmed(handed, 0.6)
    pen = Pen(frame, max(1.0, frame.shape[1] / 900))
    for finding in report.findings:
        mark(pen, finding, scale)
    return frame


def told(report: LightReport) -> list[Line]:
    """Return the findings in sentences, what to do after them, each thing once."""
    lines: list[Line] = []
    for (grade, says), alike in groupby(report.findings, key=lambda finding: (finding.grade, finding.says)):
        aspects = ", ".join(finding.aspect for finding in alike)
        lines.append((f"{SIGNS[grade]}  {aspects}: {says}", INKS[grade]))
    wanted = [finding.mend for finding in report.findings if finding.mend]
    return lines + [(f"→  {mend}", PAPER) for mend in dict.fromkeys(wanted)]


def mark(pen: Pen, finding: Finding, scale: float) -> None:
    """Mark where something is bad: glare hatched, shadow dotted, what is soft or small dashed."""
    for points in finding.where:
        ring = (np.array([*points, points[0]]) + 0.5) * scale - 0.5
        match finding.aspect:
            case Aspect.GLARE:
                pen.waves(ring, INVALID)
            case Aspect.SHADOW:
                pen.dots(ring, UNSURE)
            case _:
                for start, end in pairwise(ring):
                    pen.dashes(np.stack([start, end]), DOUBT, 1.4)
