"""Build the default word list from SCOWL: ``python -m companion.words.build``.

Needs the Debian package ``scowl`` (version 2020.12.07 made the list that is
shipped).  Nothing is drawn by chance: the same package gives the same list.
"""

from __future__ import annotations

import argparse
import gzip
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from companion.errors import BadWordList
from companion.words import plain, shelf
from companion.words.chosen import DEFAULT_FILE
from companion.words.lexicon import Verdict, WordList

SCOWL = Path("/usr/share/dict/scowl")

FILE = re.compile(r"[a-z0-9_]+-words\.(\d+)")
"""Plain words of any spelling; not names, upper case words, abbreviations or contractions."""

VALID_MAX = 70
"""Largest size that is valid without a question: 94 % of it stands in a tournament list."""

RARE_MAX = 80
"""Largest size that is listed at all; above it most entries are no words that anybody would accept."""

WORD = re.compile(r"[a-z]{3,}")

LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l"})
"""Letters that Unicode does not take apart into a plain letter and a mark."""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the default list and say what is in it."""
    parser = argparse.ArgumentParser(description="Build the default word list from SCOWL.")
    parser.add_argument("--scowl", type=Path, default=SCOWL, help="folder of SCOWL's lists (%(default)s)")
    parser.add_argument("--to", type=Path, default=DEFAULT_FILE, help="file to write (%(default)s)")
    args = parser.parse_args(argv)
    words = default_words(args.scowl)
    shelf.write(args.to, gzip.compress(words.text, compresslevel=9, mtime=0))
    print(f"{args.to}: {words.label}, {words.rare_count:,} of them rare")
    return 0


def default_words(scowl: Path) -> WordList:
    """Return the default list: SCOWL's words corrected by the hand-made files beside the list."""
    sizes = smallest_sizes(scowl)
    added = by_hand("two_letters") | by_hand("short") | by_hand("modern")
    withdrawn = by_hand("withdrawn")
    valid = {word for word, size in sizes.items() if size <= VALID_MAX} - withdrawn | added
    return WordList.written(shelf.DEFAULT, valid, set(sizes) - withdrawn)


def smallest_sizes(scowl: Path) -> dict[str, int]:
    """Return SCOWL's words of three letters or more, each with the smallest size that has it."""
    sizes: dict[str, int] = {}
    for path in scowl.iterdir() if scowl.is_dir() else ():
        if (match := FILE.fullmatch(path.name)) and (size := int(match[1])) <= RARE_MAX:
            for word in plain_words(path.read_text(encoding="utf-8")):
                sizes[word] = min(size, sizes.get(word, size))
    if not sizes:
        raise BadWordList(f"no SCOWL lists in {scowl}; install the Debian package scowl, or name its folder")
    return sizes


def plain_words(text: str) -> Iterator[str]:
    """Yield the words of one file that English tiles can spell, accents folded."""
    for line in text.splitlines():
        if WORD.fullmatch(word := unaccented(line.strip())):
            yield word


def unaccented(word: str) -> str:
    """Return a word without accents: ``naïve`` as ``naive``."""
    parts = unicodedata.normalize("NFD", word.translate(LIGATURES))
    return "".join(char for char in parts if not unicodedata.combining(char))


def by_hand(name: str) -> frozenset[str]:
    """Return the words of a hand-made file beside the default list."""
    read = plain.from_file(DEFAULT_FILE.with_name(f"{name}.txt"), name)
    return frozenset(word for word, verdict in read.words if verdict is Verdict.VALID)


if __name__ == "__main__":
    raise SystemExit(main())
