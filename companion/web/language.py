"""What the pages say, in the language of whoever looks.

A catalogue is a ``.po`` file in ``translations``; what it lacks is said in
English.  A translator adds a file and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import c2py
from pathlib import Path

from babel.core import Locale
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po

FOLDER = Path(__file__).with_name("translations")

ENGLISH = "en"

PHRASE = "table"
"""The context under which catalogues keep what the table says."""

Catalogue = Mapping[str, str | tuple[str, ...]]

SPOKEN: ContextVar[str] = ContextVar("SPOKEN", default=ENGLISH)
"""The language of the page that is being made."""


@cache
def languages() -> Mapping[str, str]:
    """Return every language that there is a catalogue of: its code and its own name for itself."""
    codes = (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.po")))
    names = {code: str(Locale.parse(code).get_display_name(code)) for code in codes}
    return {code: name[:1].upper() + name[1:] for code, name in names.items()}


@cache
def catalogue(code: str) -> Catalogue:
    """Return the translations of what the pages say, by their English; those left open are not there."""
    return translated(code, None)


@cache
def phrases(code: str) -> Catalogue:
    """Return the translations of what the table says, by their ids; those left open are not there."""
    return translated(code, PHRASE)


def translated(code: str, context: str | None) -> Catalogue:
    """Return the translations into a language that a catalogue has under a context."""
    path = FOLDER / f"{code}.po"
    if code not in languages() or not path.exists():
        return {}
    with path.open("rb") as file:
        found = read_po(file, locale=code)
    return {
        one.id if isinstance(one.id, str) else one.id[0]: said
        for one in found
        if one.context == context and (said := translation(one.string)) is not None
    }


def translation(given: str | list[str] | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
    """Return a translation, in several forms where counts need them; ``None`` where it was left open."""
    if not given or (not isinstance(given, str) and not all(given)):
        return None
    return given if isinstance(given, str) else tuple(given)


@contextmanager
def spoken(code: str) -> Iterator[None]:
    """Make what is made in the block in a language."""
    token = SPOKEN.set(code)
    try:
        yield
    finally:
        SPOKEN.reset(token)


def gettext(message: str) -> str:
    """Return a message in the language spoken."""
    found = catalogue(SPOKEN.get()).get(message, message) if message else ""
    return found if isinstance(found, str) else found[0]


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a message that goes with a count, in the language spoken."""
    found = catalogue(SPOKEN.get()).get(one)
    if not isinstance(found, tuple | list):
        return one if count == 1 else many
    return found[plural(SPOKEN.get())(count)]


@cache
def plural(code: str) -> Callable[[int], int]:
    """Return what tells which form of a message goes with a count."""
    return c2py(get_plural(code).plural_expr)


def _(message: str, **values: object) -> str:
    """Return a message in the language spoken, with its values in their places."""
    return gettext(message) % values if values else gettext(message)


def N_(message: str) -> str:  # noqa: N802
    """Mark a message that is translated when it is shown."""
    return message
