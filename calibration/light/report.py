"""What a look at the light found: graded findings, each with where and with what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.model.reading import Point


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
