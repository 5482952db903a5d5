"""The reading fused over the frames of a camera, a film or a folder of pictures."""

from companion.reading.steady.steady import Steady
from companion.reading.steady.value import SteadyReading

__all__ = ["Steady", "SteadyReading"]
