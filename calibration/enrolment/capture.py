"""Tiles shown to a camera, symbol after symbol or all at once, until every one has been understood."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.enrolment.understood import Shot, looked_at
from companion.errors import BadEnrolment
from companion.vision.fewshot.sheet import named
from companion.vision.picture import Frame

BROAD = 160
"""Breadth to which a frame is shrunk to see whether anything moves, in pixels."""
MOVED = 12
"""Grey levels by which a pixel of it differs where something moved."""
STILL, OTHER = 0.002, 0.01
"""Share of its pixels that may differ in a still picture, and that do when other tiles were laid."""
FRAMES = 3
"""So many frames alike, one after another, show that nobody is laying tiles."""


@dataclass(frozen=True, slots=True)
class Told:
    """What somebody is told who lays tiles: how many of the steps are done, what to do, and what was seen."""

    done: int
    steps: int
    says: str
    shot: Shot | None = None


def captured(
    frames: Iterable[Frame], steps: Sequence[Sequence[str]], each: int, tell: Callable[[Told], None]
) -> list[tuple[Frame, Sequence[str]]]:
    """Return for each step the frame in which its tiles were understood, and their symbols in order.

    Parameters
    ----------
    frames
        Grey frames of a camera, (h, w), the newest each time.
    steps
        The symbols that are laid together, in their order; other tiles are laid for each step.
    each
        How many tiles of every symbol are laid.
    tell
        Is told after every still frame what was seen and what to do.

    Raises
    ------
    BadEnrolment
        Where the frames end before the last step is done.
    """
    taken: list[tuple[Frame, Sequence[str]]] = []
    tell(Told(0, len(steps), wanted(steps[0], each)))
    for frame in still(frames, lambda: taken[-1][0] if taken else None):
        order = steps[len(taken)]
        shot, fault = looked_at(frame, order)
        fault = miscounted(len(shot[1].detections), len(order), each) or fault
        if fault:
            tell(Told(len(taken), len(steps), fault, shot))
            continue
        taken.append((frame, order))
        enough = len(taken) == len(steps)
        says = "All symbols are taken." if enough else f"Taken.  {wanted(steps[len(taken)], each)}"
        tell(Told(len(taken), len(steps), says, shot))
        if enough:
            return taken
    raise BadEnrolment(
        f"the camera ended or the time was over after {len(taken)} of {len(steps)} steps; nothing was kept.  "
        f"Begin again, and then: {wanted(steps[len(taken)], each)}"
    )


def wanted(order: Sequence[str], each: int) -> str:
    """Return which tiles to lay next."""
    if len(order) > 1:
        return (
            f"Lay {each} tiles of each symbol in rows, the first of each upright, in this order: "
            + " ".join(symbol or "blank" for symbol in order)
            + "."
        )
    upright = ", the first of them upright" if order[0] else ""
    return f"Lay {each} tiles of {named(order[0])} in a row{upright}, and nothing else."


def miscounted(found: int, kinds: int, each: int) -> str | None:
    """Return what to do where another number of tiles is seen than was asked for, ``None`` else."""
    if found == each * kinds:
        return None
    return (
        f"{found or 'no'} {'tile is' if found == 1 else 'tiles are'} seen; {each * kinds} should lie there."
    )


def still(frames: Iterable[Frame], before: Callable[[], Frame | None]) -> Iterator[Frame]:
    """Yield the frames in which nothing moves and which show something else than the one ``before``."""
    last, alike = None, 0
    for frame in frames:
        small = shrunk(frame)
        alike = alike + 1 if last is not None and differing(small, last) <= STILL else 0
        last = small
        known = before()
        if alike >= FRAMES - 1 and (known is None or differing(small, shrunk(known)) > OTHER):
            yield frame


def shrunk(frame: Frame) -> NDArray[np.int16]:
    """Return a frame made small, by areas."""
    height, width = frame.shape
    size = BROAD, max(1, round(BROAD * height / width))
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.int16)


def differing(one: NDArray[np.int16], other: NDArray[np.int16]) -> float:
    """Return the share of the pixels of two small frames that differ."""
    return float((np.abs(one - other) > MOVED).mean())
