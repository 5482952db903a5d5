"""The interface of a game: its calls, rulings and options, and pure functions from state to events.

A game derives from ``Game`` and registers an instance in the entry-point group ``companion.games``.  Nothing
else in the product names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Protocol, cast

from companion.model.calls import Called, Ruling
from companion.model.grid import Grid, Place
from companion.model.phrases import phrase
from companion.model.seats import Seat
from companion.model.sightings import Board, Sighting
from companion.model.tiles import TileSet
from companion.model.verdicts import TableauVerdict, Verdict
from companion.rules import event as ev
from companion.rules.changes import after_events, evolve_shared
from companion.rules.fields import Field
from companion.rules.figures import Figure, points
from companion.rules.options import COMMON_OPTIONS, Option
from companion.rules.state import Phase, S, State, amount_for_active_seats
from companion.rules.tournament import Tournament
from companion.words.lexicon import MAX_MAIN_LIST_LETTERS, Rare

Events = Sequence[ev.Event]


class WordSource(Protocol):
    """A word list, as ``companion.words`` has them."""

    @property
    def label(self) -> str:
        """Name, size and hash, as shown on pages and kept in the log."""
        ...

    def accepts(self, word: str) -> bool:
        """Return whether a word is listed, rare or not."""

    def is_rare(self, word: str) -> bool:
        """Return whether a word is listed as rare."""

    def covers(self, letters: int) -> bool:
        """Return whether words of ``letters`` letters are judged; the referee rules on the others."""


@dataclass(frozen=True, slots=True)
class Words:
    """The judge of words in a game: the referee's rulings first, then the lexicon.

    Parameters
    ----------
    source
        The lexicon.
    ruled
        The rulings, by word in small letters.
    long
        Who judges words of more than ``MAX_MAIN_LIST_LETTERS`` letters: the ``second_list``, the
        ``first_list`` or the ``referee``.
    rare
        What the host decided on rare words.
    """

    source: WordSource
    ruled: Mapping[str, bool] = field(default_factory=dict)
    long: str = "second_list"
    rare: Rare = Rare.ACCEPT

    @classmethod
    def of(cls, state: State, source: WordSource) -> Words:
        """Return the judge of words in a game; rare words are accepted if the game has no option for them."""
        return cls(source, state.ruled_words, rare=Rare(state.options.get("rare", Rare.ACCEPT)))

    def covers(self, letters: int) -> bool:
        """Return whether a list judges words of ``letters`` letters."""
        if letters <= MAX_MAIN_LIST_LETTERS or self.long == "first_list":
            return True
        return self.long == "second_list" and self.source.covers(letters)

    def validity(self, word: str) -> bool | None:
        """Return whether a word is valid, or ``None`` if the referee has to rule first."""
        if (ruled := self.ruled.get(word.lower())) is not None:
            return ruled
        if not self.covers(len(word)):
            return None
        return self.rare.valid if self.source.is_rare(word) else self.source.accepts(word)


@dataclass(frozen=True, slots=True)
class CallKind:
    """One call of a game.

    Parameters
    ----------
    means
        What it does, for the table card.
    decide
        Returns the events of the call: ``(state, called, words)``.  A refusal is
        ``[refused(called, reason)]``; otherwise ``CallAccepted`` is put in front.
    takes, needs
        The fields that come with the call, and those of them that are required.
    during
        The phases in which the call is possible.
    when
        Whether a seat can make it now; pages offer the call only then.  It must not reveal anything about
        the seat's tiles.
    """

    means: str
    decide: Callable[[Any, Called, Words], Events]
    takes: Mapping[str, Field] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()
    during: frozenset[Phase] = frozenset({Phase.PLAYING})
    when: Callable[[Any, int], bool] = lambda _state, _seat: True


class RulingScope(StrEnum):
    """Whether a ruling is about a seat, about a seat or none, or about the table."""

    SEAT = "seat"
    ANYBODY = "anybody"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class RulingKind:
    """One ruling of the referee's: ``(game, state, ruling, words)`` to events; fields as in ``CallKind``.

    Parameters
    ----------
    about
        Whether it needs a seat, may name one, or is about the table.
    early
        Whether it is possible before the host has started the game.
    """

    means: str
    decide: Callable[[Any, Any, Ruling, Words], Events]
    takes: Mapping[str, Field] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()
    about: RulingScope = RulingScope.TABLE
    early: bool = False


@dataclass(frozen=True, slots=True)
class Notation:
    """What tiles mean in a game that is not played with words, such as equations.

    Parameters
    ----------
    uses
        Returns whether the tiles of a set are made for it.
    judge
        Returns the verdict on a tableau, from its symbols by row and column and the places in doubt.
    """

    uses: Callable[[TileSet], bool]
    judge: Callable[[Grid, Set[Place]], TableauVerdict]


Buttons = tuple[tuple[str, ...], ...]
"""The calls of a seat's buttons, from the most used button to the least used one.

A button has one call or several; the first of them that is possible in the phase is made.  Calls that take
fields (dice, words, tiles) are made on a phone.
"""


Aloud = Mapping[str, Mapping[str, str]]
"""The spoken form of calls: by call, then by language, such as ``en``, spelled for that language's voice."""


class RuleSystem(Protocol[S]):
    """All that the table needs of a game; ``Game`` has a default for everything but ``name`` and ``title``.

    ``name`` is that of the entry point too, ``source`` the rule text, ``players`` the least and the most of
    them.  ``tiles`` lie in the middle at first (0: they are not counted).  ``events`` are its own kinds.
    ``on_board`` is whether all play on one board, instead of each with tiles of their own.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    source: ClassVar[str]
    tiles: ClassVar[int]
    players: ClassVar[tuple[int, int]]
    on_board: ClassVar[bool]
    newcomer: ClassVar[int | None]
    tournaments: ClassVar[tuple[Tournament, ...]]
    notation: ClassVar[Notation | None]
    calls: ClassVar[Mapping[str, CallKind]]
    buttons: ClassVar[Buttons]
    aloud: ClassVar[Aloud]
    rulings: ClassVar[Mapping[str, RulingKind]]
    options: ClassVar[tuple[Option, ...]]
    events: ClassVar[tuple[type[ev.Event], ...]]

    def initial_state(self, set_up: ev.GameSetUp) -> S:
        """Return the state after the set-up alone."""

    def set_up(self, state: S) -> Events:
        """Return the events that follow the set-up; raise BadSetUp if the rules refuse it."""

    def start(self, state: S, number: int) -> Events:
        """Return the events of the host's Start, or of the next round."""

    def judge(self, state: S, seat: int, seen: Sighting, words: Words) -> Verdict:
        """Return the verdict on a seat's tiles."""

    def tiles_seen(self, state: S, seat: int, seen: Sighting) -> Events:
        """Return the events, such as warnings, of a changed sighting of a seat."""

    def board_seen(self, state: S, board: Board, words: Words, at_ns: int) -> Events:
        """Return the events of a sighting of the shared board, which may be older than the newest call."""

    def assume_unseen(self, state: S, called: Called) -> S:
        """Return the state with unseen tiles assumed as a call needs them; the same state if all are seen."""

    def time_up(self, state: S, at_ns: int) -> Events:
        """Return the events of the end of the round's clock."""

    def recount(self, state: S) -> Events:
        """Return events that bring scores up to date, or none if they are; called after every input."""

    def confirm(self, state: S) -> Events:
        """Return the events of the host's confirmation of the round."""

    def end(self, state: S, at_ns: int) -> Events:
        """Return the events of the host's end of the game."""

    def standings(self, state: S) -> list[list[int]]:
        """Return the seats from first to last in the whole game, tied seats in one list."""

    def figures(self, state: S, seat: int) -> Sequence[Figure]:
        """Return the figures of a seat that pages show large, the most important first."""

    def board(self, state: S) -> Board | None:
        """Return the shared board as the game has it, to be drawn."""

    def overturn(self, state: S, ruling: Ruling) -> Events:
        """Return the events of the ruling that a seat's Done was invalid; scores stay unless given again."""

    def disqualify(self, state: S, seat: int, reason: str) -> Events:
        """Return the events of a seat's disqualification."""

    def rescore(self, state: S) -> Events:
        """Return the scores that follow from places as the referee set them."""

    def rerank(self, state: S) -> Events:
        """Return places and winner after points have changed, if play has ended."""

    def evolve(self, state: S, event: ev.Event, at_ns: int) -> S:
        """Return the state after an event."""

    def card(self, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the lines of the table card: which call to say when, with the chosen options."""


class Game(Generic[S]):
    """A game with the defaults that most games share.

    ``newcomer`` is the handicap of a player who has none yet, in games with an option ``handicaps``; other
    players' handicaps are kept by name from game to game.  ``tournaments`` are the forms in which a hall
    offers the game.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str] = ""
    source: ClassVar[str] = ""
    tiles: ClassVar[int] = 0
    players: ClassVar[tuple[int, int]] = (1, 8)
    on_board: ClassVar[bool] = False
    newcomer: ClassVar[int | None] = None
    tournaments: ClassVar[tuple[Tournament, ...]] = ()
    notation: ClassVar[Notation | None] = None
    calls: ClassVar[Mapping[str, CallKind]] = {}
    buttons: ClassVar[Buttons] = ()
    aloud: ClassVar[Aloud] = {}
    rulings: ClassVar[Mapping[str, RulingKind]] = {}
    options: ClassVar[tuple[Option, ...]] = COMMON_OPTIONS
    events: ClassVar[tuple[type[ev.Event], ...]] = ()
    state: ClassVar[type[State]] = State

    def initial_state(self, set_up: ev.GameSetUp) -> S:
        """Return the state after the set-up; options that an older log lacks have their defaults."""
        seats = tuple(Seat(name) for name in set_up.seats)
        options = {option.name: option.default for option in self.options}
        frozen = MappingProxyType({**options, **set_up.options})
        return cast("S", self.state(self.name, seats, frozen, set_up.words, set_up.pool))

    def set_up(self, state: S) -> Events:
        """Return no events."""
        return []

    def start(self, state: S, number: int) -> Events:
        """Return a round without tiles in hand."""
        return [ev.RoundStarted(number, amount_for_active_seats(state, 0), amount_for_active_seats(state, 0))]

    def judge(self, state: S, seat: int, seen: Sighting, words: Words) -> Verdict:
        """Return the number of loose tiles and the doubts; games that build tableaux judge more."""
        return Verdict(loose=len(seen.loose), doubts=seen.doubts)

    def tiles_seen(self, state: S, seat: int, seen: Sighting) -> Events:
        """Return no events: tiles may be moved at any time."""
        return []

    def board_seen(self, state: S, board: Board, words: Words, at_ns: int) -> Events:
        """Return the board as seen, if it has changed."""
        return [] if board == state.board else [ev.BoardSeen(board)]

    def assume_unseen(self, state: S, called: Called) -> S:
        """Return the same state: all tiles that count are always in sight."""
        return state

    def time_up(self, state: S, at_ns: int) -> Events:
        """Return the end of the round."""
        return [ev.RoundEnded(phrase("time is up"))]

    def recount(self, state: S) -> Events:
        """Return no events: scores follow from calls alone."""
        return []

    def confirm(self, state: S) -> Events:
        """Return the totals with the round's scores added."""
        return [ev.RoundConfirmed(tuple(seat.total + seat.score for seat in state.seats))]

    def end(self, state: S, at_ns: int) -> Events:
        """Return the game's end with the leader as winner; unconfirmed scores count."""
        events = self.confirm(state) if state.stage is Phase.JUDGING and not state.confirmed else []
        state = self.after(state, events, at_ns)
        refused_or_over = state.phase is Phase.OVER or any(
            isinstance(event, ev.CallRefused) for event in events
        )
        return events if refused_or_over else [*events, ev.GameEnded(self.champion(state))]

    def standings(self, state: S) -> list[list[int]]:
        """Return the seats by total, the highest first, equal ones in one list, withdrawn players last."""
        rank = {n: (state.seat(n).withdrawn, -state.seat(n).total) for n in state.numbers}
        return [[n for n in state.numbers if rank[n] == one] for one in sorted(set(rank.values()))]

    def figures(self, state: S, seat: int) -> Sequence[Figure]:
        """Return the seat's points."""
        return points(state, seat)

    def board(self, state: S) -> Board | None:
        """Return the board as the camera last saw it."""
        return state.board

    def champion(self, state: S) -> int | None:
        """Return the winner of a game that ends now: the only leader, or ``None``."""
        first = self.standings(state)[0]
        return first[0] if len(first) == 1 else None

    def after(self, state: S, events: Events, at_ns: int) -> S:
        """Return the state after events that are not in the log yet, all stamped ``at_ns``."""
        return after_events(self.evolve, state, events, at_ns)

    def overturn(self, state: S, ruling: Ruling) -> Events:
        """Return a refusal: no call of this game ends a player's round."""
        return [
            ev.CallRefused(
                ruling.seat, ruling.ruling, phrase("%(game)s has no Done to overturn", game=self.title)
            )
        ]

    def disqualify(self, state: S, seat: int, reason: str) -> Events:
        """Return the disqualification; the seat keeps its tiles."""
        return [ev.Disqualified(seat, 0, reason)]

    def rescore(self, state: S) -> Events:
        """Return no events: places give no points."""
        return []

    def rerank(self, state: S) -> Events:
        """Return no events: penalties change only the game's total."""
        return []

    def evolve(self, state: S, event: ev.Event, at_ns: int) -> S:
        """Return the state after a shared event."""
        return evolve_shared(state, event, at_ns)

    def card(self, options: Mapping[str, Any]) -> Sequence[str]:
        """Return a line for each call: its name and what it means."""
        return [f"{name.upper().replace('_', ' ')}: {kind.means}" for name, kind in self.calls.items()]


def refused(heard: Called, reason: str) -> ev.CallRefused:
    """Return the refusal of a call, with a reason that a player understands."""
    return ev.CallRefused(heard.seat, heard.call, reason)


def not_ruled(ruling: Ruling, reason: str) -> list[ev.Event]:
    """Return the refusal of a ruling, with a reason that the referee understands."""
    return [ev.CallRefused(ruling.seat, ruling.ruling, reason)]
