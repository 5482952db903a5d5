"""What the table has said, in the language spoken: a log keeps it in English, by phrases that pages know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from companion.model.phrases import Message, filled
from companion.web.language import ENGLISH, SPOKEN, gettext, phrases, plural

PLACE = re.compile(r"%\((\w+)\)s")

LONGEST = 400
"""Characters of a text that is looked at; what the table says has fewer."""

OWN = "name"
"""The value that is a player's name: it stays as it is, whatever it looks like."""

JOINTS = ("; ", ", ")
"""What stands between several things that were said one after the other."""

VALUE, NAME = ".+?", "[^;:]+?"
"""Patterns of a value, and of a player's name."""


class Turned(NamedTuple):
    """A text in another language, and how many of its characters no phrase had."""

    text: str
    unknown: int


def said(text: str) -> str:
    """Return what the table has said in the language spoken; in English what no catalogue knows."""
    language = SPOKEN.get()
    if language == ENGLISH:
        return text
    return in_language(text, language) if isinstance(text, Message) else gettext(turned(text, language).text)


def in_language(message: Message, language: str) -> str:
    """Return a message in a language, and the messages in it; in English what the catalogue lacks."""
    values = {
        name: in_language(value, language) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    form = phrases(language).get(message.id)
    if isinstance(form, tuple) and message.many:
        return filled(form[plural(language)(int(values["count"]))], values)
    return filled(form, values) if isinstance(form, str) else str(Message(message.id, values, message.many))


@lru_cache(maxsize=2048)
def turned(text: str, language: str) -> Turned:
    """Return a text in a language, by those phrases that leave least of it unknown."""
    known = phrases(language).get(text)
    if isinstance(known, str):
        return Turned(known, 0)
    if len(text) > LONGEST:
        return Turned(text, len(text))
    found = [*by_phrases(text, language), *parted(text, language), Turned(text, len(text))]
    return min(found, key=lambda one: one.unknown)


def by_phrases(text: str, language: str) -> Iterator[Turned]:
    """Yield a text as each phrase that it may be, those that say most themselves first."""
    for pattern, message in patterns(language):
        if found := pattern.fullmatch(text):
            values = {
                key: Turned(one, len(one)) if key == OWN else turned(one, language)
                for key, one in found.groupdict().items()
            }
            told = str(phrases(language)[message]) % {key: one.text for key, one in values.items()}
            yield Turned(told, sum(one.unknown for one in values.values()))


def parted(text: str, language: str) -> Iterator[Turned]:
    """Yield a text as several things that were said one after the other."""
    for joint in JOINTS:
        if joint in text:
            parts = [turned(part, language) for part in text.split(joint)]
            yield Turned(
                joint.join(one.text for one in parts), sum(one.unknown for one in parts) + len(joint)
            )


@cache
def patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return every phrase with values as a pattern, those that say most themselves first."""
    with_values = [
        one for one, form in phrases(language).items() if PLACE.search(one) and isinstance(form, str)
    ]
    with_values.sort(key=lambda message: -len(PLACE.sub("", message)))
    return tuple((re.compile(pattern(message), re.DOTALL), message) for message in with_values)


def pattern(message: str) -> str:
    """Return the pattern of a phrase; a value that comes twice is the same both times."""
    written, seen = "", set[str]()
    for number, part in enumerate(PLACE.split(message)):
        if number % 2 == 0:
            written += re.escape(part.replace("%%", "%"))
        else:
            written += f"(?P={part})" if part in seen else f"(?P<{part}>{NAME if part == OWN else VALUE})"
            seen.add(part)
    return written
