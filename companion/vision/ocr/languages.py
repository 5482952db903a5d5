"""Which of Tesseract's languages can read which symbols, and what it may read a symbol as."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from typing import NamedTuple

SIGNS = "0123456789=+-−–x×/÷"
LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
READS = {
    "eng": LATIN,
    "deu": LATIN + "ÄÖÜẞ",
    "fin": LATIN + "ÄÅÖ",
    "swe": LATIN + "ÄÅÖ",
    "dan": LATIN + "ÅÆØ",
    "nor": LATIN + "ÅÆØ",
    "est": LATIN + "ÄÕÖÜŠŽ",
    "spa": LATIN + "ÁÉÍÑÓÚÜ",
    "por": LATIN + "ÁÂÃÀÇÉÊÍÓÔÕÚ",
    "fra": LATIN + "ÀÂÆÇÈÉÊËÎÏÔŒÙÛÜŸ",
    "pol": LATIN + "ĄĆĘŁŃÓŚŹŻ",
    "ces": LATIN + "ÁČĎÉĚÍŇÓŘŠŤÚŮÝŽ",
    "hrv": LATIN + "ĆČĐŠŽ",
    "hun": LATIN + "ÁÉÍÓÖŐÚÜŰ",
    "isl": LATIN + "ÁÆÉÍÐÓÖÚÝÞ",
    "ell": "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ",
    "rus": "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ",
    "ukr": "АБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯ",
    "heb": "אבגדהוזחטיכלמנסעפצקרשת",
}
"""Capitals that each language's data knows; all know the signs besides."""

HOMOGLYPHS = {letter: letter.lower() for letter in "COSVWXZUPK"} | {
    "O": "o0",
    "0": "Oo",
    "1": "Il",
    "x": "×X",
    "-": "−–",
    "/": "÷",
}
"""What a symbol that stands alone cannot be told from, and may be read as where the set has no such symbol.

Small letters: only of those that are their capitals' likeness.  Without them Tesseract halves its
confidence between the two cases.
"""


class Languages(NamedTuple):
    """The languages to load for a set, those to install, and the symbols that none can read."""

    used: tuple[str, ...]
    missing: tuple[str, ...]
    strange: tuple[str, ...]


def languages_for(symbols: Iterable[str], installed: Collection[str]) -> Languages:
    """Return the fewest languages that read a set's symbols, as far as they are installed."""
    letters = {char for symbol in symbols for char in symbol}
    used, left = _fewest(letters, [name for name in READS if name in installed])
    missing, strange = _fewest(left, list(READS))
    return Languages(used, missing, tuple(sorted(strange)))


def _fewest(letters: set[str], names: list[str]) -> tuple[tuple[str, ...], set[str]]:
    """Return languages that read the letters, the most useful first, and the letters left."""
    taken: list[str] = []
    left = set(letters)
    while left and names:
        best = max(names, key=lambda name: len(left & legible(name)))
        if not left & legible(best):
            break
        taken.append(best)
        left -= legible(best)
    return tuple(taken), left


def legible(language: str) -> set[str]:
    """Return every character that a language can read, small letters apart."""
    return set(READS[language] + SIGNS)


class Vocabulary(NamedTuple):
    """What may be read in which languages: the index of each symbol, and what folds to other characters."""

    languages: tuple[str, ...]
    symbols: dict[str, int]
    fold: dict[int, str]

    @property
    def allowed(self) -> str:
        """Every character that may be read."""
        return "".join(sorted({*"".join(self.symbols), *map(chr, self.fold)}))

    def meant(self, text: str) -> int | None:
        """Return the index of the symbol that a text repeats; ``None`` for another text."""
        plain = text.translate(self.fold)
        return next(
            (k for symbol, k in self.symbols.items() if plain and not plain.replace(symbol, "")), None
        )


def vocabulary(symbols: tuple[str, ...], languages: tuple[str, ...]) -> Vocabulary:
    """Return what a set's symbols may be read as in some languages."""
    can = set().union(*(legible(name) for name in languages))
    own = {symbol: k for k, symbol in enumerate(symbols) if symbol and set(symbol) <= can}
    letters = set("".join(own))
    fold = {ord(twin): symbol for symbol in own for twin in _homoglyphs(symbol) if twin not in letters}
    return Vocabulary(languages, own, fold)


def _homoglyphs(symbol: str) -> str:
    """Return the characters that a symbol alone cannot be told from."""
    if symbol in HOMOGLYPHS or len(symbol) != 1:
        return HOMOGLYPHS.get(symbol, "")
    return symbol.lower() if _bare(symbol) in HOMOGLYPHS else ""


def is_ambiguous(read: str, symbols: Collection[str]) -> bool:
    """Return whether a symbol that is read may be another one of a set, its accent or its tail overlooked."""
    twins = {symbol for symbol in symbols if symbol and _bare(symbol) == read}
    return bool(twins - {read}) or (read == "O" and not {"Q", "D"}.isdisjoint(symbols))


def _bare(symbol: str) -> str:
    """Return a letter without its accents."""
    return unicodedata.normalize("NFD", symbol)[0]
