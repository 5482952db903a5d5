"""Events of a game as sentences for players, in the language spoken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.rules import event as ev
from companion.rules.printed import clock_time, listed, plainly
from companion.web.language import N_, _

ORDERS = {
    "start": N_("The host starts the game"),
    "pause": N_("The host pauses the game"),
    "resume": N_("Play goes on"),
    "confirm": N_("The round’s scores are confirmed"),
    "next_round": N_("The next round begins"),
    "end": N_("The host ends the game"),
}

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
    """One line of the list of calls.

    ``mood`` is ``good``, ``bad``, ``said`` (by the table), ``ruled`` or
    ``plain``; its sign stands beside the line, so that colour is not alone.
    """

    number: int
    at: str
    seat: int | None
    who: str
    text: str
    mood: str = "plain"


def call_name(call: str) -> str:
    """Return a call as people say it."""
    return call.replace("_", " ").upper()


def lines(names: Sequence[str], events: Sequence[ev.Stamped]) -> list[Line]:
    """Return the lines of some events; those that tell nothing new have none."""
    return [line for one in events if (line := told(names, one)) is not None]


def told(names: Sequence[str], one: ev.Stamped) -> Line | None:
    """Return the line of one event, or ``None`` where a page needs none."""
    event = one.event
    if not event.told or isinstance(event, HIDDEN):
        return None
    seat = getattr(event, "seat", None)
    who = names[seat - 1] if seat else ""
    text, mood = sentence(names, event)
    return Line(one.number, clock_time(one.at_ns), seat, who, text, mood)


def sentence(names: Sequence[str], event: ev.Event) -> tuple[str, str]:
    """Return what an event says, without who, and its mood."""
    match event:
        case ev.GameSetUp():
            return _("The game is set up for %(players)s", players=", ".join(names)), "said"
        case ev.CallAccepted():
            details = "".join(f" {listed(value)}" for value in event.details.values())
            return f"{call_name(event.call)}{details}", "good"
        case ev.CallRefused():
            return _(
                "%(call)s is refused: %(reason)s", call=call_name(event.call), reason=_(event.reason)
            ), "bad"
        case ev.HostOrdered():
            return _(ORDERS.get(event.order, event.order)), "said"
        case ev.Announced():
            return _(event.text), "said"
        case ev.Warned():
            return _("stands, but the table warns: %(text)s", text=_(event.text)), "bad"
        case ev.Ruled():
            return ruled(event), "ruled"
        case ev.RulingUndone():
            return _("The last ruling is taken back: %(reason)s", reason=event.reason), "ruled"
        case _:
            return happened(names, event)


def ruled(event: ev.Ruled) -> str:
    """Return a referee's ruling with its reason."""
    details = "".join(f" {listed(value)}" for value in event.details.values())
    return _(
        "Referee: %(ruling)s%(details)s (%(reason)s)",
        ruling=_(event.ruling.replace("_", " ")),
        details=details,
        reason=event.reason,
    )


def happened(names: Sequence[str], event: ev.Event) -> tuple[str, str]:
    """Return what an event of the course of play says, and its mood."""
    match event:
        case ev.RoundStarted():
            return _("Round %(number)s", number=event.round), "said"
        case ev.TurnPassed():
            return _("has the turn"), "plain"
        case ev.DoneWithdrawn():
            return _("plays on"), "ruled"
        case ev.WinnerNamed(seat=int()):
            return _("wins as things stand"), "good"
        case ev.GameEnded(winner=int() as winner):
            return _("The game is over: %(name)s wins", name=names[winner - 1]), "good"
        case ev.WinnerNamed():
            return _("Nobody has won yet"), "said"
        case ev.GameEnded():
            return _("The game is over"), "said"
        case ev.RoundEnded():
            return _("The round has ended: %(reason)s", reason=_(event.reason)), "said"
        case ev.PlayReopened():
            return _("Play goes on: %(reason)s", reason=_(event.reason)), "said"
        case ev.RoundVoided():
            return _("The round counts for nobody: %(reason)s", reason=_(event.reason)), "bad"
        case ev.Disqualified():
            return _("is disqualified: %(reason)s", reason=event.reason), "bad"
        case ev.Reinstated():
            return _("plays again"), "good"
        case ev.TimeWarned():
            return _("%(seconds)s seconds left", seconds=event.left_s), "bad"
        case ev.TimeUp():
            return _("Time is up"), "bad"
        case _:
            return plainly(event), "plain"
