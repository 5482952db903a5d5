"""Where a sign lies among all that may be written: what a network sees that was taught to tell any signs.

It was shown thousands of drawn families' own signs, a few tiles of each in one picture, and learnt to tell
them in another picture; the signs of a set that is enrolled it never met.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.vision.networks import FOLDER, outputs, session

CROP, TILE = 40, 32
"""Side of the crops that it looks at, and of the tile in their middle, in pixels."""
PLACE = 96
"""Numbers that say where a sign lies."""
LETTERED, BARE, NONE = range(3)
"""What a crop may show: a tile with a sign, a bare one, no tile."""

Grey = NDArray[np.uint8]


class SignEmbedding:
    """The network that sees signs; safe to call from several threads."""

    def __init__(self, path: Path = FOLDER / "signs.onnx") -> None:
        self._session = session(path)

    def seen(self, cut: Grey) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return where signs lie, (n, 96), and logits of what each crop is, (n, 3): lettered, bare, no tile.

        ``cut`` are crops of shape (n, 40, 40), uint8.
        """
        (out,) = outputs(self._session, cut)
        return out[:, :PLACE], out[:, PLACE:]
