"""Which lexicon judges: the default that comes with the product, or what the host chose."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

from companion.errors import BadWordList
from companion.model.tiles import TileSet
from companion.words.lexicon import Lexicon, WordList, folded
from companion.words.shelf import DEFAULT, NONE, Shelf

DEFAULT_FILE = Path(__file__).with_name("lists") / "default.txt.gz"
"""The default list; ``python -m companion.words.build`` makes it."""


def home() -> Path:
    """Return the folder of the host's own files: COMPANION_HOME, else companion in XDG_DATA_HOME."""
    if own := os.environ.get("COMPANION_HOME"):
        return Path(own)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "companion"


def main_shelf() -> Shelf:
    """Return the shelf of the lists that judge."""
    return Shelf(home() / "words", DEFAULT)


def long_shelf() -> Shelf:
    """Return the shelf of the second lists, for words over 15 letters."""
    return Shelf(home() / "words" / "long", NONE)


def past_shelf() -> Shelf:
    """Return the shelf of default lists that games under way are judged by, named by their hashes."""
    return Shelf(home() / "words" / "past", NONE)


def default_lexicon() -> Lexicon:
    """Return the list that comes with the product, whatever the host chose."""
    return Lexicon(default_list())


def default_list() -> WordList:
    """Return the words that come with the product; raise BadWordList where the product is damaged."""
    try:
        return WordList(DEFAULT, gzip.decompress(DEFAULT_FILE.read_bytes()))
    except (OSError, EOFError, zlib.error) as error:
        raise BadWordList(
            f"the default word list is damaged; install the companion again: {error}"
        ) from error


def keep_default() -> None:
    """Keep the default list with the host's: an update brings another, and a game goes on with its own.

    Those of earlier games go.  Raises BadWordList where it cannot be written.
    """
    words, shelf = default_list(), past_shelf()
    name = words.sha256[:12]
    if name not in shelf.names():
        shelf.add(WordList(name, words.text))
    for old in set(shelf.names()) - {name}:
        shelf.remove(old)


def past_defaults() -> list[WordList]:
    """Return the default lists that were kept; raise BadWordList where one was changed."""
    return [WordList(DEFAULT, past_shelf().load(name).text) for name in past_shelf().names()]


def list_named(name: str) -> WordList:
    """Return the default list or one of the host's; raise BadWordList where it cannot be had."""
    return default_list() if name == DEFAULT else main_shelf().load(name)


def lexicon_named(name: str) -> Lexicon:
    """Return a list by name with the second list in use; raise BadWordList where one cannot be had."""
    return with_second(list_named(name))


def with_second(words: WordList) -> Lexicon:
    """Return a list with the second list in use; raise BadWordList where that cannot be had."""
    second = long_shelf().in_use()
    return Lexicon(words, None if second == NONE else long_shelf().load(second))


def current_lexicon() -> Lexicon:
    """Return the lexicon that the host chose, or the default where none was chosen; raise BadWordList."""
    return lexicon_named(main_shelf().in_use())


def lexicon_for(tiles: TileSet) -> Lexicon | None:
    """Return the lexicon that the host chose where it knows words of a set's letters; raise BadWordList."""
    if not made_of_letters(tiles):
        return None
    lexicon = current_lexicon()
    return lexicon if knows(lexicon, tiles) else None


def knows(lexicon: Lexicon, tiles: TileSet) -> bool:
    """Return whether a lexicon says anything of words of a set's letters."""
    return made_of_letters(tiles) and not letters_lacking(lexicon, tiles)


def letters_lacking(lexicon: Lexicon, tiles: TileSet) -> list[str]:
    """Return the letters of a set beyond A to Z that no word of a lexicon has: it is of another language."""
    own = [symbol for symbol in sorted(tiles.symbols) if symbol.isalpha() and not symbol.isascii()]
    return [letter for letter in own if folded(letter).encode() not in lexicon.words.text]


def made_of_letters(tiles: TileSet) -> bool:
    """Return whether a set has letters and blanks only."""
    return all(symbol.isalpha() for symbol in tiles.symbols if symbol)
