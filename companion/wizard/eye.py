"""One camera of a table that is being set up: its pictures, its lens, and the profile that is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from calibration.lens import BoardDetection, Step, advice, find_board, fit
from calibration.lens.guide import Advice
from calibration.lens.overlay import guide_overlay
from calibration.profile import today, write_profile
from companion.errors import BadCapture
from companion.model.phrases import phrase
from companion.model.profile import CameraId, Lens, Profile
from companion.model.set_up import LensProgress
from companion.table.devices import Camera
from companion.vision.picture import Frame, grey

WAIT_S = 3.0
"""How long a picture is waited for."""


@dataclass(slots=True)
class Guide:
    """What was seen of the board so far, and what is to be done next."""

    kept: list[BoardDetection] = field(default_factory=list)
    said: Advice = field(default_factory=lambda: advice([]))

    def look(self, frame: Frame) -> Frame:
        """Look at a picture, keep what it shows of the board where that is new, and return it drawn on it."""
        live = find_board(grey(frame))
        self.said = advice(self.kept, live)
        drawn = guide_overlay(frame, live, self.kept, self.said)
        if live is not None and self.said.take:
            self.kept.append(live)
        return drawn

    def lens(self) -> Lens:
        """Return the lens that was seen; raise BadCapture where the pictures do not tell it."""
        return fit(self.kept).lens

    def told(self) -> LensProgress:
        """Return what to do next, and how much is done."""
        return LensProgress(
            self.said.text, len(self.kept), round(100 * self.said.covered), self.said.step is Step.ENOUGH
        )


def lens_told(lens: Lens) -> str:
    """Return what was found of a lens, and what is to be done after it."""
    return phrase(
        "The lens is measured, to %(error)s pixels: now find the table's corners anew.",
        error=f"{lens.error_px:.2f}",
    )


@dataclass(frozen=True, slots=True)
class WizardEye:
    """A camera: what people call it, the device, where its profile is kept, and what returns the newest."""

    name: str
    camera: Camera
    path: Path
    profile: Callable[[], Profile | None]

    def frames(self, many: int) -> list[Frame]:
        """Return the newest pictures, one after another, at least one.

        Raises
        ------
        BadCapture
            Where the camera sends none.
        """
        frames = list(islice(self._frames(), many))
        if not frames:
            says = self.camera.health().says
            raise BadCapture(phrase("the camera %(camera)s %(says)s", camera=self.name, says=says))
        return frames

    def _frames(self) -> Iterator[Frame]:
        """Yield pictures until none comes any more."""
        at_ns = 0
        while (shot := self.camera.newest(at_ns, WAIT_S)) is not None:
            at_ns = shot.at_ns
            yield shot.frame

    def profile_for(self, frame: Frame) -> Profile:
        """Return what is kept, or a new profile for pictures such as this one.

        Raises
        ------
        BadProfile
            Where the one that is kept is of pictures of another size.
        """
        height, width = frame.shape[:2]
        kept = self.profile()
        if kept is None:
            return Profile(CameraId(self.name[:80], width, height), today())
        kept.of_picture(width, height)
        return kept

    def keep(self, profile: Profile) -> Profile:
        """Keep a profile as of now; raise BadProfile where it cannot be written."""
        made = replace(profile, made_at=today())
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_profile(made, self.path)
        return made
