"""A bot that plays Martian Boggle: it rolls, moves pyramids onto letters, and lifts words of five."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

from companion.bots.player import STILL_S, GameSettings, Player
from companion.config.table import BoardConfig
from companion.model.grid import Place
from companion.model.sightings import Cell
from companion.model.tiles import tile_set
from companion.rules import event as ev
from companion.rules.martian_boggle.sight import needs_reading
from companion.rules.martian_boggle.values import LettersUnseen, MartianBoggleState
from companion.rules.state import State

SIDE = FIVE = 5
SQUARES = tuple((row, col) for row in range(SIDE) for col in range(SIDE))
FACTORS = {5: 3, 4: 2}
BONUS = 5

SHOWS_S = 1.8
"""How long new letters are shown before the pyramids stand on them again."""

Moves = tuple[tuple[Place, Place], ...]


class MartianPlayer(Player):
    """A bot at Martian Boggle."""

    game = "martian_boggle"
    settings = GameSettings(
        2, 2, 2, tile_set="scrabble-en", board=BoardConfig("volcano", colours=("red", "blue")), most_calls=8
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        fives = [word for word in self.vocabulary.words if len(word) == FIVE]
        self.words: dict[str, list[str]] = {}
        for word in fives:
            self.words.setdefault("".join(sorted(word)), []).append(word)
        self.nearly = Counter("".join(four) for word in self.words for four in set(combinations(word, 4)))
        self.spelt: list[tuple[str, int]] = []
        self.first = False
        self._on_turn = self._rolled = False
        self._dice = (0, 0)
        self._todo: list[tuple[str, dict[str, Any]]] = []
        self._others = 0
        self._showing: list[Place] = []

    def unread(self, state: State, seat: int) -> list[Cell]:
        """Return the squares of a seat's pyramids that are not settled; other letters may stay in doubt."""
        if not isinstance(state, MartianBoggleState) or not seat:
            return []
        return [at for at in sorted(state.pieces[seat - 1]) if needs_reading(state, at)]

    def heard(self, event: ev.Event) -> None:
        """Take in one event."""
        super().heard(event)
        match event:
            case ev.RoundStarted(turn=int(turn)) | ev.TurnPassed(seat=turn):
                self._on_turn, self._rolled, self._todo = turn == self.number, False, []
            case ev.CallAccepted() if event.seat == self.number:
                self._accepted(event)
            case ev.CallAccepted(call="word"):
                self._others += 1
            case LettersUnseen(seat=self.number):
                self._show(event.squares)
            case _:
                return

    def _accepted(self, event: ev.CallAccepted) -> None:
        """Do what follows from an own call."""
        self._todo = self._todo[1:]
        if event.call == "roll":
            self._rolled = True
            self._plan()
        elif event.call == "word":
            word = str(event.details["word"]).upper()
            squares = set(self.reach.pieces)
            self.spelt.append((word, worth(word) * FACTORS.get(largest_group(squares), 1)))
            self.first = self.first or (len(self.spelt) == FIVE and self._others < FIVE)
            self._lift(word)

    def _show(self, squares: Sequence[Place]) -> None:
        """Lift the pyramids from letters that the camera has not seen."""
        for number, square in enumerate(squares):
            self.reach.lift(square, (number - 2) * 1.9, -self.reach.deep / 2 + 0.6)
        self._showing, self.still_s = list(squares), SHOWS_S

    def drawn(self, many: int) -> None:
        """Draw nothing here: the letters of a word are replaced when it is lifted."""

    def refused(self, _event: ev.CallRefused) -> None:
        """Give the word up after some tries; a move that is refused is taken back by nobody."""
        self._todo = self._todo[1:] if len(self.refusals) % 4 == 0 else self._todo

    def turn(self, now_ns: int) -> None:
        """Roll, move, call a word or leave the turn; put the pyramids back once new letters were shown."""
        if self._showing:
            for square in self._showing:
                self.reach.stand(square)
            self._showing, self.still_s = [], STILL_S
        elif self.playing and self._on_turn and self.reach.quiet:
            self._call_next(now_ns)

    def _call_next(self, now_ns: int) -> None:
        """Make the next call of the turn."""
        if self._todo:
            call, details = self._todo[0]
            if call == "move" and (start := tuple(details["from"])) in self.reach.pieces:
                self.reach.shift(start, tuple(details["to"]))
                return
            self.reach.say(call, details)
        elif self._rolled and self.rng.random() < self.temper.bold:
            self.reach.say("word", {"word": self.rng.choice(self.vocabulary.words)[:FIVE]})
        elif word := self._word(self.reach.pieces):
            self.reach.say("word", {"word": word})
        elif self._rolled:
            self.reach.press("end_turn")
        else:
            self._dice = self.rng.randint(1, 4), self.rng.randint(1, 4)
            self.reach.say("roll", {"dice": list(self._dice)})
        self.wait(now_ns, self.temper.thinks_s)

    def _plan(self) -> None:
        """Choose the moves that make a word, or come near one."""
        pieces, others = list(self.reach.pieces), set(self.reach.others)
        best: tuple[float, Moves] = (-1.0, ())
        for moves in ways(pieces, others, self._dice):
            then = {*pieces} - {start for start, _ in moves} | {goal for _, goal in moves}
            if len(then) == FIVE and (value := self._value(then)) > best[0]:
                best = value, moves
        self._todo = [("move", {"from": list(start), "to": list(goal)}) for start, goal in best[1]]

    def _value(self, squares: set[Place]) -> float:
        """Return how good it is to have the pieces there; a word is best."""
        letters = "".join(sorted(self._letters(squares)))
        if word := self._word(squares):
            return 1000.0 + worth(word) * FACTORS.get(largest_group(squares), 1)
        return sum(self.nearly["".join(four)] for four in set(combinations(letters, 4))) + self.rng.random()

    def _letters(self, squares: Any) -> list[str]:
        return [self.reach.symbol(self.reach.board[square]) for square in squares]

    def _word(self, squares: Any) -> str | None:
        """Return a word under five squares that the player has not spelt yet, or ``None``."""
        known = self.words.get("".join(sorted(self._letters(squares))), [])
        return next((word for word in known if word not in {one for one, _ in self.spelt}), None)

    def _lift(self, word: str) -> None:
        """Lift the pyramids, lay the word out in front, and put new tiles on its squares."""
        squares = list(self.reach.pieces)
        row, col = divmod(len(self.spelt) - 1, 2)
        left, down = (col - 0.5) * 6.2 - 2.1, row * 1.5 - 0.7
        for number, square in enumerate(squares):
            self.reach.lift(square, (number - 2) * 1.9, -self.reach.deep / 2 + 0.6)
        wanted = list(enumerate(word))
        for square in squares:
            tile = self.reach.board[square]
            at = next(one for one in wanted if one[1] == self.reach.symbol(tile))
            wanted.remove(at)
            self.reach.carry(tile, left + 1.04 * at[0], down)
            for new in self.reach.take(1):
                self.reach.board[square] = new
                self.reach.lay(new, *square)
        self._showing, self.still_s = squares, SHOWS_S

    def account(self) -> float:
        """Return the points as the player adds them up."""
        return float(sum(points for _, points in self.spelt) + BONUS * self.first)


def worth(word: str) -> int:
    """Return the sum of the letters' values."""
    return sum(tile_set("scrabble-en").values[letter] for letter in word)


def beside(square: Place) -> Iterator[Place]:
    """Yield the squares next to one, diagonally too."""
    for row, col in SQUARES:
        if max(abs(row - square[0]), abs(col - square[1])) == 1:
            yield row, col


def largest_group(squares: set[Place]) -> int:
    """Return how many of the squares hang together at most."""
    left, best = set(squares), 0
    while left:
        edge, size = [left.pop()], 0
        while edge:
            size += 1
            near = left & set(beside(edge.pop()))
            left -= near
            edge += near
        best = max(best, size)
    return best


def reached(start: Place, taken: set[Place], steps: int) -> Mapping[Place, int]:
    """Return the squares that a piece comes to within some steps, past no other piece, and their steps."""
    found, edge = {start: 0}, [start]
    for step in range(1, steps + 1):
        edge = [there for here in edge for there in beside(here) if there not in taken | found.keys()]
        found |= dict.fromkeys(edge, step)
    return {square: step for square, step in found.items() if step}


def ways(pieces: list[Place], others: set[Place], dice: tuple[int, int]) -> Iterator[Moves]:
    """Yield what a roll allows: one piece moved by both dice, or two by one each, or nothing."""
    yield ()
    taken = {*pieces, *others}
    for piece in pieces:
        for goal in reached(piece, taken, sum(dice)):
            yield ((piece, goal),)
    for one, other in permutations(pieces, 2):
        for goal in reached(one, taken, dice[0]):
            for end in reached(other, taken - {one} | {goal}, dice[1]):
                yield ((one, goal), (other, end))
