"""Where a camera stands over its calibrated table, followed while it is bumped or its arm sinks."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from calibration.table.drift import DriftState, classify_drift, drift
from calibration.table.drift_by_tiles import drift_by_tiles
from companion.config.cameras import CameraConfig
from companion.errors import BadProfile
from companion.model.phrases import joined, phrase
from companion.model.profile import Profile
from companion.model.reading import Tile
from companion.table.camera_thread import Locate
from companion.table.fusion import CameraPose
from companion.vision.camera_frame import CameraFrame, grey
from companion.vision.detector.perspective import TileSize, known_tile_size
from companion.vision.grid.homography import table_homography
from companion.vision.pipeline.reader import Reader
from companion.wizard.findings import TABLE_LOST_MESSAGE
from hardware.cameras import Camera

FIRST_FRAME_S = 3.0
"""Seconds to wait for a camera's first frame."""

PARTLY_OUT = phrase("a part of the table is out of the picture now: turn the camera back")

logger = logging.getLogger(__name__)


class CameraPlace:
    """A camera's place over the table; its profile's file is not changed.

    ``pose`` is corrected where the camera has moved since its calibration, ``None`` without a calibrated
    table.
    """

    def __init__(self, profile: Profile | None) -> None:
        self._calibrated = profile
        self.pose = CameraPose(profile) if profile and profile.table else None
        self._is_found = False

    @property
    def tile_size(self) -> TileSize | None:
        """The size of tiles in the camera's pictures, ``None`` where unknown."""
        return known_tile_size(self.pose.profile if self.pose else self._calibrated)

    def follow(self, reader: Reader) -> Locate:
        """Return ``locate``, after which a reader, too, sees the table from the corrected place."""

        def locate(frame: CameraFrame, before: Sequence[Tile], now: Sequence[Tile]) -> str:
            text = self.locate(frame, before, now)
            reader.tile_size = self.tile_size
            return text

        return locate

    def locate(self, frame: CameraFrame, before: Sequence[Tile] = (), now: Sequence[Tile] = ()) -> str:
        """Correct the pose by a frame; return in words how the camera has moved, or an empty text.

        It is found by the table, or else by the tiles in the frame ``before`` and ``now``.  A table that is
        not found is told where an earlier frame showed it: a plain one is never found.  Raises BadProfile
        where the profile is for pictures of another size.
        """
        known, pose = self._calibrated, self.pose
        if known is None or pose is None:
            return ""
        by_table, was_found = drift(grey(frame), known), self._is_found
        lost = by_table.state is DriftState.LOST
        found = drift_by_tiles(before, now, pose.profile) if lost else by_table
        if found is None:
            self._is_found = False
            return TABLE_LOST_MESSAGE if was_found else ""
        self._is_found = was_found or not lost
        since_last = classify_drift(pose.profile, table_homography(found.profile), found.text, found.places)
        if since_last.state is DriftState.STILL:
            return ""
        pose.profile, calibrated = found.profile, CameraPose(known)
        out = any((calibrated.in_view(zone) & ~pose.in_view(zone)).any() for zone in known.zones)
        return joined([found.text, PARTLY_OUT], "; ") if out else found.text


def found_place(profile: Profile | None, camera: CameraConfig, device: Camera) -> CameraPlace:
    """Return a camera's place by its profile, and a device's newest frame; what has moved is logged.

    Pictures of another size than the profile's are logged; the camera's thread tells them while they come.
    """
    place = CameraPlace(profile)
    watched = place.pose is not None and camera.kind.is_live
    shot = device.newest(0, FIRST_FRAME_S) if watched else None
    try:
        text = place.locate(shot.frame) if shot else ""
    except BadProfile as error:
        text = str(error)
    if text:
        logger.warning("camera %s: %s", camera.called, text)
    return place
