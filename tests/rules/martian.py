"""A board of Martian Boggle to play on in tests."""

from __future__ import annotations

from typing import Any

from tests.rules.playing import Table

ROWS = ("TIGER", "ABCDE", "FGHIJ", "KLMNO", "CRANE")
"""Seat 2's pieces stand on TIGER, seat 1's on CRANE."""

WORDS = ("bread", "crane", "house", "light", "mouse", "plumb", "quiet", "stone", "tiger")

HOMES = {"1": [[4, col] for col in range(5)], "2": [[0, col] for col in range(5)]}


def laid(*rows: str, **options: Any) -> Table:
    """Return a table after the host's Start, the board seen; rows not given are those of ``ROWS``."""
    table = Table("martian_boggle", 2, words=WORDS, **options)
    table.line(0, board=seen(*(rows or ROWS)))
    table.host(0, "start")
    return table


def seen(*rows: str, pieces: dict[str, list[list[int]]] | None = None, **rest: Any) -> dict[str, Any]:
    return {"letters": list(rows), "pieces": HOMES if pieces is None else pieces, **rest}


def roll(table: Table, at: float, seat: int, *dice: int) -> dict[str, Any]:
    return table.call(at, seat, "roll", dice=list(dice))


def move(table: Table, at: float, seat: int, start: list[int], goal: list[int]) -> dict[str, Any]:
    return table.call(at, seat, "move", **{"from": start, "to": goal})


def passes(table: Table, at: float, seat: int) -> dict[str, Any]:
    """Let a player roll and use nothing of it."""
    roll(table, at, seat, 1, 1)
    return table.call(at, seat, "end_turn")


def spells(table: Table, at: float, seat: int, word: str, new: str = "") -> dict[str, Any]:
    """Let a player call the word on the home row; then these letters lie there."""
    told = table.call(at, seat, "word", word=word)
    row = 4 if seat == 1 else 0
    table.line(at, board={"cells": [[row, col, letter] for col, letter in enumerate(new)]})
    return told


def played(table: Table, one: list[str], two: list[str]) -> dict[str, Any]:
    """Let both players call words on their home rows in turn, seat 1 first; an empty word passes."""
    told: dict[str, Any] = {}
    new = [*one[1:], ""], [*two[1:], ""]
    for turn in range(len(one) + len(two)):
        seat, number = turn % 2 + 1, turn // 2
        word = (one, two)[seat - 1][number]
        told = (
            spells(table, turn + 1, seat, word, new[seat - 1][number])
            if word
            else passes(table, turn + 1, seat)
        )
    return told
