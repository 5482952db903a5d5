"""What all eyes tell, put together: sightings go to the loop, and whether the table sees at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from companion.model.calls import Noted, Seen
from companion.model.letter_map import LetterMap
from companion.model.phrases import joined, phrase
from companion.model.sightings import Board
from companion.rules.state import Phase
from companion.table.clock import GameClock
from companion.table.devices import Health
from companion.table.layout import Layout
from companion.table.loop import Loop
from companion.table.stays import Stay
from companion.table.views import SHARED

PLAYED = {Phase.PLAYING, Phase.JUDGING}


class Sights:
    """Hears what the eyes see; any of their threads may tell it."""

    def __init__(self, loop: Loop, clock: GameClock) -> None:
        self._loop, self._clock = loop, clock
        self._ill: dict[str, str] = {}
        self._crowded: dict[str, str] = {}
        self._letters, self._pyramids = LetterMap(), False
        self.layout = Layout()

    @property
    def busy(self) -> bool:
        """Whether somebody plays, so that every frame matters."""
        state = self._loop.state
        dealing = state.started and state.phase is Phase.SETUP
        return dealing or state.phase in PLAYED

    @property
    def notes(self) -> tuple[str, ...]:
        """What ails the cameras and what they see, in sentences."""
        return (*self._ill.values(), *self._crowded.values())

    def seen(self, seen: Seen) -> None:
        """Hand on a sighting; of a board with pyramids, with what is known of the letters under them."""
        if isinstance(board := seen.what, Board):
            self._letters = self._letters.seen(board, seen.at_ns)
            self._pyramids |= bool(board.pieces)
            seen = replace(seen, what=self._letters.told(board)) if self._pyramids else seen
        self._loop.tell(seen)

    def laid(self, layout: Layout) -> None:
        """Take in what is seen of the table as a whole."""
        self.layout = layout

    def rest(self, place: int, at_ns: int, whole_ns: int | None) -> None:
        """Hand on whether a place is at rest; a call that waits for it is decided at once."""
        self._loop.wake(partial(self._loop.waiting.saw, place, at_ns, whole_ns))

    def held(self, place: int, loose: Sequence[Stay], whole_ns: int) -> None:
        """Hand on which loose tiles of a place have been plainly in sight while something moves there."""
        self._loop.waiting.held(place, loose, whole_ns)

    def fares(self, name: str, health: Health, seen: Mapping[int, bool]) -> None:
        """Say once that a camera cannot be relied on, and whom people judge; and once that it can again."""
        blind = set(self._loop.state.blind)
        told = phrase("the camera %(name)s %(says)s", name=name, says=health.says)
        if health.sees:
            again = blind & self._seats(place for place, sees in seen.items() if sees)
            if self._ill.pop(name, None) or again:
                self._note(told, True if again else None, again)
        elif str(health.state) != "waiting":
            lost = self._seats(place for place, sees in seen.items() if not sees)
            self._ill[name] = joined([told, self._judged(lost)], "; ")
            self._note(self._ill[name], False if lost - blind else None, lost)

    def crowded(self, name: str, *, crowded: bool) -> None:
        """Say once that a camera takes more for tiles than there are."""
        if not crowded:
            self._crowded.pop(name, None)
        elif name not in self._crowded:
            self._crowded[name] = phrase(
                "the camera %(name)s sees more tiles than there are: its picture is too busy; "
                "take newspapers and other print off the table",
                name=name,
            )
            self._note(self._crowded[name], None, set())

    def _note(self, text: str, sees: bool | None, seats: set[int]) -> None:
        """Say something, and of which seats; of all, none is named."""
        named = () if sees is None or seats == self._all else tuple(sorted(seats))
        self._loop.tell(Noted(self._clock.now(), text, sees, named))

    def _seats(self, places: Iterable[int]) -> set[int]:
        """Return the seats of some places: all have a part in the board that they share."""
        return set[int]().union(*({place} if place != SHARED else self._all for place in places)) & self._all

    @property
    def _all(self) -> set[int]:
        """Numbers of all seats."""
        return set(self._loop.state.numbers)

    def _judged(self, lost: set[int]) -> str:
        """Return who is judged by people, in words."""
        if not lost:
            return phrase("the other cameras see all seats")
        if lost == self._all:
            return phrase("people judge until it sees again")
        names = [self._loop.state.seat(number).name for number in sorted(lost)]
        return phrase("people judge %(name)s until it sees again", name=listed(names))


def listed(names: Sequence[str]) -> str:
    """Return some names in words."""
    if len(names) == 1:
        return names[0]
    return phrase("%(some)s and %(name)s", some=", ".join(names[:-1]), name=names[-1])
