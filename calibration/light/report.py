"""The report of the light check: graded findings with places and advice, and an overlay of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise

import numpy as np

from calibration.caption import BAD, GOOD, PLAIN, QUIET, Line, captioned, dimmed, resized_for_display
from companion.model.reading import Point
from companion.render.pen import DOUBT, INVALID, PAPER, UNSURE, Pen
from companion.vision.camera_frame import Frame


class Aspect(StrEnum):
    """The aspects that are checked, in the order of the report."""

    RESOLUTION = "resolution"
    FOCUS = "focus"
    EXPOSURE = "exposure"
    SHADOW = "shadow"
    GLARE = "glare"
    FLICKER = "flicker"


class Grade(StrEnum):
    """The grade of an aspect; ``unknown`` where it cannot be measured."""

    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"
    UNKNOWN = "unknown"


WORST_FIRST = (Grade.BAD, Grade.UNKNOWN, Grade.FAIR, Grade.GOOD)


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding on one aspect.

    ``value`` is the measured value in ``unit``; ``says`` is the finding in words and ``mend`` the advice,
    empty without any; ``where`` are outlines in pixels.
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
    """All findings on pictures of ``width`` x ``height`` pixels, in which ``tiles`` tiles were detected."""

    width: int
    height: int
    tiles: int
    findings: tuple[Finding, ...]

    @property
    def grade(self) -> Grade:
        """The worst grade; an unknown one counts as fair."""
        grades = {Grade.FAIR if f.grade is Grade.UNKNOWN else f.grade for f in self.findings}
        return next(grade for grade in WORST_FIRST if grade in grades)

    def of(self, aspect: Aspect) -> Finding:
        """Return the finding on one aspect."""
        return next(finding for finding in self.findings if finding.aspect is aspect)


SIGNS = {Grade.GOOD: "+", Grade.FAIR: "~", Grade.BAD: "!", Grade.UNKNOWN: "?"}
"""The sign before a line, so that colour is not the only sign."""

INKS = {Grade.GOOD: GOOD, Grade.FAIR: PLAIN, Grade.BAD: BAD, Grade.UNKNOWN: QUIET}

TITLES = {
    Grade.GOOD: "The light is good",
    Grade.FAIR: "The light will do",
    Grade.BAD: "The light is bad here",
    Grade.UNKNOWN: "The light",
}


def light_overlay(picture: Frame, report: LightReport) -> Frame:
    """Return a picture with marked places and all findings below it."""
    return captioned(mark_findings(picture, report), TITLES[report.grade], report_lines(report))


def mark_findings(picture: Frame, report: LightReport) -> Frame:
    """Return a dimmed and resized picture with the places of all findings marked."""
    handed, scale = resized_for_display(picture)
    frame = dimmed(handed, 0.6)
    pen = Pen(frame, max(1.0, frame.shape[1] / 900))
    for finding in report.findings:
        draw_finding(pen, finding, scale)
    return frame


def report_lines(report: LightReport) -> list[Line]:
    """Return the findings in sentences, then the advice, each sentence once."""
    lines: list[Line] = []
    for (grade, says), alike in groupby(report.findings, key=lambda finding: (finding.grade, finding.says)):
        aspects = ", ".join(finding.aspect for finding in alike)
        lines.append((f"{SIGNS[grade]}  {aspects}: {says}", INKS[grade]))
    wanted = [finding.mend for finding in report.findings if finding.mend]
    return lines + [(f"→  {mend}", PAPER) for mend in dict.fromkeys(wanted)]


def draw_finding(pen: Pen, finding: Finding, scale: float) -> None:
    """Mark the places of a finding: glare with waves, shadow with dots, others with dashes."""
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
