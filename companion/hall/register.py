"""Import and export of players: CSV with a head, ``.t`` files of tsh, and FIDE's report files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from companion.errors import BadEntry
from companion.events import tsh
from companion.events.exported import CSV_ENCODING, from_spreadsheet_safe, spreadsheet_safe
from companion.hall import trf
from companion.hall.formats.registry import MIN_HANDICAP
from companion.hall.tournament import Person
from companion.model.phrases import phrase
from companion.words.text_lists import UTF_16_MARKS

CSV_COLUMNS = ("name", "club", "rating", "handicap", "notes")

MAX_PLAYERS = 2000
MAX_FIELD_CHARS = {"name": 40, "club": 60, "notes": 200}
MAX_NUMBER = trf.MAX_NUMBER

SEPARATOR_LINE = re.compile(r"\"?sep=([,;\t])\"?\n?", re.IGNORECASE)
"""A first line that says what stands between the columns, as Excel writes and reads it."""

HANDICAP = "handicap"
"""Key of the handicap among the extras of a line of tsh."""


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player as a file has it."""

    name: str
    club: str = ""
    rating: int | None = None
    handicap: int | None = None
    notes: str = ""


def read(data: bytes, kind: str) -> list[PlayerRow]:
    """Return the players of a file of a kind in ``FILE_PARSERS``; raise BadEntry with the wrong line."""
    found = FILE_PARSERS[kind](data)
    if not found:
        raise BadEntry(phrase("the file names no player"))
    return found


def from_csv(data: bytes) -> list[PlayerRow]:
    """Return the players of a table with a header; only its column ``name`` is required."""
    try:
        text = data.decode("utf-16" if data.startswith(UTF_16_MARKS) else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    try:
        return rows_of(text)
    except csv.Error as error:
        raise BadEntry(phrase("the file cannot be read: %(why)s", why=error)) from error


def rows_of(text: str) -> list[PlayerRow]:
    """Return the players of a table's text; lines end as those of any system, columns at , ; or a tab."""
    lines = io.StringIO(text, newline=None)
    head = lines.readline()
    if named := SEPARATOR_LINE.fullmatch(head):
        head = lines.readline()
    rows = csv.DictReader(chain([head], lines), delimiter=named[1] if named else max(",;\t", key=head.count))
    columns = {str(name).strip().casefold(): name for name in rows.fieldnames or ()}
    if "name" not in columns:
        raise BadEntry(
            phrase(
                "the first line must name the columns: %(columns)s; got %(head)s",
                columns=", ".join(CSV_COLUMNS),
                head=repr(head.strip()[:80]),
            )
        )
    found = []
    for row in rows:
        values = {
            key: from_spreadsheet_safe(str(row.get(columns[key]) or "").strip())
            for key in CSV_COLUMNS
            if key in columns
        }
        if any(values.values()):
            found.append(parse_player(values, rows.line_num + bool(named)))
    return found


def from_tsh(data: bytes) -> list[PlayerRow]:
    """Return the players of a division of tsh; ``Surname, First`` is kept unchanged."""
    found = []
    for number, one in enumerate(
        (line for line in tsh.parse_division(data) if isinstance(line, tsh.Player)), 1
    ):
        extras = dict(one.extras)
        values = {
            "name": one.name,
            "rating": one.rating.partition("+")[0].partition(".")[0],
            "club": " ".join(extras.get("team", ())),
            "handicap": "".join(extras.get(HANDICAP, ())[:1]),
        }
        found.append(parse_player(values, number))
    return found


def from_trf(data: bytes) -> list[PlayerRow]:
    """Return the players of a report file of FIDE; ``Surname, First`` is kept unchanged."""
    return [
        parse_player({"name": one.name, "rating": str(one.rating or "")}, number)
        for number, one in enumerate(trf.parse_report(data).players, 1)
    ]


FILE_PARSERS: Mapping[str, Callable[[bytes], list[PlayerRow]]] = {
    "csv": from_csv,
    "t": from_tsh,
    "trf": from_trf,
    "trfx": from_trf,
}
"""Parser of each kind of player file, by file extension."""


def parse_player(values: dict[str, str], line: int) -> PlayerRow:
    """Return a player from texts; raise BadEntry for an invalid one."""
    for key, most in MAX_FIELD_CHARS.items():
        text = values.get(key, "")
        if len(text) > most or not text.isprintable():
            raise BadEntry(
                phrase(
                    "line %(line)s: %(key)s has at most %(most)s printable characters; got %(text)s",
                    line=line,
                    key=key,
                    most=most,
                    text=repr(text[:60]),
                )
            )
    if not values["name"]:
        raise BadEntry(phrase("line %(line)s: a player has no name", line=line))
    handicap = parse_number(values.get("handicap", ""), "handicap", line)
    if handicap is not None and handicap < MIN_HANDICAP:
        raise BadEntry(
            phrase(
                "line %(line)s: a handicap is %(least)s at least; got %(handicap)s",
                line=line,
                least=MIN_HANDICAP,
                handicap=handicap,
            )
        )
    return PlayerRow(
        values["name"],
        values.get("club", ""),
        parse_number(values.get("rating", ""), "rating", line) or None,
        handicap,
        values.get("notes", ""),
    )


def parse_number(text: str, what: str, line: int) -> int | None:
    """Return a number, ``None`` for an empty text; raise BadEntry for anything else."""
    if not text:
        return None
    if not text.isdecimal() or len(text) > 6 or int(text) > MAX_NUMBER:
        raise BadEntry(
            phrase(
                "line %(line)s: %(what)s must be 0 to %(most)s; got %(text)s",
                line=line,
                what=what,
                most=MAX_NUMBER,
                text=repr(text[:20]),
            )
        )
    return int(text)


def to_csv(people: Sequence[Person], handicaps: Mapping[str, int]) -> bytes:
    """Return players as a table that ``from_csv`` reads; ``handicaps`` are the current ones, by id."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\r\n")
    writer.writerow(CSV_COLUMNS)
    for one in people:
        writer.writerow(
            [
                spreadsheet_safe(one.name),
                spreadsheet_safe(one.club),
                one.rating,
                handicaps.get(one.id, one.handicap),
                spreadsheet_safe(one.notes),
            ]
        )
    return table.getvalue().encode(CSV_ENCODING)
