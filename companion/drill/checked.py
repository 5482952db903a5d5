"""Whether a log holds all that was answered and shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from companion.drill.clients import Answered
from companion.drill.stage import hashed
from companion.events.checking import findings
from companion.events.log import EventLog, Row
from companion.events.replay import decoded_events, rules_of, set_up_of


def missing(log: Path, answered: Sequence[Answered], states: Mapping[int, str]) -> Iterator[str]:
    """Yield what is wrong with the newest game of a log, in sentences.

    Parameters
    ----------
    log
        The table's log, opened as a start after a power cut does.
    answered
        What was accepted of this game.
    states
        The hash of the state that the table had after events, by their numbers.
    """
    with EventLog(log) as opened:  # as the next start does: what SQLite recovers is recovered
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
    yield from different(rows, states)


def different(rows: Sequence[Row], states: Mapping[int, str]) -> Iterator[str]:
    """Yield at which events the log tells another state than the table had."""
    if not rows or not states:
        return
    events = list(decoded_events(rows))
    game = rules_of(events)
    state = game.initial_state(set_up_of(events))
    for one in events[1 : max(states)]:
        state = game.evolve(state, one.event, one.at_ns)
        if one.number in states and hashed(state) != states[one.number]:
            yield f"the state at event {one.number} is another when the log is replayed"


def unshown(shown: Sequence[int], log: Path) -> Iterator[str]:
    """Yield where the pages showed what the log does not hold, or left something out."""
    with EventLog(log, writable=False) as opened:
        most = max((opened.head(name)[0] for name in opened.games()), default=0)
    if shown and max(shown) > most:
        yield f"the pages showed event {max(shown)}, and no game of the log is as long ({most})"
    for before, number in pairwise(shown):
        if number not in {before + 1, 1}:
            yield f"the pages showed event {number} after event {before}"


def noted(path: Path) -> dict[int, str]:
    """Return the hashes of states that a table noted, by event; a last line that is cut off is left out."""
    if not path.exists():
        return {}
    lines = [line.split() for line in path.read_text("ascii").split("\n")[:-1]]
    return {int(number): mark for number, mark in lines}
