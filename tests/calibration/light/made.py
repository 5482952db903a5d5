"""A drawn table in good light, to be spoilt."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from calibration.drawing.camera import View
from calibration.drawing.light_faults import FACE, INK, LitTable, captured_with, lit_table
from calibration.drawing.paint import Picture
from calibration.light import LightReport, check
from companion.vision.camera_frame import Frame
from tests.calibration.simple import look


@cache
def table(tile_px: float = 40.0) -> LitTable:
    paper = replace(look(), face=FACE, ink=INK, wall=0.6)
    return lit_table(np.random.default_rng(1), View(960, 540, tile_px, 8.0, 0.0), paper, 7, 4)


def taken(picture: Picture, blur_px: float = 0.8, seed: int = 1) -> Frame:
    return captured_with(picture, np.random.default_rng(seed), blur_px)


def report(*frames: Frame, tile_px: float = 40.0) -> LightReport:
    """Return what is found about frames of the table, whose tiles are known."""
    return check(frames, table(tile_px).quads)
