"""The ``.t`` lines of tsh, the tournament shell: ``name rating pairings; scores; key value...``.

The form is that of tsh's own reader (its module TFile): one player a line,
a number ``00`` is undefined, an opponent ``0`` a bye, a line that starts with
``#`` a comment, and in the extras a backslash escapes a semicolon or a backslash.
Files are ISO-8859-1 unless said otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from companion.errors import BadExport

ENCODING = "iso-8859-1"

MAX_CODE_POINT = 0xFF
"""The last sign that ``ENCODING`` can write."""

PLAYER_LINE_PATTERN = re.compile(
    r"(.+?\S)(\s+)(\d+(?:[.+]\d+)*)(\s*)([\d\s]*);(\s*)([-\d\s]*)((?:;[^;]*)*)", re.DOTALL | re.ASCII
)
"""A player's line; its groups put together are the whole line."""

ESCAPE_PATTERN = re.compile(r"\\([\\;])")

EXTRA_PATTERN = re.compile(r"(?:\\[\\;]|[^;])+")
"""One of the extras, up to a semicolon that is not escaped."""

LINE_NUMBER_PATTERN = re.compile(r"; # \d+\s*$", re.ASCII)
"""A line's own number, which some programs put at its end."""

LINE_PATTERN = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

BYTE_ORDER_MARK = b"\xef\xbb\xbf".decode(ENCODING)
"""The byte order mark of UTF-8, decoded by ``ENCODING``; it belongs to no name."""

LAST_NUMBERS_PATTERN = re.compile(r" (?=\d[\d.+ ]*$)", re.ASCII)
"""The spaces before the numbers at a name's end, of which a reader would take the first as the rating."""

NO_BREAK_SPACE = "\xa0"

UNDEFINED_NUMBER = "00"

HALF_POINTS_COMMENT = "# All scores count half points: 5 means 2.5 points."
"""The comment above players if some points are not whole."""

Numbers = tuple[int | None, ...]

Extras = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Player:
    """One player of a division.

    Parameters
    ----------
    name, rating
        The rating as written; it may have several parts.
    pairings
        The opponent's number in each round; 0 a bye, ``None`` undefined.
    scores
        The points in each round; ``None`` undefined.
    extras
        The values of further data, by key.
    written
        The line as it was read, without its end; it is written again unchanged.
    """

    name: str
    rating: str = "0"
    pairings: Numbers = ()
    scores: Numbers = ()
    extras: Extras = ()
    written: str | None = None

    @classmethod
    def of(
        cls,
        name: str,
        pairings: Sequence[int | None],
        scores: Sequence[int | None],
        extras: Extras = (),
    ) -> Player:
        """Return a player to be written; raise BadExport for a name that a line cannot hold."""
        bare = " ".join(name.replace(";", ",").split())
        try:
            bare.encode(ENCODING)
        except UnicodeEncodeError as error:
            raise BadExport(f"tsh's files are ISO-8859-1, which cannot write {name!r}") from error
        if bare.startswith("#") or len(bare) < 2:
            raise BadExport(f"a line of tsh cannot start with the name {name!r}")
        return cls(bare, "0", tuple(pairings), tuple(scores), extras)

    @classmethod
    def read(cls, line: str) -> Player:
        """Return the player that a line describes; raise BadExport where it is none."""
        match = PLAYER_LINE_PATTERN.fullmatch(line if ";" in line else f"{line};")
        if match is None:
            raise BadExport(f"no line of tsh: {line!r}")
        name, _, rating, _, pairings, _, scores, extras = match.groups()
        bare = name.replace(NO_BREAK_SPACE, " ").strip()
        return cls(bare, rating, numbers(pairings), numbers(scores), parse_extras(extras), line)

    def line(self) -> str:
        """Return the player's line: as it was read, or in the format of tsh.

        Numbers at the end of a name are kept in it by no-break spaces, which ``read`` turns into spaces.
        """
        if self.written is not None:
            return self.written
        pairings, scores = (" ".join(map(number, row)) for row in (self.pairings, self.scores))
        extras = "".join(f"; {' '.join((key, *map(escape_value, values)))}" for key, values in self.extras)
        name = LAST_NUMBERS_PATTERN.sub(NO_BREAK_SPACE, self.name)
        return f"{name:<22} {self.rating:>5} {pairings}; {scores}{extras}"


def writable(text: str) -> str:
    """Return a text with other letters, or question marks, for those that the files of tsh lack."""
    return "".join(
        unicodedata.normalize("NFKD", one).encode(ENCODING, "ignore").decode(ENCODING) or "?"
        if ord(one) > MAX_CODE_POINT
        else one
        for one in text
    )


def writable_name(name: str, number: int) -> str:
    """Return a player's name as a line can hold it, with the line's number if it is too short for one."""
    held = writable(name).strip()
    return f"{number}. {held}" if held.startswith("#") or len(held) < 2 else held


def numbers(text: str) -> Numbers:
    """Return the numbers of a part of a line."""
    return tuple(None if one == UNDEFINED_NUMBER else int(one) for one in text.split())


def number(value: int | None) -> str:
    """Return a number in the form of a line."""
    return UNDEFINED_NUMBER if value is None else str(value)


def escape_value(value: str) -> str:
    """Return a value of the extras, escaped for a line."""
    return re.sub(r"[\\;]", r"\\\g<0>", value)


def parse_extras(text: str) -> Extras:
    """Return keys and values of a line's extras."""
    words = [
        ESCAPE_PATTERN.sub(r"\1", part).split()
        for part in EXTRA_PATTERN.findall(LINE_NUMBER_PATTERN.sub("", text))
    ]
    return tuple((key, tuple(values)) for key, *values in filter(None, words))


def parse_division(data: bytes) -> list[Player | str]:
    """Return the lines of a ``.t`` file: players, and comments and empty lines as they are, ends included.

    Raises
    ------
    BadExport
        For a line that is neither, with its number.
    """
    text = data.decode(ENCODING)
    found: list[Player | str] = [BYTE_ORDER_MARK] if text.startswith(BYTE_ORDER_MARK) else []
    for count, whole in enumerate(LINE_PATTERN.findall(text.removeprefix(BYTE_ORDER_MARK)), 1):
        bare = whole.rstrip("\r\n")
        if not bare.strip() or bare.lstrip().startswith("#"):
            found.append(whole)
            continue
        try:
            found += [Player.read(bare), whole[len(bare) :]]
        except BadExport as error:
            raise BadExport(f"line {count}: {error}") from error
    return found


def format_division(lines: Sequence[Player | str]) -> bytes:
    """Return the bytes of a ``.t`` file: those that were read, for lines that were read."""
    return "".join(line if isinstance(line, str) else line.line() for line in lines).encode(ENCODING)
