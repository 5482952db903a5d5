"""Import of Hunspell dictionaries: every form of every entry is expanded.

A dictionary is a pair of files, ``NAME.dic`` with the entries and
``NAME.aff`` with the affixes that their flags stand for (hunspell(5)).  Forms
with one prefix and up to two suffixes are expanded.  Compounds that the
dictionary does not list are not: there are infinitely many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from companion.errors import BadWordList
from companion.words.lexicon import WordList, folded
from companion.words.text_lists import MAX_LINES, MAX_WORD_LETTERS, ImportedList, read_bytes

DICTIONARY_SUFFIX = ".dic"
"""How the name of a dictionary's file ends."""

MAX_NAMES_SHARE = 1 / 3
"""Share of capitalised entries up to which capitals mean names; above it, the language capitalises nouns."""

NOTICE_PATTERN = re.compile(r"licen[cs]e|copyright|\(c\)|©", re.IGNORECASE)

MAX_NOTICE_LINES = 5
"""Most lines of a dictionary's notices that are returned."""

Flags = frozenset[str]


@dataclass(frozen=True, slots=True)
class Affix:
    """One affix rule: ``strip`` is removed from a word and ``add`` put in its place.

    The word's end, or its beginning for a prefix, has ``reach`` letters that
    meet the condition.  ``flags`` are those of the form; ``cross`` says
    whether prefix and suffix may come together.
    """

    strip: str
    add: str
    condition: re.Pattern[str]
    reach: int
    flags: Flags
    cross: bool

    def suffixed(self, word: str) -> str | None:
        """Return a word with this suffix, or ``None`` if the rule does not apply."""
        if not word.endswith(self.strip) or not self.condition.fullmatch(word[-self.reach :]):
            return None
        return word[: len(word) - len(self.strip)] + self.add

    def prefixed(self, word: str) -> str | None:
        """Return a word with this prefix, or ``None`` if the rule does not apply."""
        if not word.startswith(self.strip) or not self.condition.fullmatch(word[: self.reach]):
            return None
        return self.add + word[len(self.strip) :]


@dataclass(slots=True)
class Affixes:
    """The content of an affix file."""

    split: Callable[[str], Flags] = frozenset
    aliases: list[Flags] = field(default_factory=list)
    special: dict[str, str] = field(default_factory=dict)
    suffixes: dict[str, list[Affix]] = field(default_factory=dict)
    prefixes: dict[str, list[Affix]] = field(default_factory=dict)

    def flags(self, text: str) -> Flags:
        """Return the flags in a field, which has the number of an alias or the flags themselves."""
        if self.aliases and text.isdecimal() and 1 <= int(text) <= len(self.aliases):
            return self.aliases[int(text) - 1]
        return self.split(text)

    def has(self, flags: Flags, *names: str) -> bool:
        """Return whether any of some special flags is among flags."""
        return any(self.special.get(name) in flags for name in names)


LONG_FLAGS, NUMBER_FLAGS = "long", "num"
FLAG_PARSERS: dict[str, Callable[[str], Flags]] = {
    LONG_FLAGS: lambda text: frozenset(text[n : n + 2] for n in range(0, len(text), 2)),
    NUMBER_FLAGS: lambda text: frozenset(text.split(",")),
}
"""Parsers of flags that have more than one character each."""

CONDITION_LETTER_PATTERN = re.compile(r"\[\^?[^\]]+\]|[^\[\]]")
"""One letter of a condition: any of some, none of some, any (a dot), or itself."""

NON_WORD_FLAGS = ("FORBIDDENWORD", "ONLYINCOMPOUND")
"""Special flags of entries and forms that are not words on their own."""

SPECIAL_FLAGS = {*NON_WORD_FLAGS, "NEEDAFFIX", "CIRCUMFIX"}
"""Special flags that decide whether a form is a word."""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """An expanded dictionary; ``notices`` are its lines about copyright and licence."""

    read: ImportedList
    notices: tuple[str, ...]


def from_file(path: Path, name: str) -> Dictionary:
    """Return the words of a dictionary; raise BadWordList if it cannot be read or has too many."""
    rules = path.with_suffix(".aff")
    if not rules.is_file():
        raise BadWordList(f"word list {path}: a Hunspell dictionary needs its affix file beside it: {rules}")
    head, body = read_bytes(rules), read_bytes(path)
    encoding = encoding_of(head)
    try:
        text, entries = (part.removeprefix(b"\xef\xbb\xbf").decode(encoding) for part in (head, body))
        affixes = affixes_of(text)
    except (LookupError, ValueError, re.error) as error:
        raise BadWordList(f"word list {path}: {rules.name} or {path.name} is damaged: {error}") from error
    words, skipped = expand_dictionary(affixes, entries, name)
    return Dictionary(ImportedList(WordList.written(name, words), skipped), notices_of(text))


def encoding_of(head: bytes) -> str:
    """Return the encoding that an affix file names, as Python calls it."""
    found = re.search(rb"^(?:\xef\xbb\xbf)?SET[ \t]+([\w.-]+)", head, re.MULTILINE)
    return found[1].decode("ascii").lower().removeprefix("microsoft-") if found else "iso8859-1"


def notices_of(text: str) -> tuple[str, ...]:
    """Return the comments of an affix file about copyright and licence, ``MAX_NOTICE_LINES`` at most."""
    notices = [
        line.strip("# \t")
        for line in text.splitlines()
        if line.startswith("#") and NOTICE_PATTERN.search(line)
    ]
    return tuple(notices[:MAX_NOTICE_LINES])


def affixes_of(text: str) -> Affixes:
    """Return the content of an affix file; raise ValueError or re.error for an invalid line."""
    affixes, lines = Affixes(), [line.split() for line in text.splitlines()]
    for kind, *fields in filter(None, lines):
        if kind == "FLAG" and fields:
            affixes.split = FLAG_PARSERS.get(fields[0].lower(), frozenset)
    for kind, *fields in filter(None, lines):
        if kind == "AF" and fields:
            affixes.aliases.append(affixes.split(fields[0]))
        elif kind in SPECIAL_FLAGS and fields:
            affixes.special[kind] = fields[0]
    del affixes.aliases[:1]  # the first line only counts the others
    groups, crosses = {"PFX": affixes.prefixes, "SFX": affixes.suffixes}, dict[tuple[str, str], bool]()
    for kind, *fields in filter(None, lines):
        if kind in groups and len(fields) >= 3:
            if (kind, fields[0]) not in crosses:  # the head of a group
                crosses[kind, fields[0]] = fields[1] == "Y"
                continue
            made = affix(affixes, fields, crosses[kind, fields[0]])
            if not made.add or made.add.isalpha():  # tiles cannot spell l'homme
                groups[kind].setdefault(fields[0], []).append(made)
    return affixes


def affix(affixes: Affixes, fields: list[str], cross: bool) -> Affix:
    """Return the affix of one line of a group: flag, what to strip, what to add with its flags, condition."""
    strip, (add, _, flags) = fields[1], fields[2].partition("/")
    letters = CONDITION_LETTER_PATTERN.findall(fields[3] if len(fields) > 3 else ".")
    condition = re.compile("".join(map(condition_letter_regex, letters)))
    empty = {"0": ""}
    made = affixes.flags(flags)
    return Affix(empty.get(strip, strip), empty.get(add, add), condition, len(letters), made, cross)


def condition_letter_regex(letter: str) -> str:
    """Return the regular expression for one letter of a condition."""
    if letter == ".":
        return letter
    if not letter.startswith("["):
        return re.escape(letter)
    without = "^" if letter.startswith("[^") else ""
    return f"[{without}{re.escape(letter[1 + len(without) : -1])}]"


def expand_dictionary(affixes: Affixes, text: str, name: str) -> tuple[set[str], tuple[str, ...]]:
    """Return the words of a dictionary and the entries that were skipped; raise BadWordList for too many."""
    entries = [parse_entry(line) for line in text.splitlines()[1:] if line.strip() and line[0] not in "\t#"]
    capitals = sum(word[:1].isupper() for word, _ in entries)
    names = capitals <= MAX_NAMES_SHARE * len(entries)
    words: set[str] = set()
    skipped: list[str] = []
    for word, flags in entries:
        if not is_spellable(word) or word[1:] != word[1:].lower() or (names and word[:1].isupper()):
            skipped.append(word[:MAX_WORD_LETTERS])
            continue
        words.update(filter(is_spellable, forms(affixes, word, affixes.flags(flags))))
        if len(words) > MAX_LINES:
            raise BadWordList(f"word list {name!r} has more than {MAX_LINES:,} forms; that is too many")
    if not words:
        raise BadWordList(f"word list {name!r} has no word that tiles can spell")
    return words, tuple(skipped)


def parse_entry(line: str) -> tuple[str, str]:
    """Return word and flags of a dictionary's line, without what follows about its grammar."""
    word, _, flags = re.split(r"[\t ]", line.strip(), maxsplit=1)[0].replace(r"\/", "\0").partition("/")
    return word.replace("\0", "/"), flags


def is_spellable(word: str) -> bool:
    """Return whether letter tiles can spell a word."""
    return len(word) <= MAX_WORD_LETTERS and folded(word).isalpha()


def forms(affixes: Affixes, word: str, flags: Flags) -> Iterator[str]:
    """Yield every form of an entry that is a word."""
    if affixes.has(flags, *NON_WORD_FLAGS):
        return
    if not affixes.has(flags, "NEEDAFFIX"):
        yield word
    yield from prefixed(affixes, word, flags, frozenset(), crossing=False)
    for form, made, cross in suffixed(affixes, word, flags):
        if not affixes.has(made, "NEEDAFFIX", "CIRCUMFIX"):
            yield form
        if cross:
            yield from prefixed(affixes, form, flags | made, made, crossing=True)


def suffixed(affixes: Affixes, word: str, flags: Flags, depth: int = 2) -> Iterator[tuple[str, Flags, bool]]:
    """Yield each form of a word with one suffix or two, its flags, and whether it may have a prefix too."""
    for one in (one for flag in flags for one in affixes.suffixes.get(flag, ())):
        form = one.suffixed(word)
        if form is None or affixes.has(one.flags, *NON_WORD_FLAGS):
            continue
        yield form, one.flags, one.cross
        if depth > 1:
            for longer, flags_then, cross in suffixed(affixes, form, one.flags, depth - 1):
                yield longer, flags_then, cross and one.cross


def prefixed(affixes: Affixes, form: str, flags: Flags, made: Flags, *, crossing: bool) -> Iterator[str]:
    """Yield a form with each prefix; one that goes around a word comes with a suffix that does."""
    around = affixes.has(made, "CIRCUMFIX")
    for one in (one for flag in flags for one in affixes.prefixes.get(flag, ())):
        if affixes.has(one.flags, *NON_WORD_FLAGS) or affixes.has(one.flags, "CIRCUMFIX") != around:
            continue
        if (one.cross or not crossing) and (found := one.prefixed(form)) is not None:
            yield found
