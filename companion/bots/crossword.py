"""A solver that builds a connected crossword of valid words from given letters, using every letter."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from companion.bots.vocabulary import Indices, Vocabulary
from companion.model.grid import Place, islands, runs

Cells = dict[Place, str]

LETTER_WEIGHTS = dict.fromkeys("JQXZ", 9.0) | dict.fromkeys("VWKYBCFGHMP", 3.0) | dict.fromkeys("DLNRST", 1.6)
"""Preference for placing a letter early; 1 for vowels."""

MAX_PLACEMENTS_PER_STEP = 7
"""Greatest number of placements tried at each step."""

MAX_WORDS_PER_LETTER = 60
"""Greatest number of words tried for each letter that is crossed."""

MAX_STEPS = 90
"""Greatest number of steps of one attempt."""


@dataclass(frozen=True, slots=True)
class GridSize:
    """Greatest number of rows and columns of a crossword."""

    rows: int
    cols: int

    def contains(self, cell: Place) -> bool:
        """Return whether a cell is inside."""
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols

    @property
    def middle(self) -> Place:
        """The middle cell."""
        return self.rows // 2, self.cols // 2


class CrosswordBuilder:
    """Builds crosswords within a size from a vocabulary; the same ``rng`` gives the same crosswords."""

    def __init__(self, vocabulary: Vocabulary, room: GridSize, rng: random.Random) -> None:
        self.vocabulary, self.room, self.rng = vocabulary, room, rng
        self._steps = 0

    def complete(self, cells: Mapping[Place, str], letters: str) -> Cells | None:
        """Return a crossword of all laid and loose letters that keeps as much of the laid one as possible.

        ``None`` where none is found.
        """
        for freed in self._loosened(dict(cells)):
            left = Counter(letters) + Counter(cells.values()) - Counter(freed.values())
            self._steps = MAX_STEPS if freed else 3 * MAX_STEPS
            if found := self._complete_rest(freed, left, self.vocabulary.all_indices()):
                return found
        return None

    def _loosened(self, cells: Cells) -> Iterator[Cells]:
        """Yield the crossword, then with more and more words removed, at last empty."""
        if cells and self.is_valid(cells):
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
        """Return a crossword without the tiles of a random word that no other word needs, if there is one."""
        found = list(runs(cells))
        self.rng.shuffle(found)
        for run in found:
            crossing = {p for other in found if other is not run for p in other.places}
            left = {p: s for p, s in cells.items() if p not in set(run.places) - crossing}
            if left and len(left) < len(cells) and len(islands(left)) == 1 and self.is_valid(left):
                return left
        return cells

    def phony(self, cells: Mapping[Place, str], letter: str) -> Cells | None:
        """Return a crossword with a letter added so that it makes one invalid word, or ``None``."""
        ends = [
            {cell: letter}
            for run in runs(cells)
            for cell in [
                (run.places[-1][0] + run.direction.step[0], run.places[-1][1] + run.direction.step[1])
            ]
            if self.room.contains(cell) and cell not in cells
        ]
        for way in self.rng.sample(ends, len(ends)):
            both = dict(cells) | way
            read = [word for word in words_through(both, next(iter(way))) if len(word) > 1]
            if len(read) == 1 and read[0] not in self.vocabulary.known:
                return both
        return None

    def is_valid(self, cells: Mapping[Place, str]) -> bool:
        """Return whether every word of a crossword is in the vocabulary."""
        return all("".join(run.symbols) in self.vocabulary.known for run in runs(cells))

    def _complete_rest(self, cells: Cells, left: Counter[str], among: Indices) -> Cells | None:
        """Return a crossword with all letters of ``left`` placed, or ``None``; a depth-first search."""
        if not left:
            return cells
        self._steps -= 1
        if self._steps < 0:
            return None
        among = self.vocabulary.buildable(left.elements(), among, lacking=1 if cells else 0)
        ways = sorted(self._placements(cells, left, among), key=self._desirability, reverse=True)
        for way in ways[:MAX_PLACEMENTS_PER_STEP]:
            if found := self._complete_rest(cells | way, left - Counter(way.values()), among):
                return found
            if self._steps < 0:
                return None
        return None

    def _desirability(self, way: Cells) -> float:
        """Return the score of a placement, with a random factor."""
        return sum(LETTER_WEIGHTS.get(letter, 1.0) for letter in way.values()) * self.rng.uniform(0.6, 1.0)

    def _placements(self, cells: Cells, left: Counter[str], among: Indices) -> Iterator[Cells]:
        """Yield placements of one letter or one word."""
        if not cells:
            yield from self._first_words(among)
            return
        yield from self._single_letters(cells, left)
        if sum(left.values()) > 1:
            yield from self._crossing_words(cells, left, among)

    def _first_words(self, among: Indices) -> Iterator[Cells]:
        """Yield first words, in the middle row."""
        row, col = self.room.middle
        chosen = self.rng.sample(among.tolist(), min(MAX_WORDS_PER_LETTER, len(among)))
        for word in (self.vocabulary.words[k] for k in chosen):
            if len(word) <= self.room.cols:
                yield {(row, col - len(word) // 2 + k): letter for k, letter in enumerate(word)}

    def _single_letters(self, cells: Cells, left: Counter[str]) -> Iterator[Cells]:
        """Yield every placement of a single letter beside the crossword."""
        beside = {(r + dr, c + dc) for r, c in cells for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        for cell in sorted(beside - cells.keys()):
            for letter in left:
                if self._is_legal(cells, way := {cell: letter}):
                    yield way

    def _crossing_words(self, cells: Cells, left: Counter[str], among: Indices) -> Iterator[Cells]:
        """Yield placements of words across or down through a laid letter."""
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
                by_letter[letter] = sorted(fit, key=len, reverse=True)[:MAX_WORDS_PER_LETTER]
            step = (0, 1) if across else (1, 0)
            for word in by_letter[letter]:
                at = self.rng.choice([k for k, one in enumerate(word) if one == letter])
                places = [(row + step[0] * (k - at), col + step[1] * (k - at)) for k in range(len(word))]
                way = {p: s for p, s in zip(places, word, strict=True) if p not in cells}
                if len(way) == len(word) - 1 and self._is_legal(cells, way):
                    yield way

    def _is_legal(self, cells: Cells, way: Cells) -> bool:
        """Return whether a placement is inside and every word through its cells is valid."""
        both = cells | way
        return all(
            self.room.contains(cell)
            and all(len(word) < 2 or word in self.vocabulary.known for word in words_through(both, cell))
            for cell in way
        )


def words_through(cells: Mapping[Place, str], cell: Place) -> tuple[str, str]:
    """Return the words across and down through a cell."""
    return word_through(cells, cell, (0, 1)), word_through(cells, cell, (1, 0))


def word_through(cells: Mapping[Place, str], cell: Place, step: Place) -> str:
    """Return the word through a cell in one direction."""
    (row, col), (down, right) = cell, step
    while (row - down, col - right) in cells:
        row, col = row - down, col - right
    found = []
    while (row, col) in cells:
        found.append(cells[row, col])
        row, col = row + down, col + right
    return "".join(found)
