"""The board in a picture, by the reader's own network."""

from __future__ import annotations

from functools import cache

from companion.vision.camera_frame import Frame
from companion.vision.grid import scrabble
from companion.vision.grid.board import Board
from companion.vision.networks import Detector


def find_board(picture: Frame) -> Board | None:
    """Return the board in a picture, ``None`` where none is certain."""
    return scrabble.find_board(picture, network())


@cache
def network() -> Detector:
    """Return the detector of squares."""
    return Detector()
