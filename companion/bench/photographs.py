"""How right photographs and path-traced scenes of known truth are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from calibration.evaluation.figure import Figure
from calibration.evaluation.readings import Asked, ReaderFor, Table, Tell, read_all, score_figures
from calibration.evaluation.truth import truths_in
from companion.model.tiles import tile_set
from companion.vision import Reader
from companion.vision.decoding import SymbolReader
from companion.vision.ocr import Tesseract
from companion.vision.picture import decode


@dataclass(frozen=True, slots=True)
class Collection:
    """Pictures of one kind: where they lie in the shared folder, how their names begin, what is asked."""

    name: str
    folder: str
    beginning: str
    asked: Asked


GAMES = "photos/scrabble_de"
"""Where games are that were photographed after every move."""

COLLECTIONS = (
    Collection("bananagrams_en", "photos/bananagrams_en", "", Asked(exact=100)),
    Collection("bananagrams_fi", "photos/bananagrams_fi", "", Asked(right=99.7, doubts=2)),
    Collection("scenes, tableaux", "scenes", "tableau_", Asked(right=99.7, uncovered=98, down=95)),
    Collection("scenes, binary", "scenes", "binary_", Asked(right=100, exact=100, invented=0)),
    Collection("scenes, Volcano board", "scenes", "martian_", Asked(right=100, pieces=100, invented=0)),
    Collection("scrabble_de, final boards", GAMES, "", Asked(exact=100)),
)


@cache
def reader_of(name: str, board: str | None, second: SymbolReader | None = None) -> Reader:
    """Return the reader of a tile set, made once."""
    return Reader(tile_set(name), board, second=second)


@cache
def with_second(name: str, board: str | None) -> Reader:
    """Return a reader that asks Tesseract about doubts, as ``companion read`` does."""
    return reader_of(name, board, Tesseract())


def photograph_figures(shared: Path, tell: Tell, reader_for: ReaderFor = with_second) -> Iterator[Figure]:
    """Yield how right each collection of a shared folder is read; raise BadTruth or BadPicture."""
    for collection in COLLECTIONS:
        folder = shared / collection.folder
        if folder.is_dir():
            done = read_all(tables(folder, collection.beginning), reader_for, tell)
            yield from score_figures(collection.name, done, collection.asked)
        else:
            yield Figure.missing(collection.name, f"there is no folder {folder}")


def tables(folder: Path, beginning: str) -> Iterator[Table]:
    """Yield the pictures of a folder with what lies there: grey ones, or in colour where a board is read."""
    for picture, truth in truths_in(folder, beginning):
        frame = decode(picture, colour=truth.board is not None)
        yield f"{folder.name}/{picture.name}", frame, truth
