"""The check of light, focus and resolution from frames of a table with tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.light.faces import MIN_SATURATED_GREY, FaceMeasurement, measure_face
from calibration.light.report import Aspect, Finding, Grade, LightReport
from companion.model.phrases import joined, phrase, phrase_n
from companion.model.reading import Point
from companion.vision.camera_frame import Frame

MIN_FRAMES = 3
"""Least number of frames of a still table, to distinguish flicker bands from the table's stripes."""

ROWS = 270
"""Rows to which a frame is resized; bands are much wider."""

COLUMNS = 240

MAX_BANDS = 30
"""Largest number of bands from the first row to the last: 120 Hz for a quarter of a second."""

Points = NDArray[np.float64]
Outline = tuple[Point, ...]

MIN_TILES = 3

GOOD_SIDE_PX, MIN_SIDE_PX = 24.0, 17.0
"""Side of a tile in pixels: the reader works best at 28; at 20 it reads 0.2 % fewer letters right, at 15 1.2
%.
"""

GOOD_EDGE_WIDTH, MAX_EDGE_WIDTH = 0.1, 0.115
"""Width of a letter's edges in tile sides; drawn letters with wider ones were mostly in doubt."""

FACE_GREY_RANGE = (110.0, 249.0)
"""Grey levels between which most tiles' faces should be."""

GOOD_CONTRAST, MIN_CONTRAST = 50.0, 35.0
"""Grey levels between face and letter."""

GOOD_BRIGHTNESS_RATIO, MIN_BRIGHTNESS_RATIO = 0.65, 0.45
"""Brightness of a tile's face relative to the brightest tiles'; a darker one is in shadow."""

BRIGHTEST_PERCENTILE = 90
"""Percentile of the faces that counts as the brightest."""

MIN_GLARE_SIDE_TILES = 1.0
"""Side of the smallest patch of glare that counts, in tile sides."""

MIN_EXCESS_SATURATED_SHARE = 0.3
"""Least excess of a tile's saturated share over that of the other tiles, under a lamp's reflection."""

MAX_REFLECTION_FACE_GREY = 235.0
"""Brightness of faces above which a reflection on a single tile cannot be detected."""

MAX_FAIR_GLARE_SHARE = 0.01
"""Share of the picture in glare above which it is bad; a tile in glare always is."""

FLICKER_BANDS_ADVICE = phrase(
    "Set mains_hz to your country's (50 or 60) in the table's file, an exposure_ms of 10 or 20 (at 60 Hz "
    "8.33 or 16.67), or take lamps that do not flicker."
)
LOCK_CAMERA_ADVICE = phrase(
    "Lock the camera: set exposure_ms and gain in the table's file, and keep the daylight even."
)

GOOD_SWING, MAX_SWING = 0.015, 0.05
"""Relative amplitude of flicker."""


@dataclass(frozen=True, slots=True)
class Flicker:
    """Relative amplitude of the light about its mean, and the number of bands in a
    frame (0: whole frames).
    """

    swing: float
    bands: float


def flicker(frames: Sequence[Frame]) -> Flicker | None:
    """Return the flicker in grey frames of a still table, ``None`` where it cannot be measured.

    A difference between frames in most columns of a row is light; hands and noise change few columns.
    """
    if len(frames) < MIN_FRAMES:
        return None
    small = np.stack([cv2.resize(f, (COLUMNS, ROWS), interpolation=cv2.INTER_AREA) for f in frames])
    stack = small.astype(np.float32)
    mean = stack.mean(0)
    usable = (mean > 12) & (stack.max(0) < 250)  # dark or overexposed pixels do not show the light
    ratios = np.where(usable, stack / np.maximum(mean, 1.0), np.nan)
    known = usable.mean(1) > 0.2
    if known.mean() < 0.5:
        return None
    light = np.nanmedian(ratios[:, known], axis=2) - 1
    return _strongest(light)


def _strongest(light: NDArray[np.float32]) -> Flicker:
    """Return the strongest wave down the rows, or of whole frames, of the relative light, (frames, rows)."""
    rows = light.shape[1]
    whole = float(np.sqrt(2) * light.mean(1).std())
    spectrum = np.abs(np.fft.rfft(light - light.mean(1, keepdims=True), axis=1)) * 2 / rows
    power = np.sqrt((spectrum**2).mean(0))[1 : MAX_BANDS + 1]
    # neighbouring frequencies share a wave that does not end with the last row
    spread = np.sqrt(power**2 + np.append(power[1:], 0) ** 2 + np.append(0, power[:-1]) ** 2)
    strongest = int(power.argmax())
    if whole > spread[strongest]:
        return Flicker(whole, 0.0)
    return Flicker(float(spread[strongest]), float(strongest + 1))


def check(frames: Sequence[Frame], quads: Points) -> LightReport:
    """Return the report of a table's light.

    Parameters
    ----------
    frames
        Grey pictures of the same still table, (h, w), at least one; flicker needs three.
    quads
        The corners of its tiles in the first, (n, 4, 2) in pixels; tiles should lie all over the table.
    """
    grey = frames[0]
    height, width = grey.shape
    quads = quads.reshape(-1, 4, 2)
    inside = ((quads >= 0) & (quads <= (width - 1, height - 1))).all((1, 2))
    looks = [measure_face(grey, quad) for quad in quads[inside]]
    if len(looks) < MIN_TILES:
        says = too_few_tiles(looks)
        mend = phrase("Lay a dozen tiles all over the table, into its corners too, and look again.")
        findings = [Finding(aspect, Grade.UNKNOWN, 0.0, "", says, mend) for aspect in list(Aspect)[:4]]
    else:
        findings = [resolution(looks), focus(looks), exposure(looks), shadow(looks)]
    return LightReport(width, height, len(looks), (*findings, glare(grey, looks), flicker_finding(frames)))


def too_few_tiles(looks: Sequence[FaceMeasurement]) -> str:
    """Return a message that too few tiles were found."""
    if not looks:
        return phrase("no tiles were found")
    return phrase_n("%(count)s tile was found", "%(count)s tiles were found", len(looks))


def resolution(looks: Sequence[FaceMeasurement]) -> Finding:
    """Return the finding on the size of tiles in the picture."""
    sides = np.array([one.side_px for one in looks])
    side = float(np.percentile(sides, 10))
    grade = grade_of(side, GOOD_SIDE_PX, MIN_SIDE_PX)
    mend = phrase(
        "Bring the camera nearer, set a larger picture, or take two cameras, each over half of the table."
    )
    where = () if grade is Grade.GOOD else outlines(one for one in looks if one.side_px < GOOD_SIDE_PX)
    return Finding(
        Aspect.RESOLUTION,
        grade,
        side,
        "px",
        phrase(
            "the smallest tiles are %(side)s px broad, %(good)s are good",
            side=round(side),
            good=round(GOOD_SIDE_PX),
        ),
        mend if grade is not Grade.GOOD else "",
        where,
    )


def focus(looks: Sequence[FaceMeasurement]) -> Finding:
    """Return the finding on the sharpness of letters."""
    lettered = [one for one in looks if np.isfinite(one.edge_width)]
    if len(lettered) < MIN_TILES:
        text = phrase("no letters can be seen that would tell the focus")
        mend = phrase("Lay tiles with letters, face up, and mend light and focus.")
        return Finding(Aspect.FOCUS, Grade.UNKNOWN, 0.0, "", text, mend)
    soft = float(np.percentile([one.edge_width for one in lettered], 75))
    grade = grade_of(-soft, -GOOD_EDGE_WIDTH, -MAX_EDGE_WIDTH)
    bad = [one for one in lettered if one.edge_width > MAX_EDGE_WIDTH]
    if grade is Grade.GOOD and len(bad) > 0.1 * len(lettered):
        grade = Grade.FAIR
    texts = [phrase("letters' edges are %(share)s%% of a tile broad", share=round(100 * soft))]
    if bad:
        texts.append(phrase("%(bad)s of %(all)s tiles blurred", bad=len(bad), all=len(lettered)))
    mend = phrase(
        "Focus on the middle of the table (a Pi camera: focus_m in the table's file is its distance in "
        "metres), clean the lens, and see that the camera does not shake."
    )
    return Finding(
        Aspect.FOCUS,
        grade,
        100 * soft,
        "%",
        joined(texts, "; "),
        "" if grade is Grade.GOOD else mend,
        outlines(bad),
    )


def exposure(looks: Sequence[FaceMeasurement]) -> Finding:
    """Return the finding on the brightness of faces and the contrast of letters."""
    face = float(np.median([one.face for one in looks]))
    contrast = float(np.median([one.face - one.ink for one in looks]))
    burnt = [one for one in looks if one.saturated > 0.5]
    says = phrase(
        "faces have %(face)s of 255 grey levels, letters are %(contrast)s darker",
        face=round(face),
        contrast=round(contrast),
    )
    if face > FACE_GREY_RANGE[1] or len(burnt) > len(looks) / 2:
        mend = phrase(
            "Too bright: set a shorter exposure_ms or less gain in the table's file, or dim the light."
        )
        return Finding(Aspect.EXPOSURE, Grade.BAD, face, "grey levels", says, mend, outlines(burnt))
    grade = min(
        grade_of(face, FACE_GREY_RANGE[0], FACE_GREY_RANGE[0] / 2),
        grade_of(contrast, GOOD_CONTRAST, MIN_CONTRAST),
        key=grade_order,
    )
    mend = phrase(
        "Letters hardly stand out: keep reflections off the tiles, clean them, or see to the focus."
    )
    if face < FACE_GREY_RANGE[0]:
        mend = phrase(
            "Too dark: turn on more light, or set a longer exposure_ms or more gain in the table's file."
        )
    return Finding(Aspect.EXPOSURE, grade, face, "grey levels", says, "" if grade is Grade.GOOD else mend)


def shadow(looks: Sequence[FaceMeasurement]) -> Finding:
    """Return the finding on the evenness of the light."""
    faces = np.array([one.face for one in looks])
    brightest = float(np.percentile(faces, BRIGHTEST_PERCENTILE))
    shares = faces / max(brightest, 1.0)
    darkest = float(shares.min())
    dark = [one for one, share in zip(looks, shares, strict=True) if share < GOOD_BRIGHTNESS_RATIO]
    grade = grade_of(darkest, GOOD_BRIGHTNESS_RATIO, MIN_BRIGHTNESS_RATIO)
    mend = phrase(
        "Light the table from two sides or from above, and see that no lamp shines past somebody's head."
    )
    says = [
        phrase("the darkest tile gets %(share)s%% of the brightest tiles' light", share=round(100 * darkest))
    ]
    if dark:
        says.append(phrase("%(dark)s of %(all)s tiles in shadow", dark=len(dark), all=len(looks)))
    return Finding(
        Aspect.SHADOW,
        grade,
        100 * darkest,
        "%",
        joined(says, "; "),
        "" if grade is Grade.GOOD else mend,
        outlines(dark),
    )


def glare(grey: Frame, looks: Sequence[FaceMeasurement]) -> Finding:
    """Return the finding on reflections of lamps: saturated patches where white tiles are not saturated."""
    face = float(np.median([one.face for one in looks])) if looks else 0.0
    if face > FACE_GREY_RANGE[1]:
        says = phrase("the picture is too bright to tell")
        return Finding(Aspect.GLARE, Grade.UNKNOWN, 0.0, "%", says, phrase("Mend the exposure first."))
    side = float(np.median([one.side_px for one in looks])) if looks else grey.shape[1] / 60
    patches, share = saturated_patches(grey, MIN_GLARE_SIDE_TILES * side)
    usual = float(np.median([one.saturated for one in looks])) if looks else 0.0
    telling = face <= MAX_REFLECTION_FACE_GREY
    hit = [one for one in looks if telling and one.saturated > MIN_EXCESS_SATURATED_SHARE + usual]
    if not patches and not hit:
        return Finding(Aspect.GLARE, Grade.GOOD, 0.0, "%", phrase("no lamp is mirrored on the table"))
    grade = Grade.BAD if hit or share > MAX_FAIR_GLARE_SHARE else Grade.FAIR
    texts = [phrase("%(share)s%% of the picture is burnt white", share=f"{100 * share:.1f}")]
    mend = phrase(
        "Move or shade the lamp that is mirrored there, tilt the camera a little, or lay a dull cloth."
    )
    if hit:
        texts.append(phrase_n("%(count)s tile lies in it", "%(count)s tiles lie in it", len(hit)))
    says = joined(texts, "; ")
    return Finding(Aspect.GLARE, grade, 100 * share, "%", says, mend, (*patches, *outlines(hit)))


def saturated_patches(grey: Frame, smallest_px: float) -> tuple[tuple[Outline, ...], float]:
    """Return the outlines of saturated patches of at least a width, and their share of the picture."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (max(3, int(smallest_px)) | 1,) * 2)
    burnt = cv2.morphologyEx(
        np.asarray(grey >= MIN_SATURATED_GREY, np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)
    )
    burnt = cv2.morphologyEx(burnt, cv2.MORPH_OPEN, kernel)
    rings, _ = cv2.findContours(burnt, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    hulls = [np.reshape(cv2.convexHull(ring), (-1, 2)).astype(np.float64) for ring in rings]
    return tuple(map(outline, hulls)), float(burnt.mean())


def flicker_finding(frames: Sequence[Frame]) -> Finding:
    """Return the finding on flicker, in bands or from picture to picture."""
    found = flicker(frames)
    if found is None:
        says = phrase("%(many)s pictures of a still table, one after another, tell it", many=MIN_FRAMES)
        return Finding(Aspect.FLICKER, Grade.UNKNOWN, 0.0, "%", says)
    grade = grade_of(-found.swing, -GOOD_SWING, -MAX_SWING)
    says = phrase("the light swings by %(swing)s%%", swing=f"{100 * found.swing:.1f}")
    if grade is Grade.GOOD:
        return Finding(Aspect.FLICKER, grade, 100 * found.swing, "%", says)
    if found.bands:
        says = phrase("%(swing)s; in %(bands)s bands", swing=says, bands=round(found.bands))
        return Finding(Aspect.FLICKER, grade, 100 * found.swing, "%", says, FLICKER_BANDS_ADVICE)
    says = phrase("%(swing)s; from picture to picture", swing=says)
    return Finding(Aspect.FLICKER, grade, 100 * found.swing, "%", says, LOCK_CAMERA_ADVICE)


def grade_of(value: float, good: float, least: float) -> Grade:
    """Return the grade of a value for which more is better."""
    return Grade.GOOD if value >= good else Grade.FAIR if value >= least else Grade.BAD


def grade_order(grade: Grade) -> int:
    """Return a sort key that is lower for a worse grade."""
    return [Grade.BAD, Grade.FAIR, Grade.GOOD].index(grade)


def outlines(looks: Iterable[FaceMeasurement]) -> tuple[Outline, ...]:
    """Return the tiles' outlines."""
    return tuple(outline(one.quad) for one in looks)


def outline(points: Points) -> Outline:
    """Return points as plain numbers."""
    return tuple((float(x), float(y)) for x, y in points)
