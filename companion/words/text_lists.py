"""Import of word lists in plain text: UTF-8, one word on each line."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.errors import BadWordList
from companion.words.lexicon import WordList, folded

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Largest size of a list's file, in bytes; English tournament lists are below 3 MB."""

MAX_LINES = 4_000_000
"""Most lines of a list; a Polish list of all inflections has about three million."""

MAX_WORD_LETTERS = 60
"""Most letters of a word; German compounds of the rule books stay below 45."""

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""The first bytes of a file in UTF-16, such as Excel's "Unicode Text"."""

COMMENT_SIGN = "#"
"""The first character of a line that is no word."""


@dataclass(frozen=True, slots=True)
class ImportedList:
    """An imported list; ``skipped`` are the lines that tiles cannot spell, such as ``line 7: it's``."""

    words: WordList
    skipped: tuple[str, ...]


def from_file(path: Path, name: str) -> ImportedList:
    """Return the list in a file; raise BadWordList if the file cannot be read or is not a list."""
    return from_bytes(read_bytes(path), name)


def read_bytes(path: Path) -> bytes:
    """Return a file's content; raise BadWordList if it cannot be read or is too large."""
    try:
        with path.open("rb") as file:
            body = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadWordList(f"word list {path}: {error.strerror}") from error
    if len(body) > MAX_FILE_BYTES:
        raise BadWordList(
            f"word list {path} is larger than {MAX_FILE_BYTES // 2**20} MB; that is no list of words"
        )
    return body


def from_bytes(body: bytes, name: str) -> ImportedList:
    """Return the list in a file's bytes.

    Empty lines and lines that start with ``#`` are ignored.  A line with an apostrophe, a hyphen or a digit
    is skipped and reported: letter tiles cannot spell it.  Raises BadWordList if the text is not UTF-8 or has
    too many lines, if a line has several words, or if no word is left.
    """
    if max(body.count(b"\n"), body.count(b"\r")) > MAX_LINES:
        raise BadWordList(f"word list {name!r} has more than {MAX_LINES:,} lines; that is no list of words")
    words, skipped = [], []
    for number, line in lines(decode_utf8(body, name)):
        if len(line.split()) > 1:
            raise BadWordList(multiple_words_error(name, number, line))
        if len(line) <= MAX_WORD_LETTERS and folded(line).isalpha():
            words.append(line)
        else:
            skipped.append(f"line {number}: {line[:MAX_WORD_LETTERS]}")
    if not words:
        raise BadWordList(f"word list {name!r} has no word; put one word on each line")
    return ImportedList(WordList.written(name, words), tuple(skipped))


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the content of each line, without empty lines and comments."""
    for number, line in enumerate(text.splitlines(), start=1):
        if (stripped := line.strip()) and not stripped.startswith(COMMENT_SIGN):
            yield number, stripped


def decode_utf8(body: bytes, name: str) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark; raise BadWordList for any other."""
    try:
        text = body.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        line = 1 + body.count(b"\n", 0, error.start)
        found = "UTF-16" if body.startswith(UTF_16_MARKS) else "ISO-8859-1"
        raise BadWordList(
            f"word list {name!r} is not UTF-8 text (line {line}, byte 0x{body[error.start]:02x}); "
            f"convert it first, for example: iconv -f {found} -t UTF-8 FILE > NEW"
        ) from error
    if "\0" in text:
        raise BadWordList(f"word list {name!r} holds zero bytes, so it is no plain text")
    return text


def multiple_words_error(name: str, number: int, line: str) -> str:
    """Return the error text for a line with more than one word."""
    return (
        f"word list {name!r}, line {number}: {line[:MAX_WORD_LETTERS]!r} is more than one word; "
        f"where definitions follow, cut them off first, for example: cut -d' ' -f1 FILE > NEW"
    )
