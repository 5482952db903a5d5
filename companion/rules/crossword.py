"""What games share in which each player builds a tableau: verdicts, their reasons, drawing tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from companion.model.calls import MILLISECOND, Called
from companion.model.grid import islands, runs
from companion.model.phrases import phrase, phrase_n
from companion.model.seats import Seat
from companion.model.sightings import Sighting
from companion.model.tiles import BLANK
from companion.model.verdicts import Verdict
from companion.rules import event as ev
from companion.rules.fields import cells_text
from companion.rules.interface import Words
from companion.rules.state import State, amount_for_seat
from companion.rules.tile_readings import unread_reason


def judge_words(seen: Sighting, words: Words, *, duplicates: bool) -> Verdict:
    """Return the verdict on a sighting; a word with a doubted letter is neither valid nor invalid.

    A blank is in doubt until the referee reads it as the letter that it stands for.

    Parameters
    ----------
    seen
        The tiles before the seat.
    words
        The judge of words.
    duplicates
        Whether a word may occur twice.
    """
    cells = seen.cells()
    laid = runs(cells)
    found = tuple(run.text for run in laid)
    doubts = tuple(dict.fromkeys((*seen.doubts, *(place for place, one in cells.items() if one == BLANK))))
    sure = [run.text for run in laid if set(doubts).isdisjoint(run.places)]
    answers = {word: words.validity(word) for word in sure}
    twice = [] if duplicates else [word for word, count in Counter(found).items() if count > 1]
    return Verdict(
        words=found,
        invalid_words=unique([word for word in sure if answers[word] is False] + twice),
        undecided_words=unique(word for word in sure if answers[word] is None),
        islands=len(islands(cells)),
        loose=len(seen.loose),
        doubts=doubts,
        unread=seen.unread,
    )


def incomplete_reason(seat: Seat, spare: int = 0) -> str | None:
    """Return why not all face-up tiles of a seat lie in one tableau, or ``None``.

    ``spare`` tiles, those just drawn, need not lie there.  Face-down tiles do not count: some of the pool may
    lie in a seat's zone, and a seat's own tiles on top of each other.
    """
    seen, verdict = seat.sighting, seat.verdict
    if seen is None or verdict is None:
        return phrase("the camera has not seen %(name)s's tiles yet", name=seat.name)
    if seen.loose and len(seen.loose) > spare:
        return phrase_n(
            "%(count)s tile is not placed yet: %(tiles)s",
            "%(count)s tiles are not placed yet: %(tiles)s",
            len(seen.loose),
            tiles=" ".join(seen.loose),
        )
    if not 0 <= seat.unplaced <= spare:
        return miscount_reason(seat)
    return (
        None if verdict.islands == 1 else phrase("the tableau is in %(count)s parts", count=verdict.islands)
    )


def miscount_reason(seat: Seat) -> str:
    """Return how the number of tiles seen differs from the game's count."""
    up = seat.hand - seat.face_down
    return phrase_n(
        "%(name)s has %(count)s face-up tile by count; %(seen)s in the tableau",
        "%(name)s has %(count)s face-up tiles by count; %(seen)s in the tableau",
        up,
        name=seat.name,
        seen=phrase_n("%(count)s is seen", "%(count)s are seen", seat.placed),
    )


def undecided_reason(verdict: Verdict) -> str | None:
    """Return what the referee must decide before the words can be judged, or ``None``."""
    if doubts := [cell for cell in verdict.doubts if cell not in verdict.unread]:
        place = cells_text(doubts)
        return phrase("the table is not sure of the tile at %(place)s; the referee must read it", place=place)
    if verdict.unread:
        return unread_reason(cells_text(verdict.unread))
    if verdict.undecided_words:
        return phrase(
            "the list leaves %(words)s open; the referee must rule", words=", ".join(verdict.undecided_words)
        )
    return None


def invalid_reason(verdict: Verdict) -> str | None:
    """Return which words are not valid, or ``None``."""
    if not verdict.words:
        return phrase("there is no word in the tableau")
    return (
        phrase("not valid: %(words)s", words=", ".join(verdict.invalid_words))
        if verdict.invalid_words
        else None
    )


def tableau_fault(seat: Seat, spare: int = 0) -> str | None:
    """Return what is wrong with a tableau of all face-up tiles (except ``spare`` ones) and valid words."""
    reason = incomplete_reason(seat, spare)
    return reason or (
        undecided_reason(seat.verdict) or invalid_reason(seat.verdict) if seat.verdict else None
    )


def unclear_reason(seat: Seat) -> str | None:
    """Return why a tableau cannot be judged: tiles are missing, in doubt or undecided; or ``None``."""
    return incomplete_reason(seat) or (undecided_reason(seat.verdict) if seat.verdict else None)


def is_merged(state: State, called: Called, last_ns: int | None, window_ms: int) -> bool:
    """Return whether a call is one with the last: inside the window, its new tile not placed yet."""
    if last_ns is None or called.at_ns - last_ns > window_ms * MILLISECOND:
        return False
    return incomplete_reason(state.seat(called.seat)) is not None


def opening_hand(players: int) -> int:
    """Return the tiles that each player draws: 21, 15 or 11 (bananagrams.txt 3; SETTLED.md, League City)."""
    return 21 if players <= 4 else 15 if players <= 6 else 11


def exchanged(state: State, seat: int, *, return_first: bool) -> list[ev.TilesDrawn]:
    """Return one tile put back and up to three drawn; with ``return_first`` the tile may be drawn again."""
    back, taken = (
        amount_for_seat(state, seat, -1),
        amount_for_seat(state, seat, min(3, state.pool + return_first)),
    )
    moves = (back, taken) if return_first else (taken, back)
    return [ev.TilesDrawn(move) for move in moves]


def unique(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words without repetition, in the order of their first place."""
    return tuple(dict.fromkeys(words))
