"""Translations of the pages' messages and of the table's messages, by gettext catalogues.

A language is a ``.po`` file in ``translations``; a message without a translation stays English.
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

TABLE_CONTEXT = "table"
"""Context (``msgctxt``) of the table's messages in the catalogues."""

Catalogue = Mapping[str, str | tuple[str, ...]]

LANGUAGE: ContextVar[str] = ContextVar("SPOKEN", default=ENGLISH)
"""Language code of the current request or rendering."""


@cache
def languages() -> Mapping[str, str]:
    """Return the languages that have a catalogue, and English: code and native name."""
    codes = (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.po")))
    names = {code: str(Locale.parse(code).get_display_name(code)) for code in codes}
    return {code: name[:1].upper() + name[1:] for code, name in names.items()}


@cache
def catalogue(code: str) -> Catalogue:
    """Return a language's translations of page messages, by English text; untranslated ones are left out."""
    return entries(code, None)


@cache
def phrases(code: str) -> Catalogue:
    """Return a language's translations of table messages, by message id; untranslated ones are left out."""
    return entries(code, TABLE_CONTEXT)


def entries(code: str, context: str | None) -> Catalogue:
    """Return the translations of a catalogue that have a context (``None``: no context), by message id."""
    path = FOLDER / f"{code}.po"
    if code not in languages() or not path.exists():
        return {}
    with path.open("rb") as file:
        found = read_po(file, locale=code)
    return {
        one.id if isinstance(one.id, str) else one.id[0]: text
        for one in found
        if one.context == context and (text := translation(one.string)) is not None
    }


def translation(given: str | list[str] | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
    """Return a catalogue entry's translation, a tuple for plural forms, ``None`` where it is empty."""
    if not given or (not isinstance(given, str) and not all(given)):
        return None
    return given if isinstance(given, str) else tuple(given)


@contextmanager
def use_language(code: str) -> Iterator[None]:
    """Set the current language for the block."""
    token = LANGUAGE.set(code)
    try:
        yield
    finally:
        LANGUAGE.reset(token)


def gettext(message: str) -> str:
    """Return a message in the current language."""
    found = catalogue(LANGUAGE.get()).get(message, message) if message else ""
    return found if isinstance(found, str) else found[0]


def ngettext(one: str, many: str, count: int) -> str:
    """Return the plural form of a message for a count, in the current language."""
    found = catalogue(LANGUAGE.get()).get(one)
    if not isinstance(found, tuple | list):
        return one if count == 1 else many
    return found[plural(LANGUAGE.get())(count)]


@cache
def plural(code: str) -> Callable[[int], int]:
    """Return the plural rule of a language: a function from a count to the index of the form."""
    return c2py(get_plural(code).plural_expr)


def _(message: str, **values: object) -> str:
    """Return a message in the current language with its placeholders filled."""
    return gettext(message) % values if values else gettext(message)


def N_(message: str) -> str:
    """Mark a message that is translated when it is shown."""
    return message


def translate(text: str) -> str:
    """Return a text of the table in the current language.

    A ``Message`` is translated by its id.  Plain text, as older logs have it, is translated only where it is
    a whole known message.
    """
    language = LANGUAGE.get()
    if language == ENGLISH:
        return text
    if isinstance(text, Message):
        return translate_message(text, language)
    known = phrases(language).get(text)
    return known if isinstance(known, str) else gettext(text)


def translate_message(message: Message, language: str) -> str:
    """Return a message and the messages among its values in a language, untranslated ones in English."""
    values = {
        name: translate_message(value, language) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    form = phrases(language).get(message.id)
    if isinstance(form, tuple) and message.many:
        return interpolate(form[plural(language)(int(message.values["count"]))], values)
    return interpolate(form, values) if isinstance(form, str) else Message(message.id, values, message.many)


def sentence(text: str) -> str:
    """Return a text with its first letter in upper case, the others unchanged."""
    return text[:1].upper() + text[1:]


def clock_text(ms: int) -> str:
    """Return milliseconds as minutes and seconds, or with hours; a negative time is overtime."""
    seconds = abs(ms) // 1000
    sign = "−" if ms <= -1000 else ""
    hours, minutes = seconds // 3600, seconds // 60 % 60
    whole = f"{hours}:{minutes:02}" if hours else str(minutes)
    return f"{sign}{whole}:{seconds % 60:02}"


def exact_text(ms: int) -> str:
    """Return the same as ``clock_text`` with milliseconds."""
    return f"{clock_text(ms)}.{abs(ms) % 1000:03}"


def duration(ms: int) -> str:
    """Return milliseconds as an HTML duration (``datetime`` attribute); negative ones become zero."""
    minutes, rest = divmod(max(ms, 0), 60_000)
    return f"PT{minutes}M{rest // 1000}.{rest % 1000:03}S"
