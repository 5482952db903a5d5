"""``companion bench``: measured figures beside required ones.

A benchmark, not a test: the exit status is 0 whatever was measured.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from calibration.evaluation.metric import limit_to_one_thread
from companion.bench.report import as_object, facts, machine, table
from companion.bench.sections import DEFAULT_SCENES, MAX_SCENES, SECTIONS, SEEDS, BenchOptions, shared_folder
from companion.errors import BadOutput, UsageError

OUTPUT_COLUMNS = 160
"""Width of a table that does not go to a terminal, in columns."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    sections = f"what to measure: {', '.join(SECTIONS)} (default: all)"
    parser.add_argument("section", nargs="?", choices=[*SECTIONS, "all"], default="all", help=sections)
    shared = "the folder of photographs and lists with truth (default: shared beside the checkout)"
    parser.add_argument("--shared", type=Path, metavar="DIR", help=shared)
    scenes = "pictures of each kind to read, where they are drawn or warped; what takes long is measured on "
    scenes += "fewer (default: %(default)s)"
    parser.add_argument("--scenes", type=int, default=DEFAULT_SCENES, metavar="N", help=scenes)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file too")


def run(args: argparse.Namespace) -> int:
    """Measure and print, section by section; return the exit status."""
    check(args)
    limit_to_one_thread()
    out, known = Console(width=None if sys.stdout.isatty() else OUTPUT_COLUMNS), machine()
    out.print(facts({**known, "seeds": ", ".join(f"{name} {seed}" for name, seed in SEEDS.items())}))
    measured: list[dict[str, Any]] = []
    for name in SECTIONS if args.section == "all" else (args.section,):
        with Console(stderr=True).status(name) as status:
            given = BenchOptions(
                args.shared or shared_folder(), args.scenes, lambda what: status.update(Text(what))
            )
            metrics = list(SECTIONS[name](given))
        out.print(table(name, metrics))
        measured += [as_object(name, metric) for metric in metrics]
    if args.json:
        body = {"machine": known, "seeds": SEEDS, "figures": measured}
        write(args.json, json.dumps(body, ensure_ascii=False, indent=1) + "\n")
    return 0


def check(args: argparse.Namespace) -> None:
    """Raise UsageError or BadOutput for options that would fail after a long measurement."""
    if args.shared and not is_folder(args.shared):
        raise UsageError(f"--shared {args.shared}: there is no such folder")
    if not 1 <= args.scenes <= MAX_SCENES:
        raise UsageError(f"--scenes is 1 to {MAX_SCENES:,}; got {args.scenes}")
    if args.json:
        write(args.json, "", "a")


def is_folder(path: Path) -> bool:
    """Return whether there is a folder of this name; False for an impossible name."""
    try:
        return path.is_dir()
    except OSError:
        return False


def write(path: Path, text: str, mode: str = "w") -> None:
    """Write a text, or append it (mode ``a``); raise BadOutput."""
    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise BadOutput(f"--json {path}: cannot be written: {error.strerror}") from error
