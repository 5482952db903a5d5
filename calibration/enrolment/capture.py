"""Enrolment with a live camera: frames of laid tiles, symbol by symbol or all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.enrolment.enrol import Shot, examine
from companion.errors import BadEnrolment
from companion.vision.camera_frame import Frame
from companion.vision.fewshot.sheet import symbol_label

MOTION_FRAME_WIDTH_PX = 160
"""Width to which a frame is shrunk to detect motion, in pixels."""
MIN_PIXEL_CHANGE_GREY = 12
"""Difference in grey levels of a changed pixel."""
MAX_STILL_CHANGED_SHARE, MIN_NEW_TILES_CHANGED_SHARE = 0.002, 0.01
"""Share of changed pixels: at most the first in a still picture, at least the second after other tiles were
laid.
"""
MIN_STILL_FRAMES = 3
"""Consecutive still frames after which the tiles are at rest."""


@dataclass(frozen=True, slots=True)
class CapturePrompt:
    """A message to the person who lays tiles: steps done, all steps, what to do, and the last photograph."""

    done: int
    steps: int
    text: str
    shot: Shot | None = None


def capture_steps(
    frames: Iterable[Frame], steps: Sequence[Sequence[str]], each: int, show: Callable[[CapturePrompt], None]
) -> list[tuple[Frame, Sequence[str]]]:
    """Return for each step the frame in which its tiles were labelled, and their symbols in order.

    Parameters
    ----------
    frames
        Grey frames of a camera, (h, w), the newest each time.
    steps
        The symbols that are laid together, in their order; other tiles are laid for each step.
    each
        How many tiles of every symbol are laid.
    show
        Called after every still frame with what to do next.

    Raises
    ------
    BadEnrolment
        Where the frames end before the last step is done.
    """
    taken: list[tuple[Frame, Sequence[str]]] = []
    show(CapturePrompt(0, len(steps), instruction(steps[0], each)))
    for frame in still_frames(frames, lambda: taken[-1][0] if taken else None):
        order = steps[len(taken)]
        shot, fault = examine(frame, order)
        fault = count_fault(len(shot[1].detections), len(order), each) or fault
        if fault:
            show(CapturePrompt(len(taken), len(steps), fault, shot))
            continue
        taken.append((frame, order))
        enough = len(taken) == len(steps)
        text = "All symbols are taken." if enough else f"Taken.  {instruction(steps[len(taken)], each)}"
        show(CapturePrompt(len(taken), len(steps), text, shot))
        if enough:
            return taken
    raise BadEnrolment(
        f"the camera ended or the time was over after {len(taken)} of {len(steps)} steps; nothing was kept.  "
        f"Begin again, and then: {instruction(steps[len(taken)], each)}"
    )


def instruction(order: Sequence[str], each: int) -> str:
    """Return the instruction which tiles to lay next."""
    if len(order) > 1:
        return (
            f"Lay {each} tiles of each symbol in rows, the first of each upright, in this order: "
            + " ".join(symbol or "blank" for symbol in order)
            + "."
        )
    upright = ", the first of them upright" if order[0] else ""
    return f"Lay {each} tiles of {symbol_label(order[0])} in a row{upright}, and nothing else."


def count_fault(found: int, kinds: int, each: int) -> str | None:
    """Return a message for a wrong number of detected tiles, ``None`` where it is right."""
    if found == each * kinds:
        return None
    return (
        f"{found or 'no'} {'tile is' if found == 1 else 'tiles are'} seen; {each * kinds} should lie there."
    )


def still_frames(frames: Iterable[Frame], before: Callable[[], Frame | None]) -> Iterator[Frame]:
    """Yield the frames in which nothing moves and that differ from the frame ``before`` returns, if any."""
    last, alike = None, 0
    for frame in frames:
        small = shrunk_frame(frame)
        alike = (
            alike + 1
            if last is not None and changed_pixel_share(small, last) <= MAX_STILL_CHANGED_SHARE
            else 0
        )
        last = small
        known = before()
        if alike >= MIN_STILL_FRAMES - 1 and (
            known is None or changed_pixel_share(small, shrunk_frame(known)) > MIN_NEW_TILES_CHANGED_SHARE
        ):
            yield frame


def shrunk_frame(frame: Frame) -> NDArray[np.int16]:
    """Return a shrunk frame, int16."""
    height, width = frame.shape
    size = MOTION_FRAME_WIDTH_PX, max(1, round(MOTION_FRAME_WIDTH_PX * height / width))
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.int16)


def changed_pixel_share(one: NDArray[np.int16], other: NDArray[np.int16]) -> float:
    """Return the share of differing pixels of two shrunk frames, 1 where their shapes differ."""
    if one.shape != other.shape:  # the camera was opened again and sends another size
        return 1.0
    return float((np.abs(one - other) > MIN_PIXEL_CHANGE_GREY).mean())
