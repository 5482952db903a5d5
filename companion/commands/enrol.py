"""``companion enrol``: photographs of hand-made tiles in, a tile set of one's own out.

Exit status: 0 where the set was kept, 2 where the photographs do not show what was said; a picture of what
was found then tells why.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from calibration.enrolment.keeping import checked_name, keep, own_folder, set_named
from calibration.enrolment.laid import Laid, examples_of, fault_of, laid_in
from calibration.enrolment.preview import preview
from calibration.enrolment.report import Report, report_of
from companion.commands._drawn import save_picture
from companion.errors import BadEnrolment, BadTileSet, UsageError
from companion.model.grid import BLANK_SIGN, is_symbol
from companion.model.tiles import BLANK, TileSet
from companion.reading.enrolled.features import Sight
from companion.reading.enrolled.leave_out import learnt
from companion.reading.enrolled.sheet import MOST_SYMBOLS, Examples
from companion.reading.picture import Frame, decode, shown
from hardware.frames import listed

ABOUT = """\
Lay two or three tiles of each symbol in rows, all the same way up: first all tiles of the first symbol, then
all of the second, and so on, a finger's breadth apart, on a plain cloth.  Photograph them from above.
Several photographs of the same tiles, in other light or nearer, make the set surer.

  companion enrol kitchen tiles.jpg --order "0 1 + - x / = AND OR NOT XOR ?"
  companion read --tiles kitchen table.jpg
"""
MOST_PHOTOGRAPHS = 40
MOST_PAIRS = 8
"""Pairs that look alike of which the command tells."""
Shots = list[tuple[Frame, Laid]]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = ABOUT
    parser.add_argument("name", metavar="NAME", help="what the set is called from now on")
    images = "photographs, or folders of them, each of which shows all tiles in the same order"
    parser.add_argument("images", nargs="*", metavar="IMAGE", help=images)
    order = f"the symbols in the order in which they were laid, parted by spaces; {BLANK_SIGN} is a blank"
    parser.add_argument("--order", metavar="SYMBOLS", help=order)
    like = "take symbols, counts and values from this set"
    parser.add_argument("--like", metavar="SET", help=like)
    alone = "a photograph in which every tile shows this symbol; may be given often"
    parser.add_argument("--photo", action="append", default=[], metavar="SYMBOL=FILE", help=alone)
    parser.add_argument("--counts", metavar="LIST", help='how many tiles the set has: "A=5 B=2 ?=2"')
    parser.add_argument("--values", metavar="LIST", help='what they score: "A=1 B=3"')
    folder = "keep the two files of the set here (default: among the host's own sets)"
    parser.add_argument("--to", type=Path, metavar="FOLDER", help=folder)
    drawing = "draw what was found into this file (.png, .jpg)"
    parser.add_argument("--overlay", type=Path, metavar="FILE", help=drawing)
    parser.add_argument("--again", action="store_true", help="replace a set of this name")


def run(args: argparse.Namespace) -> int:
    """Learn a set and keep it; return the exit status."""
    folder = args.to or own_folder()
    if (folder / f"{checked_name(args.name)}.json").exists() and not args.again:
        raise UsageError(f"there is a set {args.name!r} in {shown(folder)}; replace it with --again")
    order, tiles = asked(args)
    jobs = [(path, order) for path in photographs(args.images)]
    jobs += [(path, [symbol]) for symbol, path in map(alone, args.photo)]
    if not jobs:
        raise UsageError("give a photograph of the tiles, or --photo SYMBOL=FILE for each symbol")
    drawings = numbered(args.overlay or Path(f"{args.name}-found.png"), len(jobs))
    shots = [taken(*job, drawing, args) for job, drawing in zip(jobs, drawings, strict=True)]
    examples = examples_of(shots)
    head, trial = learnt(Sight(), examples)
    report = report_of(head, trial)
    tell(report, Console())
    refuse_misplaced(report, shots, drawings)
    tell_alike(report, Console())
    kept = keep(with_symbols(tiles, examples), examples, folder)
    where = f"--tiles {args.name}" if args.to is None else f"--tiles {folder / args.name}.json"
    print(
        f"kept as {kept.looks and shown(kept.looks.with_suffix('.json'))}; read with: companion read {where}"
    )
    return 0


def asked(args: argparse.Namespace) -> tuple[list[str], TileSet]:
    """Return the order of the symbols and the set that is wanted; raise UsageError or BadTileSet."""
    model = set_named(args.like) if args.like else None
    order = [symbol_of(word) for word in args.order.split()] if args.order else []
    if not order and model:
        order = list(model.symbols)
    if args.images and not order:
        raise UsageError('say which symbols were laid, in their order: --order "A B C ?", or --like SET')
    if len(set(order)) != len(order) or len(order) > MOST_SYMBOLS:
        raise UsageError(f"--order names each symbol once, at most {MOST_SYMBOLS}; got {' '.join(order)}")
    symbols = list(dict.fromkeys([*order, *(symbol for symbol, _ in map(alone, args.photo))]))
    if not symbols:
        raise UsageError('say which symbols were laid: --order "A B C ?", --like SET or --photo SYMBOL=FILE')
    counts = numbers("--counts", args.counts) or dict(model.counts or {} if model else {})
    values = numbers("--values", args.values) or dict(model.values if model else {})
    tables = [{s: n for s, n in table.items() if s in symbols} for table in (counts, values)]
    for option, table in (("--counts", args.counts), ("--values", args.values)):
        if strange := set(numbers(option, table)) - set(symbols):
            raise UsageError(f"{option} names {' '.join(sorted(strange))}, which the set does not have")
    printed = {s: sign for s, sign in (model.printed if model else {}).items() if s in symbols}
    return order, TileSet(args.name, tuple(symbols), tables[0] or None, tables[1], printed)


def symbol_of(word: str) -> str:
    """Return a symbol as it is written on the command line; raise UsageError for what cannot be one."""
    if not is_symbol(word) or word == ".":
        raise UsageError(f"{word!r} is no symbol: one to eight characters without spaces")
    return BLANK if word == BLANK_SIGN else word


def numbers(option: str, text: str | None) -> dict[str, int]:
    """Return symbols and whole numbers written as ``A=5 B=2``; raise UsageError."""
    found: dict[str, int] = {}
    for word in (text or "").split():
        symbol, _, number = word.rpartition("=")
        if not symbol or not number.isdecimal() or len(number) > 4:
            raise UsageError(f'{option} is written "A=5 B=2"; got {word!r}')
        found[symbol_of(symbol)] = int(number)
    return found


def alone(word: str) -> tuple[str, Path]:
    """Return symbol and file of a ``--photo``; raise UsageError."""
    symbol, _, path = word.partition("=") if not word.startswith("=") else ("=", "=", word[2:])
    if not symbol or not path:
        raise UsageError(f"--photo is written SYMBOL=FILE; got {word!r}")
    return symbol_of(symbol), Path(path)


def photographs(given: Sequence[str]) -> Iterator[Path]:
    """Yield the photographs that are meant, those of folders in the order of their names."""
    paths = [path for name in given for path in within(Path(name))]
    if len(paths) > MOST_PHOTOGRAPHS:
        raise UsageError(f"{len(paths)} photographs; {MOST_PHOTOGRAPHS} are more than enough")
    yield from paths


def within(path: Path) -> list[Path]:
    """Return a photograph, or those in a folder; raise BadFilm for a folder without any."""
    return [path / name for name in listed(path)] if path.is_dir() else [path]


def taken(path: Path, order: Sequence[str], drawing: Path, args: argparse.Namespace) -> tuple[Frame, Laid]:
    """Return a photograph, grey, with what lies in it; draw it and raise BadEnrolment where that is wrong."""
    grey = decode(path)
    try:
        laid = laid_in(grey, order)
    except BadEnrolment as error:
        raise BadEnrolment(f"{shown(path)}: {error}") from error
    fault = fault_of(laid, order)
    if args.overlay or fault:
        draw(drawing, decode(path, colour=True), laid)
    if fault:
        raise BadEnrolment(f"{shown(path)}: {fault}")
    return grey, laid


def draw(path: Path, picture: Frame, laid: Laid) -> None:
    """Draw what was found in a photograph into a file and say so; raise BadOutput."""
    save_picture(path, preview(picture, laid))
    print(f"what was found is drawn in {shown(path)}", file=sys.stderr)


def numbered(path: Path, count: int) -> list[Path]:
    """Return so many names of files, numbered where there are several."""
    return [path.with_stem(f"{path.stem}-{k}") for k in range(1, count + 1)] if count > 1 else [path]


def with_symbols(tiles: TileSet, examples: Examples) -> TileSet:
    """Return the set; raise BadTileSet where no photograph showed one of its symbols."""
    if missing := [symbol for symbol in tiles.symbols if symbol and symbol not in examples.kinds]:
        raise BadTileSet(f"no photograph shows {' '.join(missing)}")
    return tiles


def tell(report: Report, console: Console) -> None:
    """Print how well a set was learnt: every symbol read by a reader that never met that example."""
    table = Table("symbol", title="Each example read by what the others teach")
    for heading in ("examples", "right", "doubted", "wrong", "sure of it", "ways up told apart"):
        table.add_column(heading, justify="right")
    for one in report.symbols:
        style = "" if one.wrong == 0 else "bold"
        share = (f"{value:.0f} %" for value in (one.right, one.unsure, one.wrong, 100 * one.sure))
        table.add_row(one.symbol or "blank", str(one.examples), *share, str(one.turns), style=style)
    console.print(table)
    console.print(Text(f"{report.right:.1f} % read surely and rightly when left out"))


def tell_alike(report: Report, console: Console) -> None:
    """Print which symbols look alike, and what to do about it."""
    for pair in report.alike[:MOST_PAIRS]:
        names = " and ".join(symbol or "blank" for symbol in (pair.one, pair.other))
        console.print(Text(f"{names} look alike ({100 * pair.share:.0f} %): {pair.advice}"))
    if (more := len(report.alike) - MOST_PAIRS) > 0:
        console.print(Text(f"so do {more} more pairs"))


def refuse_misplaced(report: Report, shots: Shots, drawings: Sequence[Path]) -> None:
    """Draw the photographs and raise BadEnrolment where symbols cannot be told: another order was laid."""
    if report.misplaced:
        for path, (grey, laid) in zip(drawings, shots, strict=True):
            draw(path, np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8), laid)
        named = " ".join(symbol or BLANK_SIGN for symbol in report.misplaced)
        raise BadEnrolment(
            f"the examples of {named} look like other symbols; were the tiles laid in the order that was "
            "said, all the same way up?  Nothing was kept"
        )
    if report.poor:
        raise BadEnrolment(
            f"only {report.right:.0f} % of the examples are read by what the others teach; photograph the "
            "tiles again, nearer and in even light without glare, or three of each.  Nothing was kept"
        )
