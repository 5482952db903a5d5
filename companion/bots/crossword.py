"""Crosswords built from given letters: every letter used, every word known, in one piece."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from companion.bots.vocabulary import Indices, Vocabulary
from companion.model.grid import Place, islands, runs

Cells = dict[Place, str]

WEIGHTS = dict.fromkeys("JQXZ", 9.0) | dict.fromkeys("VWKYBCFGHMP", 3.0) | dict.fromkeys("DLNRST", 1.6)
"""How gladly a letter is got rid of; vowels 1."""

WIDE = 7
"""Ways tried at each step."""

LOOKED_AT = 60
"""Words looked at for each letter that is crossed."""

STEPS = 90
"""Steps tried in one attempt before it is given up."""


@dataclass(frozen=True, slots=True)
class Room:
    """Rows and columns that a crossword may take up."""

    rows: int
    cols: int

    def has(self, cell: Place) -> bool:
        """Return whether a cell is in it."""
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols

    @property
    def middle(self) -> Place:
        """The cell in its middle."""
        return self.rows // 2, self.cols // 2


class Builder:
    """Builds crosswords within a room from a vocabulary; the same ``rng`` builds the same."""

    def __init__(self, vocabulary: Vocabulary, room: Room, rng: random.Random) -> None:
        self.vocabulary, self.room, self.rng = vocabulary, room, rng
        self._steps = 0

    def complete(self, cells: Mapping[Place, str], letters: str) -> Cells | None:
        """Return a crossword of all tiles laid and all letters in hand, as like the one laid as can be.

        ``None`` where the bot finds none.
        """
        for freed in self._loosened(dict(cells)):
            left = Counter(letters) + Counter(cells.values()) - Counter(freed.values())
            self._steps = STEPS if freed else 3 * STEPS
            if found := self._filled(freed, left, self.vocabulary.every()):
                return found
        return None

    def _loosened(self, cells: Cells) -> Iterator[Cells]:
        """Yield a crossword with more and more of it taken up again, at last nothing left of it."""
        if cells and self.sound(cells):
            yield cells
        for words in (1, 1, 1, 2, 2, 3):
            left = cells
            for _ in range(words):
                left = self._without_a_word(left)
            if left and left != cells:
                yield left
        for _ in range(3):
            yield {}

    def _without_a_word(self, cells: Cells) -> Cells:
        """Return a crossword without the tiles of a random word that no other word needs, if it can be."""
        found = list(runs(cells))
        self.rng.shuffle(found)
        for run in found:
            crossing = {p for other in found if other is not run for p in other.places}
            left = {p: s for p, s in cells.items() if p not in set(run.places) - crossing}
            if left and len(left) < len(cells) and len(islands(left)) == 1 and self.sound(left):
                return left
        return cells

    def phony(self, cells: Mapping[Place, str], letter: str) -> Cells | None:
        """Return a crossword with one letter put where it makes a word that nobody knows, or ``None``."""
        ends = [
            {cell: letter}
            for run in runs(cells)
            for cell in [
                (run.places[-1][0] + run.direction.step[0], run.places[-1][1] + run.direction.step[1])
            ]
            if self.room.has(cell) and cell not in cells
        ]
        for way in self.rng.sample(ends, len(ends)):
            both = dict(cells) | way
            read = [word for word in through(both, next(iter(way))) if len(word) > 1]
            if len(read) == 1 and read[0] not in self.vocabulary.known:
                return both
        return None

    def sound(self, cells: Mapping[Place, str]) -> bool:
        """Return whether every word of a crossword is known."""
        return all("".join(run.symbols) in self.vocabulary.known for run in runs(cells))

    def _filled(self, cells: Cells, left: Counter[str], among: Indices) -> Cells | None:
        """Return a crossword with all that is left laid as well, or ``None``."""
        if not left:
            return cells
        self._steps -= 1
        if self._steps < 0:
            return None
        among = self.vocabulary.within(left.elements(), among, lacking=1 if cells else 0)
        ways = sorted(self._ways(cells, left, among), key=self._worth, reverse=True)
        for way in ways[:WIDE]:
            if found := self._filled(cells | way, left - Counter(way.values()), among):
                return found
            if self._steps < 0:
                return None
        return None

    def _worth(self, way: Cells) -> float:
        """Return how good it is to lay some letters; chance has a say."""
        return sum(WEIGHTS.get(letter, 1.0) for letter in way.values()) * self.rng.uniform(0.6, 1.0)

    def _ways(self, cells: Cells, left: Counter[str], among: Indices) -> Iterator[Cells]:
        """Yield what may be laid next."""
        if not cells:
            yield from self._first(among)
            return
        yield from self._single(cells, left)
        if sum(left.values()) > 1:
            yield from self._crossing(cells, left, among)

    def _first(self, among: Indices) -> Iterator[Cells]:
        """Yield first words, in the middle of the room."""
        row, col = self.room.middle
        chosen = self.rng.sample(among.tolist(), min(LOOKED_AT, len(among)))
        for word in (self.vocabulary.words[k] for k in chosen):
            if len(word) <= self.room.cols:
                yield {(row, col - len(word) // 2 + k): letter for k, letter in enumerate(word)}

    def _single(self, cells: Cells, left: Counter[str]) -> Iterator[Cells]:
        """Yield every single letter that can be laid beside what lies there."""
        beside = {(r + dr, c + dc) for r, c in cells for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        for cell in sorted(beside - cells.keys()):
            for letter in left:
                if self._may(cells, way := {cell: letter}):
                    yield way

    def _crossing(self, cells: Cells, left: Counter[str], among: Indices) -> Iterator[Cells]:
        """Yield words across or down through a letter that lies there."""
        by_letter: dict[str, list[str]] = {}
        words = [self.vocabulary.words[k] for k in self.rng.sample(among.tolist(), min(900, len(among)))]
        for (row, col), letter in sorted(cells.items()):
            across = (row, col - 1) not in cells and (row, col + 1) not in cells
            down = (row - 1, col) not in cells and (row + 1, col) not in cells
            if not across and not down:
                continue
            if letter not in by_letter:
                held = left + Counter(letter)
                fit = [word for word in words if letter in word and Counter(word) <= held and len(word) > 2]
                by_letter[letter] = sorted(fit, key=len, reverse=True)[:LOOKED_AT]
            step = (0, 1) if across else (1, 0)
            for word in by_letter[letter]:
                at = self.rng.choice([k for k, one in enumerate(word) if one == letter])
                places = [(row + step[0] * (k - at), col + step[1] * (k - at)) for k in range(len(word))]
                way = {p: s for p, s in zip(places, word, strict=True) if p not in cells}
                if len(way) == len(word) - 1 and self._may(cells, way):
                    yield way

    def _may(self, cells: Cells, way: Cells) -> bool:
        """Return whether letters may be laid: there is room, and every word through them is known."""
        both = cells | way
        return all(
            self.room.has(cell)
            and all(len(word) < 2 or word in self.vocabulary.known for word in through(both, cell))
            for cell in way
        )


def through(cells: Mapping[Place, str], cell: Place) -> tuple[str, str]:
    """Return what reads across and down through a cell."""
    return line(cells, cell, (0, 1)), line(cells, cell, (1, 0))


def line(cells: Mapping[Place, str], cell: Place, step: Place) -> str:
    """Return what reads through a cell in one direction."""
    (row, col), (down, right) = cell, step
    while (row - down, col - right) in cells:
        row, col = row - down, col - right
    found = []
    while (row, col) in cells:
        found.append(cells[row, col])
        row, col = row + down, col + right
    return "".join(found)
