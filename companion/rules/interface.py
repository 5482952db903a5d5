"""What a game is to the table: a vocabulary and pure functions.

A game derives from ``Game``, names its calls and options, and says what each
call leads to.  It registers an instance of itself in the entry-point group
``companion.games``; nothing else in the product names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Protocol, cast

from companion.model.calls import Called, Ruling
from companion.model.grid import Grid, Place
from companion.model.judged import TableauVerdict
from companion.model.phrases import phrase
from companion.model.seats import Seat
from companion.model.sightings import Board, Sighting
from companion.model.tiles import TileSet
from companion.model.verdicts import Verdict
from companion.rules import event as ev
from companion.rules.changes import evolved
from companion.rules.fields import Field
from companion.rules.figures import Figure, points
from companion.rules.options import COMMON, Option
from companion.rules.state import Phase, S, State, each
from companion.rules.tournament import Tournament
from companion.words.lexicon import LONG, Rare

Events = Sequence[ev.Event]


class WordSource(Protocol):
    """What the table knows words from; ``companion.words`` has it."""

    @property
    def label(self) -> str:
        """Name, size and hash, as pages show them and the log keeps them."""
        ...

    def accepts(self, word: str) -> bool:
        """Return whether a word is listed, rare or not."""

    def is_rare(self, word: str) -> bool:
        """Return whether a word is listed as rare."""

    def covers(self, letters: int) -> bool:
        """Return whether words of so many letters are judged at all; where not, the referee says."""


@dataclass(frozen=True, slots=True)
class Words:
    """What judges words in a game: the referee's rulings first, then the lexicon.

    ``ruled`` are the rulings, by word in small letters; ``long`` says who
    judges words of more letters than ``LONG``: the ``second_list``, the
    ``first_list`` or the ``referee``; ``rare`` what the host decided on
    rare words.
    """

    source: WordSource
    ruled: Mapping[str, bool] = field(default_factory=dict)
    long: str = "second_list"
    rare: Rare = Rare.ACCEPT

    @classmethod
    def of(cls, state: State, source: WordSource) -> Words:
        """Return what judges words in a game; one without the option accepts rare words."""
        return cls(source, state.ruled_words, rare=Rare(state.options.get("rare", Rare.ACCEPT)))

    def covers(self, letters: int) -> bool:
        """Return whether a list judges words of so many letters."""
        if letters <= LONG or self.long == "first_list":
            return True
        return self.long == "second_list" and self.source.covers(letters)

    def validity(self, word: str) -> bool | None:
        """Return whether a word is good, or ``None`` where the referee has to rule first."""
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
        Returns the events that the call leads to: ``(state, called, words)``.
        A refusal is ``[refused(called, reason)]``; otherwise the table puts
        ``CallAccepted`` in front.
    takes, needs
        What comes with the call, and which of it must.
    during
        The phases in which the call means something.
    when
        Whether it means something to a seat now; nothing of its tiles may be told by that.  Pages offer
        a call only then.
    """

    means: str
    decide: Callable[[Any, Called, Words], Events]
    takes: Mapping[str, Field] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()
    during: frozenset[Phase] = frozenset({Phase.PLAYING})
    when: Callable[[Any, int], bool] = lambda _state, _seat: True


class About(StrEnum):
    """Whom a ruling is about."""

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
        Whether it means something before the host has started the game.
    """

    means: str
    decide: Callable[[Any, Any, Ruling, Words], Events]
    takes: Mapping[str, Field] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()
    about: About = About.TABLE
    early: bool = False


@dataclass(frozen=True, slots=True)
class Notation:
    """What tiles say that are laid for something else than words, as any game or none has it.

    Parameters
    ----------
    uses
        Whether the tiles of a set are made for it.
    judge
        What lies in a tableau: symbols by row and column, and the places that are in doubt.
    """

    uses: Callable[[TileSet], bool]
    judge: Callable[[Grid, Set[Place]], TableauVerdict]


Buttons = tuple[tuple[str, ...], ...]
"""What buttons call in a game, from what is called most to what is called least.

Each is a call, or several of which the first that means something in the phase is made.  Calls that take
something with them (dice, words, tiles) are made on a phone.
"""


Aloud = Mapping[str, Mapping[str, str]]
"""How the table says calls aloud: by call, then by language, as ``en``.

What is the same in every language is written as each language spells its sound.
"""


class RuleSystem(Protocol[S]):
    """What the table asks of a game; ``Game`` answers all of it but the calls."""

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    source: ClassVar[str]
    tiles: ClassVar[int]
    players: ClassVar[tuple[int, int]]
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
        """Return the state before anything happened but the set-up."""

    def set_up(self, state: S) -> Events:
        """Return what else a set-up leads to; raise BadSetUp where the rules refuse it."""

    def start(self, state: S, number: int) -> Events:
        """Return what the host's Start, or the next round, leads to."""

    def judge(self, state: S, seat: int, seen: Sighting, words: Words) -> Verdict:
        """Return what the table makes of a seat's tiles."""

    def tiles_seen(self, state: S, seat: int, seen: Sighting) -> Events:
        """Return what the table has to say about a change before a seat, besides the verdict."""

    def board_seen(self, state: S, board: Board, words: Words, at_ns: int) -> Events:
        """Return what a sighting of the shared board leads to; it may be older than the newest call."""

    def assume_unseen(self, state: S, called: Called) -> S:
        """Return the state with what nobody has seen yet as a call would have it; the same where all was."""

    def time_up(self, state: S, at_ns: int) -> Events:
        """Return what the end of the round's clock leads to."""

    def recount(self, state: S) -> Events:
        """Return the scores as the tables have them, where they are not so yet; asked after everything."""

    def confirm(self, state: S) -> Events:
        """Return what the host's confirmation of the round leads to."""

    def end(self, state: S, at_ns: int) -> Events:
        """Return what the host's end of the game leads to."""

    def standings(self, state: S) -> list[list[int]]:
        """Return the seats from first to last in the whole game, those that nothing parts together."""

    def figures(self, state: S, seat: int) -> Sequence[Figure]:
        """Return the numbers of a seat that pages show large, the most important first."""

    def board(self, state: S) -> Board | None:
        """Return the shared board as the game knows it, to be drawn."""

    def overturn(self, state: S, ruling: Ruling) -> Events:
        """Return what follows when a seat's Done is found to be none."""

    def disqualify(self, state: S, seat: int, reason: str) -> Events:
        """Return what a seat's disqualification leads to."""

    def rescore(self, state: S) -> Events:
        """Return the scores that follow from places as the referee set them."""

    def rerank(self, state: S) -> Events:
        """Return places and winner anew, where play has ended and the referee has taken points."""

    def evolve(self, state: S, event: ev.Event, at_ns: int) -> S:
        """Return the state after an event."""

    def card(self, options: Mapping[str, Any]) -> Sequence[str]:
        """Return what to say when, with the chosen options, a line each."""


class Game(Generic[S]):
    """A game with the answers that most games share.

    ``newcomer`` is the handicap of a player who has none yet, in games with an option ``handicaps``; the
    others' are kept by name from game to game.  ``tournaments`` are the forms that a hall offers it in.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str] = ""
    source: ClassVar[str] = ""
    tiles: ClassVar[int] = 0
    players: ClassVar[tuple[int, int]] = (1, 8)
    newcomer: ClassVar[int | None] = None
    tournaments: ClassVar[tuple[Tournament, ...]] = ()
    notation: ClassVar[Notation | None] = None
    calls: ClassVar[Mapping[str, CallKind]] = {}
    buttons: ClassVar[Buttons] = ()
    aloud: ClassVar[Aloud] = {}
    rulings: ClassVar[Mapping[str, RulingKind]] = {}
    options: ClassVar[tuple[Option, ...]] = COMMON
    events: ClassVar[tuple[type[ev.Event], ...]] = ()
    state: ClassVar[type[State]] = State

    def initial_state(self, set_up: ev.GameSetUp) -> S:
        """Return the state before anything happened; an option younger than the log has its default."""
        seats = tuple(Seat(name) for name in set_up.seats)
        options = {option.name: option.default for option in self.options}
        frozen = MappingProxyType({**options, **set_up.options})
        return cast("S", self.state(self.name, seats, frozen, set_up.words, set_up.pool))

    def set_up(self, state: S) -> Events:
        """Return nothing else."""
        return []

    def start(self, state: S, number: int) -> Events:
        """Return a round without tiles in hand."""
        return [ev.RoundStarted(number, each(state, 0), each(state, 0))]

    def judge(self, state: S, seat: int, seen: Sighting, words: Words) -> Verdict:
        """Return what lies loose and what is doubted; the games that build tableaux judge more."""
        return Verdict(loose=len(seen.loose), doubts=seen.doubts)

    def tiles_seen(self, state: S, seat: int, seen: Sighting) -> Events:
        """Return nothing: tiles may be moved at any time."""
        return []

    def board_seen(self, state: S, board: Board, words: Words, at_ns: int) -> Events:
        """Return the board as seen, where it changed."""
        return [] if board == state.board else [ev.BoardSeen(board)]

    def assume_unseen(self, state: S, called: Called) -> S:
        """Return the state as it is: what counts is always in sight."""
        return state

    def time_up(self, state: S, at_ns: int) -> Events:
        """Return the end of the round."""
        return [ev.RoundEnded(phrase("time is up"))]

    def recount(self, state: S) -> Events:
        """Return nothing: scores follow from calls alone."""
        return []

    def confirm(self, state: S) -> Events:
        """Return the totals with the round's scores added."""
        return [ev.RoundConfirmed(tuple(seat.total + seat.score for seat in state.seats))]

    def end(self, state: S, at_ns: int) -> Events:
        """Return the game's end with whoever leads alone; scores that were not confirmed yet count."""
        events = self.confirm(state) if state.stage is Phase.JUDGING and not state.confirmed else []
        state = self.after(state, events, at_ns)
        refused_or_over = state.phase is Phase.OVER or any(
            isinstance(event, ev.CallRefused) for event in events
        )
        return events if refused_or_over else [*events, ev.GameEnded(self.champion(state))]

    def standings(self, state: S) -> list[list[int]]:
        """Return the seats from most points in all to fewest, equal ones together, the withdrawn last."""
        rank = {n: (state.seat(n).withdrawn, -state.seat(n).total) for n in state.numbers}
        return [[n for n in state.numbers if rank[n] == one] for one in sorted(set(rank.values()))]

    def figures(self, state: S, seat: int) -> Sequence[Figure]:
        """Return the seat's points."""
        return points(state, seat)

    def board(self, state: S) -> Board | None:
        """Return the board as the camera last saw it."""
        return state.board

    def champion(self, state: S) -> int | None:
        """Return who wins a game that ends now: who stands first alone."""
        first = self.standings(state)[0]
        return first[0] if len(first) == 1 else None

    def after(self, state: S, events: Events, at_ns: int) -> S:
        """Return the state after events that are not in the log yet."""
        for event in events:
            state = self.evolve(state, event, at_ns)
        return state

    def overturn(self, state: S, ruling: Ruling) -> Events:
        """Return a refusal: no call of this game ends a player's round."""
        return [
            ev.CallRefused(
                ruling.seat, ruling.ruling, phrase("%(game)s has no Done to overturn", game=self.title)
            )
        ]

    def disqualify(self, state: S, seat: int, reason: str) -> Events:
        """Return the seat out of the round, with its tiles before it."""
        return [ev.Disqualified(seat, 0, reason)]

    def rescore(self, state: S) -> Events:
        """Return nothing: places give no points."""
        return []

    def rerank(self, state: S) -> Events:
        """Return nothing: penalties count in the game's total alone."""
        return []

    def evolve(self, state: S, event: ev.Event, at_ns: int) -> S:
        """Return the state after a shared event."""
        return evolved(state, event, at_ns)

    def card(self, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the calls and what they mean."""
        return [f"{name.upper().replace('_', ' ')}: {kind.means}" for name, kind in self.calls.items()]


def refused(heard: Called, reason: str) -> ev.CallRefused:
    """Return the refusal of a call, with a reason that a player understands."""
    return ev.CallRefused(heard.seat, heard.call, reason)


def not_ruled(ruling: Ruling, reason: str) -> list[ev.Event]:
    """Return the refusal of a ruling, with a reason that the referee understands."""
    return [ev.CallRefused(ruling.seat, ruling.ruling, reason)]
