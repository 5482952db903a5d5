"""``companion docs``: the handbook, page by page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

from companion.errors import UsageError, nearest

FOLDER = Path(__file__).parents[1] / "docs"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("page", nargs="?", metavar="PAGE", help="print this page (default: list them)")


def run(args: argparse.Namespace) -> int:
    """List the pages, or print one: formatted on a terminal, as Markdown elsewhere."""
    pages = {path.stem: path for path in sorted(FOLDER.glob("*.md"))}
    if args.page is None:
        width = max(map(len, pages))
        for name, path in pages.items():
            print(f"{name:<{width}}  {title(path)}")
        return 0
    if args.page not in pages:
        raise UsageError(
            f"no page {args.page!r}{nearest(args.page, pages)}; companion docs lists them: {', '.join(pages)}"
        )
    text = pages[args.page].read_text(encoding="utf-8")
    if sys.stdout.isatty():
        Console().print(Markdown(text))
    else:
        print(text, end="")
    return 0


def title(path: Path) -> str:
    """Return the title of a page."""
    with path.open(encoding="utf-8") as file:
        return file.readline().removeprefix("# ").strip()
