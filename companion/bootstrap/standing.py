"""Whether a camera still stands as it did when its table was measured, looked after before each game."""

from __future__ import annotations

import logging

from calibration.drift import Stand, drift
from companion.config.cameras import CameraConfig, CameraKind
from companion.model.profile import Profile
from companion.vision.picture import grey
from hardware.cameras import Camera

logger = logging.getLogger(__name__)

LIVE = {CameraKind.PI, CameraKind.USB, CameraKind.STREAM}
"""Cameras that somebody can bump; a film never moves, and looking would take a frame from it."""

WAIT_S = 3.0
"""How long the first picture of a camera is waited for; one that brings none tells so by its health."""


def standing(profile: Profile | None, camera: CameraConfig, device: Camera) -> Profile | None:
    """Return the profile to play with: corrected in memory where a camera was bumped, its file left alone.

    What was found is said in the log.  Raises BadProfile where the profile is of pictures of another size.
    """
    if profile is None or profile.table is None or camera.kind not in LIVE:
        return profile
    if not profile.table.markers and not profile.landmarks:
        return profile
    shot = device.newest(0, WAIT_S)
    if shot is None:
        return profile
    found = drift(grey(shot.frame), profile)
    level = logging.INFO if found.stand is Stand.STILL else logging.WARNING
    logger.log(level, "camera %s: %s", camera.called, found.says)
    return found.profile
