"""What lies on each found tile: how likely each symbol in each quarter turn is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.model.tiles import TileSet
from companion.vision.classifier.alphabet import (
    CLASSES,
    FACE_DOWN,
    INDEX,
    NO_TILE,
    ROUND,
    class_table,
    share_table,
    twin_shares,
)
from companion.vision.classifier.crops import CLOSE, NUDGES, SIDE, TILE, crops, nudged
from companion.vision.detector.detections import Finds, halved
from companion.vision.networks import Namer, softmax

WHOLE = SIDE, TILE
SYMBOLIC = np.array([bool(one.symbol) for one in CLASSES])
"""Which classes show a symbol."""
SURE = 0.95
"""Below this it is in doubt whether a find is a tile."""
PLAIN, PLAIN_ALIKE, ALIKE = 0.99, 0.995, frozenset("0OQDCG1IL+-/x=")
"""The inspector looks at what is less probable than this; symbols that others look like need the second."""

CLOSER = 5.0
"""How much more the inspector has to say than the namer about which symbol a tile shows; where they disagree
outright that still leaves a doubt."""

LEAST_OWN = 0.1
"""What the network gives to symbols that the set lacks is shared out among those it has, up to tenfold."""

LARGEST_CUT = 60.0

BARE = 0.5
"""A tile that shows no symbol with more than this chance is bare."""


@dataclass(frozen=True, slots=True)
class Names:
    """How likely each symbol of the set is on each tile.

    ``symbols`` the set's symbols without blanks; ``chance`` (n, symbols, 4) by
    the corner at which the symbol's own top left lies; ``down`` (n,) a face without
    symbol; ``none`` (n,) no tile; ``foreign`` (n,) how much the network would
    have given to symbols that the set lacks; ``second`` what a second reader said of each
    symbol in each turn, shape as ``chance``, 0 where it was not asked or had nothing to say.
    """

    symbols: tuple[str, ...]
    chance: NDArray[np.float64]
    down: NDArray[np.float64]
    none: NDArray[np.float64]
    foreign: NDArray[np.float64]
    second: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0, 4)))

    def __post_init__(self) -> None:
        if self.second.shape != self.chance.shape:
            object.__setattr__(self, "second", np.zeros(self.chance.shape))

    def likeliest(self) -> NDArray[np.float64]:
        """Return the chance of the likeliest symbol in any turn, (n,)."""
        return np.asarray(self.chance.sum(2).max(1, initial=0.0))

    def bare(self) -> NDArray[np.bool_]:
        """Return which tiles rather show no symbol than one, (n,), if they are tiles at all."""
        return np.asarray(self.down > BARE * (1 - self.none))

    def kept(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Names:
        """Return the names of some of the tiles."""
        some = (part[keep] for part in (self.chance, self.down, self.none, self.foreign, self.second))
        return Names(self.symbols, *some)

    def turned(self, way: NDArray[np.float64]) -> Names:
        """Return the names with their corners counted in frames turned by about so many radians, (n,)."""
        quarters = np.round(way / (np.pi / 2)).astype(int)
        turn = (np.arange(4)[None] + quarters[:, None]) % 4
        chance, second = (np.take_along_axis(said, turn[:, None], 2) for said in (self.chance, self.second))
        return replace(self, chance=chance, second=second)


class SetNamer(Protocol):
    """Names the tiles of one set, whose ``symbols`` are those without the blank."""

    symbols: tuple[str, ...]

    def glance(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> Names:
        """Return the names of tiles after one look at each."""

    def names(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> Names:
        """Return the names of tiles outlined in a picture where a tile is 14 to 60 pixels broad."""


class TrainedNamer:
    """Names the tiles of a set whose symbols the networks were trained on.

    ``namer`` looks at every tile, ``inspector`` closely at those that are hard to tell.
    """

    def __init__(self, namer: Namer, inspector: Namer, tile_set: TileSet) -> None:
        self._namer, self._inspector = namer, inspector
        self.symbols = tuple(symbol for symbol in tile_set.symbols if symbol)
        self._classes, self._shares = class_table(self.symbols), share_table(self.symbols)
        self._twins, self._twin_shares = twin_shares(self.symbols)
        self._round = [k for k, symbol in enumerate(self.symbols) if symbol in ROUND]
        self._alike = np.array([klass.symbol in ALIKE for klass in CLASSES])

    def glance(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> Names:
        """Return the names of tiles after one look at each."""
        return self._split(chances_in(self._namer, picture, quads, WHOLE))

    def names(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> Names:
        """Return the names of tiles outlined in a picture where a tile is 14 to 60 pixels broad."""
        chances = self._looked(picture, quads)
        bound = np.where(self._alike[chances.argmax(1)], PLAIN_ALIKE, PLAIN)
        hard = np.flatnonzero(self._best(chances) < bound)
        if len(hard):
            closely = chances_in(self._inspector, picture, quads[hard], CLOSE)
            chances[hard] = told_by_both(chances[hard], closely)
        return self._split(chances)

    def _looked(self, picture: NDArray[np.uint8], quads: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance of every class, (n, classes); what may be no tile is seen in moved crops too."""
        chances = chances_in(self._namer, picture, quads, WHOLE)
        none = chances[:, INDEX[NO_TILE]]
        vague = np.flatnonzero((none > 1 - SURE) & (self._best(chances) < SURE))
        if len(vague):
            more = [chances_in(self._namer, picture, nudged(quads[vague], *nudge), WHOLE) for nudge in NUDGES]
            chances[vague] = np.mean([chances[vague], *more], 0)
        return chances

    def _best(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance of the likeliest answer of each tile, (n,)."""
        names = self._split(chances)
        return np.asarray(np.maximum.reduce([names.likeliest(), names.down, names.none]))

    def _split(self, chances: NDArray[np.float64]) -> Names:
        """Return class chances as chances of the set's symbols and turns."""
        by_turn = chances[:, self._classes] * self._shares + chances[:, self._twins] * self._twin_shares
        by_turn[:, self._round] = by_turn[:, self._round].mean(2, keepdims=True)
        down, none = chances[:, INDEX[FACE_DOWN]], chances[:, INDEX[NO_TILE]]
        foreign = np.clip(1 - by_turn.sum((1, 2)) - down - none, 0, 1)
        own = np.maximum(1 - foreign, LEAST_OWN)
        return Names(self.symbols, by_turn / own[:, None, None], down / own, none / own, foreign)


def chances_in(
    network: Namer, picture: NDArray[np.uint8], quads: NDArray[np.float64], size: tuple[int, int]
) -> NDArray[np.float64]:
    """Return the chance of every class after one look at each tile, (n, classes), in crops of a size."""
    return softmax(network.logits(crops(picture, quads, *size)))


def told_by_both(namer: NDArray[np.float64], inspector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return chances, (n, classes): the namer tells whether there is a symbol, mostly the inspector which."""
    both = np.where(SYMBOLIC, CLOSER * inspector + namer, 0.0)
    share = np.where(SYMBOLIC, namer, 0.0).sum(1, keepdims=True) / both.sum(1, keepdims=True)
    return np.where(SYMBOLIC, both * share, namer)


def cut_from(frame: NDArray[np.uint8], finds: Finds) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return the picture to cut finds from, halved until tiles are small enough, and their outlines in it."""
    quads = finds.quads()
    side = float(np.median(finds.sides)) if len(finds) else 1.0
    times = max(0, int(np.log2(2 * side / LARGEST_CUT)))
    return halved(frame, times), (quads + 0.5) / 2**times - 0.5
