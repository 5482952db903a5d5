"""The lens, found from sights of the board, with its error in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.board import FEWEST_CORNERS, Points, Sight
from calibration.lens.guide import covered_cells
from calibration.lens.starts import starting_matrix, strange_focal
from companion.errors import BadCapture
from companion.model.profile import Lens
from companion.vision.grid.homography import distorted, matrices, undistorted

MODELS = ("ordinary", "fisheye")

FEWEST = 5
"""Sights without which no lens is found."""

LEAST_COVERED = 0.5
"""Share of the picture that the sights must cover: a lens bends most where nobody looked."""

MOST_ERROR_PX = 1.0
"""Typical error beyond which a lens is refused, in pixels of a picture 2000 wide; others in proportion."""

GOOD_PX = 0.25
"""Where an ordinary lens fits so well, no other is tried: searching for a fisheye takes seconds."""

CLEARLY = 0.9
"""The fisheye model is taken where its error on sights kept apart is less than this share of the other's."""

OUTLYING, OUTLYING_CORNER = 4.0, 6.0
"""A sight is left out whose error is so many times the usual one, and a corner alone."""

MOST_CLEANED = 0.25
"""Share of a sight's corners that may be left out before the sight is."""

OFF_MIDDLE = 0.15
"""Share of the picture by which the lens's middle may be off the picture's."""

Errors = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A lens and how well it fits.

    ``errors_px`` are the typical errors of each sight, in the order given, infinite for those left out;
    ``apart_px`` the typical error on sights that took no part in finding it; ``doubt`` is what is strange
    about it, empty where nothing is.
    """

    lens: Lens
    errors_px: tuple[float, ...]
    apart_px: float
    doubt: str = ""

    @property
    def left_out(self) -> tuple[int, ...]:
        """The sights that took no part, counted from 0."""
        return tuple(k for k, error in enumerate(self.errors_px) if not np.isfinite(error))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: a model (None: whichever fits), a camera of ``STARTS``, the worst error."""

    model: str | None = None
    start: str | None = None
    most_error_px: float | None = None


def most_error_px(size: tuple[int, int]) -> float:
    """Return the typical error beyond which a lens is refused, in pixels of a picture of that size."""
    return max(0.5, MOST_ERROR_PX * max(size) / 2000)


def fit(sights: Sequence[Sight], wanted: Wanted | None = None) -> Fitted:
    """Return the lens that shows the board as it was seen.

    Raises
    ------
    BadCapture
        Where the sights are too few, of several sizes, cover too little, or no lens fits them well enough;
        the text says what to do.
    """
    asked = wanted or Wanted()
    size = _sound(sights)
    best = _best(sights, asked)
    if best is None:
        raise BadCapture("no lens fits these pictures: take them anew, with the board leaning more")
    limit = asked.most_error_px or most_error_px(size)
    if max(best.lens.error_px, best.apart_px) > limit:
        raise BadCapture(
            f"the lens fits only within {max(best.lens.error_px, best.apart_px):.2f} px, {limit:.2f} are "
            "allowed: is the board flat, glued on something stiff, and were all pictures taken at the same "
            "focus and zoom?"
        )
    return replace(best, doubt=_strange(best.lens, size, asked.start))


def _sound(sights: Sequence[Sight]) -> tuple[int, int]:
    """Return the size of the pictures; raise BadCapture where they cannot tell a lens."""
    if len(sights) < FEWEST:
        there = f"there {'is' if len(sights) == 1 else 'are'} {len(sights)}"
        raise BadCapture(f"at least {FEWEST} pictures must show the board, better 12; {there}")
    if len({sight.size for sight in sights}) > 1:
        sizes = " and ".join(sorted({f"{w} x {h}" for w, h in (sight.size for sight in sights)}))
        raise BadCapture(f"pictures of {sizes} pixels: a lens is found from pictures of one size")
    covered = float(covered_cells(sights).mean())
    if covered < LEAST_COVERED:
        raise BadCapture(
            f"the board was seen in {covered:.0%} of the picture, {LEAST_COVERED:.0%} are needed: hold it in "
            "the corners and along the edges too"
        )
    return sights[0].size


def _best(sights: Sequence[Sight], asked: Wanted) -> Fitted | None:
    """Return the lens of the model that was asked for, or of the one that fits better."""
    one = _fitted(sights, asked.model or MODELS[0], asked.start)
    if asked.model or (one and one.apart_px <= GOOD_PX):
        return one
    other = _fitted(sights, MODELS[1], asked.start)
    return other if one is None or (other and other.apart_px < CLEARLY * one.apart_px) else one


def _fitted(sights: Sequence[Sight], model: str, start: str | None) -> Fitted | None:
    """Return the lens of a model, outliers left out, or None where the model fits nothing at all."""
    first = _solved(sights, model, start)
    if first is None:
        return None
    errors = [residuals(first, sight) for sight in sights]
    usual = max(0.1, float(np.median([rms(one) for one in errors])))
    good = [_cleaned(sight, one, usual) for sight, one in zip(sights, errors, strict=True)]
    used = [sight for sight in good if sight is not None]
    lens = _solved(used, model, start) if len(used) >= FEWEST else None
    if lens is None:
        return None
    told = tuple(rms(residuals(lens, sight)) if sight else float("inf") for sight in good)
    every = np.concatenate([residuals(lens, sight) for sight in used])
    return Fitted(replace(lens, error_px=rms(every)), told, _apart(used, model, start))


def _cleaned(sight: Sight, errors: Errors, usual_px: float) -> Sight | None:
    """Return a sight without the corners that lie too far off, or None where they are many or all do."""
    fine = errors <= OUTLYING_CORNER * usual_px
    few = np.count_nonzero(fine) < max(FEWEST_CORNERS, (1 - MOST_CLEANED) * len(fine))
    if few or rms(errors[fine]) > OUTLYING * usual_px:
        return None
    return Sight(sight.numbers[fine], sight.corners[fine], sight.size, sight.blur_px)


def _apart(sights: Sequence[Sight], model: str, start: str | None) -> float:
    """Return the typical error on every third sight, of a lens found from the others."""
    others = [sight for k, sight in enumerate(sights) if k % 3 != 1]
    lens = _solved(others, model, start) if len(others) >= 3 else None
    if lens is None:
        return float("inf")
    return rms(np.concatenate([residuals(lens, sight) for sight in sights[1::3]]))


def _solved(sights: Sequence[Sight], model: str, start: str | None) -> Lens | None:
    """Return the lens of a model that fits sights best, or None where the search fails."""
    solve = _fisheye if model == "fisheye" else _ordinary
    matrix = starting_matrix(sights[0].size, start)
    for first in (matrix, None):
        try:
            error, matrix, bend = solve(sights, first)
        except cv2.error:  # the search ran into a lens that cannot be
            continue
        if np.isfinite([error, *matrix.ravel(), *bend]).all() and matrix[0, 0] > 0 and matrix[1, 1] > 0:
            return Lens(model, tuple(map(float, matrix.ravel())), tuple(map(float, bend)), error)
    return None


def _ordinary(sights: Sequence[Sight], first: Matrix | None) -> tuple[float, Matrix, Errors]:
    """Return error, matrix and bend of an ordinary lens, searched from a first matrix or from anywhere."""
    error, matrix, bend, _, _ = cv2.calibrateCamera(
        [_space(sight).astype(np.float32) for sight in sights],
        [sight.corners.astype(np.float32) for sight in sights],
        sights[0].size,
        np.eye(3) if first is None else first.copy(),
        np.zeros(5),
        flags=0 if first is None else cv2.CALIB_USE_INTRINSIC_GUESS,
    )
    return float(error), np.asarray(matrix, np.float64), np.ravel(bend)


def _fisheye(sights: Sequence[Sight], first: Matrix | None) -> tuple[float, Matrix, Errors]:
    """Return error, matrix and bend of a fisheye, searched from a first matrix or from anywhere."""
    flags = cv2.CALIB_RECOMPUTE_EXTRINSIC + cv2.CALIB_FIX_SKEW
    error, matrix, bend, _, _ = cv2.fisheye.calibrate(
        [_space(sight)[None] for sight in sights],
        [sight.corners[None] for sight in sights],
        sights[0].size,
        np.eye(3) if first is None else first.copy(),
        np.zeros((4, 1)),
        flags=flags + (0 if first is None else cv2.CALIB_USE_INTRINSIC_GUESS),
    )
    return float(error), np.asarray(matrix, np.float64), np.ravel(bend)


def _space(sight: Sight) -> Points:
    """Return where the seen corners are on the board, (n, 3) in mm."""
    return np.column_stack([sight.places, np.zeros(len(sight.places))])


def residuals(lens: Lens, sight: Sight) -> Errors:
    """Return how far each corner was seen from where the lens would show it, in pixels, (n,).

    The board is first put where it fits best.
    """
    matrix, space = matrices(lens)[0], _space(sight)
    straight = undistorted(sight.corners, lens)
    if not np.isfinite(straight).all():
        return np.full(len(space), np.inf)
    _, turn, away = cv2.solvePnP(space, straight, matrix, np.zeros(4), flags=cv2.SOLVEPNP_IPPE)
    turn, away = cv2.solvePnPRefineLM(space, straight, matrix, np.zeros(4), turn, away)
    flat = np.asarray(cv2.projectPoints(space, turn, away, matrix, np.zeros(4))[0], np.float64).reshape(-1, 2)
    return np.asarray(np.hypot(*(distorted(flat, lens) - sight.corners).T))


def rms(errors: Errors) -> float:
    """Return the root mean square of errors, (n,)."""
    return float(np.sqrt((errors**2).mean()))


def _strange(lens: Lens, size: tuple[int, int], start: str | None) -> str:
    """Return what is strange about a lens that fits, empty where nothing is."""
    middle = np.array([lens.matrix[2], lens.matrix[5]])
    if (np.abs(middle / size - 0.5) > OFF_MIDDLE).any():
        return (
            f"the lens's middle was found at {middle[0]:.0f}, {middle[1]:.0f}, far off the picture's: take "
            "pictures that lean more, each way, if the camera's pictures are not cut out of larger ones"
        )
    return strange_focal(lens.matrix[0], size[0], start)


def straightness_px(lens: Lens, seen: Points, places: Points) -> Errors:
    """Return how far points of a flat sheet, once straightened, lie off a flat sheet, in pixels, (n,)."""
    straight = undistorted(seen, lens)
    across, _ = cv2.findHomography(places, straight)
    flat = cv2.perspectiveTransform(places.reshape(-1, 1, 2), across).reshape(-1, 2)
    return np.asarray(np.hypot(*(flat - straight).T), np.float64)
