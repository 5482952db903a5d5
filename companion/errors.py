"""All errors of the companion.

Every error carries the exit status of the command that meets it, and its text says what to do.  A refused
call, a phony or an unreadable tile is not an error but a result.
"""

from __future__ import annotations

import collections.abc
import difflib
from typing import ClassVar


def closest(name: object, valid: collections.abc.Iterable[str]) -> str | None:
    """Return the valid name closest to a mistyped one, ``None`` where none is close."""
    close = difflib.get_close_matches(str(name).lower(), list(valid), n=1, cutoff=0.4)
    return close[0] if close else None


def nearest(name: object, valid: collections.abc.Iterable[str]) -> str:
    """Return a hint that names the valid name closest to a mistyped one, or nothing."""
    close = closest(name, valid)
    return "" if close is None else f"; did you mean {close!r}?"


class CompanionError(Exception):
    """Root of every error that the companion raises on purpose."""

    exit_status: ClassVar[int] = 2


class BadPicture(CompanionError, ValueError):
    """A picture that cannot be opened, decoded or is out of bounds."""


class MirroredPicture(BadPicture):
    """A picture in which letters are seen as in a mirror."""


class BadFilm(CompanionError, ValueError):
    """A film or a folder of pictures that cannot be read frame by frame."""


class BadOutput(CompanionError, OSError):
    """A file that cannot be written."""


class BadTileSet(CompanionError, ValueError):
    """A tile set that does not exist or whose file is malformed."""


class BadEnrolment(CompanionError, ValueError):
    """A photograph from which no tile set can be learnt, or tiles that were laid in another way."""


class BadGrid(CompanionError, ValueError):
    """A written grid of tiles that cannot be understood."""


class BadWordList(CompanionError, ValueError):
    """A word list that does not exist or cannot be read."""


class UsageError(CompanionError, ValueError):
    """A command line that cannot be understood."""


class BadSighting(CompanionError, ValueError):
    """A sighting that no table can show."""


class BadOption(CompanionError, ValueError):
    """An option of a game that does not exist or does not take that value."""


class BadSetUp(CompanionError, ValueError):
    """A set-up that the rules of the game refuse."""


class BadCall(CompanionError, ValueError):
    """A call, order or ruling that cannot be parsed (a refused call is no error)."""


class RulesFailed(CompanionError, RuntimeError):
    """A game's own code has failed at an input; the game is unchanged."""


class BadScript(CompanionError, ValueError):
    """A written game whose line cannot be understood."""


class BadEquation(CompanionError, ValueError):
    """A text that is no equation, or one that is not true or not allowed."""


class BadLog(CompanionError, ValueError):
    """A log that is damaged, newer than this program, or written to by somebody else meanwhile."""


class UnusableLog(BadLog):
    """A log that SQLite cannot open, read or write now: its disk or its file is at fault."""


class OtherWords(BadLog):
    """A game whose word list is no longer installed, so that it cannot continue."""


class BadExport(CompanionError, ValueError):
    """A game's file for others that cannot be read, or a game that such a file cannot hold."""


class BadTruth(CompanionError, ValueError):
    """A file with the ground truth of a photographed table that cannot be understood."""


class NoFonts(CompanionError, LookupError):
    """Fonts for drawn tables that are not installed."""


class BadProfile(CompanionError, ValueError):
    """A camera's profile that cannot be read or written, or that is of another camera."""


class BadCapture(CompanionError, ValueError):
    """A valid picture that a step of setting up cannot use: blurred, partial, upside down, out of scale."""


class Unanswered(CompanionError, OSError):
    """A request to the table without an answer: it does not run, or its answer cannot be read."""


class TableInTrouble(Unanswered):
    """The table runs and cannot save a game now; everybody around it should read why."""


class BadConfig(CompanionError, ValueError):
    """A configuration of the table that cannot be understood."""


class NoCamera(CompanionError, OSError):
    """A camera that is not there, cannot be opened or gives no picture."""


class BadWiring(CompanionError, ValueError):
    """Buttons and lights that cannot be wired to a Pi's header in this way."""


class NoPins(CompanionError, OSError):
    """Pins of a Raspberry Pi that are not there, not ours or in use."""


class NoSpeech(CompanionError, LookupError):
    """The program that speaks calls aloud is not installed or fails."""

    exit_status = 3


class BadPin(CompanionError, PermissionError):
    """A PIN or code that opens nothing, is too easy to guess, or was tried too often."""


class BadMessage(CompanionError, ValueError):
    """A message from the broker that breaks the contract or comes from the wrong sender."""


class NoBroker(CompanionError, OSError):
    """The MQTT broker that is not there, does not let this account in, or cannot be trusted."""

    exit_status = 3


class BadEntry(CompanionError, ValueError):
    """An entry that is not valid in the tournament's state: an unknown player, round or draw."""
