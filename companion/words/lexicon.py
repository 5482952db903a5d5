"""Lexicons: word lists with a verdict for each word: valid, rare or not listed.

A list is in memory as one block of UTF-8 text: folded words in code point order, one on each line, a rare
word followed by a question mark.  It is searched by bisection.  That needs no index and no file for one kind
of processor, and its hash is the hash of a readable text.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from companion.errors import BadWordList

RARE_MARK = "?"
"""Follows a rare word in a list's text; it sorts before every letter."""

FOLD_TURKISH_I = str.maketrans("İı", "ii")

MAX_MAIN_LIST_LETTERS = 15
"""Letters of the longest word that the main list judges alone (Chew, "15 or fewer letters long")."""


class Verdict(StrEnum):
    """The verdict of a lexicon on a word; an option decides whether ``RARE`` words are valid."""

    VALID = "valid"
    RARE = "rare"
    NOT_LISTED = "not_listed"


class Rare(StrEnum):
    """The option for rare words: they are valid, people are asked about each, or they are invalid."""

    ACCEPT = "accept"
    ASK = "ask"
    REFUSE = "refuse"

    @property
    def valid(self) -> bool | None:
        """Whether a rare word is valid, or None where the table has to decide."""
        return {Rare.ACCEPT: True, Rare.ASK: None, Rare.REFUSE: False}[self]


def folded(word: str) -> str:
    """Return a word in the form that lists are kept and searched in: upper and lower case are one.

    Letters stand in composed form (Unicode NFC) after case folding, so a
    German ß is the same as SS, as the German tiles have it.  The Turkish I
    with and without a dot are one, since I is a capital of both elsewhere.
    """
    return unicodedata.normalize(
        "NFC", unicodedata.normalize("NFC", word).translate(FOLD_TURKISH_I).casefold()
    )


def entry(word: str) -> str:
    """Return a word as a list keeps it; raise BadWordList where it has a character that is no letter."""
    form = folded(word)
    if not form.isalpha():
        raise BadWordList(f"{word!r} cannot stand in a word list: a word has letters only")
    return form


@dataclass(frozen=True, slots=True)
class WordList:
    """A named list of words.

    ``text`` is what the module's head describes; ``written`` makes it from
    words in any order.
    """

    name: str
    text: bytes = field(repr=False)

    @classmethod
    def written(cls, name: str, valid: Iterable[str], rare: Iterable[str] = ()) -> WordList:
        """Return the list of some words and some rare words; a word given as both is valid.

        Raises BadWordList where one has a character that is no letter.
        """
        sure = {entry(word) for word in valid}
        lines = sure | {word + RARE_MARK for word in map(entry, rare) if word not in sure}
        return cls(name, "".join(f"{line}\n" for line in sorted(lines)).encode())

    @property
    def count(self) -> int:
        """How many words there are, rare ones included."""
        return self.text.count(b"\n")

    @property
    def rare_count(self) -> int:
        """How many of them are rare."""
        return self.text.count(RARE_MARK.encode())

    @property
    def sha256(self) -> str:
        """The SHA-256 hash of the list's text, in hexadecimal."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def label(self) -> str:
        """Name, number of words and start of the hash, as every page and verdict shows them."""
        return f"{self.name} ({self.count:,} words, sha256 {self.sha256[:12]})"

    def __iter__(self) -> Iterator[tuple[str, Verdict]]:
        """Yield each word, folded, in order, with its verdict."""
        for line in self.text.decode().splitlines():
            yield line.removesuffix(RARE_MARK), Verdict.RARE if line.endswith(RARE_MARK) else Verdict.VALID

    def verdict(self, word: str) -> Verdict:
        """Return the verdict on a word, in upper or lower case."""
        key = folded(word).encode(errors="surrogatepass")
        start = self.seek(key)
        line = self.text[start : self.text.find(b"\n", start)]
        if not key or line.removesuffix(RARE_MARK.encode()) != key:
            return Verdict.NOT_LISTED
        return Verdict.VALID if line == key else Verdict.RARE

    def fits(self, symbols: Sequence[str]) -> bool:
        """Return whether the symbols match a word of the list; an empty symbol stands for any letter."""
        parts = [re.escape(folded(symbol).encode()) or LETTER_PATTERN for symbol in symbols]
        first = next((n for n, symbol in enumerate(symbols) if not symbol), len(symbols))
        prefix = folded("".join(symbols[:first])).encode()
        pattern = re.compile(rb"^%s\??$" % b"".join(parts), re.MULTILINE)
        return pattern.search(self.text, self.seek(prefix), self.seek(prefix + AFTER_EVERY_TEXT)) is not None

    def has_longer(self, letters: int) -> bool:
        """Return whether any word of the list has more than ``letters`` letters."""
        return re.search(rb"^(?:%s){%d}" % (LETTER_PATTERN, letters + 1), self.text, re.MULTILINE) is not None

    def seek(self, key: bytes) -> int:
        """Return the offset of the first line that does not sort before ``key``."""
        low, high = 0, len(self.text)
        while low < high:
            middle = (low + high) // 2
            start = self.text.rfind(b"\n", low, middle) + 1 or low
            end = self.text.index(b"\n", middle)
            if self.text[start:end] < key:
                low = end + 1
            else:
                high = start
        return low


LETTER_PATTERN = rb"[^\n?\x80-\xbf][\x80-\xbf]*"
"""One UTF-8 character other than the mark and the end of a line."""

AFTER_EVERY_TEXT = b"\xff"
"""Sorts after every UTF-8 text."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The main list, and a second one for words of more than 15 letters, if there is one."""

    words: WordList
    long: WordList | None = None

    @classmethod
    def of(cls, name: str, words: Iterable[str]) -> Lexicon:
        """Return a lexicon of given words, all of them valid."""
        return cls(WordList.written(name, words))

    @property
    def name(self) -> str:
        """The name of the list that judges."""
        return self.words.name

    @property
    def count(self) -> int:
        """How many words it has."""
        return self.words.count

    @property
    def sha256(self) -> str:
        """Its SHA-256 hash in hexadecimal."""
        return self.words.sha256

    @property
    def label(self) -> str:
        """The labels of the lists, as pages and verdicts show them."""
        second = f"; over {MAX_MAIN_LIST_LETTERS} letters {self.long.label}" if self.long else ""
        return self.words.label + second

    def list_for(self, letters: int) -> WordList:
        """Return the list that judges words of a length."""
        return self.long if self.long and letters > MAX_MAIN_LIST_LETTERS else self.words

    def covers(self, letters: int) -> bool:
        """Return whether words of a length are judged.

        A list without words over 15 letters does not judge such words: the second
        list does, and without one the referee (Chew, ``long_words``).
        """
        return letters <= MAX_MAIN_LIST_LETTERS or self.list_for(letters).has_longer(MAX_MAIN_LIST_LETTERS)

    def verdict(self, word: str) -> Verdict:
        """Return the verdict of the list for words of this length."""
        return self.list_for(len(folded(word))).verdict(word)

    def accepts(self, word: str) -> bool:
        """Return whether a word is listed, rare or not."""
        return self.verdict(word) is not Verdict.NOT_LISTED

    def is_rare(self, word: str) -> bool:
        """Return whether a word is listed as rare."""
        return self.verdict(word) is Verdict.RARE

    def validity(self, word: str, rare: Rare = Rare.ACCEPT) -> bool | None:
        """Return whether a word is valid, or ``None`` if people have to decide."""
        match self.verdict(word):
            case Verdict.VALID:
                return True
            case Verdict.RARE:
                return rare.valid
            case Verdict.NOT_LISTED:
                return False if self.covers(len(folded(word))) else None

    def fits(self, symbols: Sequence[str]) -> bool:
        """Return whether the symbols match a listed word, an empty symbol standing for any one letter."""
        return self.list_for(sum(len(symbol) or 1 for symbol in symbols)).fits(symbols)
