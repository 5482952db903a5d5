"""What the hall knows of its tables: it takes in what they publish, without a gap and with the chain checked.

One thread does all of it.  Pages read what it left: values that are replaced, never changed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from companion.errors import BadLog, BadMessage, CompanionError, UnusableLog
from companion.events.folding import Folded, folded
from companion.events.log import Row
from companion.hall.asking import Asking, Requests
from companion.hall.contract import messages, topics
from companion.hall.contract.topics import Channel
from companion.hall.copies import NO_HEAD, Copies, Key
from companion.hall.fetching import FETCHED, Fetching
from companion.hall.link import Received

MOST_TABLES = 1000
"""Tables that a hall takes in; the broker's accounts say which there are."""

MOST_EARLY = 2000
"""Events of a game that are kept while those before them are missing."""

AT_ONCE = 500
"""Messages that are taken in before they are kept and shown."""

PAUSE_S = 0.01
"""Seconds for which the thread waits for a first message; nothing waits for it to pass."""

GAP_S = 0.3
"""Seconds after which what is missing is asked for: until then it may still be on its way."""

AGAIN_S, LONGEST_AGAIN_S = 2.0, 30.0
"""Seconds between two requests for the same, doubled each time up to the longest."""

BY_BROKER = 2
"""Requests over the broker that stay in vain, before the table's pages are asked too."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Seen:
    """A table as the hall sees it.

    ``pages`` is where its own pages are, ``live`` its newest game, ``health`` what it said last, ``fault``
    what the hall cannot accept of it.  ``revision`` rises with every change; ``heard_s`` is when its newest
    event came, by ``time.monotonic``, and ``ahead_ns`` by how much that clock is ahead of the game's.
    """

    id: str
    name: str = ""
    online: bool = False
    pages: str = ""
    health: dict[str, Any] = field(default_factory=dict)
    live: Folded | None = None
    fault: str = ""
    revision: int = 0
    heard_s: float = 0.0
    ahead_ns: int = 0

    def change(self) -> None:
        """Note that pages must show it anew."""
        self.revision += 1


@dataclass(slots=True)
class Lacking:
    """A game of which events are missing: when to ask next, how long to wait after that, how often in vain.

    ``known`` is the hash of one of its events: by it the table's pages know that the hall follows the game.
    """

    due_s: float
    known: bytes
    wait_s: float = AGAIN_S
    tries: int = 0


class Intake:
    """Takes in what tables publish; ``revision`` rises with every change that pages may show."""

    def __init__(self, copies: Copies, hall: str = "hall") -> None:
        self.copies, self.hall = copies, hall
        self.queue: SimpleQueue[Received] = SimpleQueue()
        self.heads = dict(copies.heads())
        self.tables: dict[str, Seen] = {}
        self.early: dict[Key, dict[int, Row]] = {}
        self.lacking: dict[Key, Lacking] = {}
        self.kept: list[tuple[Key, Row]] = []
        self.asking = Asking(hall)
        self.fetching = Fetching(hall, self.hear)
        self.revision = 0
        self.taken = 0
        self.fault = ""
        for source in sorted({source for source, _ in self.heads}):
            self.table(source)

    def attach(self, link: Requests) -> None:
        """Ask tables over a connection from now on."""
        self.asking.link = link

    @property
    def filters(self) -> list[str]:
        """Topics that the hall subscribes to."""
        return [*map(topics.every_table, topics.REPORTED), topics.every_answer(self.hall)]

    def hear(self, received: Received) -> None:
        """Take over a message; called in the connection's thread, and never waits."""
        self.queue.put(received)

    def run(self, stop: threading.Event) -> None:
        """Take in messages until told to stop."""
        while not stop.is_set():
            try:
                self.turn()
            except CompanionError as error:
                if self.fault != str(error):
                    logger.error("the hall cannot keep what tables publish: %s", error)  # noqa: TRY400
                self.fault, self.revision = str(error), self.revision + 1
                stop.wait(1.0)

    def turn(self) -> None:
        """Take in what has come, keep it, and ask for what is missing."""
        before = self.taken
        for received in self.waiting():
            try:
                self.take(received)
            except BadMessage as error:
                logger.warning("a message was dropped: %s", error)
            self.taken += 1
        if self.kept:
            self.keep()
        if self.taken != before:
            self.revision += 1
        self.ask()

    def waiting(self) -> Iterable[Received]:
        """Yield the messages that wait, after a moment at most the first one that comes."""
        try:
            yield self.queue.get(timeout=PAUSE_S)
            for _ in range(AT_ONCE):
                yield self.queue.get_nowait()
        except Empty:
            return

    def keep(self) -> None:
        """Write what was accepted; where the disk does not take it, forget it, so that it is asked for."""
        rows, self.kept = self.kept, []
        try:
            self.copies.insert(rows)
            self.fault = ""
        except UnusableLog:
            for key in {key for key, _ in rows}:
                first = min(row.number for one, row in rows if one == key)
                kept = self.copies.rows(key, first - 2)[:1] if first > 1 else []
                self.heads[key] = (kept[0].number, kept[0].hash) if kept else NO_HEAD
                self.tables[key[0]].live = None
                self.lack(key, rows[-1][1].hash)
            raise

    def take(self, received: Received) -> None:
        """Take in one message; raise BadMessage where it is none that a table may send."""
        if "/answers/" in received.topic:
            self.answered(received)
            return
        source, channel = topics.parted(received.topic)
        seen = self.table(source)
        if channel is Channel.EVENTS:
            self.offer(seen, messages.events_of(received.payload, source))
        elif channel is Channel.SUMMARY:
            self.compare(seen, messages.read(received.payload))
        elif channel is Channel.HEALTH:
            told = messages.read(received.payload)
            seen.online = told.get("online") is True
            seen.pages = str(told.get("pages", "")) or seen.pages
            seen.health = told
            seen.change()

    def answered(self, received: Received) -> None:
        """Take in what a table answers: a replay, or what came of an order."""
        source = topics.answering(received.topic)
        if self.asking.is_order(received.correlation):
            self.asking.take(received.correlation, messages.answered(received.payload, source))
            return
        events = messages.events_of(received.payload, source)
        key = (source, events.game)
        before = self.number(key)
        self.offer(self.table(source), events)
        if key in self.lacking and self.number(key) > before:  # it goes on: ask for the rest at once
            tries = BY_BROKER if received.correlation == FETCHED else 0
            self.lacking[key] = Lacking(0.0, self.lacking[key].known, tries=tries)

    def table(self, source: str) -> Seen:
        """Return a table, made known at its first message; raise BadMessage for one too many."""
        if source not in self.tables:
            if len(self.tables) >= MOST_TABLES:
                raise BadMessage(f"{source} is one table too many: a hall has {MOST_TABLES} at most")
            self.tables[source] = Seen(topics.checked_id(source), source)
        return self.tables[source]

    def number(self, key: Key) -> int:
        """Return the number of the newest event of a game that was accepted."""
        return self.heads.get(key, NO_HEAD)[0]

    def compare(self, seen: Seen, told: dict[str, Any]) -> None:
        """Take in a summary: the table's name, and its newest event, by which it shows what is missing."""
        seen.name = str(told.get("name", seen.id))[:80]
        seen.change()
        game, head = told.get("game"), told.get("head")
        if isinstance(game, str) and isinstance(head, dict) and isinstance(head.get("number"), int):
            key = (seen.id, game)
            if head["number"] > self.number(key):
                self.lack(key, digest_of(head.get("hash")))
            elif head["number"] == self.number(key) and head.get("hash") != self.heads[key][1].hex():
                seen.fault = f"game {game}: the table's log and the hall's copy differ"

    def offer(self, seen: Seen, events: messages.Events) -> None:
        """Accept those events that follow the last one; what comes early waits, what is known is dropped."""
        key = (seen.id, events.game)
        early = self.early.setdefault(key, {})
        for row in events.rows:
            number, digest = self.heads.get(key, NO_HEAD)
            if row.number == number and row.hash != digest:
                seen.fault = f"game {events.game}: event {number} was published in two versions"
                seen.change()
            if row.number > number and len(early) < MOST_EARLY:
                early[row.number] = row
        self.accept(seen, events.game, early)
        if not early:
            del self.early[key]
        if self.number(key) < events.last or early:
            self.lack(key, events.rows[-1].hash)
        else:
            self.lacking.pop(key, None)

    def accept(self, seen: Seen, game: str, early: dict[int, Row]) -> None:
        """Accept what follows the last event of a game, as far as it hangs together."""
        key = (seen.id, game)
        number, digest = self.heads.get(key, NO_HEAD)
        first = number
        while (row := early.pop(number + 1, None)) is not None:
            if row.chained(game, digest) != row.hash:
                seen.fault = f"game {game}: event {row.number} does not hang together with the one before"
                logger.warning("%s: %s", seen.id, seen.fault)
                self.lack(key, digest)
                break
            number, digest = row.number, row.hash
            self.heads[key] = number, digest
            self.kept.append((key, row))
            self.show(seen, game, row)
        if number > first:
            seen.heard_s = time.monotonic()
            seen.change()

    def show(self, seen: Seen, game: str, row: Row) -> None:
        """Fold an event into what pages show, where it belongs to the table's newest game."""
        live = seen.live
        if live is not None and game < live.name:
            return
        try:
            if row.number == 1:
                seen.live = Folded.begun(game, row)
            elif live is not None and live.name == game and live.number == row.number - 1:
                live.take(row)
            else:
                seen.live = folded(game, self.all_rows((seen.id, game)))
            if seen.fault.startswith(f"game {game}: ") and "differ" not in seen.fault:
                seen.fault = ""
        except BadLog as error:
            seen.fault = str(error)
        if seen.live is not None:
            seen.ahead_ns = time.monotonic_ns() - seen.live.at_ns

    def all_rows(self, key: Key) -> list[Row]:
        """Return the events of a game, those included that are accepted and not yet written."""
        return [*self.copies.rows(key), *(row for one, row in self.kept if one == key)]

    def lack(self, key: Key, known: bytes) -> None:
        """Note that events of a game are missing; ``known`` is the hash of one that was heard of."""
        self.lacking.setdefault(key, Lacking(time.monotonic() + GAP_S, known)).known = known

    def ask(self) -> None:
        """Ask for what is missing and not on its way; where that stays in vain, the table's pages too."""
        now_s = time.monotonic()
        for key, gap in list(self.lacking.items()):
            if gap.due_s <= now_s:
                after = self.number(key)
                self.asking.replay(key, after)
                if gap.tries >= BY_BROKER:
                    self.fetching.ask(key, self.tables[key[0]].pages, after, gap.known)
                wait_s = min(2 * gap.wait_s, LONGEST_AGAIN_S)
                self.lacking[key] = Lacking(now_s + gap.wait_s, gap.known, wait_s, gap.tries + 1)

    def load(self) -> None:
        """Fold the newest game of every table from the copies, as at the hall's start."""
        newest: dict[str, str] = {}
        for source, game in self.heads:
            newest[source] = max(game, newest.get(source, ""))
        for source, game in newest.items():
            seen = self.table(source)
            try:
                seen.live = folded(game, self.all_rows((source, game)))
            except BadLog as error:
                seen.fault = str(error)


def digest_of(given: Any) -> bytes:
    """Return a hash from its hexadecimal digits; nothing where it is none."""
    try:
        return bytes.fromhex(given) if isinstance(given, str) else b""
    except ValueError:
        return b""
