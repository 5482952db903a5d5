"""The reading fused over the frames of a camera, a film or a folder of pictures."""

from companion.vision.tracking.publish import TrackedReading
from companion.vision.tracking.tracker import Tracker

__all__ = ["TrackedReading", "Tracker"]
