"""The points of words, and the end of the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from companion.model.phrases import joined, phrase
from companion.model.seats import Score
from companion.model.tiles import BLANK, tile_set
from companion.rules import event as ev
from companion.rules.interface import Events
from companion.rules.martian_boggle.values import MartianBoggleState
from companion.rules.places import by_points

ADJACENCY_FACTORS = {5: 3, 4: 2}
"""The factor of a word's points, by the number of adjacent pieces."""

FIVE_WORDS_BONUS_POINTS = {"values": 5, "craft": 1}
"""Points for the player who first has five words."""


@cache
def letter_values(name: str) -> Mapping[str, int]:
    """Return the values of a tile set's letters, by small letters."""
    return {letter.lower(): value for letter, value in tile_set(name).values.items()}


def spells(word: str, tiles: Sequence[str | None]) -> bool:
    """Return whether tiles spell a word in any order; a blank or an unseen tile stands for any letter."""
    open_tiles = sum(not tile for tile in tiles)
    return len(word) == len(tiles) and unmatched(word, tiles).total() <= open_tiles


def unmatched(word: str, tiles: Sequence[str | None]) -> Counter[str]:
    """Return the letters of a word that the tiles do not show."""
    return Counter(word) - Counter(tile for tile in tiles if tile)


def word_value(word: str, tiles: Sequence[str | None], values: Mapping[str, int]) -> int:
    """Return the sum of the letters' values; a blank has no value."""
    blanks = sum(tile == BLANK for tile in tiles)
    nothing = sorted(values[letter] for letter in unmatched(word, tiles).elements())[:blanks]
    return sum(values[letter] for letter in word) - sum(nothing)


def word_points(state: MartianBoggleState) -> tuple[Score, ...]:
    """Return the points of the words so far; 0 for a disqualified player."""
    return tuple(
        0 if state.seat(number).out else sum(one.points for one in state.words_of(number))
        for number in state.numbers
    )


def tally(state: MartianBoggleState) -> tuple[Score, ...]:
    """Return the final points: words, plus the bonus (never multiplied), minus overtime."""
    return tuple(
        0 if seat.out else words + bonus(state, number) - overtime(state, number)
        for number, (seat, words) in enumerate(zip(state.seats, word_points(state), strict=True), 1)
    )


def bonus(state: MartianBoggleState, number: int) -> int:
    """Return a player's bonus for having five words first."""
    return FIVE_WORDS_BONUS_POINTS[state.options["scoring"]] if state.finisher == number else 0


def overtime(state: MartianBoggleState, number: int) -> int:
    """Return a player's points off for each minute of overtime begun."""
    return int(state.seat(number).overtime * state.options["overtime_points"])


def ranking_events(state: MartianBoggleState) -> Events:
    """Return scores, places and the winner; equal points share a place."""
    return by_points(state, tally(state))


def end_play_events(state: MartianBoggleState, reason: str) -> list[ev.Event]:
    """Return the end of play with the tally."""
    return [ev.RoundEnded(reason), ev.Announced(tally_text(state)), *ranking_events(state)]


def tally_text(state: MartianBoggleState) -> str:
    """Return the sum of each player's points as a text."""
    sums = [
        phrase(
            "%(name)s: words %(words)s + bonus %(bonus)s - overtime %(overtime)s = %(points)s",
            name=state.seat(number).name,
            words=words,
            bonus=bonus(state, number),
            overtime=overtime(state, number),
            points=points,
        )
        for number, words, points in zip(state.numbers, word_points(state), tally(state), strict=True)
    ]
    return joined(sums, "; ")


def reopen_events(state: MartianBoggleState, reason: str) -> list[ev.Event]:
    """Return play resumed with the points so far."""
    return [
        ev.PlayReopened(reason),
        ev.ScoresGiven(word_points(state)),
        ev.PlacesGiven((None,) * len(state.seats)),
    ]


def end_turn_events(state: MartianBoggleState) -> list[ev.Event]:
    """Return the other player's turn, or the game's end.

    "The game ends when one player has successfully spelled five different
    five-letter words unless that player began the game, in which case the
    player who went second gets one more turn": it ends with a turn of seat 2's.
    """
    if state.finisher is not None and state.turn == len(state.seats):
        return end_play_events(state, phrase("%(name)s has five words", name=state.seat(state.finisher).name))
    return [ev.TurnPassed(2 if state.turn == 1 else 1)]
