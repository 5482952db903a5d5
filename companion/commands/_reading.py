"""What ``companion read`` does with decoded pictures: it reads and judges them, and shows the result."""

from __future__ import annotations

import argparse
import io
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from calibration.enrolment.storage import set_named
from calibration.profile import read_profile
from companion.errors import BadPicture, CompanionError
from companion.model.grid import islands, runs
from companion.model.reading import Reading, Tableau, Tile
from companion.model.signs import as_printed, verdicts_as_printed
from companion.model.tiles import BLANK, TileSet, tile_set, tile_set_names
from companion.model.verdicts import JudgedWord, TableauVerdict
from companion.render.overlay import overlay
from companion.render.report import Line, json_line, report
from companion.vision.camera_frame import CameraFrame, to_bgr
from companion.vision.detector.perspective import known_tile_size
from companion.vision.ocr import Tesseract
from companion.vision.picture import save_picture, to_printable
from companion.vision.pipeline.reader import VOLCANO, Reader
from companion.words import Lexicon, judge_tableau, lexicon_for

Judge = Callable[[Tableau], TableauVerdict]

MIN_FOREIGN_TILES = 2
"""Least number of tiles that surely show symbols of a set for that set to be named: one may be misread."""

Show = Callable[[str, Reading, Sequence[TableauVerdict]], None]
"""Prints the reading of the named picture."""


def judge_for(tiles: TileSet, lexicon: Lexicon | None) -> Judge:
    """Return the function that judges tableaux of a tile set.

    ``lexicon`` has the words of the set's letters, if there is one.  Without it, tiles of a game's notation
    are judged by that notation with its default options.
    """
    if lexicon is not None:
        return lambda tableau: judge_tableau(tableau.grid, tableau.doubted, lexicon)
    from companion.rules.registry import notation_of  # noqa: PLC0415  it imports every game

    if notation := notation_of(tiles):
        return lambda tableau: notation.judge(tableau.grid, tableau.doubted)
    return undecided


def verdicts_of(reading: Reading, judge: Judge) -> list[TableauVerdict]:
    """Return the verdict of each tableau; letters in the cells of a Volcano board make no words."""
    verdicts = [with_unread(judge(tableau), tableau) for tableau in reading.tableaux]
    if reading.board == VOLCANO and verdicts:
        verdicts[0] = TableauVerdict((), verdicts[0].islands, None)
    return verdicts


def with_unread(verdict: TableauVerdict, tableau: Tableau) -> TableauVerdict:
    """Return a verdict that is undecided where an unread tile beside the tableau may change it."""
    if not tableau.unread:
        return verdict
    beside = {(place.row, place.col) for place in tableau.unread}
    longer = {
        (run.row, run.col, run.direction) for run in runs(tableau.grid) if not beside.isdisjoint(run.places)
    }
    words = tuple(
        replace(word, valid=None) if (word.row, word.col, word.direction) in longer else word
        for word in verdict.words
    )
    return replace(verdict, words=words, valid=None)


def undecided(tableau: Tableau) -> TableauVerdict:
    """Return the words of a tableau, all undecided."""
    words = (JudgedWord(run.text, run.row, run.col, run.direction, None) for run in runs(tableau.grid))
    return TableauVerdict(tuple(words), len(islands(tableau.grid)), None)


def read_pictures(
    args: argparse.Namespace, frames: Iterable[Callable[[], CameraFrame]], drawings: Sequence[Path | None]
) -> int:
    """Read, judge and show every picture, and return the exit status.

    ``frames`` return the pictures decoded, or raise BadPicture; ``drawings`` are the files to draw them into.
    """
    tiles = set_named(args.tiles)
    profile = read_profile(args.profile) if args.profile else None
    lexicon = lexicon_for(tiles)
    judge = judge_for(tiles, lexicon)
    reader = Reader(tiles, args.board, known_tile_size(profile), None if args.alone else Tesseract())
    show, at_work = show_json if args.json else shower(), bar(len(args.images))
    status = 0
    for image, decoded, drawing in zip(args.images, frames, drawings, strict=True):
        try:
            with at_work():
                frame = decoded()
                if profile:
                    profile.of_picture(frame.shape[1], frame.shape[0])
                reading = reader.read(frame)
                if profile and profile.table and profile.zones:
                    from companion.table.seating_plan import with_seats  # noqa: PLC0415  it takes long to import

                    reading = with_seats(reading, profile)
            verdicts = verdicts_as_printed(verdicts_of(reading, judge), tiles)
            reading = as_printed(reading, tiles)
            show(image, reading, verdicts)
            if not args.json and (advice := other_set_advice(frame, reading, tiles, args.board)):
                print(advice, end="\n\n", flush=True)
            if drawing:
                title = to_printable(Path(image).name)
                save_picture(drawing, overlay(to_bgr(frame), reading, verdicts, title))
        except CompanionError as error:
            print(f"companion read: {error}", file=sys.stderr)
            status = max(status, error.exit_status)
    return status


def other_set_advice(frame: CameraFrame, reading: Reading, tiles: TileSet, board: str | None) -> str:
    """Return advice to read a picture with another tile set, if one fits better; otherwise an empty text.

    It does where fewer tiles are in doubt, and several surely show symbols that ``tiles`` lacks.  Only a
    picture with several doubts is read anew.
    """
    doubts, fitting, looks = sum(tile.doubt for tile in reading.tiles), list[str](), Counter[str]()
    if doubts < MIN_FOREIGN_TILES:
        return ""
    for other in map(tile_set, tile_set_names()):
        foreign = {symbol for symbol in other.symbols if symbol not in {*tiles.symbols, BLANK}}
        seen = tiles_seen(frame, other, board) if foreign else ()
        signs = Counter(tile.symbol for tile in seen if tile.symbol in foreign and not tile.doubt)
        if signs.total() >= MIN_FOREIGN_TILES and sum(tile.doubt for tile in seen) < doubts:
            fitting.append(other.name)
            looks |= Counter({other.as_printed(sign): count for sign, count in signs.items() if sign})
    if not fitting:
        return ""
    letters, sets = ", ".join(sorted(looks)), " or ".join(fitting)
    return f"{looks.total()} tiles look like {letters}, which {tiles.name} lacks: try --tiles {sets}."


def tiles_seen(frame: CameraFrame, tiles: TileSet, board: str | None) -> Sequence[Tile]:
    """Return the tiles that a picture shows with a set, none where it cannot be read with that."""
    try:
        return Reader(tiles, board).read(frame).tiles
    except BadPicture:
        return ()


def show_json(image: str, reading: Reading, verdicts: Sequence[TableauVerdict]) -> None:
    """Print what was read as one line of JSON."""
    print(json_line(image, reading, verdicts), flush=True)


def shower() -> Show:
    """Return a function that prints a reading as text, with an empty line after it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    write = plain
    if sys.stdout.isatty():
        from companion.commands._terminal import coloured as write  # noqa: PLC0415  rich takes long to import

    def show(image: str, reading: Reading, verdicts: Sequence[TableauVerdict]) -> None:
        write([*report(to_printable(image), reading, verdicts), ()])
        sys.stdout.flush()

    return show


def plain(lines: Sequence[Line]) -> None:
    """Print lines without their styles."""
    for line in lines:
        print("".join(text for text, _ in line).rstrip())


def bar(count: int) -> Callable[[], AbstractContextManager[None]]:
    """Return a context manager factory that shows a progress bar on a terminal, for several pictures."""
    if count < 2 or not sys.stderr.isatty():
        return nullcontext
    from companion.commands._terminal import Bar  # noqa: PLC0415  rich takes long to import

    return Bar(count)
