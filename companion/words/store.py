"""Stores of word lists: folders with the lists that the host has added.

A list is stored as ``NAME.txt``, in the form that a lexicon searches, beside ``NAME.txt.sha256``, which
``sha256sum -c`` understands.  The file ``in_use`` has the name of the list in use.  Every file is written
atomically.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from pathlib import Path

from companion.errors import BadWordList, nearest
from companion.files import write_atomically
from companion.words.lexicon import WordList
from companion.words.text_lists import MAX_FILE_BYTES

DEFAULT_LIST_NAME = "default"
"""The name of the list that comes with the product."""

NO_LIST_NAME = "none"
"""The name that stands for no second list."""

LIST_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WordListStore:
    """A folder of lists, one of which is in use; ``initial`` is in use until the host chooses one."""

    folder: Path
    initial: str

    def names(self) -> list[str]:
        """Return the names of the host's lists in order."""
        return sorted(path.stem for path in self.folder.glob("*.txt"))

    def in_use(self) -> str:
        """Return the name of the list in use."""
        try:
            return (self.folder / "in_use").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return self.initial
        except (OSError, UnicodeDecodeError) as error:
            raise BadWordList(f"choose a list again: {self.folder / 'in_use'}: {error}") from error

    def path(self, name: str) -> Path:
        """Return the file of a list; raise BadWordList if there is no such list."""
        if name not in self.names():
            known = [self.initial, *self.names()]
            hint = nearest(name, known)
            raise BadWordList(f"no word list {name!r} in {self.folder}{hint} (there are {', '.join(known)})")
        return self.folder / f"{name}.txt"

    def load(self, name: str) -> WordList:
        """Return a stored list; raise BadWordList if it is missing, too large or was changed."""
        path = self.path(name)
        try:
            size = path.stat().st_size
            words = WordList(name, path.read_bytes() if size <= MAX_FILE_BYTES else b"")
            sealed = path.with_name(f"{path.name}.sha256").read_text(encoding="ascii").split()
        except (OSError, UnicodeDecodeError) as error:
            raise BadWordList(f"word list {name!r}: remove it and add it again: {error}") from error
        if sealed[:1] != [words.sha256]:
            raise BadWordList(f"word list {name!r} has changed since; remove it and add it again ({path})")
        return words

    def add(self, words: WordList) -> None:
        """Store a list; raise BadWordList if its name is taken or invalid."""
        if not LIST_NAME_PATTERN.fullmatch(words.name) or words.name in {DEFAULT_LIST_NAME, NO_LIST_NAME}:
            raise BadWordList(
                f"{words.name!r} cannot name a word list; use small letters, digits, dots, dashes (--name)"
            )
        if words.name in self.names():
            raise BadWordList(
                f"there is a word list {words.name!r} already; remove it, or give another --name"
            )
        path = self.folder / f"{words.name}.txt"
        write_file(path.with_name(f"{path.name}.sha256"), f"{words.sha256}  {path.name}\n".encode())
        write_file(path, words.text)
        logger.info("word list added: %s", words.label)

    def use(self, name: str) -> None:
        """Put a list into use; raise BadWordList if it is missing or was changed."""
        if name != self.initial:
            self.load(name)
        write_file(self.folder / "in_use", f"{name}\n".encode())
        logger.info("word list in use: %s", name)

    def remove(self, name: str) -> None:
        """Remove a list; raise BadWordList if it is missing, in use or the default."""
        if name == self.initial:
            raise BadWordList(f"{name!r} stays: it is what judges while no list is chosen")
        path = self.path(name)
        if name == self.in_use():
            raise BadWordList(f"word list {name!r} is in use; choose another first, such as {self.initial!r}")
        try:
            path.unlink()
            path.with_name(f"{path.name}.sha256").unlink(missing_ok=True)
        except OSError as error:
            raise BadWordList(f"{path} cannot be removed: {error.strerror}") from error
        logger.info("word list removed: %s", name)


def write_file(path: Path, body: bytes) -> None:
    """Replace a file atomically; raise BadWordList where it cannot be written."""
    try:
        write_atomically(path, body)
    except OSError as error:
        raise BadWordList(f"{path} cannot be written: {error.strerror}") from error
