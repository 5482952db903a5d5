"""Build the default word list from SCOWL and ENABLE: ``python -m companion.words.build``.

Needs the Debian package ``scowl`` (version 2020.12.07 made the list that is
shipped); the ENABLE list stands beside the default list.  The same
sources give the same list.

SCOWL's sizes say how common a word is and so whether it is valid, rare or
left out.  Two rules correct what SCOWL files in the wrong class:

- A word that SCOWL files as an abbreviation is a word where ENABLE, a list
  made for word games, has it: cum, morph, mus.
- A word that the everyday sizes spell only with a capital is better known as
  a name, and counts one step less: a valid word is rare (kyle), a rare one is
  left out (texas, paris, easter).  Its plural counts no more than it does.
  What SCOWL has as an ordinary capitalised word with a plural is a kind of
  thing and no name (sherpa, merlot, tory), unless the small sizes know it.
"""

from __future__ import annotations

import argparse
import gzip
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

from companion.errors import BadWordList
from companion.words import store, text_lists
from companion.words.chosen import DEFAULT_LIST_FILE
from companion.words.lexicon import Verdict, WordList

SCOWL = Path("/usr/share/dict/scowl")

ENABLE = DEFAULT_LIST_FILE.with_name("enable.txt.gz")
"""The ENABLE list of 2000 as published, in the public domain."""

SCOWL_FILE_PATTERN = re.compile(r"[a-z0-9_]+-(words|upper|proper-names|abbreviations)\.(\d+)")
"""SCOWL's files of any spelling; not contractions and not the special lists."""

MAX_EVERYDAY_SIZE = 50
"""Largest size that SCOWL calls medium: words and names that ordinary dictionaries agree on."""

MAX_SMALL_SIZE = 35
"""Largest size that SCOWL calls small: a word with a capital there is a name to everybody."""

MAX_VALID_SIZE = 70
"""Largest size of valid words: 94 % of it is in a tournament list."""

MAX_RARE_SIZE = 80
"""Largest size that is listed at all; above it, few people would accept most entries as words."""

WORD_PATTERN = re.compile(r"[a-z]{3,}")

LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l"})
"""Letters that Unicode does not decompose into a plain letter and a mark."""

ABOVE_ALL_SIZES = 100
"""A size above all sizes of SCOWL."""

VALID, RARE, LEFT_OUT = range(3)
"""Steps of validity, the best first."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The smallest size in which SCOWL has each word in each of its sub-categories.

    ``capitalised`` are those that its dictionaries spell with a capital (SCOWL's ``upper``), ``names`` those
    of its lists of names alone.
    """

    words: dict[str, int] = field(default_factory=dict)
    capitalised: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    abbreviations: dict[str, int] = field(default_factory=dict)

    def of(self, category: str) -> dict[str, int]:
        """Return the sizes of one of SCOWL's sub-categories."""
        return {
            "words": self.words,
            "upper": self.capitalised,
            "proper-names": self.names,
            "abbreviations": self.abbreviations,
        }[category]

    def capital(self, word: str) -> int:
        """Return the smallest size that spells a word with a capital, or one that is larger than any."""
        return min(self.capitalised.get(word, ABOVE_ALL_SIZES), self.names.get(word, ABOVE_ALL_SIZES))

    def is_kind(self, word: str) -> bool:
        """Return whether a capitalised word has a plural, and so means a kind of thing."""
        everyday = MAX_SMALL_SIZE < self.capitalised.get(word, ABOVE_ALL_SIZES) <= MAX_EVERYDAY_SIZE
        return everyday and any(plural in self.capitalised for plural in plurals(word))


def main(argv: Sequence[str] | None = None) -> int:
    """Write the default list and print its size."""
    parser = argparse.ArgumentParser(description="Build the default word list from SCOWL and ENABLE.")
    parser.add_argument("--scowl", type=Path, default=SCOWL, help="folder of SCOWL's lists (%(default)s)")
    parser.add_argument("--to", type=Path, default=DEFAULT_LIST_FILE, help="file to write (%(default)s)")
    args = parser.parse_args(argv)
    words = default_words(args.scowl)
    store.write_file(args.to, gzip.compress(words.text, compresslevel=9, mtime=0))
    print(f"{args.to}: {words.label}, {words.rare_count:,} of them rare")
    return 0


def default_words(scowl: Path) -> WordList:
    """Return the default list: the words of the sources corrected by the hand-made files beside the list."""
    shortest = hand_made_words("two_letters")
    steps = word_steps(smallest_sizes(scowl), enable_words(), shortest)
    added = shortest | hand_made_words("short") | hand_made_words("modern")
    withdrawn = hand_made_words("withdrawn")
    valid, rare = ({word for word in steps if steps[word] == step} - withdrawn for step in (VALID, RARE))
    return WordList.written(store.DEFAULT_LIST_NAME, valid | added, rare)


def smallest_sizes(scowl: Path) -> Sizes:
    """Return SCOWL's words of three letters or more, each with the smallest size that has it."""
    sizes = Sizes()
    for path in scowl.iterdir() if scowl.is_dir() else ():
        if (match := SCOWL_FILE_PATTERN.fullmatch(path.name)) and (size := int(match[2])) <= MAX_RARE_SIZE:
            known = sizes.of(match[1])
            for word in plain_words(path.read_text(encoding="utf-8"), any_case=match[1] != "words"):
                known[word] = min(size, known.get(word, size))
    if not sizes.words:
        raise BadWordList(f"no SCOWL lists in {scowl}; install the Debian package scowl, or name its folder")
    return sizes


def plain_words(text: str, *, any_case: bool) -> Iterator[str]:
    """Yield the words of one file that English tiles can spell, in lower case and accents folded."""
    for line in text.splitlines():
        word = unaccented(line.strip())
        if WORD_PATTERN.fullmatch(word := word.lower() if any_case else word):
            yield word


def unaccented(word: str) -> str:
    """Return a word without accents: ``naïve`` as ``naive``."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word.translate(LIGATURES))
    return "".join(char for char in parts if not unicodedata.combining(char))


def word_steps(sizes: Sizes, word_game: Set[str], shortest: Set[str] = frozenset()) -> dict[str, int]:
    """Return the step of every word that SCOWL has and of the shortest, by the module's two rules."""
    misfiled = {word: size for word, size in sizes.abbreviations.items() if word in word_game}
    words = misfiled | sizes.words | dict.fromkeys(shortest, 0)
    names = {word for word in words if is_name(word, words, sizes)}
    steps = {
        word: (VALID if size <= MAX_VALID_SIZE else RARE) + (word in names) for word, size in words.items()
    }
    many = {
        word: steps[single]
        for word, size in words.items()
        if size > MAX_EVERYDAY_SIZE and (single := singular(word, words)) in names
    }
    return steps | {word: max(steps[word], step) for word, step in many.items()}


def is_name(word: str, words: Mapping[str, int], sizes: Sizes) -> bool:
    """Return whether the everyday sizes have a word with a capital only, and it means one thing alone.

    The plural of a word that is no name is none either: las, norths, sherpas.
    """
    if not sizes.capital(word) <= MAX_EVERYDAY_SIZE < words[word]:
        return False
    single = singular(word, words)
    return not sizes.is_kind(word) if single == word else is_name(single, words, sizes)


def plurals(word: str) -> tuple[str, ...]:
    """Return how the regular plural of a word may be spelled."""
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return (f"{word}es",)
    return (f"{word}s", f"{word[:-1]}ies") if word.endswith("y") else (f"{word}s",)


def singular(word: str, words: Mapping[str, int]) -> str:
    """Return the listed word that a word is the regular plural of, or the word itself where there is none."""
    for ending, single in (("ies", word[:-3] + "y"), ("es", word[:-2]), ("s", word[:-1])):
        sibilant = single.endswith(("s", "x", "z", "ch", "sh"))
        if word.endswith(ending) and single in words and sibilant == (ending == "es"):
            return single
    return word


def enable_words() -> frozenset[str]:
    """Return the words of the ENABLE list."""
    return frozenset(gzip.decompress(ENABLE.read_bytes()).decode("ascii").split())


def hand_made_words(name: str) -> frozenset[str]:
    """Return the words of a hand-made file beside the default list."""
    read = text_lists.from_file(DEFAULT_LIST_FILE.with_name(f"{name}.txt"), name)
    return frozenset(word for word, verdict in read.words if verdict is Verdict.VALID)


if __name__ == "__main__":
    raise SystemExit(main())
