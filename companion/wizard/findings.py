"""Results of the steps as values for the pages, and as messages."""

from __future__ import annotations

import math

import numpy as np

from calibration.enrolment.report import EnrolmentReport
from calibration.light import Grade, LightReport
from calibration.table.drift import Drift, DriftState
from companion.model.phrases import joined, phrase
from companion.model.profile import Profile
from companion.model.set_up import DriftReport, LightFinding, LightStatus, TableGeometry
from companion.vision.grid.homography import known_table
from companion.wizard.profile_changes import pixels

MAX_NAMED_PAIRS = 5
"""Pairs of similar symbols that a message names."""


def table_finding(profile: Profile) -> TableGeometry | None:
    """Return a profile's table for the pages, ``None`` where it has none."""
    table = profile.table
    if table is None:
        return None
    wide, high = table.width_mm, table.height_mm
    corners = pixels(profile, np.array([[0.0, 0.0], [wide, 0.0], [wide, high], [0.0, high]]))
    return TableGeometry(wide, high, table.error_mm, len(table.markers), corners)


def light_finding(report: LightReport) -> LightStatus:
    """Return the light report for the pages."""
    findings = tuple(LightFinding(f.aspect, f.grade, f.says, f.mend) for f in report.findings)
    return LightStatus(report.grade, report.tiles, findings)


def drift_finding(found: Drift) -> DriftReport:
    """Return how far the camera has moved against its profile."""
    moved = round(found.moved_mm, 1) if math.isfinite(found.moved_mm) else None
    says = TABLE_LOST_MESSAGE if found.state is DriftState.LOST else found.text
    return DriftReport(found.state, moved, says)


TABLE_LOST_MESSAGE = phrase(
    "neither the markers nor the table's background are found again: tap the table's top left corner, "
    "or find its corners anew"
)


def table_message(profile: Profile) -> str:
    """Return the message after a table was found."""
    table = known_table(profile)
    wide, high = round(table.width_mm), round(table.height_mm)
    if not table.markers:
        return phrase(
            "The table is %(wide)s x %(high)s mm, as you say: compare the grid in the picture with a ruler",
            wide=wide,
            high=high,
        )
    return phrase(
        "The table is %(wide)s x %(high)s mm by %(many)s markers, their corners within %(error)s mm",
        wide=wide,
        high=high,
        many=len(table.markers),
        error=f"{table.error_mm:.1f}",
    )


GRADE_TEXTS = {
    Grade.GOOD: phrase("good"),
    Grade.FAIR: phrase("fair"),
    Grade.BAD: phrase("bad"),
    Grade.UNKNOWN: phrase("unknown"),
}
"""Grades of the light, in words."""


def tile_set_message(report: EnrolmentReport) -> str:
    """Return the message after a tile set was enrolled: its accuracy, and similar symbols."""
    messages = [
        phrase(
            "%(share)s%% of the examples are read surely and rightly by what the others teach",
            share=round(report.right),
        )
    ]
    for pair in report.confusable[:MAX_NAMED_PAIRS]:
        one, other = (symbol or phrase("blank") for symbol in (pair.one, pair.other))
        messages.append(
            phrase("%(one)s and %(other)s look alike: %(advice)s", one=one, other=other, advice=pair.advice)
        )
    return joined(messages, "; ")


def broken_message(why: str) -> str:
    """Return the host's message about a stored profile that cannot be read."""
    return phrase(
        "What is known of this camera cannot be read: %(why)s – find the table's corners anew at "
        "/host/table: that replaces the file, and keeps the old one beside it",
        why=why,
    )
