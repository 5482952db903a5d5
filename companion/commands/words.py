"""``companion words``: the word lists of this table."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from companion.errors import BadWordList
from companion.words import WordList, hunspell, text_lists
from companion.words.chosen import DEFAULT_LIST_FILE, list_named, long_store, main_store
from companion.words.comparing import Agreement, Differences, differences, list_agreements
from companion.words.store import DEFAULT_LIST_NAME, NO_LIST_NAME, WordListStore, write_file

NOTICES = DEFAULT_LIST_FILE.with_name("NOTICES.txt")
"""The file with the default list's sources and their notices."""

KINDS = {"valid": "valid, not in the file", "rare": "rare, not in the file", "missing": "only in the file"}
"""Headings of the words that only one of two lists has."""

MAX_QUOTED_WORDS = 40
"""Largest number of words of each kind that are quoted where two lists differ, the shortest first."""

SKIPPED_SHOWN = 3
"""Largest number of skipped lines that are quoted when a list is added."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser(
        "add", help="take in a plain text list (UTF-8, one word a line) or a Hunspell dictionary (.dic)"
    )
    add.add_argument("file", type=Path, metavar="FILE")
    add.add_argument("--name", help="what to call it (default: the file's name)")
    listing = actions.add_parser("list", help="name the lists, their size and hash; * marks the one in use")
    show = actions.add_parser("show", help="tell of one list: size, hash, file, sources")
    use = actions.add_parser("use", help="let a list judge from now on")
    remove = actions.add_parser("remove", help="take a list off the shelf")
    compare = actions.add_parser("compare", help="measure a list against a file of words; say what differs")
    compare.add_argument("file", type=Path, metavar="FILE")
    compare.add_argument("--list", metavar="NAME", help="the list to measure (default: the one in use)")
    compare.add_argument("--all", type=Path, metavar="FILE", help="write every word that differs to a file")
    for action in (show, use, remove):
        action.add_argument("name", metavar="NAME")
    for action in (add, show, use, remove):
        action.add_argument("--long", action="store_true", help="a second list, for words over 15 letters")
    for action in (listing, show, compare):
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the requested action; return the exit status."""
    actions = {"add": add, "list": names, "show": show, "use": use, "remove": remove, "compare": compare}
    actions[args.action](args)
    return 0


def shelf_of(args: argparse.Namespace) -> WordListStore:
    """Return the store of word lists that the options name."""
    return long_store() if args.long else main_store()


def add(args: argparse.Namespace) -> None:
    """Add a file to the store and print the list's facts."""
    name = args.name or re.sub(r"[^a-z0-9_.-]+", "-", args.file.stem.lower()).lstrip("-._")
    dictionary = (
        hunspell.from_file(args.file, name) if args.file.suffix == hunspell.DICTIONARY_SUFFIX else None
    )
    read = dictionary.read if dictionary else text_lists.from_file(args.file, name)
    shelf_of(args).add(read.words)
    print(f"added {read.words.label}")
    for notice in dictionary.notices if dictionary else ():
        print(f"the dictionary says: {notice}")
    if read.skipped:
        quoted = "; ".join(read.skipped[:SKIPPED_SHOWN])
        print(f"skipped {len(read.skipped):,} lines that tiles cannot spell: {quoted}", file=sys.stderr)


def names(args: argparse.Namespace) -> None:
    """Print the lists in both stores."""
    found = [*entries(main_store()), *entries(long_store())]
    if args.json:
        print(json.dumps(found))
        return
    for entry in found:
        mark = "*" if entry["in_use"] else " "
        long = ", for words over 15 letters" if entry["long"] else ""
        print(f"{mark} {entry['label']}{long}")


def entries(shelf: WordListStore) -> Iterator[dict[str, object]]:
    """Yield the facts of each list in a store, for a damaged one its fault."""
    long, chosen = shelf.initial == NO_LIST_NAME, shelf.in_use()
    for name in shelf.names() if long else [DEFAULT_LIST_NAME, *shelf.names()]:
        known: dict[str, object] = {"name": name, "long": long, "in_use": name == chosen}
        try:
            yield {**known, **facts(shelf.load(name) if long else list_named(name))}
        except BadWordList as error:
            yield {**known, "label": f"{name}: {error}", "error": str(error)}


def facts(words: WordList) -> dict[str, object]:
    """Return the facts that identify a list."""
    return {
        "name": words.name,
        "count": words.count,
        "rare": words.rare_count,
        "sha256": words.sha256,
        "label": words.label,
    }


def show(args: argparse.Namespace) -> None:
    """Print the facts of one list; of the default list also the notices of its sources."""
    shelf = shelf_of(args)
    words = shelf.load(args.name) if args.long else list_named(args.name)
    default = words.name == DEFAULT_LIST_NAME
    file = DEFAULT_LIST_FILE if default else shelf.path(args.name)
    in_use = words.name == shelf.in_use()
    if args.json:
        print(json.dumps({**facts(words), "file": str(file), "long": args.long, "in_use": in_use}))
        return
    print(f"name    {words.name}{' (in use)' if in_use else ''}")
    print(f"words   {words.count:,}, {words.rare_count:,} of them rare")
    print(f"sha256  {words.sha256}")
    print(f"file    {file}")
    if default:
        sources, _, _ = NOTICES.read_text(encoding="utf-8").partition("THE NOTICES OF SCOWL")
        print(f"\n{sources.strip()}\n\nAll notices: {NOTICES}")


def use(args: argparse.Namespace) -> None:
    """Select the list that judges."""
    shelf = shelf_of(args)
    shelf.use(args.name)
    print(f"{'words over 15 letters' if args.long else 'words'} are judged by {args.name}")


def remove(args: argparse.Namespace) -> None:
    """Remove a list from its store."""
    shelf_of(args).remove(args.name)
    print(f"removed {args.name}")


def compare(args: argparse.Namespace) -> None:
    """Print the agreement of a list with a file of words, and their differences."""
    judge = list_named(args.list or main_store().in_use())
    yardstick = text_lists.from_file(args.file, args.file.name).words
    lines, differ = list_agreements(judge, yardstick), differences(judge, yardstick)
    if args.all:
        write_file(args.all, "".join(differ.lines()).encode())
    if args.json:
        body = [{**asdict(line), "precision": line.precision, "recall": line.recall} for line in lines]
        fields = {"list": facts(judge), "file": facts(yardstick), "agreement": body}
        print(
            json.dumps(fields | {"differences": [{"letters": n, **kinds} for n, kinds in differ.by_length()]})
        )
        return
    print(f"{judge.label} against {yardstick.label}")
    console = Console()
    console.print(table(lines))
    console.print(differing(differ))
    for kind, words in differ.groups().items():
        print_some(KINDS[kind], words)
    if any(differ.groups().values()):
        print(f"all of them: {args.all}" if args.all else "all of them: give --all FILE")


def print_some(heading: str, words: tuple[str, ...]) -> None:
    """Print the shortest words of one kind, and their total number."""
    if words:
        more = " ..." if len(words) > MAX_QUOTED_WORDS else ""
        print(f"{heading}, {len(words):,}: {' '.join(words[:MAX_QUOTED_WORDS])}{more}")


def differing(differ: Differences) -> Table:
    """Return the number of differing words at each length as a table."""
    drawn = Table("letters", *KINDS.values())
    for letters, kinds in differ.by_length():
        drawn.add_row(str(letters), *(f"{kinds[kind]:,}" for kind in KINDS))
    return drawn


def table(lines: tuple[Agreement, ...]) -> Table:
    """Return the agreement of two lists as a table."""
    drawn = Table("letters", "with rare words")
    for heading in ("accepted", "in the file", "in both", "precision", "recall"):
        drawn.add_column(heading, justify="right")
    for line in lines:
        drawn.add_row(
            str(line.letters or "all"),
            "yes" if line.lenient else "no",
            *(f"{number:,}" for number in (line.accepted, line.other, line.both)),
            *("-" if part is None else f"{part:.2%}" for part in (line.precision, line.recall)),
        )
    return drawn
