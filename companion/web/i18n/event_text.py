"""Events of a game as lines of text for players, in the current language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules import event as ev
from companion.rules.fields import cell_text, cells_text
from companion.rules.record import event_text, value_text
from companion.web.i18n.language import N_, _, clock_text, duration, exact_text, gettext, translate

EventText = Callable[[Sequence[str], Any], str]
"""Returns the text of an event, given the players' names and the event."""

ORDER_TEXTS = {
    "start": N_("The host starts the game"),
    "pause": N_("The host pauses the game"),
    "resume": N_("Play goes on"),
    "confirm": N_("The round’s scores are confirmed"),
    "next_round": N_("The next round begins"),
    "end": N_("The host ends the game"),
}

SOURCE_TEXTS = {
    "phone": N_("by phone"),
    "api": N_("by a program"),
    "a button found late": N_("by a button found late"),
}
"""Text for each source of a call that no button made."""

HIDDEN_EVENTS = (
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
"""Events without a line: the page's figures show them, or another event's line implies them."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the list of calls; ``clock_ms`` is the reading of the round's clock.

    ``mood`` is ``good``, ``bad``, ``said`` (by the table), ``ruled`` or ``plain``; pages
    show it by colour and by a sign.
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
        """The round clock's reading, to the second."""
        return clock_text(self.clock_ms)

    @property
    def exactly(self) -> str:
        """The round clock's reading, to the millisecond."""
        return exact_text(self.clock_ms)

    @property
    def duration(self) -> str:
        """The round clock's reading as an HTML duration."""
        return duration(self.clock_ms)


def call_name(call: str) -> str:
    """Return a call's name for people, in capitals."""
    return call.replace("_", " ").upper()


def event_lines(names: Sequence[str], events: Sequence[ev.Stamped], clocks: Sequence[int]) -> list[Line]:
    """Return the lines of events; events without a line are left out.

    ``clocks`` are the round clock's readings at all events of the game, in milliseconds.
    """
    return [line for one in events if (line := event_line(names, one, clocks[one.number - 1])) is not None]


def event_line(names: Sequence[str], one: ev.Stamped, clock_ms: int) -> Line | None:
    """Return the line of one event, ``None`` for an event without one."""
    event = one.event
    if not event.in_record or isinstance(event, HIDDEN_EVENTS) or is_echo(event):
        return None
    seat = getattr(event, "seat", None)
    who = names[seat - 1] if seat else ""
    text, mood = event_sentence(names, event)
    return Line(one.number, clock_ms, seat, who, text, mood, type(event).__name__)


def is_echo(event: ev.Event) -> bool:
    """Return whether an event only announces a call, which has its own line."""
    return isinstance(event, ev.Announced) and event.text.isupper() and event.text.endswith("!")


def event_sentence(names: Sequence[str], event: ev.Event) -> tuple[str, str]:
    """Return an event's text without the player's name, and its mood."""
    if shared := EVENT_TEXTS.get(type(event)):
        text_of, mood = shared
        return text_of(names, event), mood
    own = event.says(names)
    return event_text(event) if own is None else translate(own), event.mood


def accepted_call_text(_names: Sequence[str], event: Any) -> str:
    """Return a call with its details as text."""
    return call_name(event.call) + details_text(event.details)


def details_text(details: Mapping[str, Any]) -> str:
    """Return the details of a call or ruling as text, each after a space."""
    return "".join(f" {detail_text(name, value)}" for name, value in details.items())


def detail_text(name: str, value: Any) -> str:
    """Return one detail of a call or ruling as text; rows and columns count from 1."""
    match name:
        case "cell" | "from" | "to" if is_cell(value):
            return f"→ {translate(cell_text(value))}" if name == "to" else translate(cell_text(value))
        case "cells" | "sideways" if all(map(is_cell, value)):
            return translate(cells_text(value))
        case "blanks" if all(isinstance(one, list | tuple) and is_cell(one[0]) for one in value):
            return ", ".join(f"{translate(cell_text(cell))}: {symbol}" for cell, symbol in value)
        case "valid":
            return _("good") if value else _("not good")
        case "by":
            return f"({_(SOURCE_TEXTS.get(str(value), str(value)))})"
        case _:
            return detail_value_text(value)


def is_cell(value: Any) -> bool:
    """Return whether a value is a row and a column."""
    return isinstance(value, list | tuple) and [type(one) for one in value] == [int, int]


def detail_value_text(value: Any) -> str:
    """Return a value as text; a mapping as its keys (seat numbers) with their values."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {value_text(one)}" for name, one in value.items())
    return value_text(value)


def ruling_text(_names: Sequence[str], event: Any) -> str:
    """Return a referee's ruling with its reason."""
    return _(
        "Referee: %(ruling)s%(details)s (%(reason)s)",
        ruling=_(event.ruling.replace("_", " ")),
        details=details_text(event.details),
        reason=event.reason,
    )


def game_end_text(names: Sequence[str], event: Any) -> str:
    """Return the end of the game with its winner, if one stands alone."""
    if event.winner is None:
        return _("The game is over")
    return _("The game is over: %(name)s wins", name=names[event.winner - 1])


def player_out_text(_names: Sequence[str], event: Any) -> str:
    """Return why a player is out of the round, or of the game."""
    if event.withdrawn:
        return _("withdraws: %(reason)s", reason=translate(event.reason))
    return _("is disqualified: %(reason)s", reason=translate(event.reason))


def with_reason(message: str) -> EventText:
    """Return a text function: a message with the event's reason."""
    return lambda _names, event: _(message, reason=translate(event.reason))


def constant(message: str) -> EventText:
    """Return a text function: a constant message."""
    return lambda _names, _event: _(message)


EVENT_TEXTS: Mapping[type[ev.Event], tuple[EventText, str]] = {
    ev.GameSetUp: (
        lambda names, _: gettext("The game is set up for %(players)s") % {"players": ", ".join(names)},
        "said",
    ),
    ev.CallAccepted: (accepted_call_text, "good"),
    ev.CallRefused: (
        lambda _names, e: _(
            "%(call)s is refused: %(reason)s", call=call_name(e.call), reason=translate(e.reason)
        ),
        "bad",
    ),
    ev.HostOrdered: (lambda _names, e: _(ORDER_TEXTS.get(e.order, e.order)), "said"),
    ev.Announced: (lambda _names, e: translate(e.text), "said"),
    ev.SightLost: (lambda _names, e: translate(e.text), "bad"),
    ev.SightBack: (lambda _names, e: translate(e.text), "said"),
    ev.Warned: (lambda _names, e: _("stands, but the table warns: %(text)s", text=translate(e.text)), "bad"),
    ev.Ruled: (ruling_text, "ruled"),
    ev.RulingUndone: (with_reason(N_("The last ruling is taken back: %(reason)s")), "ruled"),
    ev.RoundStarted: (lambda _names, e: _("Round %(number)s", number=e.round), "said"),
    ev.TurnPassed: (constant(N_("has the turn")), "plain"),
    ev.DoneWithdrawn: (constant(N_("plays on")), "ruled"),
    ev.WinnerNamed: (
        lambda _names, e: _("wins as things stand") if e.seat else _("Nobody has won yet"),
        "said",
    ),
    ev.GameEnded: (game_end_text, "good"),
    ev.RoundEnded: (with_reason(N_("The round has ended: %(reason)s")), "said"),
    ev.PlayReopened: (with_reason(N_("Play goes on: %(reason)s")), "said"),
    ev.RoundVoided: (with_reason(N_("The round counts for nobody: %(reason)s")), "bad"),
    ev.Disqualified: (player_out_text, "bad"),
    ev.Reinstated: (constant(N_("plays again")), "good"),
    ev.TimeWarned: (lambda _names, e: _("%(seconds)s seconds left", seconds=e.left_s), "bad"),
    ev.TimeUp: (constant(N_("Time is up")), "bad"),
}
"""Text function and mood of each shared event."""
