"""The referee's rulings in every game: each has a reason, and adds events to the log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.errors import BadCall
from companion.model.calls import SECOND, Ruling
from companion.model.phrases import phrase
from companion.model.sightings import Cell
from companion.rules import event as ev
from companion.rules import fields
from companion.rules.changes import after_events
from companion.rules.interface import Events, RuleSystem, RulingKind, RulingScope, Words, not_ruled
from companion.rules.state import Phase, State

Rules = RuleSystem[Any]


def penalize(game: Rules, state: State, ruling: Ruling, _words: Words) -> Events:
    """Return points taken off a seat's total, and new places or a new winner if play has ended."""
    taken = ev.PointsTaken(int(ruling.seat or 0), ruling.details["points"])
    return [taken, *ranked_anew(game, game.evolve(state, taken, ruling.at_ns))]


def ranked_anew(game: Rules, state: State) -> Events:
    """Return the places and the winner that follow from changed points, if play has ended."""
    return new_winner(game, state) if state.phase is Phase.OVER else game.rerank(state)


def new_winner(game: Rules, state: State) -> list[ev.Event]:
    """Return the new winner of a game that is over, if the totals have changed it."""
    first = game.standings(state)[0]
    winner = first[0] if len(first) == 1 else None
    return [] if winner == state.winner else [ev.GameEnded(winner)]


def warn(_game: Rules, _state: State, ruling: Ruling, _words: Words) -> Events:
    """Return a warning given."""
    return [ev.WarningGiven(int(ruling.seat or 0))]


def note_incident(_game: Rules, _state: State, _ruling: Ruling, _words: Words) -> Events:
    """Return no further events: the ruling's reason is the note."""
    return []


def withdraw(game: Rules, state: State, ruling: Ruling, _words: Words) -> Events:
    """Return a player's withdrawal; the tiles go where those of a disqualified player go."""
    number = int(ruling.seat or 0)
    seat = state.seat(number)
    if state.phase is Phase.OVER:
        return not_ruled(ruling, phrase("the game is over"))
    if seat.withdrawn:
        return not_ruled(ruling, phrase("%(name)s has withdrawn already", name=seat.name))
    if seat.out or state.confirmed:
        return [ev.Disqualified(number, 0, ruling.reason, withdrawn=True)]
    return [
        replace(event, withdrawn=True) if isinstance(event, ev.Disqualified) else event
        for event in game.disqualify(state, number, ruling.reason)
    ]


def substitute(_game: Rules, state: State, ruling: Ruling, _words: Words) -> Events:
    """Return a substitution: another player goes on at a seat."""
    name = ruling.details["player"]
    if any(name.casefold() == seat.name.casefold() for seat in state.seats):
        return not_ruled(ruling, phrase("%(name)s sits at the table already", name=name))
    return [ev.PlayerSubstituted(int(ruling.seat or 0), name)]


def set_clock(_game: Rules, state: State, ruling: Ruling, _words: Words) -> Events:
    """Return the correction of a clock, so that it shows the seconds of the ruling."""
    if state.stage not in {Phase.SETUP, Phase.PLAYING}:
        return not_ruled(ruling, phrase("the round has ended; set the score with set_score"))
    shown_ns = ruling.details["seconds"] * SECOND
    if ruling.seat is None:
        return set_round_clock(state, ruling, shown_ns)
    limit_s = state.options.get("player_s", 0)
    if not limit_s:
        return not_ruled(ruling, phrase("players have no clocks of their own in this game"))
    spent_ns = state.clocks[ruling.seat - 1].elapsed(ruling.at_ns)
    return [ev.ClockSet(ruling.seat, limit_s * SECOND - shown_ns - spent_ns)]


def set_round_clock(state: State, ruling: Ruling, shown_ns: int) -> Events:
    """Return the correction of the round's clock, which shows the time played or, counting down, the rest."""
    cap_s = state.options["cap_s"]
    down = cap_s and state.options["clock"] == "down"
    used_ns = cap_s * SECOND - shown_ns if down else shown_ns
    if shown_ns < 0 or used_ns < 0 or (cap_s and used_ns >= cap_s * SECOND):
        return not_ruled(
            ruling,
            phrase(
                "the round's clock shows %(least)s to %(most)s",
                least=clock_text(1 if down else 0),
                most=clock_text(cap_s if down else cap_s - 1) if cap_s else phrase("any time"),
            ),
        )
    return [ev.ClockSet(None, used_ns - state.clock.elapsed(ruling.at_ns))]


def clock_text(seconds: int) -> str:
    """Return seconds as minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02}"


def changed_verdicts(game: Rules, state: State, words: Words) -> list[ev.Event]:
    """Return the verdicts that a ruling on a word changes."""
    found: list[ev.Event] = []
    for number, seat in enumerate(state.seats, 1):
        if seat.sighting is not None:
            verdict = game.judge(state, number, seat.sighting, words)
            if verdict != seat.verdict:
                found.append(ev.VerdictChanged(number, verdict))
    return found


def rule_word(game: Rules, state: State, ruling: Ruling, words: Words) -> list[ev.Event]:
    """Return the verdicts that change with the ruled word."""
    ruled = {**state.ruled_words, ruling.details["word"]: ruling.details["valid"]}
    return changed_verdicts(game, state, replace(words, ruled=ruled))


def read_tile(game: Rules, state: State, ruling: Ruling, words: Words) -> Events:
    """Return a seat's or the board's sighting with the symbol that the referee reads in a doubted cell."""
    cell, symbol = ruling.details["cell"], ruling.details["symbol"]
    if other := stale_reading_refusal(game, state, ruling):
        return other
    if ruling.seat is None:
        return read_board(game, state, ruling, words)
    seat = state.seat(ruling.seat)
    if seat.sighting is None or seat.symbol_at(cell) is None:
        return not_ruled(
            ruling,
            phrase(
                "no tile is seen at row %(row)s, column %(column)s before %(name)s",
                row=cell[0] + 1,
                column=cell[1] + 1,
                name=seat.name,
            ),
        )
    if len(symbol) > 1:
        raise BadCall(
            phrase(
                "read_tile: 'symbol' must be one letter, or '' for a blank; got %(given)s", given=repr(symbol)
            )
        )
    read = seat.sighting.with_symbol(cell, symbol)
    return [ev.TilesSeen(ruling.seat, read, game.judge(state, ruling.seat, read, words))]


def shown_at(game: Rules, state: State, seat: int, cell: Cell) -> str | None:
    """Return the symbol that pages show in a cell of a seat, or of the board (0); ``None``: no tile."""
    if not seat:
        board = game.board(state)
        return board.symbols().get(cell) if board else None
    return state.seat(seat).symbol_at(cell)


def stale_reading_refusal(game: Rules, state: State, ruling: Ruling) -> Events:
    """Return the refusal of a reading if the cell now shows another tile than the referee was shown."""
    cell, shown = ruling.details["cell"], ruling.details.get("shown")
    now = shown_at(game, state, ruling.seat or 0, cell)
    if shown is None or now is None or shown == now:
        return []
    blank = phrase("a blank")
    moved = phrase(
        "at row %(row)s, column %(column)s lies %(now)s now, no longer %(shown)s; look at the tile again",
        row=cell[0] + 1,
        column=cell[1] + 1,
        now=now or blank,
        shown=shown or blank,
    )
    return not_ruled(ruling, moved)


def read_board(game: Rules, state: State, ruling: Ruling, words: Words) -> list[ev.Event]:
    """Return the events of the shared board with the symbol that the referee reads in a doubted cell."""
    cell, symbol = ruling.details["cell"], ruling.details["symbol"]
    if state.board is None or cell not in state.board.symbols():
        return not_ruled(
            ruling,
            phrase(
                "no tile is seen at row %(row)s, column %(column)s of the board",
                row=cell[0] + 1,
                column=cell[1] + 1,
            ),
        )
    return list(game.board_seen(state, state.board.with_symbol(cell, symbol), words, ruling.at_ns))


def set_score(game: Rules, state: State, ruling: Ruling, _words: Words) -> list[ev.Event]:
    """Return the round's scores with one changed, the totals if they are confirmed, and the new ranks."""
    number, score = int(ruling.seat or 0), ruling.details["score"]
    seat = state.seat(number)
    scores = tuple(score if n == number else state.seat(n).score for n in state.numbers)
    found: list[ev.Event] = [ev.ScoresGiven(scores)]
    if state.confirmed:
        totals = tuple(
            s.total + (score - seat.score if n == number else 0) for n, s in enumerate(state.seats, 1)
        )
        found.append(ev.RoundConfirmed(totals))
    return [*found, *ranked_anew(game, after_events(game.evolve, state, found, ruling.at_ns))]


def set_place(game: Rules, state: State, ruling: Ruling, _words: Words) -> list[ev.Event]:
    """Return the places with one changed, and the scores that follow."""
    places = tuple(
        ruling.details["place"] if n == ruling.seat else state.seat(n).place for n in state.numbers
    )
    given = ev.PlacesGiven(places)
    return [given, *game.rescore(game.evolve(state, given, 0))]


def disqualify(game: Rules, state: State, ruling: Ruling, _words: Words) -> list[ev.Event]:
    """Return the seat out of the round."""
    seat = state.seat(int(ruling.seat or 0))
    if seat.out:
        return not_ruled(ruling, phrase("%(name)s is out of this round already", name=seat.name))
    return list(game.disqualify(state, int(ruling.seat or 0), ruling.reason))


def reinstate(_game: Rules, state: State, ruling: Ruling, _words: Words) -> list[ev.Event]:
    """Return the seat's return, with as many tiles as it gave back or the pool has."""
    seat = state.seat(int(ruling.seat or 0))
    if not seat.out:
        return not_ruled(ruling, phrase("%(name)s is neither disqualified nor withdrawn", name=seat.name))
    return [ev.Reinstated(int(ruling.seat or 0), min(seat.returned, state.pool))]


def undo(game: Rules, state: State, ruling: Ruling, words: Words) -> list[ev.Event]:
    """Return the undoing of the last ruling; refuse it if the game has gone on since."""
    if state.before_ruling is None:
        return not_ruled(ruling, phrase("there is no ruling to undo"))
    if state.moved:
        gone_on = phrase("the game has gone on since the last ruling; rule the other way instead")
        return not_ruled(ruling, gone_on)
    undone = ev.RulingUndone(ruling.reason)
    before = game.evolve(state, undone, ruling.at_ns)
    return [undone, *changed_verdicts(game, before, replace(words, ruled=before.ruled_words))]


SHARED_RULINGS = {
    "overturn_done": RulingKind(
        "a Done is found to be none; the player builds on",
        lambda game, state, ruling, _: game.overturn(state, ruling),
        about=RulingScope.SEAT,
    ),
    "rule_word": RulingKind(
        "a word is good or a phony, for the rest of the game",
        rule_word,
        {"word": fields.word, "valid": fields.yes_or_no},
        frozenset({"word", "valid"}),
        early=True,
    ),
    "read_tile": RulingKind(
        "what a doubted tile shows; without a seat, on the shared board",
        read_tile,
        {"cell": fields.cell, "symbol": fields.symbol, "shown": fields.symbol},
        frozenset({"cell", "symbol"}),
        RulingScope.ANYBODY,
    ),
    "set_score": RulingKind(
        "a seat's points in this round",
        set_score,
        {"score": fields.points},
        frozenset({"score"}),
        RulingScope.SEAT,
    ),
    "set_place": RulingKind(
        "a seat's place", set_place, {"place": fields.integer(1, 100)}, frozenset({"place"}), RulingScope.SEAT
    ),
    "penalize": RulingKind(
        "points off a seat's total in the game",
        penalize,
        {"points": fields.points_off},
        frozenset({"points"}),
        RulingScope.SEAT,
    ),
    "warn": RulingKind("a seat is warned; warnings are counted", warn, about=RulingScope.SEAT, early=True),
    "disqualify": RulingKind("a seat is out of the round", disqualify, about=RulingScope.SEAT),
    "withdraw": RulingKind(
        "a player leaves the game; the tiles go back as for a disqualified one",
        withdraw,
        about=RulingScope.SEAT,
    ),
    "reinstate": RulingKind(
        "a disqualified or withdrawn player plays again", reinstate, about=RulingScope.SEAT
    ),
    "substitute": RulingKind(
        "another player goes on at a seat, with its tiles and points",
        substitute,
        {"player": fields.player},
        frozenset({"player"}),
        RulingScope.SEAT,
        early=True,
    ),
    "set_clock": RulingKind(
        "what a player's own clock shows now; without a player, the round's",
        set_clock,
        {"seconds": fields.clock_seconds},
        frozenset({"seconds"}),
        RulingScope.ANYBODY,
    ),
    "note_incident": RulingKind(
        "what has happened, for the record; it changes nothing",
        note_incident,
        about=RulingScope.ANYBODY,
        early=True,
    ),
    "undo": RulingKind("the last ruling is taken back", undo, early=True),
}
"""The rulings of every game."""
