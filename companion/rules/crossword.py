"""The verdict on a tableau: words across and down, connection, counts and doubts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from companion.model.grid import islands, runs
from companion.model.seats import Seat
from companion.model.sightings import Sighting
from companion.model.verdicts import Verdict
from companion.rules.interface import Words


def judged(seen: Sighting, words: Words, *, duplicates: bool) -> Verdict:
    """Return what the table makes of a sighting; a word with a doubted letter is neither good nor bad.

    Parameters
    ----------
    seen
        The tiles before the seat.
    words
        What judges the words.
    duplicates
        Whether a word may stand twice.
    """
    cells = seen.cells()
    laid = runs(cells)
    found = tuple(run.text for run in laid)
    sure = [run.text for run in laid if set(seen.doubts).isdisjoint(run.places)]
    answers = {word: words.says(word) for word in sure}
    twice = [] if duplicates else [word for word, count in Counter(found).items() if count > 1]
    return Verdict(
        words=found,
        invalid_words=unique([word for word in sure if answers[word] is False] + twice),
        undecided_words=unique(word for word in sure if answers[word] is None),
        islands=len(islands(cells)),
        loose=len(seen.loose),
        doubts=seen.doubts,
    )


def unfinished(seat: Seat, spare: int = 0) -> str | None:
    """Return why not all face-up tiles of a seat lie in one tableau, or ``None``.

    ``spare`` tiles need not: those just drawn.
    """
    seen, verdict = seat.sighting, seat.verdict
    if seen is None or verdict is None:
        return f"the camera has not seen {seat.name}'s tiles yet"
    if seen.loose and len(seen.loose) > spare:
        return f"{tiles(len(seen.loose))} not placed yet: {' '.join(seen.loose)}"
    if not 0 <= seat.unplaced <= spare:
        return miscounted(seat)
    if seen.face_down is not None and not 0 <= seen.face_down - seat.face_down <= spare:
        return f"{seat.name} has {seat.face_down} face-down tiles by count; {seen.face_down} are seen"
    return None if verdict.islands == 1 else f"the tableau is in {verdict.islands} parts"


def miscounted(seat: Seat) -> str:
    """Return how the tiles seen differ from those that the game counts."""
    up = seat.hand - seat.face_down
    return f"{seat.name} has {up} face-up tiles by count; {seat.placed} are seen in the tableau"


def tiles(count: int) -> str:
    """Return a number of tiles and its verb's form."""
    return "1 tile is" if count == 1 else f"{count} tiles are"


def unsure(verdict: Verdict) -> str | None:
    """Return what somebody must settle before the words can be judged, or ``None``."""
    if verdict.doubts:
        cells = ", ".join(f"row {row} column {col}" for row, col in verdict.doubts)
        return f"the table is not sure of the tile at {cells}; the referee must read it"
    if verdict.undecided_words:
        return f"no list covers {', '.join(verdict.undecided_words)}; the referee must rule"
    return None


def phonies(verdict: Verdict) -> str | None:
    """Return which words are not valid, or ``None``."""
    if not verdict.words:
        return "there is no word in the tableau"
    return f"not valid: {', '.join(verdict.invalid_words)}" if verdict.invalid_words else None


def flaw(seat: Seat, spare: int = 0) -> str | None:
    """Return what is wrong with a tableau of all face-up tiles (but the spare), which must be good words."""
    reason = unfinished(seat, spare)
    return reason or (unsure(seat.verdict) or phonies(seat.verdict) if seat.verdict else None)


def unique(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words without repetition, in their order."""
    return tuple(dict.fromkeys(words))
