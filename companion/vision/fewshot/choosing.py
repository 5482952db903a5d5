"""Who names the tiles of a set: the trained network, or what its own pictures teach."""

from __future__ import annotations

from companion.errors import BadTileSet
from companion.model.tiles import TileSet
from companion.vision.classifier.alphabet import SYMBOLS
from companion.vision.classifier.probabilities import Classifier, TrainedClassifier
from companion.vision.fewshot.classifier import FewShotClassifier
from companion.vision.fewshot.embedding import Embedder
from companion.vision.fewshot.leave_out import fit_head
from companion.vision.fewshot.sheet import named, read
from companion.vision.networks import FINE_CLASSIFIER, ClassifierNetwork


def classifier_for(tile_set: TileSet) -> Classifier:
    """Return who names the tiles of a set.

    Raises
    ------
    BadTileSet
        Where nobody taught a symbol, or the pictures of the set cannot be read.
    """
    if tile_set.looks is None:
        if strange := [symbol for symbol in tile_set.symbols if symbol and symbol not in SYMBOLS]:
            raise BadTileSet(
                f"tile set {tile_set.name!r}: the reader does not know {' '.join(strange)}; "
                f"it knows {' '.join(SYMBOLS)}, and others once they are enrolled (companion enrol)"
            )
        return TrainedClassifier(ClassifierNetwork(), ClassifierNetwork(FINE_CLASSIFIER), tile_set)
    examples = read(tile_set.looks)
    if lacking := [symbol for symbol in tile_set.symbols if symbol and symbol not in examples.kinds]:
        raise BadTileSet(
            f"tile set {tile_set.name!r}: {tile_set.looks.name} does not show "
            f"{' '.join(map(named, lacking))}; enrol the set again with them"
        )
    sight = Embedder()
    head, _ = fit_head(sight, examples)
    return FewShotClassifier(sight, head, tile_set)
