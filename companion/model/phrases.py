"""Sentences with values in them, worded so that the pages know them again in other languages."""

from __future__ import annotations


def phrase(message: str, **values: object) -> str:
    """Return a message with its values in their places.

    Write the message out as a literal: the catalogues of the pages collect it from there, and the pages
    know it by its pattern in what a log holds, which is English.  A value called ``name`` is a player's and
    stays as it is in every language.
    """
    return message % values if values else message
