"""The lexicon in use: the default one of the product, or the one that the host chose."""

from __future__ import annotations

import gzip
import os
import zlib
from functools import lru_cache
from pathlib import Path

from companion.errors import BadWordList
from companion.model.tiles import TileSet
from companion.words.lexicon import Lexicon, WordList, folded
from companion.words.store import DEFAULT_LIST_NAME, NO_LIST_NAME, WordListStore

DEFAULT_LIST_FILE = Path(__file__).with_name("lists") / "default.txt.gz"
"""The default list; ``python -m companion.words.build`` makes it."""


def home() -> Path:
    """Return the folder of the host's files: COMPANION_HOME, else ``companion`` in XDG_DATA_HOME."""
    if own := os.environ.get("COMPANION_HOME"):
        return Path(own)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "companion"


def main_store() -> WordListStore:
    """Return the store of the main lists."""
    return WordListStore(home() / "words", DEFAULT_LIST_NAME)


def long_store() -> WordListStore:
    """Return the store of the second lists, for words over 15 letters."""
    return WordListStore(home() / "words" / "long", NO_LIST_NAME)


def past_store() -> WordListStore:
    """Return the store of default lists that started games use, named by their hashes."""
    return WordListStore(home() / "words" / "past", NO_LIST_NAME)


def default_lexicon() -> Lexicon:
    """Return the lexicon of the default list."""
    return Lexicon(default_list())


def default_list() -> WordList:
    """Return the default list of the product; raise BadWordList if its file is damaged."""
    return packed_list(DEFAULT_LIST_FILE)


@lru_cache(maxsize=1)
def packed_list(file: Path) -> WordList:
    """Return the list of a compressed file, kept once in a process; raise BadWordList if damaged."""
    try:
        return WordList(DEFAULT_LIST_NAME, gzip.decompress(file.read_bytes()))
    except (OSError, EOFError, zlib.error) as error:
        raise BadWordList(
            f"the default word list is damaged; install the companion again: {error}"
        ) from error


def keep_default() -> None:
    """Keep a copy of the default list, so that a game goes on with it after an update.

    Copies of other versions are removed.  Raises BadWordList if it cannot be written.
    """
    words, store = default_list(), past_store()
    name = words.sha256[:12]
    if name not in store.names():
        store.add(WordList(name, words.text))
    for old in set(store.names()) - {name}:
        store.remove(old)


def past_defaults() -> list[WordList]:
    """Return the default lists that were kept; raise BadWordList if one was changed."""
    return [WordList(DEFAULT_LIST_NAME, past_store().load(name).text) for name in past_store().names()]


def list_named(name: str) -> WordList:
    """Return the default list or one of the host's by name; raise BadWordList if it cannot be loaded."""
    return default_list() if name == DEFAULT_LIST_NAME else main_store().load(name)


def lexicon_named(name: str) -> Lexicon:
    """Return a list by name with the second list in use; raise BadWordList if one cannot be loaded."""
    return with_second_list(list_named(name))


def with_second_list(words: WordList) -> Lexicon:
    """Return a list with the second list in use; raise BadWordList if that cannot be loaded."""
    second = long_store().in_use()
    return Lexicon(words, None if second == NO_LIST_NAME else long_store().load(second))


def current_lexicon() -> Lexicon:
    """Return the lexicon that the host chose, else the default; raise BadWordList if it cannot be loaded."""
    return lexicon_named(main_store().in_use())


def lexicon_for(tiles: TileSet) -> Lexicon | None:
    """Return the lexicon that the host chose if it fits a tile set, else ``None``; raise BadWordList."""
    if not is_alphabetic(tiles):
        return None
    lexicon = current_lexicon()
    return lexicon if covers_letters(lexicon, tiles) else None


def covers_letters(lexicon: Lexicon, tiles: TileSet) -> bool:
    """Return whether a lexicon has words with all letters of a tile set."""
    return is_alphabetic(tiles) and not missing_letters(lexicon, tiles)


def missing_letters(lexicon: Lexicon, tiles: TileSet) -> list[str]:
    """Return the letters of a tile set beyond A to Z that no word of a lexicon has."""
    own = [symbol for symbol in sorted(tiles.symbols) if symbol.isalpha() and not symbol.isascii()]
    return [letter for letter in own if folded(letter).encode() not in lexicon.words.text]


def is_alphabetic(tiles: TileSet) -> bool:
    """Return whether a tile set has only letters and blanks."""
    return all(symbol.isalpha() for symbol in tiles.symbols if symbol)
