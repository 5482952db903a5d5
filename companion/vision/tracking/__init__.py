"""The reading fused over the frames of a camera, a film or a folder of pictures."""

from companion.vision.tracking.tracker import Tracker
from companion.vision.tracking.value import TrackedReading

__all__ = ["TrackedReading", "Tracker"]
