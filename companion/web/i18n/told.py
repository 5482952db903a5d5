"""Events of a game as sentences for players, in the language spoken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules import event as ev
from companion.rules.fields import cell_text, cells_text
from companion.rules.record import event_text, value_text
from companion.web.i18n.language import N_, _, clock_text, duration, exact_text, gettext, said

Say = Callable[[Sequence[str], Any], str]
"""Returns what a shared event says, from the players' names and the event."""

ORDERS = {
    "start": N_("The host starts the game"),
    "pause": N_("The host pauses the game"),
    "resume": N_("Play goes on"),
    "confirm": N_("The round’s scores are confirmed"),
    "next_round": N_("The next round begins"),
    "end": N_("The host ends the game"),
}

BY = {
    "phone": N_("by phone"),
    "api": N_("by a program"),
    "a button found late": N_("by a button found late"),
}
"""What a call came by, where that was no button."""

HIDDEN = (
    ev.ScoresGiven,
    ev.PlacesGiven,
    ev.TilesDrawn,
    ev.TilesTurned,
    ev.PlayPaused,
    ev.PlayResumed,
    ev.HandicapsGiven,
    ev.PlayBegun,
    ev.RoundConfirmed,
)
"""Events that the counts on the page show by themselves, or that follow from a line above."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the list of calls; ``clock_ms`` is what the round's clock showed.

    ``mood`` is ``good``, ``bad``, ``said`` (by the table), ``ruled`` or
    ``plain``; its sign stands beside the line, so that colour is not alone.
    """

    number: int
    clock_ms: int
    seat: int | None
    who: str
    text: str
    mood: str = "plain"
    kind: str = ""

    @property
    def at(self) -> str:
        """When it was by the round's clock, to the second."""
        return clock_text(self.clock_ms)

    @property
    def exactly(self) -> str:
        """When it was, to the millisecond."""
        return exact_text(self.clock_ms)

    @property
    def duration(self) -> str:
        """When it was, as HTML has it."""
        return duration(self.clock_ms)


def call_name(call: str) -> str:
    """Return a call as people say it."""
    return call.replace("_", " ").upper()


def lines(names: Sequence[str], events: Sequence[ev.Stamped], clocks: Sequence[int]) -> list[Line]:
    """Return the lines of some events; those that tell nothing new have none.

    ``clocks`` are what the round's clock showed at each event of the game, in milliseconds.
    """
    return [line for one in events if (line := told(names, one, clocks[one.number - 1])) is not None]


def told(names: Sequence[str], one: ev.Stamped, clock_ms: int) -> Line | None:
    """Return the line of one event, or ``None`` where a page needs none."""
    event = one.event
    if not event.in_record or isinstance(event, HIDDEN) or echo(event):
        return None
    seat = getattr(event, "seat", None)
    who = names[seat - 1] if seat else ""
    text, mood = sentence(names, event)
    return Line(one.number, clock_ms, seat, who, text, mood, type(event).__name__)


def echo(event: ev.Event) -> bool:
    """Return whether the table only repeats a call aloud: the call has a line of its own."""
    return isinstance(event, ev.Announced) and event.text.isupper() and event.text.endswith("!")


def sentence(names: Sequence[str], event: ev.Event) -> tuple[str, str]:
    """Return what an event says, without who, and its mood."""
    if shared := SAYINGS.get(type(event)):
        say, mood = shared
        return say(names, event), mood
    own = event.says(names)
    return event_text(event) if own is None else said(own), event.mood


def accepted(_names: Sequence[str], event: Any) -> str:
    """Return a call with what it took along."""
    return call_name(event.call) + taken(event.details)


def taken(details: Mapping[str, Any]) -> str:
    """Return what a call or ruling took along, in words."""
    return "".join(f" {told_detail(name, value)}" for name, value in details.items())


def told_detail(name: str, value: Any) -> str:
    """Return what a call or ruling took along under a name; cells are counted from 1."""
    match name:
        case "cell" | "from" | "to" if is_cell(value):
            return f"→ {said(cell_text(value))}" if name == "to" else said(cell_text(value))
        case "cells" | "sideways" if all(map(is_cell, value)):
            return said(cells_text(value))
        case "blanks" if all(isinstance(one, list | tuple) and is_cell(one[0]) for one in value):
            return ", ".join(f"{said(cell_text(cell))}: {symbol}" for cell, symbol in value)
        case "valid":
            return _("good") if value else _("not good")
        case "by":
            return f"({_(BY.get(str(value), str(value)))})"
        case _:
            return told_value(value)


def is_cell(value: Any) -> bool:
    """Return whether a value is a row and a column."""
    return isinstance(value, list | tuple) and [type(one) for one in value] == [int, int]


def told_value(value: Any) -> str:
    """Return a value as people write it: what each seat holds with the seat's number."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {value_text(one)}" for name, one in value.items())
    return value_text(value)


def ruled(_names: Sequence[str], event: Any) -> str:
    """Return a referee's ruling with its reason."""
    return _(
        "Referee: %(ruling)s%(details)s (%(reason)s)",
        ruling=_(event.ruling.replace("_", " ")),
        details=taken(event.details),
        reason=event.reason,
    )


def ended(names: Sequence[str], event: Any) -> str:
    """Return the end of the game with its winner, if one stands alone."""
    if event.winner is None:
        return _("The game is over")
    return _("The game is over: %(name)s wins", name=names[event.winner - 1])


def out(_names: Sequence[str], event: Any) -> str:
    """Return why a player is out of the round, or of the game."""
    if event.withdrawn:
        return _("withdraws: %(reason)s", reason=said(event.reason))
    return _("is disqualified: %(reason)s", reason=said(event.reason))


def because(message: str) -> Say:
    """Return what says a message with an event's reason."""
    return lambda _names, event: _(message, reason=said(event.reason))


def simply(message: str) -> Say:
    """Return what says a message and nothing else."""
    return lambda _names, _event: _(message)


SAYINGS: Mapping[type[ev.Event], tuple[Say, str]] = {
    ev.GameSetUp: (
        lambda names, _: gettext("The game is set up for %(players)s") % {"players": ", ".join(names)},
        "said",
    ),
    ev.CallAccepted: (accepted, "good"),
    ev.CallRefused: (
        lambda _names, e: _("%(call)s is refused: %(reason)s", call=call_name(e.call), reason=said(e.reason)),
        "bad",
    ),
    ev.HostOrdered: (lambda _names, e: _(ORDERS.get(e.order, e.order)), "said"),
    ev.Announced: (lambda _names, e: said(e.text), "said"),
    ev.SightLost: (lambda _names, e: said(e.text), "bad"),
    ev.SightBack: (lambda _names, e: said(e.text), "said"),
    ev.Warned: (lambda _names, e: _("stands, but the table warns: %(text)s", text=said(e.text)), "bad"),
    ev.Ruled: (ruled, "ruled"),
    ev.RulingUndone: (because(N_("The last ruling is taken back: %(reason)s")), "ruled"),
    ev.RoundStarted: (lambda _names, e: _("Round %(number)s", number=e.round), "said"),
    ev.TurnPassed: (simply(N_("has the turn")), "plain"),
    ev.DoneWithdrawn: (simply(N_("plays on")), "ruled"),
    ev.WinnerNamed: (
        lambda _names, e: _("wins as things stand") if e.seat else _("Nobody has won yet"),
        "said",
    ),
    ev.GameEnded: (ended, "good"),
    ev.RoundEnded: (because(N_("The round has ended: %(reason)s")), "said"),
    ev.PlayReopened: (because(N_("Play goes on: %(reason)s")), "said"),
    ev.RoundVoided: (because(N_("The round counts for nobody: %(reason)s")), "bad"),
    ev.Disqualified: (out, "bad"),
    ev.Reinstated: (simply(N_("plays again")), "good"),
    ev.TimeWarned: (lambda _names, e: _("%(seconds)s seconds left", seconds=e.left_s), "bad"),
    ev.TimeUp: (simply(N_("Time is up")), "bad"),
}
"""What each event says, and its mood."""
