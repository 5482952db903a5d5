"""Recall and false alarms of the light check on drawn tables, each with one fault of the light at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from calibration.drawing.camera import View
from calibration.drawing.fonts import evaluation_fonts
from calibration.drawing.light_faults import (
    LitTable,
    captured_with,
    flickering,
    lit_table,
    with_glare,
    with_shadow,
)
from calibration.drawing.rng import Rng
from calibration.drawing.tile_style import random_style
from calibration.evaluation.metric import Metric, Progress, percent
from calibration.light import Aspect, Grade, check
from companion.vision.camera_frame import Frame

SEED = 77
TABLE_COUNT = 6
PICTURE_SIZE_PX = (1280, 720)
SHADOW_OUTLINE = np.array([[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.2, 0.2]])
"""Outline of a shadow about its centre, in shares of the picture's sides."""

FaultyFrames = Mapping[Aspect | None, Sequence[Frame]]
"""Frames by their fault, ``None`` for good light."""


def light_metrics(progress: Progress) -> Iterator[Metric]:
    """Yield the recall of faults and the number of false alarms; raise NoFonts."""
    found = faults = false = 0
    for k in range(TABLE_COUNT):
        progress(f"a table in bad light, {k + 1}")
        rng = np.random.default_rng((SEED, k))
        view = View(*PICTURE_SIZE_PX, float(rng.uniform(26, 50)), float(rng.uniform(0, 12)), 0.0)
        table = lit_table(rng, view, random_style(rng, evaluation_fonts()))
        for aspect, frames in faulty_frames(rng, table, view.tile_px).items():
            reported = reported_aspects(frames, table)
            faults, found = faults + (aspect is not None), found + (aspect in reported)
            false += aspect is None and bool(reported)
    how = f"{found} of {faults}: glare, shadow, flicker, blur and darkness on {TABLE_COUNT} drawn tables"
    yield Metric("faults of light found", percent(found, faults), "%", how=how)
    yield Metric("good light called bad", float(false), "", how=f"of {TABLE_COUNT} drawn tables")


def faulty_frames(rng: Rng, table: LitTable, tile_px: float) -> FaultyFrames:
    """Return frames of a table in good light, and with each fault by itself."""
    picture, place = table.picture, rng.uniform(0.2, 0.8, 2)
    glare, _ = with_glare(picture, (float(place[0]), float(place[1])), float(rng.uniform(0.04, 0.1)))
    shadow, _ = with_shadow(picture, SHADOW_OUTLINE + place, float(rng.uniform(0.25, 0.4)))
    waves = flickering(picture, 4, float(rng.uniform(0.03, 0.15)), float(rng.uniform(0.5, 6)))
    return {
        None: [captured_with(picture, rng) for _ in range(3)],
        Aspect.GLARE: [captured_with(glare, rng)],
        Aspect.SHADOW: [captured_with(shadow, rng)],
        Aspect.FLICKER: [captured_with(wave, rng) for wave in waves],
        Aspect.FOCUS: [captured_with(picture, rng, 0.13 * tile_px)],
        Aspect.EXPOSURE: [captured_with(picture * np.float32(0.3), rng)],
    }


def reported_aspects(frames: Sequence[Frame], table: LitTable) -> set[Aspect | None]:
    """Return the aspects that the check does not grade as good."""
    findings = check(frames, table.quads).findings
    return {finding.aspect for finding in findings if finding.grade in {Grade.FAIR, Grade.BAD}}
