"""What the games' own events say, by their names: a game that is not listed here says its events plainly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.web.i18n.language import N_, _, ngettext

Say = Callable[[Sequence[str], Any], str]
"""Returns what an event says, from the players' names and the event."""

LOOKED_UP = {
    True: N_("%(word)s is a good word"),
    False: N_("%(word)s is no good word"),
    None: N_("%(word)s: the referee must rule"),
}


BLANK = N_("blank")
"""What an event about letters says of a tile without one."""


def told_of(message: str, *fields: str) -> Say:
    """Return what says a message with some fields of an event."""
    return lambda _names, event: _(message, **{field: getattr(event, field) for field in fields})


def looked_up(_names: Sequence[str], event: Any) -> str:
    """Return the answer to a player who has asked for one word."""
    return _(LOOKED_UP[event.valid], word=event.word.upper())


def tied(names: Sequence[str], event: Any) -> str:
    """Return who was done at the same moment."""
    who = ", ".join(names[seat - 1] for seat in event.seats)
    return _("Done at the same moment: %(players)s. The referee sets their places.", players=who)


def counted(names: Sequence[str], event: Any) -> str:
    """Return what unplayed tiles bring, by player."""
    each = ", ".join(f"{name} {points:+}" for name, points in zip(names, event.points, strict=True))
    return _("Unplayed tiles: %(points)s", points=each)


def spelled(_names: Sequence[str], event: Any) -> str:
    """Return a word lifted from the board with its points."""
    told = ngettext("spells %(word)s: %(points)s point", "spells %(word)s: %(points)s points", event.points)
    return told % {"word": event.word.upper(), "points": event.points}


def penalized(_names: Sequence[str], event: Any) -> str:
    """Return the points that a false call has cost."""
    return ngettext("%(points)s point off", "%(points)s points off", event.points) % {"points": event.points}


def letter_asked(_names: Sequence[str], event: Any) -> str:
    """Return that a letter of the board is another than before."""
    known, read = (_(BLANK) if letter == BLANK else letter.upper() for letter in (event.known, event.read))
    return _(
        "The letter in row %(row)s column %(col)s was %(known)s, and %(read)s is seen.",
        row=event.row + 1,
        col=event.col + 1,
        known=known,
        read=read,
    )


def letters_unseen(names: Sequence[str], event: Any) -> str:
    """Return which letters nobody has seen under whose pieces."""
    return _(
        "%(name)s, lift the pieces from %(squares)s for a moment: the letters there were not seen.",
        name=names[event.seat - 1],
        squares=", ".join(cell_told(square) for square in event.squares),
    )


def struck(_names: Sequence[str], event: Any) -> str:
    """Return a word that does not count."""
    return _("%(word)s does not count", word=event.word.upper())


def cell_told(cell: Sequence[int]) -> str:
    """Return a cell in words, counted from 1."""
    row, col = cell
    return _("row %(row)s column %(column)s", row=row + 1, column=col + 1)


def placed(_names: Sequence[str], event: Any) -> str:
    """Return where a player's pieces stand."""
    squares = ", ".join(cell_told(square) for square in event.squares)
    return _("The pieces stand at %(squares)s", squares=squares)


OWN: Mapping[str, tuple[Say, str]] = {
    "PlayTakenBack": (told_of(N_("takes the play back")), "ruled"),
    "PlayUpheld": (told_of(N_("keeps the play")), "good"),
    "TurnForfeited": (told_of(N_("will miss the next turn")), "bad"),
    "TurnMissed": (told_of(N_("misses this turn")), "plain"),
    "UnplayedCounted": (counted, "said"),
    "WordLookedUp": (looked_up, "said"),
    "TieLeft": (tied, "bad"),
    "PenaltyGiven": (penalized, "bad"),
    "LetterAsked": (letter_asked, "bad"),
    "LettersUnseen": (letters_unseen, "bad"),
    "PiecesPlaced": (placed, "ruled"),
    "WordSpelled": (spelled, "good"),
    "WordStruck": (struck, "ruled"),
}
"""What each event says, and its mood."""
