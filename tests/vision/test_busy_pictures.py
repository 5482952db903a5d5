"""Pictures full of print: what they may cost, and that a table says that they are too busy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from companion.model.tiles import tile_set
from companion.vision.classifier import crop_source
from companion.vision.detector.detections import MAX_DETECTIONS, Detections
from companion.vision.pipeline.reader import Reader
from tests.conftest import FONTS

LOOKS = 5000
"""Looks at places that may be tiles in one picture: a full table of 144 takes up to 700, and print that looks
foreshortened is looked at in two views more.
"""


def newsprint(px: int, size: tuple[int, int] = (4056, 3040)) -> NDArray[np.uint8]:
    """A page of capitals as high as ``px`` pixels, in columns, a little noisy; (h, w)."""
    rng = np.random.default_rng(px)
    page = Image.new("L", size, 228)
    pen, font = ImageDraw.Draw(page), ImageFont.truetype(str(FONTS[0] / "DejaVuSansCondensed.ttf"), px)
    for top in range(0, size[1], round(1.3 * px)):
        letters = rng.choice(list("ETAOINSHRDLU    "), size=2 * size[0] // px)
        pen.text((0, top), "".join(letters), fill=40, font=font)
    noisy = np.asarray(page, np.float32) + rng.normal(0, 4, (size[1], size[0]))
    return np.clip(noisy, 0, 255).astype(np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize("px", [20, 40, 80])
def test_a_page_of_print_costs_no_more_looks_than_a_few_full_tables(
    px: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    def counted(grey: NDArray[np.uint8], detections: Detections) -> object:
        looks.append(len(detections))
        return crop_source(grey, detections)

    for place in ("detector.scale_search", "pipeline.reader"):
        monkeypatch.setattr(f"companion.vision.{place}.crop_source", counted)
    found = Reader(tile_set("bananagrams-en")).read(newsprint(px))
    assert 0 < sum(looks) < LOOKS
    assert len(found.tiles) <= MAX_DETECTIONS
