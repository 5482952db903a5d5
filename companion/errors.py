"""What can go wrong, told to the person at the table.

Every error carries the exit status of the command that meets it, and its
text says what to do.  A refused call, a phony or an unreadable tile is no
error: those are results.
"""

from __future__ import annotations

from typing import ClassVar


class CompanionError(Exception):
    """Root of every error that the companion raises on purpose."""

    exit_status: ClassVar[int] = 2


class BadPicture(CompanionError, ValueError):
    """A picture that cannot be opened, decoded or is out of bounds."""


class BadTileSet(CompanionError, ValueError):
    """A tile set that does not exist or whose file is malformed."""


class BadWordList(CompanionError, ValueError):
    """A word list that does not exist or cannot be read."""


class UsageError(CompanionError, ValueError):
    """A command line that cannot be understood."""
