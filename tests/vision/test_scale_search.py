"""Finer scales are searched only where smaller tiles may lie."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.drawing.camera import View
from companion.model.tiles import tile_set
from companion.vision.detector.detections import Detections
from companion.vision.detector.perspective import Evidence
from companion.vision.detector.scale_search import (
    SEARCH_SCALES,
    Networks,
    ScaleEvidence,
    scale_search,
    with_finer_scales,
)
from companion.vision.fewshot.classifier import classifier_for
from companion.vision.networks import Detector, DetectorClass
from tests.vision.test_perspective import SIZE, evidence

FRAME = np.zeros(SIZE[::-1], np.uint8)


class Blind(Detector):
    """A detector that detects nothing, and notes how wide the pictures were."""

    def __init__(self) -> None:
        self.widths: list[int] = []

    def values(
        self, picture: NDArray[np.uint8], chroma: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        self.widths.append(picture.shape[1])
        cells = picture.shape[0] // 4, picture.shape[1] // 4
        return np.full((len(DetectorClass), 8, *cells), -6.0, np.float32)


def searched(seen: Evidence, tried: int) -> tuple[Evidence, list[int]]:
    """Return the evidence after all finer scales, and the widths of the pictures that were searched."""
    none = Evidence(seen.detections.kept(np.zeros(0, int)), np.zeros(0))
    coarser = [ScaleEvidence(none, none, none)] * (tried - 1)
    detector = Blind()
    networks = Networks(detector, classifier_for(tile_set("bananagrams-en")))
    found = with_finer_scales(networks, FRAME, [*coarser, ScaleEvidence(seen, none, none)])
    return found, detector.widths


@pytest.mark.parametrize(
    ("totals", "side", "tried"),
    [
        ((0, 0, 9, 9, 9), 70, 3),  # ample
        ((0, 0, 5, 5, 5), 70, 4),  # few, of which the next scale shows no more
        ((0, 0, 5, 6, 0), 70, 5),  # it shows more: others may be smaller yet
        ((0, 0, 5, 2, 0), 70, 4),  # it shows them no more
        ((0, 0, 3, 3, 3), 70, 5),  # too few to tell anything
        ((0, 0, 5, 5, 5), 20, 5),  # too small to be well seen
    ],
)
def test_the_search_ends_where_a_finer_scale_would_show_no_more(
    monkeypatch: pytest.MonkeyPatch, totals: tuple[int, ...], side: float, tried: int
) -> None:
    """``totals`` are the evidence at each scale, of tiles ``side`` pixels wide."""

    def at(_: type[ScaleEvidence], __: Networks, ___: object, scale: float, ____: int) -> ScaleEvidence:
        many = totals[SEARCH_SCALES.index(scale)]
        shapes = np.eye(2)[None].repeat(many, 0) * side
        tiles = Detections(np.zeros((many, 2)), shapes, np.zeros(many), np.ones(many))
        seen = Evidence(tiles, np.ones(many))
        return ScaleEvidence(seen, seen, seen)

    monkeypatch.setattr(ScaleEvidence, "at", classmethod(at))
    networks = Networks(Blind(), classifier_for(tile_set("bananagrams-en")))
    assert len(scale_search(networks, FRAME)) == tried


def test_large_tiles_everywhere_need_no_finer_scale() -> None:
    level = evidence(View(*SIZE, 45.0, 0.0, 0.0))
    found, widths = searched(level, 4)
    assert widths == []
    assert len(found.detections) == len(level.detections)


@pytest.mark.parametrize("tried", [3, 4])
def test_far_tiles_of_a_tilted_table_are_searched_at_finer_scales(tried: int) -> None:
    _, widths = searched(evidence(View(*SIZE, 45.0, 55.0, 0.0, focal=0.8)), tried)
    assert len(widths) == len(SEARCH_SCALES) - tried


def test_few_tiles_foresee_no_sizes() -> None:
    level = evidence(View(*SIZE, 45.0, 0.0, 0.0))
    few = np.arange(5)
    _, widths = searched(Evidence(level.detections.kept(few), level.weights[few]), 4)
    assert len(widths) == 1
