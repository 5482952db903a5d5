"""Tie-breaks by name, for games of two: wins, spread, Buchholz, head to head."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from companion.hall.formats.values import History, Line, Player, rank_players
from companion.model.phrases import phrase
from companion.model.seats import Score

BYE_WINS = BYE_SPREAD = 1
"""A bye counts as a win, by the smallest margin."""


def win_count(history: History, player: Player) -> Score:
    """Return a player's wins: 1 for each game won or bye, a half for a draw."""
    found: Score = 0
    for played in history:
        outcome = played.outcome(player)
        if outcome is None:
            found += BYE_WINS * (player in played.byes)
        elif outcome.place(player) == 1:
            found += 1 if outcome.places.count(1) == 1 else 0.5
    return found


def spread(history: History, player: Player) -> Score:
    """Return a player's points minus the opponents', summed over all games; a bye adds 1."""
    found: Score = 0
    for played in history:
        outcome = played.outcome(player)
        if outcome is None:
            found += BYE_SPREAD * (player in played.byes)
        else:
            others = [outcome.score(one) for one in outcome.players if one != player]
            found += outcome.score(player) * len(others) - sum(others)
    return found


def opponents(history: History, player: Player) -> list[Player]:
    """Return a player's opponents, one for each game."""
    found: list[Player] = []
    for played in history:
        outcome = played.outcome(player)
        found += [one for one in outcome.players if one != player] if outcome else []
    return found


def buchholz(history: History, player: Player) -> Score:
    """Return the sum of the wins of a player's opponents (FIDE Handbook C.07, Buchholz without cuts)."""
    return sum(win_count(history, one) for one in opponents(history, player))


def duels(history: History, player: Player, others: Sequence[Player]) -> Score:
    """Return in how many more games a player finished before some others than after them, at one table."""
    outcomes = [outcome for played in history if (outcome := played.outcome(player))]
    found = 0
    for outcome in outcomes:
        last = len(outcome.players) + 1
        mine = outcome.place(player) or last
        for other in set(others) & set(outcome.players) - {player}:
            theirs = outcome.place(other) or last
            found += (mine < theirs) - (mine > theirs)
    return found


TIE_BREAKS: Mapping[str, Callable[[History, Player], Score]] = {
    "wins": win_count,
    "spread": spread,
    "buchholz": buchholz,
}
"""Tie-breaks computed for one player alone; ``head_to_head`` needs the group of equal players."""

NO_PENALTIES: Mapping[Player, Score] = MappingProxyType({})

HEAD_TO_HEAD = "head_to_head"
TIE_BREAK_NAMES = (*TIE_BREAKS, HEAD_TO_HEAD)


def by_ties(
    players: Sequence[Player],
    history: History,
    names: Sequence[str],
    penalties: Mapping[Player, Score] = NO_PENALTIES,
) -> list[Line]:
    """Return standings by tie-breaks in order; raise ValueError for an unknown name.

    ``penalties`` are points off, which make a player's spread smaller.
    """
    if unknown := [name for name in names if name not in TIE_BREAK_NAMES]:
        raise ValueError(
            phrase(
                "no tie-break %(unknown)s; there are %(known)s",
                unknown=repr(unknown[0]),
                known=", ".join(TIE_BREAK_NAMES),
            )
        )
    figures: dict[Player, dict[str, Score]] = {player: {} for player in players}
    for name in names:
        if name == HEAD_TO_HEAD:
            add_head_to_head(figures, history)
        else:
            for player in players:
                off = penalties.get(player, 0) if name == "spread" else 0
                figures[player][name] = TIE_BREAKS[name](history, player) - off
    return rank_players(players, figures)


def add_head_to_head(figures: dict[Player, dict[str, Score]], history: History) -> None:
    """Add each player's duels with the players whose figures are equal so far."""
    alike: dict[tuple[Score, ...], list[Player]] = {}
    for player, known in figures.items():
        alike.setdefault(tuple(known.values()), []).append(player)
    for group in alike.values():
        for player in group:
            figures[player][HEAD_TO_HEAD] = duels(history, player, group)
