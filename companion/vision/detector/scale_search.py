"""Detection of tiles of unknown size, or of many sizes in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_frame import ImagePyramid
from companion.vision.classifier import Classifier, ClassProbabilities, crop_source, p_tile
from companion.vision.detector.detections import (
    MAX_DETECTIONS,
    MAX_SIDE_RATIO,
    MIN_SIDE_RATIO,
    MIN_TILES_FOR_SLOPES,
    Detections,
    concatenate_detections,
    detect_at_scale,
    fit_shapes,
    nms,
    no_detections,
    working_scale,
)
from companion.vision.detector.perspective import (
    CONFIDENCE_SIGMAS,
    MAX_FORESHORTENING,
    TILE_PX,
    Evidence,
    RectifiedView,
    ScaleField,
    TileSize,
)
from companion.vision.networks import Detector

SEARCH_SCALES = (0.026, 0.06, 0.14, 0.32, 0.75)
"""Scales that are tried for tiles of unknown size: 20 to 900 pixels become 9 to 26."""
MIN_DETECTABLE_PX, MAX_DETECTABLE_PX = 7.5, 28.0
"""Least and largest width of the tiles whose detections tell a scale, in pixels at that scale."""
WELL_SEEN_PX = 8.7
"""Width of tiles at one scale above which no finer scale is tried, in pixels."""
MIN_FITTED_P_TILE = 0.01
"""Least probability of a tile of a detection that takes part in the fit of shapes."""
CLEAR_EVIDENCE = 4.0
"""Evidence at one scale from which a finer scale with less than half of it ends the search."""
AMPLE_EVIDENCE = 8.0
"""Evidence of tiles too large for the finer scales, above which those are not tried; where the coarser scale
showed as much, ``CLEAR_EVIDENCE`` is enough."""
MAX_VIEWS, MIN_GAIN = 5, 1.1
"""Number of views in turn that improve each other at most, and least ratio of evidence that is a gain."""
SIMULATED_TILTS_RAD = tuple(np.pi / 4 * k for k in range(4))
"""Directions, from the picture's x axis, in which a table is stretched to undo an unknown tilt."""
POOR_WEIGHT = 0.5
"""Mean weight of evidence up to which little of what lies there is seen: the tiles are too foreshortened."""
MAX_SCALE_VOTES = 150
"""Number of the strongest detections that estimate the tile size: as many as a set has tiles."""
MAX_TILT_VOTES = 40
"""Number of the strongest detections that show whether a simulated tilt is nearly right."""
MAX_TILES = 600
"""Number of the likeliest detections that are classified: two sets of 144 tiles, and as many false ones."""
SCORE_EXPONENT = 3
"""Exponent of the probability in a detection's weight: a cloth's pattern makes many weak detections."""
COARSE_VIEW_SCALE = 0.5
"""Size of tiles in the first rectified view, relative to the last."""
MARGIN_PX = 4 * TILE_PX
"""Margin of the last view around the tiles that were found, in its pixels."""

Grey = NDArray[np.uint8] | ImagePyramid


class Networks(NamedTuple):
    """The networks that find tiles and read them."""

    detector: Detector
    classifier: Classifier


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The candidates: ``detections`` in the pixels of ``picture``, detected at a ``scale``.

    ``picture`` is the searched one, or its part in a rectified ``view``; then ``table`` is the view of the
    whole table.  ``scale`` is ``None`` without a tile.
    """

    picture: Grey
    detections: Detections
    scale: float | None
    view: RectifiedView | None = None
    table: RectifiedView | None = None

    def in_picture(self, detections: Detections) -> Detections:
        """Return detections in the pixels of the picture that was searched."""
        return self.view.to_picture(detections) if self.view else detections

    def picture_scale(self, detections: Detections) -> float | None:
        """Return the scale at which tiles detected in the picture have the detector's working size."""
        if self.view is None:
            return self.scale
        return working_scale(float(np.median(detections.sides))) if len(detections) else None


def search(networks: Networks, grey: Grey, known: TileSize | None = None) -> SearchResult:
    """Return the candidates in a picture.

    ``known`` is the width of tiles, in pixels, or the rectified view of a known table; ``None`` if unknown.
    """
    if known is None:
        tried = scale_search(networks, grey)
        known = find_view(networks, grey, tried) or estimate_side(tried)
        if known is None:
            return SearchResult(grey, no_detections(), None)
    if isinstance(known, RectifiedView):
        return search_view(networks, grey, known)
    return SearchResult(grey, *detect_at_side(networks, grey, known))


def search_view(networks: Networks, grey: Grey, table: RectifiedView) -> SearchResult:
    """Return the candidates on a rectified table, from a coarse view, then a fine one of the tiles."""
    coarse = table.larger(COARSE_VIEW_SCALE)
    detections, probabilities = classify_at_side(
        networks, coarse.rectify(grey), COARSE_VIEW_SCALE * TILE_PX, MAX_TILES
    )
    likely = Evidence.of(coarse.to_picture(detections), 1 - probabilities.p_background).detections
    if not len(likely):
        return SearchResult(grey, no_detections(), None, None, table)
    view = table.part(likely.centres, MARGIN_PX)
    picture = view.rectify(grey)
    return SearchResult(picture, *detect_at_side(networks, picture, TILE_PX), view, table)


def detect_at_side(networks: Networks, grey: Grey, side: float) -> tuple[Detections, float]:
    """Return the candidates of a known width, in pixels, and their scale of detection.

    Those with a symbol or a bare face determine the shapes, as a cloth's pattern makes many others.
    """
    detections, probabilities = classify_at_side(networks, grey, side)
    weights = p_tile(detections, probabilities)
    likely = np.sort(np.argsort(-weights, kind="stable")[:MAX_TILES])
    likely = likely[weights[likely] > MIN_FITTED_P_TILE]
    return fit_shapes(detections.kept(likely), weights[likely] ** SCORE_EXPONENT), working_scale(side)


def classify_at_side(
    networks: Networks, grey: Grey, side: float, most: int = MAX_DETECTIONS
) -> tuple[Detections, ClassProbabilities]:
    """Return the detections of tiles ``side`` pixels wide, with their probabilities from one crop each.

    Only the ``most`` strongest are taken.
    """
    between = MIN_SIDE_RATIO * side, MAX_SIDE_RATIO * side
    detections = detect_at_scale(networks.detector, grey, working_scale(side), between, most)
    return detections, networks.classifier.classify_once(*crop_source(grey, detections))


@dataclass(frozen=True, slots=True)
class ScaleEvidence:
    """Evidence at one scale: of tiles with symbols, of bare faces, and of whatever is detected."""

    symbols: Evidence
    bare: Evidence
    alike: Evidence

    @classmethod
    def at(cls, networks: Networks, grey: Grey, scale: float, votes: int = MAX_SCALE_VOTES) -> ScaleEvidence:
        """Return the evidence of the ``votes`` strongest detections in a picture shrunk by a scale."""
        between = MIN_DETECTABLE_PX / scale, MAX_DETECTABLE_PX / scale
        detections = detect_at_scale(networks.detector, grey, scale, between, votes)
        probabilities = networks.classifier.classify_once(*crop_source(grey, detections))
        symbols = Evidence.of(detections, probabilities.p_best_symbol())
        bare = Evidence.of(detections, probabilities.p_blank)
        return cls(symbols, bare, Evidence.of(detections, np.ones(len(detections))))


def scale_search(networks: Networks, grey: Grey, votes: int = MAX_SCALE_VOTES) -> list[ScaleEvidence]:
    """Return the evidence at each scale, from the coarsest on, until tiles are large enough."""
    tried: list[ScaleEvidence] = []
    for scale in SEARCH_SCALES:
        before = max((one.symbols.total for one in tried), default=0.0)
        tried.append(ScaleEvidence.at(networks, grey, scale, votes))
        here = tried[-1].symbols
        if before > CLEAR_EVIDENCE and here.total < before / 2:
            break
        enough = AMPLE_EVIDENCE if here.total > MIN_GAIN * before else CLEAR_EVIDENCE
        if here.total > enough and here.side > WELL_SEEN_PX / scale:
            break
    return tried


def estimate_side(tried: Sequence[ScaleEvidence]) -> float | None:
    """Return the width of the tiles in a picture, in pixels, ``None`` where no tile is detected.

    It is that of tiles with symbols; bare faces count only where no scale shows a symbol.
    """
    best = strongest_evidence([one.symbols for one in tried])
    best = best if best.total > 0 else strongest_evidence([one.bare for one in tried])
    return best.side if best.total > 0 else None


def strongest_evidence(evidence: Sequence[Evidence]) -> Evidence:
    """Return the evidence with the largest total weight; of equals, the first."""
    return max(evidence, key=lambda one: one.total)


def find_view(networks: Networks, grey: Grey, tried: Sequence[ScaleEvidence]) -> RectifiedView | None:
    """Return the rectified view of a table that is seen obliquely, or ``None``.

    ``tried`` is the evidence at the coarser scales; where it is not decisive, the finer scales are used, and
    where tiles are so foreshortened that few or none are read, tilts are simulated, as in ASIFT (Morel and
    Yu, SIAM Journal on Imaging Sciences 2(2), 2009).
    """
    size = grey.shape[1], grey.shape[0]
    plain = strongest_evidence([one.symbols for one in tried])
    bare, alike = sum(one.bare.total for one in tried), sum(one.alike.total for one in tried)
    if plain.total <= 0 and (bare > 0 or alike < CLEAR_EVIDENCE):  # bare faces tell a size by themselves
        return None
    starts = list[Evidence]()
    tilted = plain.total > 0 and plain.foreshortening > MAX_FORESHORTENING
    if tilted or (plain.total > 0 and ScaleField.fitted(plain).spans(size, CONFIDENCE_SIGMAS)):
        evidence = with_finer_scales(networks, grey, tried)
        if tilted or ScaleField.fitted(evidence).spans(size, -CONFIDENCE_SIGMAS):
            starts.append(evidence)
    if plain.total <= min(AMPLE_EVIDENCE, POOR_WEIGHT * len(plain.detections)):
        tilts = [tilted_evidence(networks, grey, direction) for direction in SIMULATED_TILTS_RAD]
        if (tilt := strongest_evidence(tilts)).total > plain.total:
            starts.append(tilt)
    if not starts:
        return None
    best = strongest_evidence([best_view(networks, grey, start) for start in starts])
    if best.total <= plain.total * MIN_GAIN ** (-1 if tilted else 1):  # views show tiles smaller
        return None
    fine = RectifiedView.of(ScaleField.fitted(best), best, size, TILE_PX)
    return fine if fine.shows_tiles else None


def with_finer_scales(networks: Networks, grey: Grey, tried: Sequence[ScaleEvidence]) -> Evidence:
    """Return the merged evidence at the scales that were tried, and at finer ones.

    It ends where even the smallest tiles that the evidence foresees in the picture are large enough.
    """
    evidence = merge_scales([one.symbols for one in tried])
    for last, scale in pairwise(SEARCH_SCALES[len(tried) - 1 :]):
        least, _ = ScaleField.fitted(evidence).extremes((grey.shape[1], grey.shape[0]), CONFIDENCE_SIGMAS)
        if len(evidence.detections) >= MIN_TILES_FOR_SLOPES and least * last > WELL_SEEN_PX:
            break
        evidence = merge_scales([evidence, ScaleEvidence.at(networks, grey, scale).symbols])
    return evidence


def tilted_evidence(networks: Networks, grey: Grey, direction: float) -> Evidence:
    """Return the evidence in a picture with a tilt across a direction, in radians, undone."""
    view = RectifiedView.tilted(direction, (grey.shape[1], grey.shape[0]))
    tried = scale_search(networks, view.rectify(grey), MAX_TILT_VOTES)
    found = strongest_evidence([one.symbols for one in tried])
    return Evidence(view.to_picture(found.detections), found.weights)


def best_view(networks: Networks, grey: Grey, evidence: Evidence) -> Evidence:
    """Return the evidence in the rectified view that other evidence shows, or in one that it shows in turn.

    It ends where a view shows hardly more than the last.
    """
    size, scale = (grey.shape[1], grey.shape[0]), working_scale(COARSE_VIEW_SCALE * TILE_PX)
    best = Evidence(no_detections(), np.zeros(0))
    for _ in range(MAX_VIEWS):
        view = RectifiedView.of(ScaleField.fitted(evidence), evidence, size, COARSE_VIEW_SCALE * TILE_PX)
        shown = ScaleEvidence.at(networks, view.rectify(grey), scale).symbols
        evidence = Evidence(view.to_picture(shown.detections), shown.weights)
        if evidence.total <= MIN_GAIN * best.total:
            return strongest_evidence([best, evidence])
        best = evidence
    return best


def merge_scales(evidence: Sequence[Evidence]) -> Evidence:
    """Return the merged evidence of several scales: of detections in one place the surest stays."""
    detections = concatenate_detections(*(one.detections for one in evidence))
    weights = np.concatenate([one.weights for one in evidence])
    keep = nms(detections, weights)
    return Evidence(detections.kept(keep), weights[keep])
