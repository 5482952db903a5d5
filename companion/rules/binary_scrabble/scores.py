"""What plays are worth, whose turn is next, and how the game ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from companion.errors import BadEquation
from companion.model.grid import Place, Run
from companion.model.phrases import phrase
from companion.rules import event as ev
from companion.rules.binary_scrabble.board import Tile, box, formed, letter_factor, word_factor
from companion.rules.binary_scrabble.equation import Operator
from companion.rules.binary_scrabble.options import RACK
from companion.rules.binary_scrabble.value import Agreed, solved
from companion.rules.binary_scrabble.values import BinaryScrabbleState, TurnMissed, after, deduction
from companion.rules.places import by_points

ROUNDS = 3
"""Rounds without a point that end the game."""

BONUSES: Mapping[str, Callable[[int], int]] = {
    "largest_bit": lambda value: 1 << (value.bit_length() - 1),
    "floor_log2": lambda value: value.bit_length() - 1,
    "none": lambda _value: 0,
}


@dataclass(frozen=True, slots=True)
class Made:
    """A run that a turn's tiles form: its value, or what is wrong with it; neither for a plain number."""

    run: Run
    value: int | None = None
    fault: str | None = None


def bonus(value: int, kind: str) -> int:
    """Return the bonus of an equation's value; nothing for 0, or below it where players allow that."""
    return BONUSES[kind](value) if value > 0 else 0


def tile_value(symbol: str) -> int:
    """Return what a tile is worth; one made for XOR as much as AND, OR and NOT."""
    return box().values["OR" if symbol == Operator.XOR else symbol]


def is_number(text: str) -> bool:
    """Return whether a run is a plain number, without leading zeros."""
    return text.isdecimal() and (text == "0" or not text.startswith("0"))


def judged(lying: Sequence[Tile], new: Sequence[Tile], options: Mapping[str, Any]) -> list[Made]:
    """Return every run that new tiles form, judged as the players have agreed."""
    cells = {tile.cell for tile in new}
    crossings = options["number_crossings"]
    agreed = Agreed.of(options)
    found = []
    for run in formed(lying, new):
        main = len(cells) > 1 and cells <= set(run.places)
        plain = crossings and not main and is_number(run.text)
        found.append(Made(run) if plain else judged_run(run, agreed))
    return found


def judged_run(run: Run, agreed: Agreed) -> Made:
    """Return a run judged as an equation."""
    try:
        return Made(run, value=solved(run.text, agreed))
    except BadEquation as error:
        return Made(run, fault=str(error))


def worth(made: Made, new: Mapping[Place, Tile], options: Mapping[str, Any]) -> int:
    """Return the points of a run: (new tiles + bonus) x word squares under new tiles; none for a number."""
    if made.value is None and made.fault is None:
        return 0
    cells = [cell for cell in made.run.places if cell in new]
    tiles = sum(tile_value(new[cell].symbol) * letter_factor(cell) for cell in cells)
    more = bonus(made.value or 0, options["bonus"])
    return (tiles + more) * prod(word_factor(cell) for cell in cells)


def points(made: Sequence[Made], new: Sequence[Tile], options: Mapping[str, Any]) -> int:
    """Return the points of a turn."""
    by_cell = {tile.cell: tile for tile in new}
    all_at_once = options["bingo"] if len(new) == RACK else 0
    return sum(worth(one, by_cell, options) for one in made) + int(all_at_once)


def passing(state: BinaryScrabbleState) -> list[ev.Event]:
    """Return the next player's turn, past those who miss theirs, or the end after rounds without a point."""
    if state.scoreless >= ROUNDS * len(state.active):
        return closing(state, phrase("three rounds without a point"))
    seat = following(state)
    events: list[ev.Event] = [ev.TurnPassed(seat)]
    if seat not in state.forfeits:
        return events
    events.append(TurnMissed(seat))
    return [*events, *passing(after(state, events))]


def following(state: BinaryScrabbleState) -> int:
    """Return the next active seat clockwise after the one on turn."""
    turn = state.turn or 0
    return min(state.active, key=lambda number: (number <= turn, number))


def closing(state: BinaryScrabbleState, reason: str) -> list[ev.Event]:
    """Return the end of play with the scores."""
    return [ev.RoundEnded(reason), *ranked(state)]


def ranked(state: BinaryScrabbleState) -> list[ev.Event]:
    """Return scores, minutes of overtime taken off, places (equal scores share one) and the winner."""
    return by_points(state, tuple(old - deduction(state, n) for n, old in enumerate(state.earned, 1)))


def standing(state: BinaryScrabbleState) -> list[ev.Event]:
    """Return the scores as they stand while play goes on."""
    return [ev.ScoresGiven(state.earned)]


def reopened(state: BinaryScrabbleState, reason: str) -> list[ev.Event]:
    """Return play going on, nobody placed, with the next player."""
    places = (None,) * len(state.seats)
    events = [ev.PlayReopened(reason), ev.PlacesGiven(places), *standing(state)]
    return [*events, *passing(after(state, events))]


def unplayed(state: BinaryScrabbleState, tiles: Mapping[int, Sequence[str]]) -> tuple[int, ...]:
    """Return what the others' unplayed tiles bring each seat, by the house's choice."""
    kind = state.options["going_out"]
    counted = {"numbers": ("0", "1"), "none": ()}.get(kind, box().symbols)
    values = {seat: sum(tile_value(one) for one in held if one in counted) for seat, held in tiles.items()}
    lost = {seat: -value for seat, value in values.items()} if kind == "scrabble" else {}
    return tuple(sum(values.values()) if n == state.out else lost.get(n, 0) for n in state.numbers)
