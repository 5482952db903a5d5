"""What all cameras of some places tell, put together: what is new, where all rests, what nobody sees."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from companion.model.calls import Seen
from companion.model.grid import Place
from companion.model.reading import Tile
from companion.model.sightings import Board, Sighting
from companion.table.clock import GameClock
from companion.table.devices import Health
from companion.table.layout import Layout
from companion.table.outlook import Outlook
from companion.table.stays import Stay, Stays
from companion.table.views import SHARED, View
from companion.vision.tracking import TrackedReading

NEVER_NS = 10**18


class Told(Protocol):
    """Who hears what is seen."""

    def seen(self, seen: Seen) -> None:
        """Hear of a place that looks otherwise than before, from when it did."""
        ...

    def rest(self, place: int, at_ns: int, whole_ns: int | None) -> None:
        """Hear of a frame in which nothing moved at a place, by the game's time, or something (``None``).

        ``whole_ns`` is when the whole picture was looked at last, by the same time.
        """
        ...

    def held(self, place: int, loose: Sequence[Stay], whole_ns: int) -> None:
        """Hear at a place where something moves which loose tiles have been plainly in sight, and when.

        ``whole_ns`` is when the whole picture was looked at last.
        """
        ...

    def laid(self, layout: Layout) -> None:
        """Hear what is seen of the table as a whole."""
        ...

    def fares(self, name: str, health: Health, seen: Mapping[int, bool]) -> None:
        """Hear how a camera fares, where that is news, and which places are seen by any that is well."""
        ...

    def crowded(self, name: str, *, crowded: bool) -> None:
        """Hear whether a camera takes more for tiles than there are."""
        ...

    @property
    def busy(self) -> bool:
        """Whether somebody plays, so that every frame matters."""
        ...


class Overview:
    """What some cameras see of the same places; any of their threads may tell it.

    Parameters
    ----------
    outlook
        Puts together what they know.
    views
        What moves before each camera, by its name.
    clock
        The game's.
    told
        Who hears of it.
    """

    def __init__(self, outlook: Outlook, views: Mapping[str, View], clock: GameClock, told: Told) -> None:
        self.outlook, self._views, self._clock, self._told = outlook, views, clock, told
        self._known: dict[str, TrackedReading] = {}
        self._well: dict[str, bool] = dict.fromkeys(views, True)
        self._last: dict[int, Sighting | Board] = {}
        self._began: dict[int, int] = {}
        self._left: dict[str, dict[tuple[int, str | None], int]] = {name: {} for name in views}
        self._anew = False
        self._stays = {place: Stays() for place in outlook.places}
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether somebody plays, so that every frame matters."""
        return self._told.busy

    def tell_again(self) -> None:
        """Tell everything that is seen once more, as after a new round has begun."""
        self._anew = True

    def looked(self, name: str, reading: TrackedReading, *, crowded: bool = False) -> None:
        """Hear what a camera that sees knows after one more frame; tell what is new, then where all rests.

        ``crowded`` says that it takes more for tiles than there are.
        """
        with self._lock:
            self._told.crowded(name, crowded=crowded)
            before = self._known.get(name)
            self._known[name] = reading
            if before is None or reading.reading is not before.reading:
                self._tell(self._clock.at(reading.since_ns), self._laid(name))
            elif self._anew or reading.covered != before.covered:
                self._tell(self._clock.at(reading.at_ns))
            self._tell_rest(name)

    def fares(self, name: str, health: Health) -> None:
        """Hear how a camera fares: what it knew counts no more while it cannot be trusted."""
        with self._lock:
            # one that is only starting is waited for; it is not said that its places are not seen
            self._well[name] = health.sees or str(health.state) == "waiting"
            if not health.sees and self._known.pop(name, None) is not None:
                self._tell(self._clock.now())
            seen = self.outlook.covered([name for name, well in self._well.items() if well])
            self._told.fares(name, health, {place: place in seen for place in self.outlook.places})

    def worth(self, name: str, place: int) -> int:
        """Return how much a camera shows of a place: 2 all that is seen of it, 1 a part, 0 nothing."""
        if name not in self._known or place not in self._views[name].places:
            return 0
        return 1 + (place in self.outlook.covered([name]))

    def placed(self, name: str, place: int) -> Mapping[Place, Tile]:
        """Return the tiles of a place in what a camera has seen, by the cell at which the rules see each."""
        with self._lock:
            seen = self._known.get(name)
            return self.outlook.placed(place, name, seen) if seen is not None else {}

    def misses(self, well: Collection[str]) -> bool:
        """Return whether any place is not seen if only cameras of these names are well."""
        covered = self.outlook.covered([name for name in self._views if name in well])
        return bool(set(self.outlook.places) - covered)

    def _laid(self, name: str) -> dict[int, int]:
        """Return for each place when the place of the first of what is new there was last seen without it."""
        reading, laid, left = self._known[name], dict[int, int](), self._left[name]
        for tile, gone_ns in zip(reading.gone, reading.gone_ns, strict=False):
            left |= {(place, tile.symbol): gone_ns for place in self._where(name, tile)}
        for number, bare_ns in zip(reading.changed, reading.bare_ns, strict=False):
            tile = reading.reading.tiles[number]
            for place in self._where(name, tile):
                # one that was still seen elsewhere before this place had not been laid then either
                moved_ns = left.pop((place, tile.symbol), 0) if tile.symbol else 0
                at_ns = max(bare_ns, moved_ns)
                laid[place] = min(laid.get(place, NEVER_NS), self._clock.at(at_ns) if at_ns else 0)
        return laid

    def _where(self, name: str, tile: Tile) -> set[int]:
        """Return the places on or beside whose tiles a camera sees a tile."""
        xs, ys = zip(*tile.corners, strict=True)
        return self._views[name].touched([(round(min(xs)), round(min(ys)), round(max(xs)), round(max(ys)))])

    def _tell(self, since_ns: int, laid: Mapping[int, int] = MappingProxyType({})) -> None:
        """Tell what has changed since then at the places that are seen, and after when it was laid there."""
        anew, self._anew = self._anew, False
        covered = self.outlook.covered(self._known)
        for place, what in self.outlook.seen(self._known).items():
            if place not in covered:
                continue
            if what != self._last.get(place):
                self._last[place], self._began[place] = what, max(since_ns, self._began.get(place, 0))
            elif not anew:
                continue
            seat = place if place != SHARED else None
            self._told.seen(Seen(self._began[place], seat, what, laid.get(place)))
        self._told.laid(self.outlook.view.layout)

    def _tell_rest(self, name: str) -> None:
        """Tell after a camera's frame where all is at rest for as many cameras as are needed to know it."""
        moving = {one: self._moving(one) for one in self._known}
        now_ns = self._clock.at(self._known[name].at_ns)
        newest = sorted(self._known, key=lambda one: -self._known[one].at_ns)
        for place in self.outlook.places:
            loose = self._stays[place].seen(self.outlook.loose(self._known, place), now_ns)
            still = [one for one in newest if place not in moving[one] and place in self._views[one].places]
            rested = self._rested(place, still) if place in self._last else None
            if rested is not None:
                at_ns, whole_ns = map(self._clock.at, rested)
                self._told.rest(place, at_ns, whole_ns)
            elif place in moving[name] or place not in self._last:
                self._told.rest(place, now_ns, None)
                self._told.held(place, loose, self._clock.at(self._known[name].whole_ns))

    def _rested(self, place: int, still: Sequence[str]) -> tuple[int, int] | None:
        """Return the oldest frame of the fewest newest cameras that see all of a place, if any.

        With it comes the oldest of their frames that were looked at as a whole.
        """
        for many in range(1, len(still) + 1):
            if place in self.outlook.covered(still[:many]):
                known = [self._known[name] for name in still[:many]]
                return known[-1].at_ns, min(one.whole_ns for one in known)
        return None

    def _moving(self, name: str) -> set[int]:
        """Return the places in which something moves before a camera, or a hand rests."""
        unseen = self._known[name].unseen
        return self._views[name].touched(unseen) if unseen else set()
