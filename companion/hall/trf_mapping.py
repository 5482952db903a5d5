"""Mapping between a tournament and FIDE's report file (TRF16): export, and import of missing results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from companion.errors import BadExport
from companion.hall import entries as en
from companion.hall import trf
from companion.hall.formats.games_of_two import length
from companion.hall.formats.ties import win_count
from companion.hall.formats.values import Played
from companion.hall.tournament import Results, Round, Tournament, history, outcome, points_for, standings

IMPORT_REASON = "as a report file of FIDE has it"
"""Reason of results that were imported from such a file."""


def to_trf(state: Tournament, results: Results) -> bytes:
    """Return the closed rounds as a report file, by which a pairing program may pair the next one.

    Numbers are those of the register; the first seat has white.  Withdrawn players are absent.

    Raises
    ------
    BadExport
        Where more than two play together.
    """
    if not state.format.of_two:
        raise BadExport("a report file of FIDE is for games of two")
    numbers = {player: number for number, player in enumerate(state.people, 1)}
    played = history(state, results)
    players = tuple(
        trf.Player(
            numbers[line.player],
            state.name_of(line.player),
            state.people[line.player].rating,
            win_count(played, line.player),
            line.rank,
            tuple(game_of(one, line.player, numbers) for one in played),
        )
        for line in sorted(standings(state, results), key=lambda one: numbers[one.player])
    )
    absent = tuple(numbers[one.id] for one in state.people.values() if one.withdrawn)
    rounds = state.format.rounds or length(len(players))
    return trf.format_report(trf.Report(state.name, players, rounds, absent, "" if played else "white1"))


def game_of(played: Played, player: str, numbers: Mapping[str, int]) -> trf.Game:
    """Return a player's round as a report file has it."""
    found = played.outcome(player)
    if found is None:
        return trf.Game(0, "-", "U" if player in played.byes else "Z")
    seat = found.players.index(player)
    result = "0" if found.place(player) != 1 else "=" if found.places.count(1) == 2 else "1"
    return trf.Game(numbers[found.players[1 - seat]], "wb"[seat], result)


def missing_results(
    state: Tournament, now: Round, report: trf.Report, results: Results
) -> list[en.ResultSet]:
    """Return the missing results of a round, as entries, as far as a report file has them.

    Players are matched by name, cut to the width of such a file; players with equal names are skipped.
    """
    own = {one.id: one.name[: trf.MAX_NAME_CHARS].strip() for one in state.people.values()}
    often = Counter(own.values()) | Counter(one.name for one in report.players)
    games = {
        names: game
        for names, game in games_by_names(report, now.number)
        if all(often[one] == 1 for one in names)
    }
    found = []
    for table in now.tables:
        names = tuple(own[player] for player in table.players)
        if names in games and outcome(table, results) is None:
            places = places_from_results(games[names], games[names[::-1]])
            entry = en.ResultSet(
                "director", now.number, table.number, places, points_for(places), IMPORT_REASON
            )
            found.append(entry)
    return found


def games_by_names(report: trf.Report, number: int) -> Iterator[tuple[tuple[str, ...], trf.Game]]:
    """Yield the names of each pair of players who met in a round, and the first one's game."""
    played = {one.number: one for one in report.players if len(one.games) >= number}
    for one in played.values():
        game = one.games[number - 1]
        if game.opponent in played:
            yield (one.name, played[game.opponent].name), game


def places_from_results(one: trf.Game, other: trf.Game) -> tuple[int | None, int | None]:
    """Return the places of two players by their results; none where both have lost."""
    if not one.counts and not other.counts:
        return None, None
    return 1 + (one.counts < other.counts), 1 + (other.counts < one.counts)
