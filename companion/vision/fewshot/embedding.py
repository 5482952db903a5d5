"""Embeddings of tiles by two networks, also for symbols that neither was trained on.

The classifier's last features show the strokes of a symbol; the sign network was trained to distinguish any
signs.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.vision.classifier import BACKGROUND, BLANK_FACE, CLASS_INDEX, augmented_quads, crops
from companion.vision.networks import MODELS_FOLDER, ClassifierNetwork, outputs, session, softmax

SIGN_CROP = (40, 32)
"""Side of the sign network's crops, and of the tile in their middle, in pixels: as it was trained."""
EMBEDDING_DIM = 96
"""Dimensions of a sign's embedding."""
LETTERED, BARE, NONE = range(3)
"""States that both networks distinguish: a tile with a sign, a bare one, no tile."""
CLOSE_CROP_SHARE = 0.75
"""Share of a tile in the second, closer crop: strokes are small on tiles made by hand."""

Grey = NDArray[np.uint8]
Floats = NDArray[np.float64]
Views = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""Features of n tiles, float32 (n, features) each: strokes, logits of the trained classes, sign embedding."""


class TileCrops(NamedTuple):
    """Tiles cut out of a picture, uint8: ``whole`` and ``near`` (n, 32, 32), and ``wide`` (n, 40, 40)."""

    whole: Grey
    near: Grey
    wide: Grey

    @classmethod
    def of(cls, picture: Grey, quads: NDArray[np.float64]) -> TileCrops:
        """Return the tiles at corners (n, 4, 2) of a grey picture in which they are 14 to 60 pixels wide."""
        near = crops(picture, augmented_quads(quads, (0.0, 0.0, CLOSE_CROP_SHARE)))
        return cls(crops(picture, quads), near, crops(picture, quads, *SIGN_CROP))

    def turned(self, quarters: int) -> TileCrops:
        """Return the tiles turned clockwise by quarters."""
        return TileCrops(*(np.rot90(one, -quarters, (1, 2)) for one in self))


class SignEmbedding:
    """The network that embeds signs; safe to call from several threads.

    It was trained on thousands of drawn sets, to match the signs of one picture to those of another; an
    enrolled set's signs are new to it.
    """

    def __init__(self, path: Path = MODELS_FOLDER / "signs.onnx") -> None:
        self._session = session(path)

    def embed(self, cut: Grey) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return embeddings, (n, 96), and logits of the three states, (n, 3), of uint8 crops (n, 40, 40)."""
        (out,) = outputs(self._session, cut)
        return out[:, :EMBEDDING_DIM], out[:, EMBEDDING_DIM:]


class Embedder:
    """Both networks; safe to call from several threads."""

    def __init__(self) -> None:
        self._classifier, self.signs = ClassifierNetwork(), SignEmbedding()

    def embed(self, cut: TileCrops) -> tuple[Floats, Floats, Views]:
        """Return the states' probabilities by classifier and by sign network, (n, 3) each, and the views."""
        logits, whole = self._classifier.embed(cut.whole)
        closer, near = self._classifier.embed(cut.near)
        places, state = self.signs.embed(cut.wide)
        trained = softmax(logits)
        blank, background = trained[:, CLASS_INDEX[BLANK_FACE]], trained[:, CLASS_INDEX[BACKGROUND]]
        states = np.stack([1 - blank - background, blank, background], 1)
        views = np.hstack([whole, near]), np.hstack([logits, closer]), places
        return states, softmax(state), views
