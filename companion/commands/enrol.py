"""``companion enrol``: from photographs of hand-made tiles to a tile set.

Exit status: 0 where the set was saved, 2 where the photographs do not show the given symbols; then a picture
shows the detected tiles.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from calibration.enrolment.capture import CapturePrompt, capture_steps
from calibration.enrolment.enrol import EnrolmentResult, Problem, enrol
from calibration.enrolment.photograph import Grey
from calibration.enrolment.preview import preview
from calibration.enrolment.report import EnrolmentReport
from calibration.enrolment.storage import checked_name, own_folder, parse_symbol, save_set, set_named
from companion.commands._pictures import add_live_arguments, camera_frames
from companion.errors import BadEnrolment, BadTileSet, UsageError
from companion.model.grid import BLANK_SIGN
from companion.model.tiles import TileSet
from companion.vision.fewshot.sheet import MAX_EXAMPLES, MAX_SYMBOLS, MIN_EXAMPLES, Examples
from companion.vision.picture import decode, save_picture, to_printable
from hardware.frames import list_pictures

ABOUT = """\
Lay two or three tiles of each symbol in rows: first all tiles of the first symbol, then all of the second,
and so on, a finger's breadth apart, on a plain cloth.  The first tile of each symbol lies upright, as it is
read; the others may lie at any turn.  Photograph them from above.  Several photographs of the same tiles, in
other light or nearer, make the set surer.

  companion enrol kitchen tiles.jpg --order "A B C ?" --counts "A=5 B=2 C=2 ?=2" --values "A=1 B=3 C=3"
  companion read --tiles kitchen table.jpg

With --live the camera above the table is asked, symbol by symbol: it says what to lay, waits until nothing
moves, and goes on by itself.
"""
MAX_PHOTOGRAPHS = 40
MAX_PRINTED_PAIRS = 8
"""Largest number of pairs of similar symbols that are printed."""
LIVE_TIMEOUT_S = 1800.0
"""Longest time to lay tiles under a live camera, in seconds."""
Photograph = tuple[Grey, Sequence[str]]
"""A grey picture, and the symbols of its tiles in the order of laying."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = ABOUT
    parser.add_argument("name", metavar="NAME", help="what the set is called from now on")
    images = "photographs, or folders of them, each of which shows all tiles in the same order"
    parser.add_argument("images", nargs="*", type=Path, metavar="IMAGE", help=images)
    order = f"the symbols in the order in which they were laid, parted by spaces; {BLANK_SIGN} is a blank"
    parser.add_argument("--order", metavar="SYMBOLS", help=order)
    like = "take symbols, counts and values from this set"
    parser.add_argument("--like", metavar="SET", help=like)
    alone = "a photograph in which every tile shows this symbol; may be given often"
    parser.add_argument("--photo", action="append", default=[], metavar="SYMBOL=FILE", help=alone)
    add_live_arguments(parser)
    each = f"how many tiles of each symbol are laid under the camera, {MIN_EXAMPLES} to {MAX_EXAMPLES} (3)"
    parser.add_argument("--each", type=int, default=3, metavar="N", help=each)
    together = "lay all symbols under the camera together, in rows, not one symbol after the other"
    parser.add_argument("--together", action="store_true", help=together)
    parser.add_argument("--counts", metavar="LIST", help='how many tiles the set has: "A=5 B=2 ?=2"')
    parser.add_argument("--values", metavar="LIST", help='what they score: "A=1 B=3"')
    folder = "keep the two files of the set here (default: among the host's own sets)"
    parser.add_argument("--to", type=Path, metavar="FOLDER", help=folder)
    drawing = "draw what was understood into this file (.png, .jpg); with --live after every look"
    parser.add_argument("--preview", "--overlay", type=Path, metavar="FILE", help=drawing)
    parser.add_argument("--again", action="store_true", help="replace a set of this name")


def run(args: argparse.Namespace) -> int:
    """Enrol a set and save it; return the exit status."""
    folder = args.to or own_folder()
    if (folder / f"{checked_name(args.name)}.json").exists() and not args.again:
        raise UsageError(f"there is a set {args.name!r} in {to_printable(folder)}; replace it with --again")
    order, tiles = tile_set_asked(args)
    taken, paths = live(args, order) if args.live else files(args, order)
    found = enrol(taken)
    show(found, paths, args)
    if found.report:
        print_report(found.report, tiles, Console())
    if found.problems or not found.examples or not found.report:
        raise BadEnrolment("\n".join(problem_text(problem, paths) for problem in found.problems))
    print_similar(found.report, Console())
    kept = save_set(with_symbols(tiles, found.examples), found.examples, folder)
    where = f"--tiles {args.name}" if args.to is None else f"--tiles {folder / args.name}.json"
    print(
        f"kept as {kept.looks and to_printable(kept.looks.with_suffix('.json'))}; "
        f"read with: companion read {where}"
    )
    return 0


def files(args: argparse.Namespace, order: Sequence[str]) -> tuple[list[Photograph], list[Path]]:
    """Return the given photographs, and their files; raise UsageError without any."""
    jobs = [(path, order) for path in photographs(args.images)]
    jobs += [(path, [symbol]) for symbol, path in map(alone, args.photo)]
    if not jobs:
        raise UsageError("give a photograph of the tiles, or --photo SYMBOL=FILE for each symbol")
    return [(decode(path), symbols) for path, symbols in jobs], [path for path, _ in jobs]


def live(args: argparse.Namespace, order: Sequence[str]) -> tuple[list[Photograph], list[Path]]:
    """Return a live camera's pictures of each symbol, with printed advice on what to lay."""
    if args.images or args.photo:
        raise UsageError("give photographs or --live, one of the two")
    if not MIN_EXAMPLES <= args.each <= MAX_EXAMPLES:
        raise UsageError(f"--each {args.each}: {MIN_EXAMPLES} to {MAX_EXAMPLES} tiles of each symbol")
    said = [""]

    def print_advice(now: CapturePrompt) -> None:
        if args.preview and now.shot:
            save_picture(args.preview, preview(*now.shot))
        if now.text != said[0]:
            said[0] = now.text
            print(f"{now.done} of {now.steps}  {now.text}", file=sys.stderr, flush=True)

    steps = [list(order)] if args.together else [[symbol] for symbol in order]
    taken = capture_steps(
        camera_frames(args.live, args.number, LIVE_TIMEOUT_S), steps, args.each, print_advice
    )
    return taken, [Path(f"step-{k}") for k in range(1, len(taken) + 1)]


def show(found: EnrolmentResult, paths: Sequence[Path], args: argparse.Namespace) -> None:
    """Write the preview where it was requested or there is a problem; raise BadOutput."""
    if args.preview or found.problems:
        drawings = numbered(args.preview or Path(f"{args.name}-found.png"), len(paths))
        for drawing, picture in zip(drawings, found.previews(), strict=True):
            save_picture(drawing, picture)
        print(
            f"what was found is drawn in {', '.join(to_printable(path) for path in drawings)}",
            file=sys.stderr,
        )


def problem_text(problem: Problem, paths: Sequence[Path]) -> str:
    """Return the text of a problem, with the file of its photograph."""
    where = "" if problem.photograph is None else f"{to_printable(paths[problem.photograph])}: "
    return f"{where}{problem.text}"


def tile_set_asked(args: argparse.Namespace) -> tuple[list[str], TileSet]:
    """Return the order of the symbols and the requested set; raise UsageError, BadEnrolment or BadTileSet."""
    model = set_named(args.like) if args.like else None
    order = [parse_symbol(word) for word in args.order.split()] if args.order else []
    if not order and model:
        order = list(model.symbols)
    if (args.images or args.live) and not order:
        raise UsageError('say which symbols were laid, in their order: --order "A B C ?", or --like SET')
    if len(set(order)) != len(order) or len(order) > MAX_SYMBOLS:
        raise UsageError(f"--order names each symbol once, at most {MAX_SYMBOLS}; got {' '.join(order)}")
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


def numbers(option: str, text: str | None) -> dict[str, int]:
    """Return symbols and whole numbers written as ``A=5 B=2``; raise UsageError or BadEnrolment."""
    found: dict[str, int] = {}
    for word in (text or "").split():
        symbol, _, number = word.rpartition("=")
        if not symbol or not number.isdecimal() or len(number) > 4:
            raise UsageError(f'{option} is written "A=5 B=2"; got {word!r}')
        found[parse_symbol(symbol)] = int(number)
    return found


def alone(word: str) -> tuple[str, Path]:
    """Return symbol and file of a ``--photo``; raise UsageError or BadEnrolment."""
    symbol, _, path = word.partition("=") if not word.startswith("=") else ("=", "=", word[2:])
    if not symbol or not path:
        raise UsageError(f"--photo is written SYMBOL=FILE; got {word!r}")
    return parse_symbol(symbol), Path(path)


def photographs(given: Sequence[Path]) -> Iterator[Path]:
    """Yield the given photographs, those of folders in the order of their names."""
    paths = [path for one in given for path in within(one)]
    if len(paths) > MAX_PHOTOGRAPHS:
        raise UsageError(f"{len(paths)} photographs; {MAX_PHOTOGRAPHS} are more than enough")
    yield from paths


def within(path: Path) -> list[Path]:
    """Return a photograph, or those in a folder; raise BadFilm for a folder without any."""
    return [path / name for name in list_pictures(path)] if path.is_dir() else [path]


def numbered(path: Path, count: int) -> list[Path]:
    """Return ``count`` names of files, numbered where there are several."""
    return [path.with_stem(f"{path.stem}-{k}") for k in range(1, count + 1)] if count > 1 else [path]


def with_symbols(tiles: TileSet, examples: Examples) -> TileSet:
    """Return the set; raise BadTileSet where no photograph showed one of its symbols."""
    if missing := [symbol for symbol in tiles.symbols if symbol and symbol not in examples.kinds]:
        raise BadTileSet(f"no photograph shows {' '.join(missing)}")
    return tiles


def print_report(report: EnrolmentReport, tiles: TileSet, console: Console) -> None:
    """Print the leave-one-out accuracy of each symbol of a set."""
    table = Table("symbol", title="Each example read by what the others teach")
    for heading in ("shown", "right", "doubted", "wrong", "sure", "ways up", "tiles", "value"):
        table.add_column(heading, justify="right")
    for one in report.symbols:
        style = "" if one.wrong == 0 else "bold"
        share = (f"{value:.0f} %" for value in (one.right, one.unsure, one.wrong, 100 * one.sure))
        many = str(tiles.counts[one.symbol]) if tiles.counts and one.symbol in tiles.counts else "any"
        value = str(tiles.values.get(one.symbol, 0))
        table.add_row(
            one.symbol or "blank", str(one.examples), *share, str(one.turns), many, value, style=style
        )
    console.print(table)
    console.print(Text(f"{report.right:.1f} % read surely and rightly when left out"))


def print_similar(report: EnrolmentReport, console: Console) -> None:
    """Print which symbols look alike, and what to do about it."""
    for pair in report.confusable[:MAX_PRINTED_PAIRS]:
        names = " and ".join(symbol or "blank" for symbol in (pair.one, pair.other))
        console.print(Text(f"{names} look alike ({100 * pair.share:.0f} %): {pair.advice}"))
    if (more := len(report.confusable) - MAX_PRINTED_PAIRS) > 0:
        console.print(Text(f"so do {more} more pairs"))
