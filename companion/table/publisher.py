"""Publishes sightings from all cameras to the loop: changes at each place, and places at rest."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from companion.model.calls import Noted, Seen
from companion.model.grid import Place
from companion.model.letter_map import LetterMap
from companion.model.phrases import joined, phrase
from companion.model.reading import Tile
from companion.model.sightings import Board, Sighting
from companion.rules.state import Phase
from companion.table.devices import GameClock, Health
from companion.table.loop import Loop
from companion.table.rest_history import MAX_HELD_NS, LooseTiles, NewTile, same_tile
from companion.table.seating_plan import SeatingPlan
from companion.table.views import SHARED_BOARD, Layout, View
from companion.vision.tracking import TrackedReading

MAX_DEPARTED_TILES = 64
"""Largest number of departed tiles remembered for each camera: more than hands lift in a few seconds."""

ACTIVE_PHASES = {Phase.PLAYING, Phase.JUDGING}


class SightingPublisher:
    """Submits sightings to the loop; for the threads of all cameras.

    ``layout`` has the tiles outside the seats.

    Parameters
    ----------
    plan
        Combines the readings of all cameras into a sighting of each place.
    views
        The view of each camera, by its name.
    clock
        The game's.
    loop
        Receives sightings, times of rest, and notes about the cameras.
    """

    def __init__(self, plan: SeatingPlan, views: Mapping[str, View], clock: GameClock, loop: Loop) -> None:
        self.plan, self._views, self._clock, self._loop = plan, views, clock, loop
        self.layout = Layout()
        self._camera_notes = CameraNotes(clock, loop)
        self._known: dict[str, TrackedReading] = {}
        self._well: dict[str, bool] = dict.fromkeys(views, True)
        self._last: dict[int, Sighting | Board] = {}
        self._began: dict[int, int] = {}
        self._left: dict[str, dict[tuple[int, str | None], list[int]]] = {name: {} for name in views}
        self._gone = {name: deque[Tile](maxlen=MAX_DEPARTED_TILES) for name in views}
        self._again = set[int]()
        self._letters, self._pyramids = LetterMap(), False
        self._loose = {place: LooseTiles() for place in plan.places}
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether a round is being dealt, played or judged, so that every frame matters."""
        state = self._loop.state
        dealing = state.started and state.phase is Phase.SETUP
        return dealing or state.phase in ACTIVE_PHASES

    @property
    def notes(self) -> tuple[str, ...]:
        """Problems of the cameras and their pictures, in sentences."""
        return self._camera_notes.notes

    def publish_again(self) -> None:
        """Publish each place's sighting once more as soon as it is seen, as at the start of a round."""
        self._again = set(self.plan.places)

    def update(self, name: str, reading: TrackedReading, *, crowded: bool = False) -> None:
        """Take in a camera's reading after one more frame; publish the changes, then the places at rest.

        ``crowded`` is whether it reads more tiles than the set has.
        """
        with self._lock:
            self._camera_notes.crowded(name, crowded=crowded)
            before = self._known.get(name)
            self._known[name] = reading
            laid: Mapping[int, Sequence[NewTile]] = {}
            if before is None or reading.reading is not before.reading:
                self._note_departures(name)
                laid = self._publish(self._clock.at(reading.since_ns), name)
            elif reading.covered != before.covered or self._is_awaited():
                self._publish(self._clock.at(reading.at_ns))
            self._publish_rest(name, laid)

    def update_health(self, name: str, health: Health) -> None:
        """Take in a camera's health; its last reading does not count while its pictures cannot be trusted."""
        with self._lock:
            # wait for a starting camera, without a note that its places are not seen
            self._well[name] = health.sees or str(health.state) == "waiting"
            if not health.sees and self._known.pop(name, None) is not None:
                self._publish(self._clock.now())
            seen = self.plan.covered([name for name, well in self._well.items() if well])
            self._camera_notes.health(name, health, seen, set(self.plan.places) - seen)

    def coverage(self, name: str, place: int) -> int:
        """Return a camera's coverage of a place: 2 for all that any camera shows, 1 for a part, else 0."""
        if name not in self._known or place not in self._views[name].places:
            return 0
        return 1 + (place in self.plan.covered([name]))

    def placed(self, name: str, place: int) -> Mapping[Place, Tile]:
        """Return the tiles of a place in a camera's reading, by their cells in the sighting."""
        with self._lock:
            seen = self._known.get(name)
            return self.plan.placed(place, name, seen) if seen is not None else {}

    def lacks_place(self, well: Collection[str]) -> bool:
        """Return whether any place is not seen by the given cameras alone."""
        covered = self.plan.covered([name for name in self._views if name in well])
        return bool(set(self.plan.places) - covered)

    def _is_awaited(self) -> bool:
        """Return whether a place is seen that is to be published once more."""
        return bool(self._again) and not self._again.isdisjoint(self.plan.covered(self._known))

    def _note_departures(self, name: str) -> None:
        """Remember the tiles that have left each place."""
        reading, left = self._known[name], self._left[name]
        self._gone[name].extend(reading.gone)
        for tile, gone_ns in zip(reading.gone, reading.gone_ns, strict=False):
            for place in self._places_of(name, tile):
                held = left.get((place, tile.symbol), [])
                left[place, tile.symbol] = [*(one for one in held if gone_ns - one < MAX_HELD_NS), gone_ns]

    def _arrivals(self, name: str) -> dict[int, list[NewTile]]:
        """Return the new tiles of each place."""
        reading, laid, left = self._known[name], dict[int, list[NewTile]](), self._left[name]
        for number, bare_ns in zip(reading.changed, reading.bare_ns, strict=False):
            tile = reading.reading.tiles[number]
            back = any(same_tile(one, tile) for one in self._gone[name])
            for place in self._places_of(name, tile):
                # a tile still seen elsewhere until a stamp was not laid here before it;
                # of several equal tiles that left, the first one's stamp is the bound
                held = left.get((place, tile.symbol), []) if tile.symbol else []
                at_ns = max(bare_ns, held.pop(0) if held else 0)
                new = NewTile(tile.symbol or "", self._clock.at(at_ns) if at_ns else 0, back)
                laid.setdefault(place, []).append(new)
        return laid

    def _places_of(self, name: str, tile: Tile) -> set[int]:
        """Return the places that a tile lies in or beside."""
        xs, ys = zip(*tile.corners, strict=True)
        return self._views[name].touched([(round(min(xs)), round(min(ys)), round(max(xs)), round(max(ys)))])

    def _publish(self, since_ns: int, name: str = "") -> Mapping[int, Sequence[NewTile]]:
        """Publish the changed sightings of all places that are seen, and when their new tiles were laid.

        Returns the new tiles of each place in the reading of the camera ``name``.
        """
        again = self._again
        covered, whole = self.plan.covered(self._known), self.plan.seen(self._known)
        laid = self._arrivals(name) if name else {}
        for place, what in whole.items():
            if place not in covered:
                continue
            if what != self._last.get(place):
                self._last[place], self._began[place] = what, max(since_ns, self._began.get(place, 0))
            elif place not in again:
                continue
            seat = place if place != SHARED_BOARD else None
            new = [one.bare_ns for one in laid.get(place, ()) if not one.back]
            laid_after_ns = min(new, default=None)
            self._loop.submit(self._with_letters(Seen(self._began[place], seat, what, laid_after_ns)))
        again -= covered  # in place: meanwhile the loop may have set another
        counts = ((place, self._occluded(place)) for place in whole)
        self.layout = replace(self.plan.view.layout, covered=tuple(one for one in counts if one[1]))
        return laid

    def _occluded(self, place: int) -> int:
        """Return how many tiles laid at a place are occluded for all cameras that know them."""
        hidden, shown = set[Place](), set[Place]()
        if any(seen.covered for seen in self._known.values()):
            for name, seen in self._known.items():
                covered = {seen.reading.tiles[k].centre for k in seen.covered}
                for cell, tile in self.plan.placed(place, name, seen).items():
                    (hidden if tile.centre in covered else shown).add(cell)
        return len(hidden - shown)

    def _with_letters(self, seen: Seen) -> Seen:
        """Return a sighting; that of a board with pyramids has the known letters under them."""
        if not isinstance(board := seen.what, Board):
            return seen
        self._letters = self._letters.updated(board, seen.at_ns)
        self._pyramids |= bool(board.pieces)
        return replace(seen, what=self._letters.applied_to(board)) if self._pyramids else seen

    def _publish_rest(self, name: str, laid: Mapping[int, Sequence[NewTile]]) -> None:
        """Publish, after a camera's frame, which places are at rest for all cameras needed to see them.

        A call that waits for it is decided at once.  ``laid`` are the frame's new tiles, as ``_arrivals``
        returns them.
        """
        moving = {one: self._moving(one) for one in self._known}
        now_ns, looked_ns = map(self._clock.at, (self._known[name].at_ns, self._known[name].whole_ns))
        newest = sorted(self._known, key=lambda one: -self._known[one].at_ns)
        queue = self._loop.call_queue
        for place in self.plan.places:
            loose = self.plan.loose(self._known, place)
            queue.update_loose(
                place, self._loose[place].update(loose, now_ns, looked_ns, laid.get(place, ()))
            )
            still = [one for one in newest if place not in moving[one] and place in self._views[one].places]
            rested = self._rest_frames(place, still) if place in self._last else None
            if rested is not None:
                at_ns, whole_ns = map(self._clock.at, rested)
                self._loop.wake(partial(queue.update_rest, place, at_ns, whole_ns))
            elif place in moving[name] or place not in self._last:
                self._loop.wake(partial(queue.update_rest, place, now_ns, None))

    def _rest_frames(self, place: int, still: Sequence[str]) -> tuple[int, int] | None:
        """Return the oldest frame of the fewest newest cameras that together see all of a place, or ``None``.

        The second value is the oldest of their frames that were read as a whole.
        """
        for many in range(1, len(still) + 1):
            if place in self.plan.covered(still[:many]):
                known = [self._known[name] for name in still[:many]]
                return known[-1].at_ns, min(one.whole_ns for one in known)
        return None

    def _moving(self, name: str) -> set[int]:
        """Return the places in which a camera sees movement or a resting hand."""
        unseen = self._known[name].unseen
        return self._views[name].touched(unseen) if unseen else set()


class CameraNotes:
    """Notes once that a camera has a problem and which seats people judge, and once that it is well."""

    def __init__(self, clock: GameClock, loop: Loop) -> None:
        self._clock, self._loop = clock, loop
        self._ill: dict[str, str] = {}
        self._crowded: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Problems of the cameras and their pictures, in sentences."""
        return (*self._ill.values(), *self._crowded.values())

    def health(self, name: str, health: Health, seen: Collection[int], unseen: Collection[int]) -> None:
        """Take in a camera's health, and the places that healthy cameras see, and do not see."""
        blind = set(self._loop.state.blind)
        text = phrase("the camera %(name)s %(says)s", name=name, says=health.says)
        if health.sees:
            again = blind & self._seats(seen)
            if self._ill.pop(name, None) or again:
                self._note(text, True if again else None, again)
        elif str(health.state) != "waiting":
            lost = self._seats(unseen)
            self._ill[name] = joined([text, self._judged(lost)], "; ")
            self._note(self._ill[name], False if lost - blind else None, lost)

    def crowded(self, name: str, *, crowded: bool) -> None:
        """Take in whether a camera reads more tiles than the set has."""
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
        """Submit a note about some seats; a note about all seats names none."""
        named = () if sees is None or seats == self._all else tuple(sorted(seats))
        self._loop.submit(Noted(self._clock.now(), text, sees, named))

    def _seats(self, places: Iterable[int]) -> set[int]:
        """Return the seats of some places; the shared board belongs to all seats."""
        return (
            set[int]().union(*({place} if place != SHARED_BOARD else self._all for place in places))
            & self._all
        )

    @property
    def _all(self) -> set[int]:
        """Numbers of all seats."""
        return set(self._loop.state.numbers)

    def _judged(self, lost: set[int]) -> str:
        """Return a sentence about the seats that people judge."""
        if not lost:
            return phrase("the other cameras see all seats")
        if lost == self._all:
            return phrase("people judge until it sees again")
        names = [self._loop.state.seat(number).name for number in sorted(lost)]
        return phrase("people judge %(name)s until it sees again", name=names_text(names))


def names_text(names: Sequence[str]) -> str:
    """Return names as a list in words."""
    if len(names) == 1:
        return names[0]
    return phrase("%(some)s and %(name)s", some=", ".join(names[:-1]), name=names[-1])
