"""The live pages of the hall: their view models and regions, rendered once for all viewers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from companion.hall.conductor import has_started, natural_key, not_started
from companion.hall.formats.registry import FORMATS
from companion.hall.formats.values import Line
from companion.hall.hall import Hall
from companion.hall.pages import cards, health
from companion.hall.records import TableRecord
from companion.hall.tournament import (
    Results,
    Round,
    Table,
    Tournament,
    current_handicaps,
    outcome,
    standings,
)
from companion.web.i18n.language import LANGUAGE, N_, _, translate
from companion.web.live.channels import Regions
from companion.web.services import LivePage, Services

T = TypeVar("T")

FIGURE_NAMES: Mapping[str, str] = {
    "points": N_("Points"),
    "firsts": N_("Rounds won"),
    "head_to_head": N_("Head to head"),
    "wins": N_("Wins"),
    "spread": N_("Spread"),
    "buchholz": N_("Buchholz"),
    "rounds": N_("Rounds survived"),
}


def form_names() -> dict[str, str]:
    """Return the title of every format by its name, in the current language."""
    return {name: translate(one.form.title) for name, one in FORMATS.items()}


@dataclass(frozen=True, slots=True)
class TableView:
    """A group of a round: its table, its players with place and points, and how far it is."""

    number: int
    table: str
    name: str
    players: tuple[tuple[str, str, int | None, float | None], ...]
    state: str
    mark: str
    ruled: bool


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round as pages show it."""

    number: int
    seed: str
    closed: bool
    tables: tuple[TableView, ...]
    byes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of the standings."""

    rank: int
    player: str
    name: str
    club: str
    figures: tuple[str, ...]
    handicap: int | None
    withdrawn: bool


def round_view(hall: Hall, state: Tournament, one: Round, results: Results) -> RoundView:
    """Return a round as pages show it."""
    tables = tuple(table_view(hall, state, table, results) for table in one.tables)
    return RoundView(one.number, one.seed, one.closed, tables, tuple(map(state.name_of, one.byes)))


def table_view(hall: Hall, state: Tournament, table: Table, results: Results) -> TableView:
    """Return a group of a round as pages show it."""
    record = hall.intake.tables.get(table.table)
    found = outcome(table, results)
    players = tuple(
        (
            player,
            state.name_of(player),
            found.places[seat] if found else None,
            found.scores[seat] if found else None,
        )
        for seat, player in enumerate(table.players)
    )
    if found is not None:
        how, mark = _("Result is in"), "good"
    elif has_started(table, record):
        how, mark = _("Playing"), ""
    elif table.game:
        how, mark = _("Set up, not started"), "ask"
    else:
        how, mark = _("Not set up"), "bad"
    name = record.name if record else table.table
    return TableView(table.number, table.table, name, players, how, mark, table.ruled is not None)


def standings_view(
    state: Tournament, results: Results, lines: Sequence[Line]
) -> tuple[list[str], list[LineView]]:
    """Return the heads of the figures' columns and the standings, the best first."""
    names = list(lines[0].figures) if lines else []
    handicaps = current_handicaps(state, results)
    return [_(FIGURE_NAMES.get(name, name)) for name in names], [
        line_view(state, line, handicaps.get(line.player)) for line in lines
    ]


def line_view(state: Tournament, line: Line, handicap: int | None) -> LineView:
    """Return a line of the standings as pages show it."""
    person = state.people[line.player]
    figures = tuple(f"{value:g}" for value in line.figures.values())
    return LineView(line.rank, line.player, person.name, person.club, figures, handicap, person.withdrawn)


@dataclass(slots=True)
class Views:
    """Renders the live pages; rendered parts are cached, in each language, until they change.

    ``version`` rises when the tournament's pages may show something else, ``closed`` when standings may.
    """

    hall: Hall
    cache: dict[tuple[str, str], tuple[Any, Any]] = field(default_factory=dict)
    seen_marks: tuple[Any, Any] = (None, None)
    seen_revision: int = -1
    version: int = 0
    closed: int = 0

    def refresh(self) -> int:
        """Compare the tournament with the last call's and raise the versions; return ``version``."""
        if (now := self.hall.revision) != self.seen_revision:
            results = self.hall.conductor.results()
            marks = self.open_mark(results), self.closed_mark(results)
            self.version += marks != self.seen_marks
            self.closed += marks[1] != self.seen_marks[1]
            self.seen_revision, self.seen_marks = now, marks
        return self.version

    def closed_revision(self) -> int:
        """Return the version of standings and players."""
        self.refresh()
        return self.closed

    def open_mark(self, results: Results) -> Any:
        """Return all that the tournament's pages depend on, except the closed rounds."""
        desk, tables = self.hall.service, self.hall.intake.tables
        now = desk.state.current if desk.state else None
        groups = [(one, tables.get(one.table)) for one in now.tables] if now else []
        return (
            desk.name,
            desk.revision,
            results,
            [(record and record.name, has_started(one, record)) for one, record in groups],
        )

    def closed_mark(self, results: Results) -> Any:
        """Return all that the standings depend on."""
        state = self.hall.service.state
        if state is None:
            return None
        rounds = [one for one in state.rounds if one.closed]
        keys = {(table.table, table.game) for one in rounds for table in one.tables}
        closed_results = {key: results[key] for key in keys & results.keys()}
        return self.hall.service.name, state.people, rounds, state.handicaps, state.ended, closed_results

    def cached(self, name: str, mark: Any, draw: Callable[[], T]) -> T:
        """Return the cached value of a name; call ``draw`` again where ``mark`` has changed."""
        key = (name, LANGUAGE.get())
        found = self.cache.get(key)
        if found is None or (found[0] is not mark and found[0] != mark):
            found = self.cache[key] = mark, draw()
        drawn: T = found[1]
        return drawn

    def shared(self) -> dict[str, Any]:
        """Return the template variables of every page of the hall."""
        desk = self.hall.service
        link = self.hall.link
        return {
            "tournament": desk.state,
            "form_names": form_names(),
            "connected": link is not None and link.up.is_set(),
            "broker_fault": "" if link is None else link.fault,
            "hall_fault": self.hall.intake.fault,
        }

    def tables(self, services: Services, part: str, *more: str) -> list[tuple[cards.Card, str]]:
        """Return all tables in the order of their names, as values and as HTML of a part of a page."""
        found = list(self.hall.intake.tables.values())
        tables = self.cached("order", len(found), lambda: sorted(found, key=lambda one: natural_key(one.id)))
        return [
            self.cached(f"{part}-{one.id}", one.revision, partial(self.table, services, part, one, *more))
            for one in tables
        ]

    def wall(self, services: Services, _seat: int) -> Regions:
        """Return the wall's regions: the head, what waits, the grid, and each table."""
        shown = self.tables(services, "table_card")
        drawn = {f"table-{card.id}": html for card, html in shown}
        ids = tuple(card.id for card, _html in shown)
        waits = cards.waiting(card for card, _html in shown)
        values = {**self.shared(), "count": len(ids)}
        waiting = partial(self.part, services, "waiting", waiting=waits, count=len(ids))
        return {
            "head": self.cached("head", values, partial(self.part, services, "hall_head", **values)),
            "waiting": self.cached("waiting", (waits, len(ids)), waiting),
            "grid": self.cached("grid", ids, partial(self.part, services, "grid", ids=ids, drawn=drawn)),
            **drawn,
        }

    def table(self, services: Services, part: str, record: TableRecord, *more: str) -> tuple[cards.Card, str]:
        """Return a table as the wall shows it, as a value and as HTML by the macro of a part's name."""
        card = cards.card(record)
        module = services.env.get_template(f"parts/{part}.html").module  # takes half the time of render()
        return card, str(getattr(module, part)(card, *more))

    def referee(self, services: Services, _seat: int) -> Regions:
        """Return the regions of the referee's page: the tables that wait, and each table in its place."""
        shown = self.tables(services, "referee_row", "all")
        drawn = {f"row-{card.id}": html for card, html in shown}
        ids = tuple(card.id for card, _html in shown)
        waits = cards.waiting(card for card, _html in shown)
        waiting = partial(self.part, services, "referee_waiting", waiting=waits, count=len(ids))
        rows = partial(self.part, services, "referee_rows", ids=ids, drawn=drawn)
        return {
            "waiting": self.cached("referee-waiting", (waits, len(ids)), waiting),
            "rows": self.cached("referee-rows", ids, rows),
            **drawn,
        }

    def whole_referee(self, services: Services) -> Regions:
        """Return the regions of the referee's page as it is opened: each table as it is now."""
        found = self.referee(services, 0)
        ids = [name.removeprefix("row-") for name in found if name.startswith("row-")]
        return {**found, "rows": self.part(services, "referee_rows", ids=ids, drawn=found)}

    def whole_wall(self, services: Services) -> Regions:
        """Return the wall's regions for a page: its grid shows each table as it is now."""
        found = self.wall(services, 0)
        ids = [name.removeprefix("table-") for name in found if name.startswith("table-")]
        return {**found, "grid": self.part(services, "grid", ids=ids, drawn=found)}

    def part(self, services: Services, template: str, **values: Any) -> str:
        """Return a part of a page as HTML."""
        return services.env.get_template(f"parts/{template}.html").render(values)

    def tournament(self) -> dict[str, Any]:
        """Return rounds, the newest first, and standings as pages show them."""
        return {**self.shared(), **self.cached("tournament", self.refresh(), self.render_tournament)}

    def lines(self) -> list[Line]:
        """Return the standings, computed once a closed round."""
        state, results = self.hall.service.state, self.hall.conductor.results()
        if state is None:
            return []
        return self.cached("lines", self.closed_revision(), partial(standings, state, results))

    def render_tournament(self) -> dict[str, Any]:
        """Return the views of rounds and standings; closed rounds come from the cache."""
        state = self.hall.service.state
        if state is None:
            return {"rounds": [], "heads": [], "lines": []}
        results = self.hall.conductor.results()
        shown = partial(standings_view, state, results, self.lines())
        heads, lines = self.cached("standings", self.closed, shown)
        rounds = [
            self.cached(
                f"round-{one.number}",
                (one.closed, self.closed if one.closed else self.version),
                partial(round_view, self.hall, state, one, results),
            )
            for one in reversed(state.rounds)
        ]
        return {"rounds": rounds, "heads": heads, "lines": lines}

    def standings(self, services: Services, _seat: int) -> Regions:
        """Return the region of the standings."""
        mark = self.closed_revision()
        draw = partial(self.part, services, "standings")
        return {"body": self.cached("body-standings", mark, lambda: draw(**self.tournament()))}

    def rounds(self, services: Services, _seat: int) -> Regions:
        """Return the regions of all rounds: the page's body, and one for each group at play."""
        return self.cached("live-rounds", self.refresh(), partial(self.groups, services, "rounds", "group"))

    def screen(self, services: Services, _seat: int) -> Regions:
        """Return the regions of the big screen: the page's body, and one for each group at play."""
        return self.cached("live-screen", self.refresh(), partial(self.groups, services, "screen", "board"))

    def groups(self, services: Services, page: str, group: str, *, whole: bool = False) -> Regions:
        """Return the regions of a page: its body, and each group of the round under way.

        The body is rendered when a round is drawn or closed, with the groups of that time; for a ``whole``
        page, with the groups as they are now.
        """
        values = {**self.tournament(), "names": self.cached("names", self.version, self.by_name)}
        at_play = [one for one in values["rounds"][:1] if not one.closed]
        drawn = {
            f"{group}-{now.number}-{one.number}": self.cached(
                f"{group}-{one.number}", one, partial(self.part, services, group, table=one)
            )
            for now in at_play
            for one in now.tables
        }
        draw = partial(self.part, services, page, drawn=drawn, **values)
        mark = self.closed, [one.seed for one in at_play], list(drawn), values["names"]
        return {"body": draw() if whole else self.cached(f"body-{page}", mark, draw), **drawn}

    def running(self, services: Services, _seat: int) -> Regions:
        """Return the region of the director's desk."""
        values = self.desk()
        mark = (
            self.version,
            values["last"],
            values["stuck"],
            values["troubles"],
            [(id(one), one.late) for one in values["refused"]],
        )
        return {"body": self.cached("body-running", mark, partial(self.part, services, "running", **values))}

    def announcer(self, services: Services, _seat: int) -> Regions:
        """Return the region of the announcer's page: missing players, and every player's table."""
        state, tables = self.hall.service.state, self.hall.intake.tables
        now = state.current if state else None
        values = {
            **self.shared(),
            "now": now,
            "missing": not_started(now, tables) if now else [],
            "tables": tables,
            "names": self.by_name(),
        }
        draw = partial(self.part, services, "announcer", **values)
        return {"body": self.cached("body-announcer", self.refresh(), draw)}

    def desk(self) -> dict[str, Any]:
        """Return the template variables of the director's page."""
        entries, conductor = self.hall.service.entries, self.hall.conductor
        return {
            **self.tournament(),
            "last": entries[-1].number if entries else 0,
            "refused": conductor.failed_orders()[:8],
            "stuck": health.blocked_reason(self.hall),
            "troubles": health.problems(self.hall),
        }

    def by_name(self) -> list[tuple[str, str]]:
        """Return every player of the newest round with the table, in the order of names."""
        state = self.hall.service.state
        if state is None or state.current is None:
            return []
        tables = self.hall.intake.tables
        found = [
            (state.name_of(player), tables[one.table].name if one.table in tables else one.table)
            for one in state.current.tables
            for player in one.players
        ]
        found += [(state.name_of(player), _("bye")) for player in state.current.byes]
        return sorted(found, key=lambda one: one[0].casefold())

    def live_pages(self) -> dict[str, LivePage]:
        """Return every live page by its name."""
        public = {
            "wall": self.wall,
            "standings": self.standings,
            "rounds": self.rounds,
            "screen": self.screen,
        }
        return {
            **{name: LivePage(draw) for name, draw in public.items()},
            "running": LivePage(self.running, "host"),
            "referee": LivePage(self.referee, "referee"),
            "announcer": LivePage(self.announcer, "announcer"),
        }
