"""One camera of a table that is being set up: its pictures, and the profile that is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from calibration.profile import today, write_profile
from companion.errors import BadCapture
from companion.model.phrases import phrase
from companion.model.profile import CameraId, Profile
from companion.table.devices import Camera
from companion.vision.picture import Frame

WAIT_S = 3.0
"""How long a picture is waited for."""


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
