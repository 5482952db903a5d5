"""Shelves: folders of the word lists that the host brought.

A list is kept as ``NAME.txt``, in the form that a lexicon searches, beside
``NAME.txt.sha256``, which ``sha256sum -c`` understands.  ``in_use`` holds the
name of the list that judges.  Every file is written whole or not at all.
"""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path

from companion.errors import BadWordList, nearest
from companion.words.lexicon import WordList
from companion.words.plain import FILE_MAX

DEFAULT = "default"
"""The name of the list that comes with the product."""

NONE = "none"
"""Stands for no list where a second one may be chosen."""

NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder of lists, one of which may be in use; ``initial`` is in use while the host has chosen none."""

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
        """Return the file of a list that must be there; raise BadWordList where it is not."""
        if name not in self.names():
            known = [self.initial, *self.names()]
            hint = nearest(name, known)
            raise BadWordList(f"no word list {name!r} in {self.folder}{hint} (there are {', '.join(known)})")
        return self.folder / f"{name}.txt"

    def load(self, name: str) -> WordList:
        """Return a list of the host's; raise BadWordList where it is missing, too large or has changed."""
        path = self.path(name)
        try:
            size = path.stat().st_size
            words = WordList(name, path.read_bytes() if size <= FILE_MAX else b"")
            sealed = path.with_name(f"{path.name}.sha256").read_text(encoding="ascii").split()
        except (OSError, UnicodeDecodeError) as error:
            raise BadWordList(f"word list {name!r}: remove it and add it again: {error}") from error
        if sealed[:1] != [words.sha256]:
            raise BadWordList(f"word list {name!r} has changed since; remove it and add it again ({path})")
        return words

    def add(self, words: WordList) -> None:
        """Keep a list; raise BadWordList where its name is taken or cannot be one."""
        if not NAME.fullmatch(words.name) or words.name in {DEFAULT, NONE}:
            raise BadWordList(
                f"{words.name!r} cannot name a word list; use small letters, digits, dots, dashes (--name)"
            )
        if words.name in self.names():
            raise BadWordList(
                f"there is a word list {words.name!r} already; remove it, or give another --name"
            )
        path = self.folder / f"{words.name}.txt"
        write(path.with_name(f"{path.name}.sha256"), f"{words.sha256}  {path.name}\n".encode())
        write(path, words.text)
        logger.info("word list added: %s", words.label)

    def use(self, name: str) -> None:
        """Make a list the one that judges; raise BadWordList where it is missing or has changed."""
        if name != self.initial:
            self.load(name)
        write(self.folder / "in_use", f"{name}\n".encode())
        logger.info("word list in use: %s", name)

    def remove(self, name: str) -> None:
        """Take a list off the shelf; raise BadWordList where it is missing, in use or the default."""
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


def write(path: Path, body: bytes) -> None:
    """Replace a file as a whole: power may fail at any moment and leaves the old one or the new one."""
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new.open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise BadWordList(f"{path} cannot be written: {error.strerror}") from error


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
