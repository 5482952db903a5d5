"""The lens, measured while somebody holds its board before the camera: each look keeps what is new."""

from __future__ import annotations

from dataclasses import dataclass, field

from calibration.lens import Sight, Step, advice, find_board, fit
from calibration.lens.guide import Advice
from calibration.lens.picture import guided
from companion.model.phrases import phrase
from companion.model.profile import Lens
from companion.model.set_up import LensTold
from companion.vision.picture import Frame, grey


@dataclass(slots=True)
class Guide:
    """What was seen of the board so far, and what is to be done next."""

    kept: list[Sight] = field(default_factory=list)
    said: Advice = field(default_factory=lambda: advice([]))

    def look(self, frame: Frame) -> Frame:
        """Look at a picture, keep what it shows of the board where that is new, and return it drawn on it."""
        live = find_board(grey(frame))
        self.said = advice(self.kept, live)
        drawn = guided(frame, live, self.kept, self.said)
        if live is not None and self.said.take:
            self.kept.append(live)
        return drawn

    def lens(self) -> Lens:
        """Return the lens that was seen; raise BadCapture where the pictures do not tell it."""
        return fit(self.kept).lens

    def told(self) -> LensTold:
        """Return what to do next, and how much is done."""
        return LensTold(
            self.said.says, len(self.kept), round(100 * self.said.covered), self.said.step is Step.ENOUGH
        )


def lens_told(lens: Lens) -> str:
    """Return what was found of a lens, and what is to be done after it."""
    return phrase(
        "The lens is measured, to %(error)s pixels: now find the table's corners anew.",
        error=f"{lens.error_px:.2f}",
    )
