"""What must be right about a camera before a game: there, lively, quick, sharp, well lit, markers in sight.

Each check is a line for the people at the table: what was looked at, how it is, and how to mend it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.light import Aspect, Finding, Grade
from calibration.light import check as light_check
from calibration.light.faces import SMOOTH, steepness
from calibration.markers import find_markers
from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import BadProfile
from companion.model.phrases import phrase, phrase_n
from companion.model.profile import Profile
from companion.vision.picture import Frame, grey
from hardware.cameras.camera import Camera
from hardware.cameras.health import S, State
from hardware.frames import Shot

Tiles = Callable[[Frame], NDArray[np.float64]]
"""Finds the corners of the tiles in a grey picture, (n, 4, 2)."""

FIRST_S = 10.0
"""How long the first frame may take."""

COUNTED_S = 2.0
"""How long frames are counted."""

KEPT = 6
"""Frames that are kept for a look at the light."""

NEEDED = (Aspect.RESOLUTION, Aspect.FOCUS, Aspect.EXPOSURE)
"""Without these no tile can be read."""

MOST_BLUR_PX = 3.0
"""Sigma of the blur of a picture's sharpest edges, in pixels of a picture 2000 wide; others in proportion."""

AGAIN_PX = 1.5
FLAT = 2.0
"""Grey levels a pixel: a picture whose steepest edges are not steeper shows nothing to judge sharpness by."""

STEEPEST_SHARE = 0.001
BRIGHT, BURNT_SHARE = (70.0, 250.0), 0.05
"""Grey levels that the brightest twentieth of a picture should have, and the share that may be burnt."""

LIVE = {CameraKind.PI, CameraKind.USB, CameraKind.STREAM}


@dataclass(frozen=True, slots=True)
class Check:
    """One line: what was looked at, whether it is fine (None: it cannot be told), how it is, how to mend it.

    Without what is ``essential`` no game can start.
    """

    what: str
    fine: bool | None
    says: str
    mend: str = ""
    essential: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beforehand: the camera's profile, and what finds tiles (None: nobody looks for them)."""

    profile: Profile | None = None
    tiles: Tiles | None = None


def checks(camera: Camera, config: CameraConfig, known: Known | None = None) -> Iterator[Check]:
    """Yield what is right and wrong about an open camera; it takes some seconds."""
    given = known or Known()
    first = camera.newest(0, FIRST_S)
    if first is None:
        yield Check(
            "picture",
            fine=False,
            says=phrase("none comes"),
            mend=phrase("The camera %(says)s.", says=camera.health().says),
            essential=True,
        )
        return
    shots = watched(camera, first, COUNTED_S if config.kind in LIVE else 0.2)
    yield lively(camera)
    if config.kind in LIVE:
        yield quick(shots, config)
    height, width = first.frame.shape[:2]
    yield size(width, height, config)
    greys = [grey(shot.frame) for shot in shots[-KEPT:]]
    yield from lit(greys, given.tiles)
    if given.profile is not None:
        yield from known_table(greys[-1], given.profile)


def watched(camera: Camera, first: Shot, seconds: float) -> list[Shot]:
    """Return the frames of some seconds, the last few of them whole, in order."""
    shots, until = [first], time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if (shot := camera.newest(shots[-1].at_ns, left)) is None:
            break
        if len(shots) >= KEPT:  # only its time counts: many large frames would not fit into a Pi's memory
            shots[-KEPT] = Shot(shot.frame[:1, :1], shots[-KEPT].at_ns, shots[-KEPT].name)
        shots.append(shot)
    return shots


def lively(camera: Camera) -> Check:
    """Return whether the camera sees, by its own account."""
    health = camera.health()
    fine = health.state in {State.OK, State.SLOW, State.ENDED}
    mend = "" if fine else phrase("The camera %(says)s.", says=health.says)
    return Check(
        "picture", fine, phrase("comes and lives") if fine else str(health.state), mend, essential=True
    )


def quick(shots: Sequence[Shot], config: CameraConfig) -> Check:
    """Return whether frames come as fast as they should."""
    passed_s = (shots[-1].at_ns - shots[0].at_ns) / S
    rate = (len(shots) - 1) / passed_s if passed_s > 0 else 0.0
    asked = config.fps or 2.0
    fine = rate >= asked / 2
    mend = phrase("More light, a shorter exposure_ms, a smaller picture, or a better cable or network helps.")
    return Check(
        "speed",
        fine,
        phrase("%(rate)s pictures a second, asked are %(asked)s", rate=f"{rate:.1f}", asked=f"{asked:g}"),
        "" if fine else mend,
    )


def size(width: int, height: int, config: CameraConfig) -> Check:
    """Return whether pictures are as large as was asked for."""
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


def lit(greys: Sequence[Frame], tiles: Tiles | None) -> Iterator[Check]:
    """Yield how sharp and well lit pictures are, by the tiles on the table, or as well as can be told."""
    report = light_check(greys, tiles(greys[0])) if tiles else None
    if report is not None and report.of(Aspect.RESOLUTION).grade is not Grade.UNKNOWN:
        yield from map(of_finding, report.findings)
    else:
        yield sharp(greys[-1])
        yield exposed(greys[-1])


def of_finding(finding: Finding) -> Check:
    """Return a finding about the light as a line."""
    fine = {Grade.GOOD: True, Grade.FAIR: True, Grade.BAD: False, Grade.UNKNOWN: None}[finding.grade]
    needed = finding.aspect in NEEDED
    return Check(str(finding.aspect), fine, finding.says, finding.mend, essential=needed)


def sharp(frame: Frame) -> Check:
    """Return whether the steepest edges of a picture are sharp, whatever they belong to."""
    part = np.asarray(frame, np.float32)
    limit = max(1.5, MOST_BLUR_PX * max(frame.shape) / 2000)
    again = AGAIN_PX * limit / 1.5
    once, twice = (
        steepness(part, sigma, STEEPEST_SHARE) for sigma in (SMOOTH, float(np.hypot(SMOOTH, again)))
    )
    if once < FLAT:
        mend = phrase("Lay some tiles on the table and look again.")
        return Check("focus", None, phrase("the picture shows nothing to tell it by"), mend)
    blur = float(np.sqrt(max(0.0, again**2 / max((once / twice) ** 2 - 1, 1e-3) - SMOOTH**2)))
    fine = blur <= limit
    mend = phrase("Focus on the middle of the table, clean the lens, and see that the camera does not shake.")
    says = phrase(
        "edges are blurred by %(blur)s px, %(limit)s are good", blur=f"{blur:.1f}", limit=f"{limit:.1f}"
    )
    return Check("focus", fine, says, "" if fine else mend)


def exposed(frame: Frame) -> Check:
    """Return whether a picture is neither too dark nor burnt, whatever it shows."""
    sparse = frame[::4, ::4]
    bright, burnt = float(np.percentile(sparse, 95)), float((sparse >= 252).mean())
    says = phrase("the brightest parts have %(bright)s of 255 grey levels", bright=f"{bright:.0f}")
    if bright < BRIGHT[0]:
        mend = phrase("Too dark: turn on more light, or set a longer exposure_ms.")
        return Check("exposure", fine=False, says=says, mend=mend)
    if burnt > BURNT_SHARE:
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


def known_table(frame: Frame, profile: Profile) -> Iterator[Check]:
    """Yield whether the camera's profile fits its pictures and its table's markers are in sight."""
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
