"""The points of plays, the next turn, and the end of the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from companion.errors import BadEquation
from companion.model.grid import Place, Run
from companion.model.phrases import phrase
from companion.rules import event as ev
from companion.rules.binary_scrabble.board import Tile, box, letter_factor, runs_formed, word_factor
from companion.rules.binary_scrabble.equation import Operator
from companion.rules.binary_scrabble.options import RACK_TILES
from companion.rules.binary_scrabble.value import EquationRules, equation_value
from companion.rules.binary_scrabble.values import BinaryScrabbleState, TurnMissed, after, deduction
from companion.rules.places import by_points

SCORELESS_ROUNDS_TO_END = 3
"""Rounds without a point that end the game."""

BONUSES: Mapping[str, Callable[[int], int]] = {
    "largest_bit": lambda value: 1 << (value.bit_length() - 1),
    "floor_log2": lambda value: value.bit_length() - 1,
    "none": lambda _value: 0,
}


@dataclass(frozen=True, slots=True)
class FormedRun:
    """A run that a play forms, with its value or its fault; a plain number has neither."""

    run: Run
    value: int | None = None
    fault: str | None = None


def bonus(value: int, kind: str) -> int:
    """Return the bonus of an equation's value; 0 for values of 0 and below."""
    return BONUSES[kind](value) if value > 0 else 0


def tile_value(symbol: str) -> int:
    """Return the value of a tile; XOR has the value of AND, OR and NOT."""
    return box().values["OR" if symbol == Operator.XOR else symbol]


def is_number(text: str) -> bool:
    """Return whether a run is a plain number, without leading zeros."""
    return text.isdecimal() and (text == "0" or not text.startswith("0"))


def judge_runs(
    board_tiles: Sequence[Tile], new: Sequence[Tile], options: Mapping[str, Any]
) -> list[FormedRun]:
    """Return every run that new tiles form, judged by the game's options."""
    cells = {tile.cell for tile in new}
    crossings = options["number_crossings"]
    rules = EquationRules.of(options)
    found = []
    for run in runs_formed(board_tiles, new):
        main = len(cells) > 1 and cells <= set(run.places)
        plain = crossings and not main and is_number(run.text)
        found.append(FormedRun(run) if plain else judge_run(run, rules))
    return found


def judge_run(run: Run, rules: EquationRules) -> FormedRun:
    """Return a run judged as an equation."""
    try:
        return FormedRun(run, value=equation_value(run.text, rules))
    except BadEquation as error:
        return FormedRun(run, fault=str(error))


def run_points(made: FormedRun, new: Mapping[Place, Tile], options: Mapping[str, Any]) -> int:
    """Return a run's points: (new tiles + bonus) x word factors under new tiles; 0 for a plain number."""
    if made.value is None and made.fault is None:
        return 0
    cells = [cell for cell in made.run.places if cell in new]
    tiles = sum(tile_value(new[cell].symbol) * letter_factor(cell) for cell in cells)
    more = bonus(made.value or 0, options["bonus"])
    return (tiles + more) * prod(word_factor(cell) for cell in cells)


def points(made: Sequence[FormedRun], new: Sequence[Tile], options: Mapping[str, Any]) -> int:
    """Return the points of a play."""
    by_cell = {tile.cell: tile for tile in new}
    all_at_once = options["bingo"] if len(new) == RACK_TILES else 0
    return sum(run_points(one, by_cell, options) for one in made) + int(all_at_once)


def next_turn_events(state: BinaryScrabbleState) -> list[ev.Event]:
    """Return the next turn, without players who miss theirs, or the end after rounds without a point."""
    if ended := scoreless_end_events(state):
        return ended
    seat = next_seat(state)
    events: list[ev.Event] = [ev.TurnPassed(seat)]
    if seat not in state.forfeits:
        return events
    events.append(TurnMissed(seat))
    return [*events, *next_turn_events(after(state, events))]


def scoreless_end_events(state: BinaryScrabbleState) -> list[ev.Event]:
    """Return the end after rounds without a point, or no events."""
    if state.scoreless < SCORELESS_ROUNDS_TO_END * len(state.active):
        return []
    return end_play_events(state, phrase("three rounds without a point"))


def next_seat(state: BinaryScrabbleState) -> int:
    """Return the next active seat clockwise after the one on turn."""
    turn = state.turn or 0
    return min(state.active, key=lambda number: (number <= turn, number))


def end_play_events(state: BinaryScrabbleState, reason: str) -> list[ev.Event]:
    """Return the end of play with the scores."""
    return [ev.RoundEnded(reason), *ranking_events(state)]


def ranking_events(state: BinaryScrabbleState) -> list[ev.Event]:
    """Return the final scores with overtime taken off, the places and the winner."""
    return by_points(state, tuple(old - deduction(state, n) for n, old in enumerate(state.earned, 1)))


def score_events(state: BinaryScrabbleState) -> list[ev.Event]:
    """Return the scores so far."""
    return [ev.ScoresGiven(state.earned)]


def reopen_events(state: BinaryScrabbleState, reason: str) -> list[ev.Event]:
    """Return play resumed without places, with the next player's turn."""
    places = (None,) * len(state.seats)
    events = [ev.PlayReopened(reason), ev.PlacesGiven(places), *score_events(state)]
    return [*events, *next_turn_events(after(state, events))]


def unplayed_points(state: BinaryScrabbleState, tiles: Mapping[int, Sequence[str]]) -> tuple[int, ...]:
    """Return each seat's points for the others' unplayed tiles, by the option ``going_out``."""
    kind = state.options["going_out"]
    counted = {"numbers": ("0", "1"), "none": ()}.get(kind, box().symbols)
    values = {seat: sum(tile_value(one) for one in held if one in counted) for seat, held in tiles.items()}
    lost = {seat: -value for seat, value in values.items()} if kind == "scrabble" else {}
    return tuple(sum(values.values()) if n == state.out else lost.get(n, 0) for n in state.numbers)
