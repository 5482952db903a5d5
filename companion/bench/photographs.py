"""Accuracy on labelled photographs and path-traced scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from calibration.evaluation.metric import Metric, Progress
from calibration.evaluation.results import LabelledPicture, ReaderFactory, Targets, evaluate, score_metrics
from calibration.evaluation.truth import truths_in
from companion.model.tiles import tile_set
from companion.vision.decoding import SymbolReader
from companion.vision.ocr import Tesseract
from companion.vision.picture import decode
from companion.vision.pipeline.reader import Reader


@dataclass(frozen=True, slots=True)
class Collection:
    """A set of pictures: its folder within the shared one, the prefix of their names, and the targets."""

    name: str
    folder: str
    beginning: str
    targets: Targets


GAMES_FOLDER = "photos/scrabble_de"
"""The folder of games that were photographed after every move."""

COLLECTIONS = (
    Collection("bananagrams_en", "photos/bananagrams_en", "", Targets(exact=100)),
    Collection("bananagrams_fi", "photos/bananagrams_fi", "", Targets(right=99.7, doubts=2)),
    Collection("scenes, tableaux", "scenes", "tableau_", Targets(right=99.7, uncovered=98, down=95)),
    Collection("scenes, binary", "scenes", "binary_", Targets(right=100, exact=100, invented=0)),
    Collection("scenes, Volcano board", "scenes", "martian_", Targets(right=100, pieces=100, invented=0)),
    Collection("scrabble_de, final boards", GAMES_FOLDER, "", Targets(exact=100)),
)


@cache
def reader_of(name: str, board: str | None, second: SymbolReader | None = None) -> Reader:
    """Return the reader of a tile set and board; it is made once."""
    return Reader(tile_set(name), board, second=second)


@cache
def with_second(name: str, board: str | None) -> Reader:
    """Return a reader that checks doubts with Tesseract, as ``companion read`` does."""
    return reader_of(name, board, Tesseract())


def photograph_metrics(
    shared: Path, progress: Progress, reader_for: ReaderFactory = with_second
) -> Iterator[Metric]:
    """Yield the metrics of each collection of a shared folder; raise BadTruth or BadPicture."""
    for collection in COLLECTIONS:
        folder = shared / collection.folder
        if folder.is_dir():
            done = evaluate(labelled_pictures(folder, collection.beginning), reader_for, progress)
            yield from score_metrics(collection.name, done, collection.targets)
        else:
            yield Metric.not_measured(collection.name, f"there is no folder {folder}")


def labelled_pictures(folder: Path, beginning: str) -> Iterator[LabelledPicture]:
    """Yield the labelled pictures of a folder, in colour."""
    for picture, truth in truths_in(folder, beginning):
        yield f"{folder.name}/{picture.name}", decode(picture, colour=True), truth
