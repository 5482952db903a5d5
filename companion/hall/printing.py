"""The papers of a tournament as sheets, tables and files for others; texts are in the language of ``say``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.events import tsh
from companion.events.exported import CSV_ENCODING, spreadsheet_safe
from companion.hall.formats.ties import BYE_SPREAD
from companion.hall.formats.values import Line
from companion.hall.sheets import Block, Column, Sheet
from companion.hall.tournament import (
    Results,
    Round,
    Tournament,
    current_handicaps,
    outcome,
    standings,
)

Translate = Callable[[str], str]

encode_json = json.JSONEncoder(ensure_ascii=False).encode
"""Returns a value as JSON on one line, several times as fast as an indented one."""

TableNames = Mapping[str, str]
"""Names of the tables, by their ids."""


def pairings(state: Tournament, number: int, tables: TableNames, say: Translate) -> Sheet:
    """Return a round's pairings by name and by table."""
    now = state.round(number)
    seats = [
        (state.name_of(player), tables.get(one.table, one.table))
        for one in now.tables
        for player in one.players
    ]
    seats += [(state.name_of(player), say("bye")) for player in now.byes]
    by_name = tuple(sorted(seats, key=lambda one: one[0].casefold()))
    by_table = tuple(
        (tables.get(one.table, one.table), ", ".join(map(state.name_of, one.players))) for one in now.tables
    )
    columns = Column(say("Player"), 3), Column(say("Table"), 1)
    groups = Column(say("Table"), 1), Column(say("Players"), 5)
    blocks = Block(say("By name"), columns, by_name), Block(say("By table"), groups, by_table)
    return Sheet(f"{say('Round')} {number}", state.name, blocks, (f"{say('Seed of the draw')}: {now.seed}",))


def ranking(state: Tournament, results: Results, figures: Mapping[str, str], say: Translate) -> Sheet:
    """Return the standings as a sheet."""
    lines = standings(state, results)
    names = list(lines[0].figures) if lines else []
    columns = (
        Column(say("Rank"), 0.7, "R"),
        Column(say("Player"), 3),
        Column(say("Club"), 2),
        *(Column(say(figures.get(name, name)), 1, "R") for name in names),
    )
    rows = tuple(
        (
            str(one.rank),
            state.people[one.player].name,
            state.people[one.player].club,
            *(f"{value:g}" for value in one.figures.values()),
        )
        for one in lines
    )
    return Sheet(say("Standings"), state.name, (Block("", columns, rows),))


def cross_table(state: Tournament, results: Results, say: Translate) -> Sheet:
    """Return the cross table: each player's opponents and results, one column for each round."""
    lines = standings(state, results)
    rank = {one.player: one.rank for one in lines}
    heads = (Column("", 0.5, "R"), Column(say("Player"), 2.4))
    rounds = tuple(Column(f"{say('Round')} {one.number}", 1) for one in state.rounds)
    rows = tuple(
        (
            str(one.rank),
            state.name_of(one.player),
            *(
                say("bye") if one.player in now.byes else cell(now, results, one.player, rank)
                for now in state.rounds
            ),
        )
        for one in lines
    )
    return Sheet(say("Cross table"), state.name, (Block("", (*heads, *rounds), rows),))


def cell(now: Round, results: Results, player: str, rank: Mapping[str, int]) -> str:
    """Return one result: place and points among several, or won, drawn, lost against a rank."""
    table = next((one for one in now.tables if player in one.players), None)
    found = outcome(table, results) if table else None
    if found is None:
        return "-"
    place, score = found.place(player), found.score(player)
    if len(found.players) != 2:
        return f"{place or '-'}. ({score:g})"
    other = next(one for one in found.players if one != player)
    mark = "=" if found.places.count(1) == 2 else "+" if place == 1 else "-"
    return f"{mark}{rank.get(other, 0)} ({score:g})"


def score_sheets(state: Tournament, number: int, tables: TableNames, say: Translate) -> Sheet:
    """Return a sheet for each table, to note and sign the result by hand if the table fails."""
    now = state.round(number)
    columns = (
        Column(say("Player"), 3),
        Column(say("Place"), 1),
        Column(say("Points"), 1),
        Column(say("Notes"), 2),
    )
    blocks = tuple(
        Block(
            tables.get(one.table, one.table),
            columns,
            tuple((state.name_of(player), "", "", "") for player in one.players),
            (*map(state.name_of, one.players), say("Referee")),
        )
        for one in now.tables
    )
    return Sheet(f"{say('Score sheet')}, {say('Round')} {number}", state.name, blocks)


def incidents(state: Tournament, rows: Sequence[tuple[str, str, str]], say: Translate) -> Sheet:
    """Return rulings, overrides and penalties with their reasons: where, what, why."""
    columns = Column(say("Where"), 1.3), Column(say("What"), 2), Column(say("Reason"), 4)
    return Sheet(say("Incident report"), state.name, (Block("", columns, tuple(rows)),))


def to_csv(state: Tournament, results: Results) -> bytes:
    """Return the standings as a table with a head."""
    lines = standings(state, results)
    names = list(lines[0].figures) if lines else []
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\r\n")
    writer.writerow(["rank", "id", "name", "club", *names])
    for one in lines:
        person = state.people[one.player]
        writer.writerow(
            [
                one.rank,
                one.player,
                spreadsheet_safe(person.name),
                spreadsheet_safe(person.club),
                *(f"{v:g}" for v in one.figures.values()),
            ]
        )
    return table.getvalue().encode(CSV_ENCODING)


def to_json(state: Tournament, results: Results, lines: Sequence[Line] | None = None) -> str:
    """Return register, rounds, results and standings; equal for equal tournaments, byte for byte.

    ``lines`` are the standings, if they were computed before.
    """
    body: dict[str, Any] = {
        "format": "tableau-companion tournament",
        "version": 1,
        "name": state.name,
        "form": state.form,
        "commitment": state.commitment,
        "players": [
            {"id": one.id, "name": one.name, "club": one.club, "rating": one.rating, "penalty": one.penalty}
            for one in state.people.values()
        ],
        "rounds": [
            {
                "round": one.number,
                "seed": one.seed,
                "closed": one.closed,
                "byes": list(one.byes),
                "tables": [
                    {
                        "table": table.table,
                        "game": table.game,
                        "players": list(table.players),
                        "places": list(found.places) if found else None,
                        "scores": list(found.scores) if found else None,
                    }
                    for table in one.tables
                    for found in [outcome(table, results)]
                ],
            }
            for one in state.rounds
        ],
        "standings": [
            {"rank": one.rank, "player": one.player, **one.figures}
            for one in (standings(state, results) if lines is None else lines)
        ],
        "handicaps": current_handicaps(state, results),
    }
    return (
        "{\n"
        + ",\n".join(f"{encode_json(name)}: {format_json_list(value)}" for name, value in body.items())
        + "\n}\n"
    )


def format_json_list(value: Any) -> str:
    """Return a value as JSON; of a list each element has a line."""
    if not isinstance(value, list) or not value:
        return encode_json(value)
    return "[\n " + ",\n ".join(map(encode_json, value)) + "\n]"


def to_tsh(state: Tournament, results: Results) -> bytes:
    """Return the players as a division of tsh, with opponents (in games of two) and scores of closed rounds.

    A bye is opponent 0 and won by one point, as in the standings; a round not played is ``00``.  Names have
    question marks for signs that such a file cannot hold.
    """
    people = list(state.people.values())
    numbers = {one.id: number for number, one in enumerate(people, 1)}
    closed = [one for one in state.rounds if one.closed]
    halves = any(
        score != int(score)
        for one in closed
        for table in one.tables
        if (found := outcome(table, results))
        for score in found.scores
    )
    lines: list[tsh.Player | str] = [f"{tsh.HALF_POINTS_COMMENT}\n"] if halves else []
    for person in people:
        name = tsh.writable_name(person.name, numbers[person.id])
        opponents: list[int | None] = []
        scores: list[int | None] = []
        for one in closed:
            table = next((each for each in one.tables if person.id in each.players), None)
            found = outcome(table, results) if table else None
            others = [each for each in table.players if each != person.id] if table else []
            opponents.append(
                (0 if person.id in one.byes else None)
                if table is None
                else numbers[others[0]]
                if len(others) == 1
                else None
            )
            points = found.score(person.id) if found else BYE_SPREAD if person.id in one.byes else None
            scores.append(None if points is None else int(points * (2 if halves else 1)))
        extras = (("team", (tsh.writable(person.club),)),) if person.club else ()
        made = tsh.Player.of(name, opponents, scores, extras)
        rating = str(person.rating or 0)
        lines += [tsh.Player(made.name, rating, made.pairings, made.scores, made.extras), "\n"]
    return tsh.format_division(lines)
