"""Checks of a table's log against the answers and events that clients received."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from companion.drill.requests import AcceptedRequest
from companion.drill.table_processes import state_hash
from companion.events.checking import findings
from companion.events.log import EventLog, Row
from companion.events.replay import decoded_events, rules_of, set_up_of


def lost_events(log: Path, answered: Sequence[AcceptedRequest], states: Mapping[int, str]) -> Iterator[str]:
    """Yield the faults of the newest game of a log, as sentences.

    Parameters
    ----------
    log
        The table's log, opened as after a power cut.
    answered
        The accepted requests of this game.
    states
        The hashes of the table's states, by the number of the event before.
    """
    with EventLog(log) as opened:  # as at the next start, SQLite recovers the file
        names = opened.games()
        rows = list(opened.rows(names[-1])) if names else []
    yield from (f"the log is damaged: {one}" for one in findings(log) if one.damage)
    for number, tag in answered:
        if number > len(rows):
            yield f"event {number} was answered, and the log ends at {len(rows)}"
        elif tag not in rows[number - 1].body:
            yield f"event {number} was answered as {tag!r}, and the log holds {rows[number - 1].body[:80]}"
    if states and max(states) > len(rows):
        yield f"the state at event {max(states)} was told, and the log ends at {len(rows)}"
    yield from state_differences(rows, states)


def state_differences(rows: Sequence[Row], states: Mapping[int, str]) -> Iterator[str]:
    """Yield the events after which a replay of the log gives another state than the table's."""
    if not rows or not states:
        return
    events = list(decoded_events(rows))
    game = rules_of(events)
    state = game.initial_state(set_up_of(events))
    for one in events[1 : max(states)]:
        state = game.evolve(state, one.event, one.at_ns)
        if one.number in states and state_hash(state) != states[one.number]:
            yield f"the state at event {one.number} is another when the log is replayed"


def display_errors(shown: Sequence[int], log: Path) -> Iterator[str]:
    """Yield the events that the pages showed and the log lacks, and gaps in what they showed."""
    with EventLog(log, writable=False) as opened:
        most = max((opened.head(name)[0] for name in opened.games()), default=0)
    if shown and max(shown) > most:
        yield f"the pages showed event {max(shown)}, and no game of the log is as long ({most})"
    for before, number in pairwise(shown):
        if number not in {before + 1, 1}:
            yield f"the pages showed event {number} after event {before}"


def noted_states(path: Path) -> dict[int, str]:
    """Return the hashes of states that a table wrote to a file, by event; an incomplete last line is left
    out.
    """
    if not path.exists():
        return {}
    lines = [line.split() for line in path.read_text("ascii").split("\n")[:-1]]
    return {int(number): mark for number, mark in lines}
