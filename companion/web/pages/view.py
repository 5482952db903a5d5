"""View models of a game for the templates: seats, clocks, tableaux, boards; and QR codes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import Any

import segno
from markupsafe import Markup

from companion.events.projections import standings
from companion.model.calls import SECOND
from companion.model.grid import Run, runs
from companion.model.seats import Seat
from companion.model.sightings import Cell
from companion.model.status import Status
from companion.rules.clock import Clock
from companion.rules.figures import Figure
from companion.rules.interface import RuleSystem
from companion.rules.state import Phase, State
from companion.web.i18n.language import N_, _, clock_text, ngettext

PHASES = {
    Phase.SETUP: N_("Getting ready"),
    Phase.PLAYING: N_("Playing"),
    Phase.PAUSED: N_("Paused"),
    Phase.JUDGING: N_("Judging"),
    Phase.OVER: N_("Over"),
}

POLICIES = {
    "strict": N_("The camera must agree with a call"),
    "advise": N_("The camera advises, calls stand"),
    "off": N_("People judge, the camera only watches"),
}


LIGHTS = (
    N_("idle"),
    N_("accepted"),
    N_("refused"),
    N_("draw"),
    N_("turn"),
    N_("doubt"),
    N_("warning"),
    N_("winner"),
    N_("heard"),
    N_("test"),
    N_("off"),
)
"""Names of the patterns of a light."""

MAX_PICKABLE_SQUARES = 25
"""Most squares of a board whose empty squares can be picked too; Martian Boggle's board has 25."""

MARKS_BY_SEVERITY = ("good", "ask", "bad")
"""Marks of a cell, each worse than the one before."""


@dataclass(frozen=True, slots=True)
class ClockView:
    """A clock on the page.

    ``ms`` is its reading at the game's time ``at_ms``, ``now_ms`` the game's
    time now; ``step`` is +1 or -1 while it runs, and 0 while it is stopped.
    """

    ms: int
    step: int
    at_ms: int
    now_ms: int

    @property
    def text(self) -> str:
        """Minutes and seconds; a negative time is overtime."""
        return clock_text(self.ms + self.step * (self.now_ms - self.at_ms))


@dataclass(frozen=True, slots=True)
class Tile:
    """One cell of a drawn grid; ``mark`` is ``doubt``, ``good``, ``bad``, ``ask``, ``picked`` or nothing."""

    row: int
    col: int
    symbol: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class GridView:
    """A grid to draw: tiles from row 0 and column 0 on, and which of its cells hold a seat's pieces.

    ``origin`` is the cell of the sighting that is drawn at row 0 and column 0; ``bare`` says whether
    squares without a tile can be picked too.
    """

    rows: int
    cols: int
    tiles: tuple[Tile, ...]
    pieces: tuple[tuple[int, int, int], ...] = ()
    origin: Cell = (0, 0)
    bare: bool = False

    def squares(self) -> tuple[Tile, ...]:
        """Return all that can be picked, in reading order."""
        if not self.bare:
            return self.tiles
        lying = {(tile.row, tile.col): tile for tile in self.tiles}
        every = ((row, col) for row in range(self.rows) for col in range(self.cols))
        return tuple(lying.get(cell, Tile(*cell, "")) for cell in every)

    def marked(self, cell: Cell) -> GridView:
        """Return the grid with one cell picked."""
        at = (cell[0] - self.origin[0], cell[1] - self.origin[1])
        tiles = tuple(
            replace(tile, mark="picked") if (tile.row, tile.col) == at else tile for tile in self.tiles
        )
        return replace(self, tiles=tiles)

    def printed(self, signs: Mapping[str, str]) -> GridView:
        """Return the grid with each symbol as it is printed on its tile."""
        tiles = tuple(replace(tile, symbol=signs.get(tile.symbol, tile.symbol)) for tile in self.tiles)
        return replace(self, tiles=tiles)


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat on the page."""

    number: int
    seat: Seat
    place: int | None
    turn: bool
    winner: bool
    clock: ClockView | None
    needs: str
    waiting: bool
    figures: Sequence[Figure]
    notes: Sequence[str]
    remarks: Sequence[str]


def clock_of(clock: Clock, now_ns: int, limit_s: int = 0) -> ClockView:
    """Return a clock that counts up, or down from a limit."""
    shown_ns = limit_s * SECOND - clock.used_ns if limit_s else clock.used_ns
    step = 0 if clock.since_ns is None else -1 if limit_s else 1
    since_ns = clock.since_ns or 0
    return ClockView(shown_ns // 1_000_000, step, since_ns // 1_000_000, now_ns // 1_000_000)


def round_clock(state: State, now_ns: int) -> ClockView:
    """Return the round's clock, counting up or down by the game's options."""
    down = state.options["clock"] == "down" and state.options["cap_s"]
    return clock_of(state.clock, now_ns, state.options["cap_s"] if down else 0)


def may_show_word_marks(state: State) -> bool:
    """Return whether pages may show which words are valid.

    They may where the policy is ``advise``, and else only once the round is being judged.
    """
    return state.options["policy"] == "advise" or state.stage in {Phase.JUDGING, Phase.OVER}


def needs(seat: Seat, playing: bool) -> str:
    """Return a short text on what a seat lacks besides tiles to place; it says nothing of its words."""
    if seat.out:
        return ""
    if seat.done_ns is not None:
        return _("done")
    if seat.sighting is None or not playing:
        return ""
    if seat.verdict is not None and seat.verdict.doubts:
        return _("the camera doubts %(count)s", count=len(seat.verdict.doubts))
    if seat.unplaced > 0:
        return ""
    if seat.unplaced < 0:
        return _("%(count)s more seen than counted", count=-seat.unplaced)
    if seat.verdict is not None and seat.verdict.islands > 1:
        return _("%(count)s separate parts", count=seat.verdict.islands)
    return _("all placed")


def notes(seat: Seat) -> list[str]:
    """Return notes on a player for the results: former player, out or not, penalties, warnings."""
    found = [_("for %(name)s", name=seat.former[0])] if seat.former else []
    if seat.out:
        found.append(_("withdrawn") if seat.withdrawn else _("disqualified"))
    if seat.penalty:
        off = ngettext("%(points)s point taken off", "%(points)s points taken off", ceil(seat.penalty))
        found.append(off % {"points": f"{seat.penalty:g}"})
    if seat.warnings:
        found.append(_("warnings: %(count)s", count=seat.warnings))
    return found


def place(state: State, seat: Seat, rank: int) -> int | None:
    """Return a seat's place in the round; in the game if that is over or the round has no place."""
    counts = any(other.total for other in state.seats)
    return rank if counts and (state.phase is Phase.OVER or seat.place is None) else seat.place


def seats(rules: RuleSystem[Any], state: State, now_ns: int, table: Status | None = None) -> list[SeatView]:
    """Return all seats in the order in which they sit, each with its rank where there is one."""
    waiting = table.waiting if table else ()
    remarks = {one.seat: one.notes for one in table.seats} if table else {}
    ranks = {one.seat: one.rank for one in standings(rules, state)}
    limit_s = state.options.get("player_s", 0)
    return [
        SeatView(
            number,
            seat,
            place(state, seat, ranks[number]),
            state.turn == number and state.stage is Phase.PLAYING,
            state.winner == number,
            clock_of(state.clocks[number - 1], now_ns, limit_s) if limit_s and state.clocks else None,
            needs(seat, state.stage is Phase.PLAYING),
            number in waiting,
            rules.figures(state, number) if state.started else (),
            notes(seat),
            remarks.get(number, ()),
        )
        for number, seat in enumerate(state.seats, 1)
    ]


def tableau(seat: Seat, marks: Mapping[Cell, str] | None = None) -> GridView | None:
    """Return a seat's tableau to draw, doubted cells marked; ``None`` where nothing lies there."""
    if seat.sighting is None or not seat.sighting.placed:
        return None
    marked = {**(marks or {}), **dict.fromkeys(seat.sighting.doubts, "doubt")}
    return cropped_grid(seat.sighting.cells(), marked)


def word_marks(seat: Seat) -> dict[Cell, str]:
    """Return a mark for every cell that lies in a word: the worst mark of its words."""
    marks: dict[Cell, str] = {}
    for run, mark in judged_words(seat):
        for place in run.places:
            marks[place] = max(marks.get(place, "good"), mark, key=MARKS_BY_SEVERITY.index)
    return marks


def words(seat: Seat) -> list[tuple[str, str]]:
    """Return every word of a tableau with its mark."""
    return [(run.text, mark) for run, mark in judged_words(seat)]


def judged_words(seat: Seat) -> Iterator[tuple[Run, str]]:
    """Yield every word of a tableau, ``good``, ``bad``, or ``ask`` where a letter or the word is in doubt."""
    if seat.sighting is None or seat.verdict is None:
        return
    doubts = set(seat.sighting.doubts)
    for run in runs(seat.sighting.cells()):
        if run.text in seat.verdict.invalid_words:
            yield run, "bad"
        elif run.text in seat.verdict.undecided_words or not doubts.isdisjoint(run.places):
            yield run, "ask"
        else:
            yield run, "good"


def cropped_grid(cells: Mapping[Cell, str], marks: Mapping[Cell, str]) -> GridView:
    """Return symbols by cell as a grid cut to its outline."""
    top, left = min(row for row, _c in cells), min(col for _r, col in cells)
    tiles = tuple(
        Tile(row - top, col - left, symbol, marks.get((row, col), ""))
        for (row, col), symbol in sorted(cells.items())
    )
    rows, cols = 1 + max(tile.row for tile in tiles), 1 + max(tile.col for tile in tiles)
    return GridView(rows, cols, tiles, origin=(top, left))


def board(rules: RuleSystem[Any], state: State) -> GridView | None:
    """Return the shared board to draw, whole; ``None`` in games without one."""
    found = rules.board(state) if state.started else state.board
    if found is None or not (found.cells or found.pieces):
        return None
    doubts = set(found.doubts)
    tiles = tuple(Tile(r, c, s, "doubt" if (r, c) in doubts else "") for r, c, s in found.cells)
    pieces = tuple((r, c, seat) for seat, cells in found.pieces for r, c in cells)
    side = 1 + max([r for r, *_ in found.cells] + [c for _, c, _ in found.cells] + [4])
    side = 15 if side > 5 else side
    return GridView(side, side, tiles, pieces, bare=side * side <= MAX_PICKABLE_SQUARES)


def series_text(state: State) -> str:
    """Return the length of the game in words: rounds or points; empty where none is agreed."""
    series, rounds = str(state.options.get("series", "")), int(state.options.get("rounds", 0) or 0)
    if series.startswith("best_of_"):
        return _("best of %(count)s", count=series.removeprefix("best_of_"))
    if series.startswith("first_to_"):
        return _("first to %(count)s wins", count=series.removeprefix("first_to_"))
    if target := state.options.get("target"):
        return _("to more than %(count)s points", count=target)
    return _("of %(count)s", count=rounds) if rounds else ""


@lru_cache(maxsize=64)
def qr(text: str) -> Markup:
    """Return a text as a QR code, as SVG for a page."""
    drawn = segno.make(text, error="m").svg_inline(omitsize=True, border=4, svgclass=None, lineclass=None)
    return Markup(drawn)  # noqa: S704


@lru_cache(maxsize=64)
def qr_picture(text: str) -> bytes:
    """Return a text as a QR code in an SVG file."""
    drawn = io.BytesIO()
    segno.make(text, error="m").save(drawn, kind="svg", border=4, scale=8)
    return drawn.getvalue()
