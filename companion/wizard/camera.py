"""One camera of a table that is being set up: its pictures, its lens and its profile's file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from calibration.lens import BoardDetection, LensFit, Step, advice, find_board, fit
from calibration.lens.guide import Advice
from calibration.lens.overlay import guide_overlay
from calibration.profile import today, write_profile
from companion.errors import BadCapture, BadProfile
from companion.model.phrases import joined, phrase
from companion.model.profile import CameraId, Profile
from companion.model.set_up import LensProgress
from companion.table.devices import Camera
from companion.vision.camera_frame import CameraFrame, Frame, grey, to_array

FRAME_TIMEOUT_S = 3.0
"""Longest wait for a picture, in seconds."""


@dataclass(slots=True)
class LensGuide:
    """The lens measurement in progress: views of the lens board, and advice for the next one."""

    kept: list[BoardDetection] = field(default_factory=list)
    next_step: Advice = field(default_factory=lambda: advice([]))

    def add_frame(self, frame: CameraFrame) -> Frame:
        """Keep a picture's view of the board where it is new; return the picture with the view drawn."""
        live = find_board(grey(frame))
        self.next_step = advice(self.kept, live)
        drawn = guide_overlay(to_array(frame), live, self.kept, self.next_step)
        if live is not None and self.next_step.take:
            self.kept.append(live)
        return drawn

    def lens(self) -> LensFit:
        """Return the fitted lens with its doubt; raise BadCapture where the views do not suffice."""
        return fit(tuple(self.kept))  # more views may be kept meanwhile

    def status(self) -> LensProgress:
        """Return the advice and the progress."""
        return LensProgress(
            self.next_step.text,
            len(self.kept),
            round(100 * self.next_step.covered),
            self.next_step.step is Step.ENOUGH,
        )


def lens_message(fitted: LensFit) -> str:
    """Return the message after a lens was fitted, with its doubt."""
    measured = phrase(
        "The lens is measured, to %(error)s pixels: now find the table's corners anew.",
        error=f"{fitted.lens.error_px:.2f}",
    )
    return joined([measured, *filter(None, [fitted.doubt])], " – ")


@dataclass(frozen=True, slots=True)
class WizardCamera:
    """A camera: its name, the device, the path of its profile, and a function that returns that profile."""

    name: str
    camera: Camera
    path: Path
    profile: Callable[[], Profile | None]

    def readable_profile(self) -> tuple[Profile | None, str]:
        """Return the stored profile, or ``None`` with the reason why it cannot be read, if it cannot."""
        try:
            return self.profile(), ""
        except BadProfile as error:
            return None, str(error)

    def frames(self, many: int) -> list[CameraFrame]:
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

    def _frames(self) -> Iterator[CameraFrame]:
        """Yield pictures until none comes any more."""
        at_ns = 0
        while (shot := self.camera.newest(at_ns, FRAME_TIMEOUT_S)) is not None:
            at_ns = shot.at_ns
            yield shot.frame

    def profile_for(self, frame: CameraFrame, *, anew: bool = False) -> Profile:
        """Return the stored profile, or a new one for pictures of this size.

        ``anew`` replaces one that cannot be read or has another picture size, for a step that measures the
        table from the beginning.

        Raises
        ------
        BadProfile
            Where the stored profile cannot be read or has another picture size, unless ``anew``.
        """
        height, width = frame.shape[:2]
        kept = self.readable_profile()[0] if anew else self.profile()
        if kept is None or (anew and (width, height) != (kept.camera.width, kept.camera.height)):
            return Profile(CameraId(self.name[:80], width, height), today())
        kept.of_picture(width, height)
        return kept

    def keep(self, profile: Profile) -> Profile:
        """Write a profile with the current date; return it.  Raises BadProfile where that fails.

        A file that holds no profile is kept beside it, with ``.broken`` after its name.
        """
        made = replace(profile, made_at=today())
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.readable_profile()[1] and self.path.exists():
                self.path.replace(self.path.with_name(f"{self.path.name}.broken"))
        except OSError as error:
            raise BadProfile(
                phrase("%(file)s: cannot be written: %(why)s", file=self.path, why=error.strerror)
            ) from error
        write_profile(made, self.path)
        return made
