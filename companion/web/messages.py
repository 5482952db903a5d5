"""Extraction of all messages to translate: those of pages, table and games.

``python -m companion.web.messages`` updates the catalogues: new messages are
added with empty translations, and messages that are gone are dropped.  The
texts of games are those of the installed games.
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

EXTRACTION_METHODS = [("**.py", "python"), ("**.html", "jinja2.ext:babel_extract")]

PROJECT_ROOT = Path(rules.__file__).parents[2]

PAGE_FOLDERS = (FOLDER.parent, PROJECT_ROOT / "companion/hall/pages")
"""Folders of the pages."""

PHRASE_FOLDERS = tuple(
    PROJECT_ROOT / one
    for one in (
        "companion/bootstrap",
        "companion/events",
        "companion/hall",
        "companion/model",
        "companion/rpc",
        "companion/rules",
        "companion/table",
        "companion/vision",
        "companion/wizard",
        "calibration",
        "hardware",
    )
)
"""Folders of the table's phrases."""

PHRASE_KEYWORDS = {"phrase": None, "phrase_n": (1, 2)}
"""Functions whose arguments are messages, and which arguments those are."""

EXTRACTION_OPTIONS = {"**.html": {"encoding": "utf-8", "trim_blocks": "true", "lstrip_blocks": "true"}}


def messages() -> Catalog:
    """Return every message of the pages, in English, and every phrase of the table under its context."""
    catalog = Catalog()
    for folder in PAGE_FOLDERS:
        for _file, _line, message, _comments, _context in extract_from_dir(
            str(folder), EXTRACTION_METHODS, EXTRACTION_OPTIONS
        ):
            catalog.add(message)
    for text in game_messages():
        catalog.add(text)
    for source in PHRASE_FOLDERS:
        for _file, _line, message, _comments, _context in extract_from_dir(
            str(source), EXTRACTION_METHODS, keywords=PHRASE_KEYWORDS
        ):
            catalog.add(message, context=TABLE_CONTEXT)
    return catalog


def game_messages() -> Iterator[str]:
    """Yield the texts that games and tile sets show on pages: figures, calls, rulings, titles."""
    yield from figures.FIGURE_LABELS
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


def updated_catalogue(old: bytes, code: str) -> bytes:
    """Return a catalogue with the current messages and their existing translations."""
    catalog = read_po(BytesIO(old), locale=code)
    created = catalog.creation_date
    catalog.update(messages(), no_fuzzy_matching=True)
    catalog.creation_date = created  # else every run changes the file
    catalog.obsolete.clear()
    written = BytesIO()
    write_po(written, catalog, width=110, omit_header=False, sort_output=True, no_location=True)
    return written.getvalue()


def main() -> None:
    """Update every catalogue."""
    for path in sorted(FOLDER.glob("*.po")):
        path.write_bytes(updated_catalogue(path.read_bytes(), path.stem))


if __name__ == "__main__":
    main()
