"""A part of a picture of which more is known, as the detector sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.detector.detections import WORKING_PX, Detections
from companion.vision.detector.perspective import TILE_PX, RectifiedView
from companion.vision.pipeline.frame import Box, FrameDetections, padded, translated

MARGIN = 1.0
"""What the detector must see around a part of a picture, in tile sides."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a picture, cut out and, where near tiles are far larger than far ones, rectified.

    ``box`` is in the picture; ``view`` leads from the cut's pixels to the window's; tiles are found at
    ``scale`` in it.
    """

    box: Box
    scale: float
    view: RectifiedView | None = None

    @classmethod
    def around(cls, box: Box, known: FrameDetections, scale: float) -> Window:
        """Return the window that shows a part of a picture and what lies close beside it.

        ``scale`` is the known one of the picture.
        """
        if known.table is None:
            return cls(padded(box, MARGIN * WORKING_PX / scale, known.size), scale)
        left, top, right, bottom = box
        outline = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)
        wide = padded(box, MARGIN * known.table.largest_side(outline), known.size)
        corner = np.array(wide[:2])
        size = wide[2] - wide[0], wide[3] - wide[1]
        return cls(wide, WORKING_PX / TILE_PX, known.table.of_part(corner, size))

    def cut(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the part of a picture in the box."""
        left, top, right, bottom = self.box
        return frame[top:bottom, left:right]

    def rectify(self, grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the window of what was cut."""
        return self.view.rectify(grey) if self.view else grey

    def to_view(self, detections: Detections) -> Detections:
        """Return detections in the picture as detections in the window."""
        cut = translated(detections, -np.array(self.box[:2]))
        return self.view.to_view(cut) if self.view else cut

    def to_picture(self, detections: Detections) -> Detections:
        """Return detections in the window as detections in the picture."""
        cut = self.view.to_picture(detections) if self.view else detections
        return translated(cut, np.array(self.box[:2]))

    def frame_to_view(self, known: FrameDetections) -> FrameDetections:
        """Return known tiles as they lie in the window."""
        return replace(known, detections=self.to_view(known.detections))
