"""Extraction of all messages to translate: those of pages, table and games.

``python -m companion.web.messages`` brings the catalogues up to date:
messages that are new stand there empty, for a translator to fill in; those
that are gone are dropped.  The texts of games are those of the games that are
installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from companion import rules
from companion.model.tiles import tile_set, tile_set_names
from companion.rules import figures
from companion.rules.play import ruling_kinds
from companion.rules.registry import installed
from companion.web.i18n.language import FOLDER, TABLE_CONTEXT

METHODS = [("**.py", "python"), ("**.html", "jinja2.ext:babel_extract")]

PRODUCT = Path(rules.__file__).parents[2]

PAGES = (FOLDER.parent, PRODUCT / "companion/hall/pages")
"""Where pages are."""

SOURCES = tuple(
    PRODUCT / one
    for one in (
        "companion/bootstrap",
        "companion/events",
        "companion/hall",
        "companion/rpc",
        "companion/rules",
        "companion/table",
        "companion/wizard",
        "calibration",
        "hardware/cameras",
    )
)
"""Where the table's phrases are."""

PHRASES = {"phrase": None, "phrase_n": (1, 2)}
"""Functions whose arguments are messages, and which arguments those are."""

OPTIONS = {"**.html": {"encoding": "utf-8", "trim_blocks": "true", "lstrip_blocks": "true"}}


def messages() -> Catalog:
    """Return in English every message of the pages, and every phrase of the table under its context."""
    catalog = Catalog()
    for folder in PAGES:
        for _file, _line, message, _comments, _context in extract_from_dir(str(folder), METHODS, OPTIONS):
            catalog.add(message)
    for text in game_messages():
        catalog.add(text)
    for source in SOURCES:
        for _file, _line, message, _comments, _context in extract_from_dir(
            str(source), METHODS, keywords=PHRASES
        ):
            catalog.add(message, context=TABLE_CONTEXT)
    return catalog


def game_messages() -> Iterator[str]:
    """Yield the texts that games and tile sets show on pages: figures, calls, rulings, titles."""
    yield from figures.NAMES
    yield from (title for name in tile_set_names() if (title := tile_set(name).title))
    for played in installed():
        for call in played.calls.values():
            yield call.means
            yield from call.takes
        for ruling, kind in ruling_kinds(played).items():
            yield ruling.replace("_", " ")
            yield kind.means
            yield from kind.takes
        if played.about:
            yield played.about


def renewed(old: bytes, code: str) -> bytes:
    """Return a catalogue with the messages of today, those translated already kept."""
    catalog = read_po(BytesIO(old), locale=code)
    created = catalog.creation_date
    catalog.update(messages(), no_fuzzy_matching=True)
    catalog.creation_date = created  # else every run changes the file
    catalog.obsolete.clear()
    written = BytesIO()
    write_po(written, catalog, width=110, omit_header=False, sort_output=True, no_location=True)
    return written.getvalue()


def main() -> None:
    """Bring every catalogue up to date."""
    for path in sorted(FOLDER.glob("*.po")):
        path.write_bytes(renewed(path.read_bytes(), path.stem))


if __name__ == "__main__":
    main()
