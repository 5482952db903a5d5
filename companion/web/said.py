"""What the table has said, in the language spoken."""

from __future__ import annotations

from companion.model.phrases import Message, filled
from companion.web.language import ENGLISH, SPOKEN, gettext, phrases, plural


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
        return filled(form[plural(language)(int(message.values["count"]))], values)
    return filled(form, values) if isinstance(form, str) else Message(message.id, values, message.many)
