"""Readiness checks of a camera: frames, rate, size, sharpness, light, profile and markers.

Each check has texts for the people at the table: the subject, the finding, and what to do about it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.light import Aspect, Finding, Grade
from calibration.light import check as light_check
from calibration.light.faces import edge_blur
from calibration.markers import find_markers
from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import BadProfile, MirroredPicture
from companion.model.phrases import phrase, phrase_n
from companion.model.profile import Profile
from companion.vision.camera_frame import Frame, crop, grey
from hardware.cameras.camera import Camera
from hardware.cameras.health import State
from hardware.cameras.opening import limits
from hardware.clock import SECOND
from hardware.frames import Shot

TileFinder = Callable[[Frame], NDArray[np.float64]]
"""Returns the corners of the tiles in a grey picture, in pixels, float64, shape (n, 4, 2)."""

FIRST_FRAME_TIMEOUT_S = 10.0
"""Seconds to wait for the first frame."""

MIN_FPS_MEASUREMENT_S, MAX_FPS_MEASUREMENT_S = 2.0, 10.0
"""Least and most seconds for which frames are counted; a host waits for the result."""

KEPT_FRAMES = 6
"""Number of frames that are kept for the checks of the light."""

ESSENTIAL_ASPECTS = (Aspect.RESOLUTION, Aspect.FOCUS, Aspect.EXPOSURE)
"""Aspects of the light without which no tile can be read."""

MAX_BLUR_SIGMA_PX = 3.0
"""Sigma of the blur of a picture's sharpest edges, in pixels of a picture 2000 wide; others in proportion."""

REBLUR_SIGMA_PX = 1.5
MIN_EDGE_STEEPNESS = 2.0
"""Least steepness of a picture's edges for judging sharpness, in grey levels a pixel."""

STEEPEST_SHARE = 0.001
BRIGHTNESS_RANGE, MAX_OVEREXPOSED_SHARE = (70.0, 250.0), 0.05
"""Good range of the 95th percentile of grey levels, and the greatest share of overexposed pixels."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its subject, whether it passed (``None``: unknown), the finding, and what to do about it.

    A game cannot start where an ``essential`` check has failed.
    """

    what: str
    fine: bool | None
    says: str
    mend: str = ""
    essential: bool = False


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The camera's profile, and a function that finds tiles; ``None`` where there is none."""

    profile: Profile | None = None
    tiles: TileFinder | None = None


def checks(camera: Camera, config: CameraConfig, known: CheckContext | None = None) -> Iterator[Check]:
    """Yield the checks of an open camera, which take some seconds."""
    given = known or CheckContext()
    first = camera.newest(0, FIRST_FRAME_TIMEOUT_S)
    if first is None:
        yield Check(
            "picture",
            fine=False,
            says=phrase("none comes"),
            mend=phrase("The camera %(says)s.", says=camera.health().says),
            essential=True,
        )
        return
    shots = capture_frames(camera, first, fps_measurement_s(config) if config.kind.is_live else 0.2)
    yield picture_check(camera)
    if config.kind.is_live:
        yield speed_check(shots, config)
    if config.kind is CameraKind.STREAM:
        yield delay_check(config)
    height, width = first.frame.shape[:2]
    yield size_check(width, height, config)
    greys = [grey(shot.frame) for shot in shots[-KEPT_FRAMES:]]
    yield from light_checks(greys, given.tiles)
    if given.profile is not None:
        yield from profile_checks(greys[-1], given.profile)


def fps_measurement_s(config: CameraConfig) -> float:
    """Return the seconds for which frames are counted: longer for a camera with a low frame rate."""
    return min(max(MIN_FPS_MEASUREMENT_S, limits(config).window_s), MAX_FPS_MEASUREMENT_S)


def capture_frames(camera: Camera, first: Shot, seconds: float) -> list[Shot]:
    """Return the frames of some seconds in order; only the last ``KEPT_FRAMES`` keep their pictures."""
    shots, until = [first], time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if (shot := camera.newest(shots[-1].at_ns, left)) is None:
            break
        if len(shots) >= KEPT_FRAMES:  # keep its time only: many large frames do not fit into a Pi's memory
            shots[-KEPT_FRAMES] = Shot(
                crop(shot.frame, (0, 0, 1, 1)), shots[-KEPT_FRAMES].at_ns, shots[-KEPT_FRAMES].name
            )
        shots.append(shot)
    return shots


def picture_check(camera: Camera) -> Check:
    """Return whether the camera's health is good enough."""
    health = camera.health()
    fine = health.state in {State.OK, State.SLOW, State.ENDED}
    mend = "" if fine else phrase("The camera %(says)s.", says=health.says)
    return Check(
        "picture", fine, phrase("comes and lives") if fine else str(health.state), mend, essential=True
    )


def speed_check(shots: Sequence[Shot], config: CameraConfig) -> Check:
    """Return whether the frame rate is at least half of the configured one."""
    passed_s = (shots[-1].at_ns - shots[0].at_ns) / SECOND
    rate = (len(shots) - 1) / passed_s if passed_s > 0 else 0.0
    asked = limits(config).fps
    fine = rate >= asked / 2
    mend = phrase("More light, a shorter exposure_ms, a smaller picture, or a better cable or network helps.")
    return Check(
        "speed",
        fine,
        phrase("%(rate)s pictures a second, asked are %(asked)s", rate=f"{rate:.1f}", asked=f"{asked:g}"),
        "" if fine else mend,
    )


def delay_check(config: CameraConfig) -> Check:
    """Return whether the delay of a stream's pictures is known, so that calls meet the right ones."""
    if config.delay_ms is not None:
        return Check("delay", fine=True, says=phrase("%(late)s ms", late=f"{config.delay_ms:.0f}"))
    return Check(
        "delay",
        fine=None,
        says=phrase("taken to be %(late)s ms", late=f"{config.stream_delay_ms:.0f}"),
        mend=phrase("Measure it with companion calibrate delay: else calls may meet older pictures."),
    )


def size_check(width: int, height: int, config: CameraConfig) -> Check:
    """Return whether pictures have the configured size."""
    says = phrase("%(width)s x %(height)s pixels", width=width, height=height)
    if not config.width or (width, height) == (config.width, config.height):
        return Check("size", fine=True, says=says)
    mend = phrase(
        "Set width and height in the table's file to what the camera has, such as %(width)s and %(height)s.",
        width=width,
        height=height,
    )
    return Check(
        "size",
        fine=False,
        says=phrase(
            "%(says)s, not %(width)s x %(height)s", says=says, width=config.width, height=config.height
        ),
        mend=mend,
    )


def light_checks(greys: Sequence[Frame], tiles: TileFinder | None) -> Iterator[Check]:
    """Yield the checks of sharpness and light, on the tiles or else on the whole picture."""
    try:
        report = light_check(greys, tiles(greys[0])) if tiles else None
    except MirroredPicture:
        says, mend = phrase("letters are seen as in a mirror"), phrase("Switch the camera's mirroring off.")
        yield Check("mirroring", fine=False, says=says, mend=mend, essential=True)
        return
    if report is not None and report.of(Aspect.RESOLUTION).grade is not Grade.UNKNOWN:
        yield from map(finding_check, report.findings)
    else:
        yield sharpness_check(greys[-1])
        yield exposure_check(greys[-1])


def finding_check(finding: Finding) -> Check:
    """Return a finding about the light as a check."""
    fine = {Grade.GOOD: True, Grade.FAIR: True, Grade.BAD: False, Grade.UNKNOWN: None}[finding.grade]
    needed = finding.aspect in ESSENTIAL_ASPECTS
    return Check(str(finding.aspect), fine, finding.says, finding.mend, essential=needed)


def sharpness_check(frame: Frame) -> Check:
    """Return whether the steepest edges of a picture are sharp, whatever they show."""
    part = np.asarray(frame, np.float32)
    limit = max(1.5, MAX_BLUR_SIGMA_PX * max(frame.shape) / 2000)
    steep, blur = edge_blur(part, REBLUR_SIGMA_PX * limit / 1.5, STEEPEST_SHARE)
    if steep < MIN_EDGE_STEEPNESS:
        mend = phrase("Lay some tiles on the table and look again.")
        return Check("focus", None, phrase("the picture shows nothing to tell it by"), mend)
    fine = blur <= limit
    mend = phrase("Focus on the middle of the table, clean the lens, and see that the camera does not shake.")
    says = phrase(
        "edges are blurred by %(blur)s px, %(limit)s are good", blur=f"{blur:.1f}", limit=f"{limit:.1f}"
    )
    return Check("focus", fine, says, "" if fine else mend)


def exposure_check(frame: Frame) -> Check:
    """Return whether a picture is neither too dark nor overexposed, whatever it shows."""
    sparse = frame[::4, ::4]
    bright, burnt = float(np.percentile(sparse, 95)), float((sparse >= 252).mean())
    says = phrase("the brightest parts have %(bright)s of 255 grey levels", bright=f"{bright:.0f}")
    if bright < BRIGHTNESS_RANGE[0]:
        mend = phrase("Too dark: turn on more light, or set a longer exposure_ms.")
        return Check("exposure", fine=False, says=says, mend=mend)
    if burnt > MAX_OVEREXPOSED_SHARE:
        mend = phrase(
            "Too bright: set a shorter exposure_ms or less gain, or shade the lamp that is mirrored."
        )
        return Check(
            "exposure",
            fine=False,
            says=phrase("%(says)s, %(burnt)s of the picture is burnt", says=says, burnt=f"{burnt:.0%}"),
            mend=mend,
        )
    return Check("exposure", fine=True, says=says)


def profile_checks(frame: Frame, profile: Profile) -> Iterator[Check]:
    """Yield whether the camera's profile fits its pictures, and the table's markers are visible."""
    try:
        profile.of_picture(frame.shape[1], frame.shape[0])
    except BadProfile as error:
        yield Check(
            "profile",
            fine=False,
            says=str(error),
            mend=phrase("Run companion calibrate again."),
            essential=True,
        )
        return
    asked = {marker.number for marker in profile.table.markers} if profile.table else set()
    if not asked:
        return
    hidden = sorted(asked - {found.number for found in find_markers(frame, asked)})
    if not hidden:
        yield Check(
            "markers", fine=True, says=phrase_n("it is in sight", "all %(count)s are in sight", len(asked))
        )
        return
    which = ", ".join(map(str, hidden))
    yield Check(
        "markers",
        fine=False,
        says=phrase("of %(count)s, these are not in sight: %(which)s", count=len(asked), which=which),
        mend=phrase("Uncover them, or calibrate the table again if they are gone."),
    )
