"""Remarks: problems on the table or in the program, reported while people play."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from companion.model.calls import SECOND
from companion.model.phrases import phrase, phrase_n
from companion.model.seats import Seat
from companion.model.sightings import Sighting
from companion.rules.state import Phase, State
from companion.table.views import SHARED_BOARD, Layout

SHOW_DELAY_NS = 2 * SECOND
"""Time after which a problem is shown on pages, in ns: until then tiles may just be moved."""

ANNOUNCE_DELAY_NS = 5 * SECOND
"""Time after which a problem is announced to all, in ns; once a round."""

DRAW_COUNT_CHECK_PERIOD_NS = 60 * SECOND
"""Time from the start of play in which wrong numbers of drawn tiles are announced, in ns."""

HANDS_SHOW_DELAY_NS = 10 * SECOND
"""Time after which a problem that hands make all the time is shown, in ns: they lie over tiles and pool."""

FAULT_DISPLAY_NS = 600 * SECOND
"""Time for which the host sees a fault of the program, in ns: the page may be read only in a break."""

HOST = 0
"""The host's number, as seats are numbered from 1."""

Key = tuple[int, str]
"""The seat that a remark is for, and its kind."""


class Troubles:
    """Recent faults of the program, each a sentence of advice for the host; for several threads.

    ``now`` returns nanoseconds.
    """

    def __init__(self, now: Callable[[], int] = time.monotonic_ns) -> None:
        self._now = now
        self._noted: dict[str, int] = {}

    def note(self, text: str) -> None:
        """Add a fault; the same text is kept once."""
        self._noted[text] = self._now()

    @property
    def notes(self) -> tuple[str, ...]:
        """The recent faults, in sentences."""
        now_ns = self._now()
        return tuple(text for text, at_ns in list(self._noted.items()) if now_ns - at_ns < FAULT_DISPLAY_NS)


class Remarks:
    """The problems at the table now, by seat; ``announce`` notifies all players.

    One thread updates them; any thread may read them.
    """

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._since: dict[Key, tuple[str, int]] = {}
        self._announced: set[tuple[int, Key]] = set()
        self._began: tuple[int, int] | None = None
        self._noted: Mapping[int, tuple[str, ...]] = {}
        self._looked: tuple[State | None, Layout | None] = None, None
        self._found: Mapping[Key, str] = {}

    def of(self, seat: int) -> tuple[str, ...]:
        """Return the problems of a seat, or those for the host."""
        return self._noted.get(seat, ())

    def update(self, state: State, layout: Layout, now_ns: int) -> None:
        """Find the problems of a state and a layout, at a time in nanoseconds."""
        if state.phase is Phase.PLAYING and (self._began is None or self._began[0] != state.round):
            self._began = state.round, now_ns
        if self._looked[0] is not state or self._looked[1] != layout:
            self._looked, self._found = (state, layout), dict(problems(state, layout))
        self._since = {
            key: self._since[key] if self._since.get(key, ("", 0))[0] == text else (text, now_ns)
            for key, text in self._found.items()
        }
        noted: dict[int, list[str]] = {}
        for (seat, kind), (text, since_ns) in self._since.items():
            if now_ns - since_ns >= (HANDS_SHOW_DELAY_NS if kind in {"pool", "covered"} else SHOW_DELAY_NS):
                noted.setdefault(seat, []).append(text)
            if now_ns - since_ns >= ANNOUNCE_DELAY_NS and self._is_announced(kind, now_ns):
                self._announce_once(state.round, (seat, kind), text)
        self._noted = {seat: tuple(texts) for seat, texts in noted.items()}

    def _is_announced(self, kind: str, now_ns: int) -> bool:
        """Return whether remarks of a kind are announced now."""
        if kind == "draw":
            return self._began is not None and now_ns - self._began[1] <= DRAW_COUNT_CHECK_PERIOD_NS
        return kind in ANNOUNCED_KINDS

    def _announce_once(self, number: int, key: Key, text: str) -> None:
        """Announce a remark, once a round."""
        if (number, key) not in self._announced:
            self._announced.add((number, key))
            self._announce(text)


ANNOUNCED_KINDS = {"touch", "stray", "left", "beyond"}
"""Kinds of remarks that are announced."""


def problems(state: State, layout: Layout) -> Iterator[tuple[Key, str]]:
    """Yield the problems on the table, each with its seat and kind."""
    if not state.started or state.options["policy"] == "off":
        return
    if state.phase not in {Phase.SETUP, Phase.PLAYING}:
        return
    touching = {seat for pair in layout.touching for seat in pair}
    for number in state.watched:
        seat = state.seat(number)
        if seat.sighting is not None and not seat.out and number not in touching:
            yield from (
                ((number, kind), text) for kind, text in seat_problems(seat, seat.sighting, state.phase)
            )
    if state.phase is Phase.PLAYING:
        yield from table_problems(state, layout)


def seat_problems(seat: Seat, seen: Sighting, phase: Phase) -> Iterator[tuple[str, str]]:
    """Yield the problems of one seat, each with its kind."""
    down = seen.face_down or 0
    up, due = seen.placed + len(seen.loose), seat.hand - seat.face_down
    turned_down = min(max(down - seat.face_down, 0), max(due - up, 0))
    if phase is Phase.SETUP:
        if seen.face_down is not None and up + down < seat.hand:
            yield "draw", drawn_text(seat, up + down, seat.hand)
        return
    if seat.hand and not up and not down:
        yield (
            "left",
            phrase(
                "no tile is seen in %(name)s's part; if %(name)s plays elsewhere, set the table up again",
                name=seat.name,
            ),
        )
    elif up > due or up + turned_down < due:
        yield "draw", drawn_text(seat, up + turned_down, due)
    elif up < due:
        yield "turn", turn_text(seat, due - up)
    if down > seat.face_down and up >= due:
        yield (
            "beyond",
            phrase(
                "%(tiles)s face down in %(name)s's part and counted to the pool",
                tiles=tiles_lie(down - seat.face_down),
                name=seat.name,
            ),
        )
    if down < seat.face_down and up == due and seen.face_down is not None:
        yield "hidden", hidden_text(seat, down)


def table_problems(state: State, layout: Layout) -> Iterator[tuple[Key, str]]:
    """Yield the problems between seats and in the pool."""
    for place, count in layout.covered:
        if place == SHARED_BOARD:
            yield (HOST, "covered"), board_covered_text(count)
        elif place in state.watched:
            yield (place, "covered"), covered_text(state.seat(place), count)
    for pair in layout.touching:
        for number, other in (pair, pair[::-1]):
            text = phrase(
                "the tiles of %(name)s touch those of %(other)s: move them apart",
                name=state.seat(number).name,
                other=state.seat(other).name,
            )
            yield (number, "touch"), text
    if layout.stray:
        yield (
            (HOST, "stray"),
            phrase(
                "%(tiles)s in nobody's part: move them before a player or to the pool",
                tiles=tiles_lie(layout.stray),
            ),
        )
    if layout.pool is not None and layout.pool != state.pool:
        yield (
            (HOST, "pool"),
            phrase(
                "%(tiles)s in the pool by count; the camera sees %(seen)s there",
                tiles=tiles_lie(state.pool),
                seen=layout.pool,
            ),
        )


def drawn_text(seat: Seat, seen: int, due: int) -> str:
    """Return the message with the numbers of a player's tiles that are seen, and that should be."""
    if seat.face_down and due < seat.hand:
        return phrase("%(name)s has %(seen)s of %(due)s tiles face up", name=seat.name, seen=seen, due=due)
    return phrase("%(name)s has %(seen)s of %(due)s tiles", name=seat.name, seen=seen, due=due)


def turn_text(seat: Seat, count: int) -> str:
    """Return the message with the number of tiles that a player still has to turn up."""
    return phrase_n(
        "%(name)s has %(count)s tile to turn up",
        "%(name)s has %(count)s tiles to turn up",
        count,
        name=seat.name,
    )


def hidden_text(seat: Seat, seen: int) -> str:
    """Return the message with the number of a player's face-down tiles that are seen."""
    return phrase_n(
        "%(name)s has %(count)s face-down tile by count; %(seen)s",
        "%(name)s has %(count)s face-down tiles by count; %(seen)s",
        seat.face_down,
        name=seat.name,
        seen=phrase_n("%(count)s is seen", "%(count)s are seen", seen),
    )


def covered_text(seat: Seat, count: int) -> str:
    """Return the message with the number of a player's tiles under something."""
    return phrase_n(
        "%(count)s tile of %(name)s is covered and counts as last seen",
        "%(count)s tiles of %(name)s are covered and count as last seen",
        count,
        name=seat.name,
    )


def board_covered_text(count: int) -> str:
    """Return the message with the number of tiles on the board under something."""
    return phrase_n(
        "%(count)s tile on the board is covered and counts as last seen",
        "%(count)s tiles on the board are covered and count as last seen",
        count,
    )


def tiles_lie(count: int) -> str:
    """Return a number of tiles with its verb."""
    return phrase("1 tile lies") if count == 1 else phrase("%(count)s tiles lie", count=count)
