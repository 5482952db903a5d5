"""What a look at the light found: graded findings, each with where and what to do; and a picture of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise

import numpy as np

from calibration.caption import BAD, GOOD, PLAIN, QUIET, Line, captioned, dimmed, handy
from companion.model.reading import Point
from companion.render.pen import DOUBT, INVALID, PAPER, UNSURE, Pen
from companion.vision.picture import Frame


class Aspect(StrEnum):
    """What is looked at, in the order it is told."""

    RESOLUTION = "resolution"
    FOCUS = "focus"
    EXPOSURE = "exposure"
    SHADOW = "shadow"
    GLARE = "glare"
    FLICKER = "flicker"


class Grade(StrEnum):
    """How good it is; ``unknown`` where the pictures cannot tell."""

    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"
    UNKNOWN = "unknown"


WORST_FIRST = (Grade.BAD, Grade.UNKNOWN, Grade.FAIR, Grade.GOOD)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about the light.

    ``value`` is what was measured, in ``unit``; ``says`` tells it in words and ``mend`` what to do (empty
    where nothing is to be done); ``where`` are outlines in pixels.
    """

    aspect: Aspect
    grade: Grade
    value: float
    unit: str
    says: str
    mend: str = ""
    where: tuple[tuple[Point, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class LightReport:
    """All findings about pictures of ``width`` x ``height`` pixels in which ``tiles`` tiles were seen."""

    width: int
    height: int
    tiles: int
    findings: tuple[Finding, ...]

    @property
    def grade(self) -> Grade:
        """The worst of them; what nobody could tell counts as fair."""
        grades = {Grade.FAIR if f.grade is Grade.UNKNOWN else f.grade for f in self.findings}
        return next(grade for grade in WORST_FIRST if grade in grades)

    def of(self, aspect: Aspect) -> Finding:
        """Return what was found about one thing."""
        return next(finding for finding in self.findings if finding.aspect is aspect)


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
