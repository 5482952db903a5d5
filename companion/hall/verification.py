"""Verification of a tournament: its draws against the commitment, its results against the tables' logs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from companion.errors import BadLog
from companion.events.log import EventLog, Row
from companion.events.replay import replayed, verified_rows
from companion.hall.formats import draws
from companion.hall.formats.values import Outcome
from companion.hall.printing import to_json
from companion.hall.replica import GameKey, LogReplica
from companion.hall.tournament import Round, Tournament, field_of, fold, outcome_of
from companion.hall.tournament_service import read


def verify(log: Path, tables: Mapping[str, Path]) -> tuple[str, bool]:
    """Return a report on the newest tournament of a hall's log, and whether it has no faults.

    ``tables`` are the tables' own logs by table id; without any the hall's replica beside the log is used.

    Raises
    ------
    BadLog
        Where a log cannot be read or its chain is broken.
    """
    state, results = load(log, tables)
    faults = [fault for one in state.rounds for fault in draw_faults(state, one, results)]
    lines = [f"{state.name}: {len(state.rounds)} rounds, {len(state.people)} players"]
    lines += [f"DOES NOT FIT: {fault}" for fault in faults] or ["all draws follow from what was committed to"]
    return "\n".join(lines) + "\n" + to_json(state, results), not faults


def load(log: Path, tables: Mapping[str, Path]) -> tuple[Tournament, dict[GameKey, Outcome]]:
    """Return the newest tournament of a hall's log and its results; errors as ``verify``."""
    with EventLog(log, writable=False) as own:
        games = own.games()
        state = fold(read(own, games[-1])) if games else None
    if state is None:
        raise BadLog(f"{log} holds no tournament")
    return state, results_from_tables(state, tables) if tables else results_from_file(
        state, log.with_name("tables.db")
    )


def draw_faults(state: Tournament, one: Round, results: Mapping[GameKey, Outcome]) -> list[str]:
    """Return the faults of a round's draw; group moves and undone entries are not checked."""
    before = state.rounds[one.number - 2].seed if one.number > 1 else state.commitment
    if not draws.matches_commitment(one.seed, before):
        return [f"the seed of round {one.number} is not the one that was committed to"]
    seated = {player for table in one.tables for player in table.players} | set(one.byes)
    then = Tournament(
        state.name,
        state.form,
        state.options,
        state.commitment,
        people={player: person for player, person in state.people.items() if player in seated},
        rounds=state.rounds[: one.number - 1],
    )
    drawn = state.format.pair(field_of(then, results, one.seed))
    if {group.players for group in drawn.groups} != {table.players for table in one.tables}:
        return [f"the groups of round {one.number} do not follow from its seed and the results before it"]
    return []


def results_from_tables(state: Tournament, tables: Mapping[str, Path]) -> dict[GameKey, Outcome]:
    """Return the results of all games from the tables' own logs."""
    found: dict[GameKey, Outcome] = {}
    for one in state.rounds:
        for table in one.tables:
            if table.game and table.table in tables:
                with EventLog(tables[table.table], writable=False) as log:
                    rows = list(log.rows(table.game))
                add_result(found, (table.table, table.game), rows)
    return found


def results_from_file(state: Tournament, path: Path) -> dict[GameKey, Outcome]:
    """Return the results of all games from a replica's file, none where there is no file."""
    if not path.exists():
        return {}
    with LogReplica(path) as replica:
        return results_from_replica(state, replica)


def results_from_replica(state: Tournament, replica: LogReplica) -> dict[GameKey, Outcome]:
    """Return the results of all games from a replica."""
    found: dict[GameKey, Outcome] = {}
    for one in state.rounds:
        for table in one.tables:
            if table.game:
                add_result(found, (table.table, table.game), replica.rows((table.table, table.game)))
    return found


def add_result(found: dict[GameKey, Outcome], key: GameKey, rows: list[Row]) -> None:
    """Add the result of a game where it is final; check its hash chain."""
    if rows:
        game = replayed(key[1], list(verified_rows(key[1], rows)))
        outcome = outcome_of(game.game, game.state)
        if outcome is not None:
            found[key] = outcome
