"""View models of the tables on the wall: their state, and how urgently each needs a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from companion.events.replay import GameReplay
from companion.hall.publishing.summary import count_doubts, count_undecided_words
from companion.hall.records import TableRecord
from companion.rules.clock import Clock
from companion.rules.state import Phase
from companion.web.i18n.language import N_, _, clock_text, ngettext, translate
from companion.web.pages.view import PHASES


class Urgency(IntEnum):
    """How urgently a table needs a person, most urgent first."""

    GONE = 0
    FAULT = 1
    BLIND = 2
    STOPPED = 3
    DOUBT = 4
    WORD = 5
    JUDGING = 6
    PLAYING = 7
    READY = 8
    OVER = 9
    IDLE = 10


LEAST_URGENT_WAITING = Urgency.JUDGING
"""The least urgent state in which a person should go to the table."""

SIGNS: Mapping[Urgency, tuple[str, str]] = {
    Urgency.GONE: ("bad", N_("Offline")),
    Urgency.FAULT: ("bad", N_("In trouble")),
    Urgency.BLIND: ("bad", N_("Camera")),
    Urgency.STOPPED: ("ask", N_("Clock stopped")),
    Urgency.DOUBT: ("ask", N_("Doubt")),
    Urgency.WORD: ("ask", N_("Word to rule on")),
    Urgency.JUDGING: ("ask", N_("To be confirmed")),
    Urgency.PLAYING: ("good", N_("Playing")),
    Urgency.READY: ("", N_("Ready")),
    Urgency.OVER: ("", N_("Over")),
    Urgency.IDLE: ("", N_("No game yet")),
}
"""CSS mark and text of each state."""


@dataclass(frozen=True, slots=True)
class ClockView:
    """A clock: ``ms`` is its reading at ``at_ms``, ``step`` 1 counting up, -1 down, 0 while stopped."""

    ms: int
    step: int
    at_ms: int

    @property
    def text(self) -> str:
        """The reading at ``at_ms`` as minutes and seconds."""
        return clock_text(self.ms)


@dataclass(frozen=True, slots=True)
class Card:
    """A table on the wall; ``why`` is the reason for its urgency, ``number`` its newest event's number."""

    id: str
    name: str
    need: Urgency
    mark: str
    sign: str
    why: str
    title: str
    round: int
    clock: ClockView | None
    seats: tuple[tuple[str, str, str], ...]
    number: int

    @property
    def waits(self) -> bool:
        """Whether a person should go to the table."""
        return self.need <= LEAST_URGENT_WAITING


def card(record: TableRecord) -> Card:
    """Return a table as the wall shows it, in the current language."""
    live = record.live
    need, why = urgency_of(record)
    mark, sign = SIGNS[need]
    return Card(
        record.id,
        record.name or record.id,
        need,
        mark,
        _(sign),
        why,
        live.game.title if live else "",
        live.state.round if live else 0,
        clock(record, live) if live else None,
        tuple(seats(live)) if live else (),
        live.number if live else 0,
    )


def urgency_of(record: TableRecord) -> tuple[Urgency, str]:
    """Return how urgent a table is, and why."""
    if not record.online:
        return Urgency.GONE, _("Nothing was heard of it; its log keeps everything.")
    if fault := record.fault or str(record.health.get("fault", "")):
        return Urgency.FAULT, translate(fault)
    if blind := [
        one for one in record.health.get("cameras", ()) if one.get("state") not in {"ok", "waiting"}
    ]:
        return Urgency.BLIND, f"{blind[0].get('name', '')}: {blind[0].get('state', '')}"
    if record.live is None:
        return Urgency.IDLE, ""
    return of_game(record.live)


def of_game(live: GameReplay) -> tuple[Urgency, str]:
    """Return how urgent the game of a table is, and why."""
    state = live.state
    if state.phase is Phase.PAUSED:
        return Urgency.STOPPED, _("Somebody has stopped the clocks.")
    open_round = state.phase in {Phase.PLAYING, Phase.JUDGING} and not state.confirmed
    if open_round and (count := count_doubts(state)):
        return Urgency.DOUBT, ngettext("%(num)s tile in doubt", "%(num)s tiles in doubt", count) % {
            "num": count
        }
    if open_round and (count := count_undecided_words(state)):
        return Urgency.WORD, ngettext("%(num)s word", "%(num)s words", count) % {"num": count}
    if state.phase is Phase.JUDGING and not state.confirmed:
        return Urgency.JUDGING, _("The round is over; its scores wait.")
    if state.phase is Phase.PLAYING:
        return Urgency.PLAYING, ""
    if state.phase is Phase.OVER or state.confirmed:
        return Urgency.OVER, ""
    return Urgency.READY, _(PHASES[state.phase])


def clock(record: TableRecord, live: GameReplay) -> ClockView:
    """Return the round's clock, with its reading at a time of the hall's monotonic clock."""
    running: Clock = live.state.clock
    down = bool(live.state.options["cap_s"]) and live.state.options["clock"] == "down"
    step = 0 if running.since_ns is None else -1 if down else 1
    return ClockView(live.clock_ms, step, (live.at_ns + record.clock_offset_ns) // 1_000_000)


def seats(live: GameReplay) -> Iterable[tuple[str, str, str]]:
    """Yield each seat's name, its place or the first figure of its game, and that figure's unit."""
    state = live.state
    for number in state.numbers:
        seat, figures = state.seat(number), live.game.figures(state, number)
        if seat.place:
            yield seat.name, f"{seat.place}.", _("place")
        elif figures:
            yield seat.name, f"{figures[0].value:g}", _(figures[0].counts)
        else:
            yield seat.name, "", ""


def waiting(cards: Iterable[Card]) -> list[Card]:
    """Return the tables that a person should go to, the most urgent first."""
    return sorted((one for one in cards if one.waits), key=lambda one: one.need)
