"""The live pages of the hall: what each shows, made once for all who look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.hall.conductor import natural, started
from companion.hall.formats.values import Line
from companion.hall.hall import Hall
from companion.hall.intake import Seen
from companion.hall.pages import cards
from companion.hall.tournament import (
    Results,
    Round,
    Table,
    Tournament,
    current_handicaps,
    outcome,
    standings,
)
from companion.web.i18n.language import N_, SPOKEN, _
from companion.web.live.channels import Regions
from companion.web.site import Live, Site

FORM_NAMES: Mapping[str, str] = {
    "chew_evening": N_("Chew evening"),
    "bananagrams_tournament": N_("Bananagrams tournament"),
    "league_city": N_("League City"),
    "round_robin": N_("Round robin"),
    "swiss": N_("Swiss"),
}

FIGURE_NAMES: Mapping[str, str] = {
    "points": N_("Points"),
    "firsts": N_("Rounds won"),
    "head_to_head": N_("Head to head"),
    "wins": N_("Wins"),
    "spread": N_("Spread"),
    "buchholz": N_("Buchholz"),
    "rounds": N_("Rounds survived"),
}


@dataclass(frozen=True, slots=True)
class TableShown:
    """A group of a round: its table, its players with place and points, and how far it is."""

    number: int
    table: str
    name: str
    players: tuple[tuple[str, str, int | None, float | None], ...]
    state: str
    mark: str
    ruled: bool


@dataclass(frozen=True, slots=True)
class RoundShown:
    """A round as pages show it."""

    number: int
    seed: str
    closed: bool
    tables: tuple[TableShown, ...]
    byes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LineShown:
    """A line of the standings."""

    rank: int
    player: str
    name: str
    club: str
    figures: tuple[str, ...]
    handicap: int | None
    withdrawn: bool


def shown_round(hall: Hall, state: Tournament, one: Round, results: Results) -> RoundShown:
    """Return a round as pages show it."""
    tables = tuple(shown_table(hall, state, table, results) for table in one.tables)
    return RoundShown(one.number, one.seed, one.closed, tables, tuple(map(state.name_of, one.byes)))


def shown_table(hall: Hall, state: Tournament, table: Table, results: Results) -> TableShown:
    """Return a group of a round as pages show it."""
    seen = hall.intake.tables.get(table.table)
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
    elif started(table, seen):
        how, mark = _("Playing"), ""
    elif table.game:
        how, mark = _("Set up, not started"), "ask"
    else:
        how, mark = _("Not set up"), "bad"
    name = seen.name if seen else table.table
    return TableShown(table.number, table.table, name, players, how, mark, table.ruled is not None)


def shown_standings(state: Tournament, results: Results) -> tuple[list[str], list[LineShown]]:
    """Return the heads of the figures' columns and the standings, the best first."""
    lines = standings(state, results)
    names = list(lines[0].figures) if lines else []
    handicaps = current_handicaps(state, results)
    return [_(FIGURE_NAMES.get(name, name)) for name in names], [
        shown_line(state, line, handicaps.get(line.player)) for line in lines
    ]


def shown_line(state: Tournament, line: Line, handicap: int | None) -> LineShown:
    """Return a line of the standings as pages show it."""
    person = state.people[line.player]
    figures = tuple(f"{value:g}" for value in line.figures.values())
    return LineShown(line.rank, line.player, person.name, person.club, figures, handicap, person.withdrawn)


@dataclass(slots=True)
class Views:
    """Draws the live pages; what many look at is kept until it changes."""

    hall: Hall
    kept: dict[tuple[str, str], tuple[Any, str]]

    def shared(self) -> dict[str, Any]:
        """Return what every page of the hall shows."""
        desk = self.hall.desk
        link = self.hall.link
        return {
            "tournament": desk.state,
            "form_names": FORM_NAMES,
            "connected": link is not None and link.up.is_set(),
            "broker_fault": "" if link is None else link.fault,
            "hall_fault": self.hall.intake.fault,
        }

    def card(self, site: Site, seen: Seen) -> str:
        """Return a table's card as HTML, drawn again only after a change."""
        key = (seen.id, SPOKEN.get())
        mark = seen.revision
        if self.kept.get(key, (None, ""))[0] != mark:
            html = site.env.get_template("parts/table_card.html").render(card=cards.card(seen))
            self.kept[key] = mark, html
        return self.kept[key][1]

    def wall(self, site: Site, _seat: int) -> Regions:
        """Return the wall's regions: the head, what waits, the grid, and each table."""
        tables = sorted(self.hall.intake.tables.values(), key=lambda one: natural(one.id))
        drawn = {f"table-{one.id}": self.card(site, one) for one in tables}
        ids = tuple(one.id for one in tables)
        key = ("grid", SPOKEN.get())
        if self.kept.get(key, (None, ""))[0] != ids:
            grid = site.env.get_template("parts/grid.html").render(ids=ids, drawn=drawn)
            self.kept[key] = ids, grid
        shown = [cards.card(one) for one in tables if cards.needed(one)[0] <= cards.WAITS]
        values = {**self.shared(), "waiting": cards.waiting(shown), "count": len(tables)}
        return {
            "head": site.env.get_template("parts/hall_head.html").render(values),
            "waiting": site.env.get_template("parts/waiting.html").render(values),
            "grid": self.kept[key][1],
            **drawn,
        }

    def tournament(self) -> dict[str, Any]:
        """Return rounds and standings as pages show them."""
        state = self.hall.desk.state
        if state is None:
            return {**self.shared(), "rounds": [], "heads": [], "lines": []}
        results = self.hall.conductor.results()
        heads, lines = shown_standings(state, results)
        rounds = [shown_round(self.hall, state, one, results) for one in state.rounds]
        return {**self.shared(), "rounds": rounds[::-1], "heads": heads, "lines": lines}

    def page(self, template: str) -> Any:
        """Return what draws the one region of a page."""

        def draw(site: Site, _seat: int) -> Regions:
            values = {**self.tournament(), **self.special(template)}
            return {"body": site.env.get_template(f"parts/{template}.html").render(values)}

        return draw

    def special(self, template: str) -> dict[str, Any]:
        """Return what only the director's and the screen's regions show."""
        if template == "screen":
            return {"names": self.by_name()}
        if template == "running":
            entries = self.hall.desk.entries
            conductor = self.hall.conductor
            return {
                "last": entries[-1].number if entries else 0,
                "refused": conductor.refused()[:8],
                "stuck": conductor.fault,
            }
        return {}

    def by_name(self) -> list[tuple[str, str]]:
        """Return every player of the newest round with the table, in the order of names."""
        state = self.hall.desk.state
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

    def lives(self) -> dict[str, Live]:
        """Return every live page by its name."""
        public = {name: Live(self.page(name)) for name in ("standings", "rounds", "screen")}
        return {"wall": Live(self.wall), **public, "running": Live(self.page("running"), "host")}
