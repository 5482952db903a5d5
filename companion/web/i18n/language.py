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

from companion.model.phrases import Message, interpolate

FOLDER = Path(__file__).parents[1] / "translations"

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
    return entries(code, None)


@cache
def phrases(code: str) -> Catalogue:
    """Return the translations of what the table says, by their ids; those left open are not there."""
    return entries(code, PHRASE)


def entries(code: str, context: str | None) -> Catalogue:
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


def N_(message: str) -> str:
    """Mark a message that is translated when it is shown."""
    return message


def said(text: str) -> str:
    """Return what the table has said in the language spoken.

    A message is translated by its id; plain text, as older logs have it, only where it is a known sentence.
    """
    language = SPOKEN.get()
    if language == ENGLISH:
        return text
    if isinstance(text, Message):
        return translated(text, language)
    known = phrases(language).get(text)
    return known if isinstance(known, str) else gettext(text)


def translated(message: Message, language: str) -> str:
    """Return a message in a language, and the messages in it; what the catalogue lacks is said in English."""
    values = {
        name: translated(value, language) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    form = phrases(language).get(message.id)
    if isinstance(form, tuple) and message.many:
        return interpolate(form[plural(language)(int(message.values["count"]))], values)
    return interpolate(form, values) if isinstance(form, str) else Message(message.id, values, message.many)


def sentence(text: str) -> str:
    """Return a text with its first letter as a capital, and all others as they are."""
    return text[:1].upper() + text[1:]


def clock_text(ms: int) -> str:
    """Return minutes and seconds, hours before them where there are any; a negative time is overtime."""
    seconds = abs(ms) // 1000
    sign = "−" if ms <= -1000 else ""
    hours, minutes = seconds // 3600, seconds // 60 % 60
    whole = f"{hours}:{minutes:02}" if hours else str(minutes)
    return f"{sign}{whole}:{seconds % 60:02}"


def exact_text(ms: int) -> str:
    """Return the same with milliseconds."""
    return f"{clock_text(ms)}.{abs(ms) % 1000:03}"


def duration(ms: int) -> str:
    """Return a time as a duration of HTML's ``datetime`` attribute, which has no negative ones."""
    minutes, rest = divmod(max(ms, 0), 60_000)
    return f"PT{minutes}M{rest // 1000}.{rest % 1000:03}S"
