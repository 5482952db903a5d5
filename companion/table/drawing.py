"""The table's picture for people: as the camera sees it, or with what was read drawn on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.model.judged import TableauVerdict
from companion.model.reading import Reading, Tile
from companion.model.status import PictureKind
from companion.render.overlay import overlay
from companion.rules.state import Phase, State
from companion.table.evidence import jpeg
from companion.table.eyes import Look
from companion.vision.picture import Frame, coloured

Judge = Callable[[Reading], Sequence[TableauVerdict]]
"""Returns what is to be said of each tableau."""


class Drawing:
    """Draws the newest look; asked twice for the same, it draws once.

    ``hush`` says whether nothing may be told of words now: everybody sees
    these pictures, and a call may still have to be judged.
    """

    def __init__(self, judge: Judge, hush: Callable[[], bool] = lambda: False) -> None:
        self._judge, self._hush = judge, hush
        self._last: tuple[tuple[int, PictureKind, int, str, bool], bytes] | None = None

    def picture(self, look: Look, kind: PictureKind, width: int, title: str) -> bytes:
        """Return a look as JPEG, at most so many pixels broad."""
        asked = look.shot.at_ns, kind, width, title, self._hush()
        if self._last and self._last[0] == asked:
            return self._last[1]
        frame = look.shot.frame
        body = jpeg(frame if kind is PictureKind.PLAIN else self._drawn(look, width, title), width)
        self._last = asked, body
        return body

    def _drawn(self, look: Look, width: int, title: str) -> Frame:
        """Return the picture with what was read drawn on it."""
        frame, reading = look.shot.frame, look.reading.reading
        scale = min(1.0, width / frame.shape[1])
        small = cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        verdicts = () if self._hush() else self._judge(reading)
        return overlay(coloured(np.asarray(small, np.uint8)), scaled(reading, scale), verdicts, title)


def hushed(state: State) -> bool:
    """Return whether nothing may be told of words: a call is to be judged, and the camera does not advise."""
    return state.options["policy"] != "advise" and state.stage not in {Phase.JUDGING, Phase.OVER}


def scaled(reading: Reading, scale: float) -> Reading:
    """Return a reading as it lies on a smaller picture."""
    tiles = tuple(shrunk(tile, scale) for tile in reading.tiles)
    return replace(
        reading, width=round(reading.width * scale), height=round(reading.height * scale), tiles=tiles
    )


def shrunk(tile: Tile, scale: float) -> Tile:
    """Return a tile as it lies on a smaller picture."""
    a, b, c, d = (((x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5) for x, y in tile.corners)
    return replace(tile, corners=(a, b, c, d))
