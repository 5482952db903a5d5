"""The sheet: the examples of a set's tiles, one row for each symbol, as one PNG picture.

People can look at it, copy it and print it.  A text chunk inside it lists the symbol of each row.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, PngImagePlugin

from companion.errors import BadTileSet
from companion.model.grid import is_symbol
from companion.model.phrases import phrase
from companion.vision.classifier import crops, frame_of
from companion.vision.picture import PILLOW_FAULTS, to_printable

EXAMPLE_SIDE_PX, EXAMPLE_TILE_PX = 48, 32
"""Side of an example and of the tile in its middle, in pixels."""
TILE_FRAME = frame_of(EXAMPLE_SIDE_PX, EXAMPLE_TILE_PX)
"""The tile's corners in its example, clockwise from the symbol's own top left, (4, 2)."""

TEXT_KEYWORD = "tiles"
"""Keyword of the text inside the picture."""
MAX_SYMBOLS, MAX_EXAMPLES = 100, 12
"""Largest numbers of symbols of a set, and of examples of one: they bound the time of learning."""
MIN_EXAMPLES = 2
"""Least number of examples of a symbol, for a leave-one-out trial."""
MAX_FILE_BYTES = 2**24

Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Examples:
    """Tiles and their symbols.

    ``looks`` (n, 48, 48), uint8, upright, the tile in the middle 32 pixels; ``symbols`` the symbol of each,
    ``""`` for a bare face.
    """

    looks: Grey
    symbols: tuple[str, ...]

    def __post_init__(self) -> None:
        shape = len(self.symbols), EXAMPLE_SIDE_PX, EXAMPLE_SIDE_PX
        if self.looks.shape != shape or self.looks.dtype != np.uint8:
            raise BadTileSet(f"examples must be uint8 {shape}; got {self.looks.dtype} {self.looks.shape}")
        many = Counter(self.symbols)
        if len(many) > MAX_SYMBOLS:
            raise BadTileSet(f"at most {MAX_SYMBOLS} symbols can be learnt; got {len(many)}")
        for symbol, count in many.items():
            if not MIN_EXAMPLES <= count <= MAX_EXAMPLES:
                raise BadTileSet(
                    f"{symbol_label(symbol)}: {MIN_EXAMPLES} to {MAX_EXAMPLES} examples are needed; "
                    f"got {count}"
                )

    @property
    def kinds(self) -> tuple[str, ...]:
        """The symbols, each once, in the order in which they first come."""
        return tuple(dict.fromkeys(self.symbols))

    def of(self, symbol: str) -> Grey:
        """Return the examples of one symbol, (n, 48, 48)."""
        return self.looks[[k for k, one in enumerate(self.symbols) if one == symbol]]


def symbol_label(symbol: str) -> str:
    """Return the name of a symbol in messages."""
    return repr(symbol) if symbol else phrase("a blank")


def cut_looks(picture: Grey, quads: NDArray[np.float64]) -> Grey:
    """Return examples cut out of a grey picture in which a tile is 14 to 60 pixels wide, (n, 48, 48).

    ``quads`` (n, 4, 2) are the tiles' corners in pixels, clockwise from the symbol's own top left.
    """
    return crops(picture, quads, EXAMPLE_SIDE_PX, EXAMPLE_TILE_PX)


def encode_sheet(examples: Examples) -> bytes:
    """Return a sheet as the bytes of a PNG file."""
    kinds = [(symbol, examples.of(symbol)) for symbol in examples.kinds]
    most = max(len(looks) for _, looks in kinds)
    cells = np.full((len(kinds), most, EXAMPLE_SIDE_PX, EXAMPLE_SIDE_PX), 255, np.uint8)
    for row, (_, looks) in zip(cells, kinds, strict=True):
        row[: len(looks)] = looks
    sheet = cells.swapaxes(1, 2).reshape(len(kinds) * EXAMPLE_SIDE_PX, most * EXAMPLE_SIDE_PX)
    rows = [[symbol, len(looks)] for symbol, looks in kinds]
    about = PngImagePlugin.PngInfo()
    about.add_itxt(TEXT_KEYWORD, json.dumps(rows, ensure_ascii=False))
    file = io.BytesIO()
    Image.fromarray(sheet).save(file, "PNG", pnginfo=about)
    return file.getvalue()


def read_sheet(path: Path) -> Examples:
    """Return the examples in a sheet's file; raise BadTileSet where it is missing or another picture."""
    try:
        with path.open("rb") as file:
            return parse_sheet(file.read(MAX_FILE_BYTES + 1))
    except OSError as error:
        raise BadTileSet(
            f"{to_printable(path)}: the pictures of the set's tiles cannot be opened ({error.strerror}); "
            "copy them beside the set, or enrol it again"
        ) from error
    except BadTileSet as error:
        raise BadTileSet(f"{to_printable(path)}: {error}") from error


def parse_sheet(file: bytes) -> Examples:
    """Return the examples on a sheet given as bytes; raise BadTileSet where it is none."""
    if len(file) > MAX_FILE_BYTES:
        raise BadTileSet(f"a sheet of tiles has at most {MAX_FILE_BYTES >> 20} MiB")
    try:
        with Image.open(io.BytesIO(file), formats=("PNG",)) as picture:
            width, height = picture.size
            fits = width <= MAX_EXAMPLES * EXAMPLE_SIDE_PX and height <= MAX_SYMBOLS * EXAMPLE_SIDE_PX
            if picture.mode != "L" or not fits:
                raise ValueError(f"{picture.mode} {picture.size}")
            picture.load()
            rows = validate_rows(json.loads(getattr(picture, "text", {})[TEXT_KEYWORD]))
            sheet = np.asarray(picture)
    except (*PILLOW_FAULTS, RecursionError) as error:
        raise BadTileSet(
            "is no sheet of enrolled tiles; copy the file as it is, or enrol the set again"
        ) from error
    most = max(many for _, many in rows)
    if sheet.shape[0] != EXAMPLE_SIDE_PX * len(rows) or sheet.shape[1] < EXAMPLE_SIDE_PX * most:
        raise BadTileSet("the sheet of enrolled tiles is cut short; copy it again, or enrol the set again")
    cells = sheet[:, : EXAMPLE_SIDE_PX * most].reshape(len(rows), EXAMPLE_SIDE_PX, most, EXAMPLE_SIDE_PX)
    looks = [row[:many] for row, (_, many) in zip(cells.swapaxes(1, 2), rows, strict=True)]
    return Examples(np.concatenate(looks), tuple(symbol for symbol, many in rows for _ in range(many)))


def validate_rows(rows: Any) -> list[tuple[str, int]]:
    """Return which symbol each row shows and how often; raise ValueError or TypeError for anything else."""
    found = [(symbol, many) for symbol, many in rows]
    for symbol, many in found:
        if (symbol and not is_symbol(symbol)) or not isinstance(symbol, str) or type(many) is not int:
            raise ValueError(f"{symbol!r}, {many!r}")
        if not 1 <= many <= MAX_EXAMPLES:
            raise ValueError(f"{many} examples of {symbol!r}")
    if not 1 <= len({symbol for symbol, _ in found}) == len(found) <= MAX_SYMBOLS:
        raise ValueError("rows must show different symbols")
    return found
