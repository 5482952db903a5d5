"""The calls of Binary Number Scrabble."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.model.calls import Called
from companion.model.phrases import joined, phrase, phrase_n
from companion.model.tiles import BLANK
from companion.rules import event as ev
from companion.rules.binary_scrabble.board import Tile, box, count_fault, placement_fault
from companion.rules.binary_scrabble.equation import Operator
from companion.rules.binary_scrabble.options import RACK_TILES
from companion.rules.binary_scrabble.scores import (
    FormedRun,
    end_play_events,
    judge_runs,
    next_turn_events,
    points,
    ranking_events,
    reopen_events,
    score_events,
    scoreless_end_events,
    unplayed_points,
)
from companion.rules.binary_scrabble.sight import NewTiles, new_tiles, stray_tile
from companion.rules.binary_scrabble.values import (
    BinaryScrabbleState,
    EquationsMade,
    PlayTakenBack,
    PlayUpheld,
    TurnForfeited,
    TurnMissed,
    UnplayedCounted,
    after,
)
from companion.rules.fields import cell, list_field, symbol
from companion.rules.interface import Events, Words, refused
from companion.rules.policy import objection, warnings
from companion.rules.state import Phase, amount_for_seat

Decide = Callable[[BinaryScrabbleState, Called, Words], Events]


def in_turn(decide: Decide) -> Decide:
    """Return a call that only the player on turn has."""

    def decided(state: BinaryScrabbleState, called: Called, words: Words) -> Events:
        if called.seat != state.turn:
            return [refused(called, phrase("it is %(name)s's turn", name=state.seat(state.turn or 1).name))]
        return decide(state, called, words)

    return decided


def on_turn(state: BinaryScrabbleState, seat: int) -> bool:
    """Return whether it is a player's turn."""
    return state.turn == seat


def challengeable(state: BinaryScrabbleState, seat: int) -> bool:
    """Return whether another player's play may be challenged."""
    return state.last is not None and not state.confirmed and state.last.seat != seat


@in_turn
def play(state: BinaryScrabbleState, called: Called, _words: Words) -> Events:
    """Return a play's equations with their points, the tiles drawn, and the next turn."""
    found = new_tiles(state, called)
    if isinstance(found, str):
        return [refused(called, found)]
    made = judge_runs(state.board_tiles, found.tiles, state.options)
    fault = equations_fault(made)
    if reason := play_fault(state, called, found, made) or objection(
        state, called.seat, found.doubt or fault
    ):
        return [refused(called, reason)]
    warned = [*warnings(state, called, found.doubt), *warnings(state, called, fault)]
    one = equations_made(state, called.seat, found.tiles, made)
    events: list[ev.Event] = [
        one,
        play_announcement(state, one),
        ev.TilesDrawn(amount_for_seat(state, called.seat, one.drawn)),
    ]
    then = after(state, events)
    ended = (
        end_play_events(then, phrase("%(name)s has gone out", name=state.seat(called.seat).name))
        if then.out
        else []
    )
    return [*warned, *events, *(ended or [*score_events(then), *next_turn_events(then)])]


def equations_made(
    state: BinaryScrabbleState, seat: int, new: tuple[Tile, ...], made: Sequence[FormedRun]
) -> EquationsMade:
    """Return the event of a play; "Players keep 9 tiles in their hand at all times"."""
    drawn = min(state.pool, max(0, RACK_TILES - state.seat(seat).hand + len(new)))
    texts = tuple(one.run.text for one in made)
    return EquationsMade(seat, new, texts, points(made, new, state.options), drawn, equations_fault(made))


def play_announcement(state: BinaryScrabbleState, play: EquationsMade) -> ev.Announced:
    """Return the announcement of a play."""
    return ev.Announced(
        phrase_n(
            "%(name)s: %(equations)s: %(count)s point",
            "%(name)s: %(equations)s: %(count)s points",
            play.points,
            name=state.seat(play.seat).name,
            equations=", ".join(play.equations),
        )
    )


def play_fault(
    state: BinaryScrabbleState, called: Called, found: NewTiles, made: Sequence[FormedRun]
) -> str | None:
    """Return why a play is not possible, whether or not its equations are true, or ``None``."""
    hand = state.seat(called.seat).hand
    if len(found.tiles) > hand:
        return phrase_n(
            "%(count)s new tile lies on the board, and you held %(hand)s",
            "%(count)s new tiles lie on the board, and you held %(hand)s",
            len(found.tiles),
            hand=hand,
        )
    if reason := placement_fault(state.board_tiles, found.tiles) or count_fault(
        [tile.symbol for tile in (*state.board_tiles, *found.tiles)]
    ):
        return reason
    new = {tile.cell for tile in found.tiles}
    added = [one for one in made if (one.fault or one.value is not None) and not new >= set(one.run.places)]
    if state.board_tiles and not added:
        return phrase("the new tiles must add to an equation on the board, or cross one as an equation")
    return None


def equations_fault(made: Sequence[FormedRun]) -> str | None:
    """Return what is wrong with the runs of a play, or ``None``."""
    wrong = [
        phrase("%(text)s is no valid equation: %(reason)s", text=one.run.text, reason=one.fault)
        for one in made
        if one.fault
    ]
    return joined(wrong, "; ") if wrong else None


@in_turn
def exchange(state: BinaryScrabbleState, called: Called, _words: Words) -> Events:
    """Return an exchange as in Scrabble, tiles drawn and as many put back, and the next turn."""
    count, least = called.details["tiles"], state.options["exchange_least"]
    if count > state.seat(called.seat).hand:
        held = phrase_n("you hold %(count)s tile", "you hold %(count)s tiles", state.seat(called.seat).hand)
        return [refused(called, held)]
    if state.pool < max(count, least):
        return [
            refused(
                called,
                phrase_n(
                    "%(count)s tile is left; an exchange of %(tiles)s needs %(least)s",
                    "%(count)s tiles are left; an exchange of %(tiles)s needs %(least)s",
                    state.pool,
                    tiles=count,
                    least=max(count, least),
                ),
            )
        ]
    drawn = ev.TilesDrawn(amount_for_seat(state, called.seat, count))
    back = ev.TilesDrawn(amount_for_seat(state, called.seat, -count))
    return turn_without_tiles(state, called, [drawn, back])


@in_turn
def passed(state: BinaryScrabbleState, called: Called, _words: Words) -> Events:
    """Return the next turn."""
    return turn_without_tiles(state, called, [])


def turn_without_tiles(state: BinaryScrabbleState, called: Called, events: list[ev.Event]) -> Events:
    """Return a turn without a play; refuse it while tiles that were only tried still lie on the board."""
    doubt = stray_tile(state)
    if reason := objection(state, called.seat, doubt):
        return [refused(called, reason)]
    accepted = ev.CallAccepted(called.seat, called.call)
    then = after(state, [accepted, *events])
    return [*warnings(state, called, doubt), *events, *next_turn_events(then)]


def challenge(state: BinaryScrabbleState, called: Called, _words: Words) -> Events:
    """Return the last play taken back if it was not valid; else the challenger misses a turn."""
    if state.last is None or state.confirmed:
        return [refused(called, phrase("there is no play to challenge"))]
    if state.last.seat == called.seat:
        return [refused(called, phrase("you cannot challenge your own play"))]
    if state.last.fault:
        return [
            ev.Announced(phrase("the challenge succeeds: %(reason)s", reason=state.last.fault)),
            *take_back(state, state.last),
        ]
    upheld = [ev.Announced(phrase("the play stands")), PlayUpheld(state.last.seat)]
    if state.stage is Phase.JUDGING:
        return upheld
    if called.seat != state.turn:
        return [*upheld, TurnForfeited(called.seat)]
    forfeit = [*upheld, TurnForfeited(called.seat), TurnMissed(called.seat)]
    return [*forfeit, *next_turn_events(after(state, forfeit))]


def take_back(state: BinaryScrabbleState, last: EquationsMade) -> list[ev.Event]:
    """Return the taking back of a play, with its tiles and points; play resumes if that play had ended it."""
    went_out = state.out is not None
    back: list[ev.Event] = [
        PlayTakenBack(last.seat),
        ev.TilesDrawn(amount_for_seat(state, last.seat, -last.drawn)),
    ]
    then = after(state, back)
    if state.stage is not Phase.JUDGING:
        return [*back, *(scoreless_end_events(then) or score_events(then))]
    return [
        *back,
        *(reopen_events(then, phrase("the last play was taken back")) if went_out else ranking_events(then)),
    ]


def out(state: BinaryScrabbleState, called: Called, _words: Words) -> Events:
    """Return the scores with the others' unplayed tiles counted."""
    if state.out != called.seat:
        return [refused(called, not_out_reason(state, called.seat))]
    if state.counted:
        return [refused(called, phrase("the unplayed tiles are counted already"))]
    tiles: dict[int, tuple[str, ...]] = {int(n): held for n, held in called.details["unplayed"].items()}
    if reason := unplayed_fault(state, tiles):
        return [refused(called, reason)]
    counted = UnplayedCounted(unplayed_points(state, tiles))
    return [counted, *ranking_events(after(state, [counted]))]


def not_out_reason(state: BinaryScrabbleState, seat: int) -> str:
    """Return why a player has not gone out."""
    if state.out is not None:
        return phrase("%(name)s has gone out", name=state.seat(state.out).name)
    return phrase_n(
        "you hold %(count)s tile, and %(left)s",
        "you hold %(count)s tiles, and %(left)s",
        state.seat(seat).hand,
        left=phrase_n("%(count)s is left to draw", "%(count)s are left to draw", state.pool),
    )


def unplayed_fault(state: BinaryScrabbleState, tiles: Mapping[int, Sequence[str]]) -> str | None:
    """Return why the given tiles cannot be those that the others hold, or ``None``."""
    for number in tiles:
        if number not in state.numbers:
            return phrase("nobody sits at seat %(number)s", number=number)
    for number in state.numbers:
        seat, given = state.seat(number), len(tiles.get(number, ()))
        if seat.hand != given:
            return phrase_n(
                "%(name)s holds %(count)s tile by count; got %(given)s",
                "%(name)s holds %(count)s tiles by count; got %(given)s",
                seat.hand,
                name=seat.name,
                given=given,
            )
    held = [one for hand in tiles.values() for one in hand]
    return count_fault([*(tile.symbol for tile in state.board_tiles), *held])


def parse_symbol(given: Any) -> str:
    """Return a tile's symbol; raise ValueError for one that no tile of the game shows."""
    known = (*box().symbols, Operator.XOR)
    if (face := symbol(given)) not in known:
        raise ValueError(
            phrase(
                "must be one of %(values)s or an empty text; got %(given)s",
                values=", ".join(filter(None, known)),
                given=repr(given),
            )
        )
    return face


def parse_blank(given: Any) -> tuple[tuple[int, int], str]:
    """Return a blank's cell and the symbol that it stands for."""
    if not isinstance(given, list | tuple) or len(given) != 3:
        raise ValueError(phrase("must be [row, column, symbol]; got %(given)s", given=str(given)[:50]))
    face = parse_symbol(given[2])
    if face == BLANK:
        raise ValueError(phrase("must say which symbol a blank stands for"))
    return cell(given[:2]), face


def parse_hands(given: Any) -> dict[str, tuple[str, ...]]:
    """Return the unplayed tiles by seat."""
    if not isinstance(given, dict) or not all(seat.isdecimal() and len(seat) < 3 for seat in given):
        raise ValueError(phrase("must name tiles by seat; got %(given)s", given=str(given)[:50]))
    held = list_field(parse_symbol, RACK_TILES)
    return {str(int(seat)): held(tiles) for seat, tiles in given.items()}


BLANKS_FIELD = list_field(parse_blank, RACK_TILES)
TURNED_FIELD = list_field(cell, RACK_TILES)
