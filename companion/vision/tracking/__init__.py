"""The reading fused over the frames of a camera, a film or a folder of pictures."""

from companion.vision.tracking.tracker import Steady
from companion.vision.tracking.value import SteadyReading

__all__ = ["Steady", "SteadyReading"]
