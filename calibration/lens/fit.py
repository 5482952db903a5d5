"""Fits a lens model to detections of the board, and estimates its error on held-out pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.board import MIN_CORNERS, BoardDetection, Points
from calibration.lens.data_sheets import focal_warning, initial_matrix
from calibration.lens.guide import covered_cells, tilted_enough
from companion.errors import BadCapture
from companion.model.phrases import phrase, phrase_n
from companion.model.profile import Lens
from companion.vision.grid.homography import distorted, matrices, undistorted

MODELS = ("ordinary", "fisheye")

MIN_DETECTIONS = 5
"""Least number of detections for a fit."""

MIN_COVERED_SHARE = 0.5
"""Least share of the picture that the detections must cover."""

MAX_RMS_ERROR_PX = 1.0
"""Largest RMS error of a lens, in pixels of a picture 2000 wide; it scales with the width."""

MAX_GOOD_HELD_OUT_PX = 0.25
"""Held-out RMS error below which the fisheye model is not tried, as its fit takes seconds."""

MAX_FISHEYE_ERROR_RATIO = 0.9
"""The fisheye model is chosen where its held-out error is less than this share of the other's."""

MAX_DETECTION_ERROR_RATIO, MAX_CORNER_ERROR_RATIO = 4.0, 6.0
"""Errors of an outlying detection and of an outlying corner, in times the median RMS error."""

MAX_OUTLYING_CORNER_SHARE = 0.25
"""Share of outlying corners above which the whole detection is an outlier."""

MAX_CENTRE_OFFSET_SHARE = 0.15
"""Largest distance of the principal point from the picture's centre, as a share of the picture."""

TOO_FLAT = phrase(
    "the board hardly leans in any picture, so the focal length is not sure: measure the lens again, and "
    "lean the board to each side, back and forth"
)

Errors = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LensFit:
    """A lens with its errors.

    ``errors_px`` are the RMS errors of the detections in the given order, infinite for outliers;
    ``held_out_px`` is the RMS error on detections that a test fit left out; ``doubt`` is a warning in words,
    empty where there is none.
    """

    lens: Lens
    errors_px: tuple[float, ...]
    held_out_px: float
    doubt: str = ""

    @property
    def outliers(self) -> tuple[int, ...]:
        """The indices of outlying detections, which were not used."""
        return tuple(k for k, error in enumerate(self.errors_px) if not np.isfinite(error))


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Options of a fit: a model (``None``: the better one), a camera of ``CAMERAS``,
    the largest RMS error.
    """

    model: str | None = None
    camera: str | None = None
    most_error_px: float | None = None


def most_error_px(size: tuple[int, int]) -> float:
    """Return the largest RMS error of a lens, in pixels of a picture of that size."""
    return max(0.5, MAX_RMS_ERROR_PX * max(size) / 2000)


def fit(sights: Sequence[BoardDetection], options: FitOptions | None = None) -> LensFit:
    """Return the lens that fits detections of the board.

    Raises
    ------
    BadCapture
        Where the detections are too few, of several sizes, cover too little, or no lens fits them well
        enough; the text says what to do.
    """
    chosen = options or FitOptions()
    size = _checked_size(sights)
    best = _best(sights, chosen)
    if best is None:
        raise BadCapture(phrase("no lens fits these pictures: take them anew, with the board leaning more"))
    limit = chosen.most_error_px or most_error_px(size)
    if max(best.lens.error_px, best.held_out_px) > limit:
        raise BadCapture(
            phrase(
                "the lens fits only within %(error)s px, %(limit)s are allowed: is the board flat, glued on "
                "something stiff, and were all pictures taken at the same focus and zoom?",
                error=f"{max(best.lens.error_px, best.held_out_px):.2f}",
                limit=f"{limit:.2f}",
            )
        )
    doubt = _centre_warning(best.lens, size, chosen.camera)
    return replace(best, doubt=doubt if doubt or any(tilted_enough(sights)) else TOO_FLAT)


def _checked_size(sights: Sequence[BoardDetection]) -> tuple[int, int]:
    """Return the size of the pictures; raise BadCapture where they are not enough for a fit."""
    if len(sights) < MIN_DETECTIONS:
        raise BadCapture(
            phrase_n(
                "at least %(least)s pictures must show the board, better 12; there is %(count)s",
                "at least %(least)s pictures must show the board, better 12; there are %(count)s",
                len(sights),
                least=MIN_DETECTIONS,
            )
        )
    if len({sight.size for sight in sights}) > 1:
        sizes = sorted({f"{w} x {h}" for w, h in (sight.size for sight in sights)})
        raise BadCapture(
            phrase(
                "pictures of %(one)s and %(other)s pixels: a lens is found from pictures of one size",
                one=sizes[0],
                other=sizes[-1],
            )
        )
    covered = float(covered_cells(sights).mean())
    if covered < MIN_COVERED_SHARE:
        raise BadCapture(
            phrase(
                "the board was seen in %(share)s%% of the picture, %(least)s%% are needed: hold it in the "
                "corners and along the edges too",
                share=round(100 * covered),
                least=round(100 * MIN_COVERED_SHARE),
            )
        )
    return sights[0].size


def _best(sights: Sequence[BoardDetection], chosen: FitOptions) -> LensFit | None:
    """Return the lens of the given model, or of the model that fits better."""
    one = _fitted(sights, chosen.model or MODELS[0], chosen.camera)
    if chosen.model or (one and one.held_out_px <= MAX_GOOD_HELD_OUT_PX):
        return one
    other = _fitted(sights, MODELS[1], chosen.camera)
    return (
        other
        if one is None or (other and other.held_out_px < MAX_FISHEYE_ERROR_RATIO * one.held_out_px)
        else one
    )


def _fitted(sights: Sequence[BoardDetection], model: str, start: str | None) -> LensFit | None:
    """Return the lens of a model, fitted without outliers, ``None`` where the fit fails."""
    first = _solved(sights, model, start)
    if first is None:
        return None
    errors = [residuals(first, sight) for sight in sights]
    usual = max(0.1, float(np.median([rms(one) for one in errors])))
    good = [_without_outliers(sight, one, usual) for sight, one in zip(sights, errors, strict=True)]
    used = [sight for sight in good if sight is not None]
    lens = _solved(used, model, start) if len(used) >= MIN_DETECTIONS else None
    if lens is None:
        return None
    errors_px = tuple(rms(residuals(lens, sight)) if sight else float("inf") for sight in good)
    every = np.concatenate([residuals(lens, sight) for sight in used])
    return LensFit(replace(lens, error_px=rms(every)), errors_px, _held_out_error(used, model, start))


def _without_outliers(sight: BoardDetection, errors: Errors, usual_px: float) -> BoardDetection | None:
    """Return a detection without outlying corners, ``None`` where it is an outlier as a whole."""
    fine = errors <= MAX_CORNER_ERROR_RATIO * usual_px
    few = np.count_nonzero(fine) < max(MIN_CORNERS, (1 - MAX_OUTLYING_CORNER_SHARE) * len(fine))
    if few or rms(errors[fine]) > MAX_DETECTION_ERROR_RATIO * usual_px:
        return None
    return BoardDetection(sight.numbers[fine], sight.corners[fine], sight.size, sight.blur_px)


def _held_out_error(sights: Sequence[BoardDetection], model: str, start: str | None) -> float:
    """Return the RMS error on every third detection, of a lens fitted to the others."""
    others = [sight for k, sight in enumerate(sights) if k % 3 != 1]
    lens = _solved(others, model, start) if len(others) >= 3 else None
    if lens is None:
        return float("inf")
    return rms(np.concatenate([residuals(lens, sight) for sight in sights[1::3]]))


def _solved(sights: Sequence[BoardDetection], model: str, start: str | None) -> Lens | None:
    """Return the lens of a model that fits detections best, ``None`` where the optimisation fails."""
    solve = _fisheye if model == "fisheye" else _ordinary
    matrix = initial_matrix(sights[0].size, start)
    for first in (matrix, None):
        try:
            error, matrix, bend = solve(sights, first)
        except cv2.error:  # the optimisation reached an impossible lens
            continue
        if np.isfinite([error, *matrix.ravel(), *bend]).all() and matrix[0, 0] > 0 and matrix[1, 1] > 0:
            return Lens(model, tuple(map(float, matrix.ravel())), tuple(map(float, bend)), error)
    return None


def _ordinary(sights: Sequence[BoardDetection], first: Matrix | None) -> tuple[float, Matrix, Errors]:
    """Return RMS error, matrix and distortion of an ordinary lens, from an initial matrix or OpenCV's own."""
    error, matrix, bend, _, _ = cv2.calibrateCamera(
        [_space(sight).astype(np.float32) for sight in sights],
        [sight.corners.astype(np.float32) for sight in sights],
        sights[0].size,
        np.eye(3) if first is None else first.copy(),
        np.zeros(5),
        flags=0 if first is None else cv2.CALIB_USE_INTRINSIC_GUESS,
    )
    return float(error), np.asarray(matrix, np.float64), np.ravel(bend)


def _fisheye(sights: Sequence[BoardDetection], first: Matrix | None) -> tuple[float, Matrix, Errors]:
    """Return RMS error, matrix and distortion of a fisheye, from an initial matrix or OpenCV's own."""
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


def _space(sight: BoardDetection) -> Points:
    """Return the places of the corners on the board, (n, 3) in mm."""
    return np.column_stack([sight.places, np.zeros(len(sight.places))])


def residuals(lens: Lens, sight: BoardDetection) -> Errors:
    """Return the reprojection error of each corner for the best pose of the board, in pixels, (n,)."""
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


def _centre_warning(lens: Lens, size: tuple[int, int], start: str | None) -> str:
    """Return a warning where the principal point or the focal length is implausible, else an empty text."""
    middle = np.array([lens.matrix[2], lens.matrix[5]])
    if (np.abs(middle / size - 0.5) > MAX_CENTRE_OFFSET_SHARE).any():
        return phrase(
            "the lens's middle was found at %(x)s, %(y)s, far off the picture's: take pictures that lean "
            "more, each way, if the camera's pictures are not cut out of larger ones",
            x=round(middle[0]),
            y=round(middle[1]),
        )
    return focal_warning(lens.matrix[0], size[0], start)


def straightness_px(lens: Lens, seen: Points, places: Points) -> Errors:
    """Return the residuals of a plane's undistorted points under the best homography, in pixels, (n,)."""
    straight = undistorted(seen, lens)
    across, _ = cv2.findHomography(places, straight)
    flat = cv2.perspectiveTransform(places.reshape(-1, 1, 2), across).reshape(-1, 2)
    return np.asarray(np.hypot(*(flat - straight).T), np.float64)
