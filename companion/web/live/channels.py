"""Pages that stay live: each is made of named regions, and only those that changed travel.

A channel is a page in one language.  It is made once for all the phones that
watch it, and only when something happened.  Live streams and connections stay
open, so their places are counted here.
"""

from __future__ import annotations

import errno
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gevent
from gevent.event import Event

from companion.web.i18n import event_text
from companion.web.i18n.language import use_language
from companion.web.live.monitor import TableMonitor

BEAT_S = 15.0
"""Seconds after which a phone hears that all is well though nothing happened."""

MOST_STREAMS, EACH, SPARE = 400, 8, 20
"""Live streams in all, of one address where they are scarce, and for host and referee beyond."""

MOST_CHANNELS = 64
"""Pages in languages that are kept ready."""

MOST_MESSAGES = 8
"""Messages of a channel that are kept: phones that are a little behind share them."""

FEW = 6
"""Places up to which an address may take spare ones: what one browser opens."""

Regions = Mapping[str, str]

Draw = Callable[[], Regions]
"""Returns the regions of a page in the language spoken, by their ids."""


End = Callable[[], None]
"""Ends what holds a place."""


def nothing() -> None:
    """Leave what holds a place to end by itself."""


def hung_up(answering: Any) -> None:
    """End a greenlet as if the phone at its other end had hung up."""
    gevent.kill(answering, ConnectionResetError(errno.ECONNRESET, "the phone has hung up"))


def ending() -> End:
    """Return what ends the answer that is under way."""
    return partial(hung_up, gevent.getcurrent())


@dataclass(slots=True)
class Places:
    """Places that are held at the same time: connections of the server, or live streams.

    One address may hold half of them while few others are there (a router may hide many phones behind one
    address), and ``each`` once half are taken.  Where all are taken, whoever holds fewer than ``each`` gets
    the oldest place of the address that holds the most, if that is more than ``each``.

    Parameters
    ----------
    most
        Places for everybody.
    each
        Places of one address where they are scarce.
    spare
        Further places, for host and referee alone; one address may hold ``FEW`` of them.
    """

    most: int
    each: int
    spare: int = 0
    held: dict[str, dict[object, End]] = field(default_factory=dict)
    taken: int = 0

    @property
    def scarce(self) -> bool:
        """Whether half of the places are taken."""
        return self.taken >= self.most // 2

    @property
    def full(self) -> bool:
        """Whether only spare places are left."""
        return self.taken >= self.most

    def room(self, address: str, *, spare: bool) -> bool:
        """Return whether an address may take one place more, also a spare one where ``spare`` says so."""
        own = len(self.held.get(address, ()))
        if not self.full:
            return own < (self.each if self.scarce else self.most // 2)
        if own < self.each and self.freed():
            return True
        return spare and self.taken < self.most + self.spare and own < FEW

    def freed(self) -> bool:
        """End the oldest of the most places that an address holds, where these are more than its share."""
        greedy = max(self.held, key=lambda address: len(self.held[address]), default="")
        if len(self.held.get(greedy, ())) <= self.each:
            return False
        mark, end = next(iter(self.held[greedy].items()))
        self.give_back(greedy, mark)
        end()
        return True

    def give_back(self, address: str, mark: object) -> None:
        """Free a place, once."""
        own = self.held.get(address, {})
        if own.pop(mark, None) is not None:
            self.taken -= 1
            if not own:
                del self.held[address]

    @contextmanager
    def hold(self, address: str, end: End = nothing) -> Iterator[None]:
        """Hold a place until the block ends; ``end`` ends it sooner."""
        mark = object()
        self.held.setdefault(address, {})[mark] = end
        self.taken += 1
        try:
            yield
        finally:
            self.give_back(address, mark)


@dataclass(slots=True)
class Channel:
    """One page in one language; ``born`` says of each region at which revision it became what it is.

    ``news`` is the newest revision that has something to show here, ``following`` what draws the page with
    each change while anybody listens.
    """

    draw: Draw
    language: str
    revision: int = -1
    news: int = -1
    newest: tuple[str, int] | None = None
    listeners: int = 0
    following: gevent.Greenlet | None = None
    changed: Event = field(default_factory=Event)
    regions: dict[str, str] = field(default_factory=dict)
    born: dict[str, int] = field(default_factory=dict)
    messages: OrderedDict[tuple[int, int, int], bytes] = field(default_factory=OrderedDict)

    def renew(self, monitor: TableMonitor) -> None:
        """Draw the page again where anything happened since; wake who listens where it shows."""
        if self.revision == monitor.revision:
            return
        self.revision, projection = monitor.revision, monitor.projection
        with use_language(self.language):
            found = self.draw()
        newest = (projection.name, projection.number) if projection else None
        if newest != self.newest:
            self.newest, self.news = newest, self.revision
        for name, html in found.items():
            if self.regions.get(name) != html:
                self.regions[name] = html
                self.born[name] = self.news = self.revision
        if self.news == self.revision:
            self.wake()

    def wake(self) -> None:
        """Wake who listens."""
        waiting, self.changed = self.changed, Event()
        waiting.set()

    def wait(self, revision: int, timeout_s: float) -> None:
        """Wait for a time until the page shows something newer than a revision."""
        if self.news <= revision:
            self.changed.wait(max(0.0, timeout_s))

    def follow(self, monitor: TableMonitor) -> None:
        """Draw the page with each change for ever."""
        while True:
            revision = monitor.revision
            self.renew(monitor)
            monitor.wait(revision, BEAT_S)

    def followed(self, monitor: TableMonitor) -> None:
        """See to it that the page is drawn with each change; a drawing that failed ended that."""
        if self.following is None or self.following.dead:
            self.following = gevent.spawn(self.follow, monitor)
            self.following.link(lambda _ended: self.wake())

    def leave(self) -> None:
        """Note that a phone listens no more; the last one ends the following."""
        self.listeners -= 1
        if not self.listeners and self.following is not None:
            self.following.kill(block=False)

    def message(self, monitor: TableMonitor, shown: int, number: int) -> bytes:
        """Return what a phone needs that shows a revision and has heard of the events up to a number."""
        self.renew(monitor)
        key = (self.revision, shown, number)
        if key not in self.messages:
            self.messages[key] = self.composed(monitor, shown, number)
            if len(self.messages) > MOST_MESSAGES:
                self.messages.popitem(last=False)
        return self.messages[key]

    def composed(self, monitor: TableMonitor, shown: int, number: int) -> bytes:
        """Return one server-sent event: regions that changed, events since, what time it is.

        Nothing where the phone shows everything already.
        """
        projection = monitor.projection
        names = projection.names if projection else ()
        with use_language(self.language):
            events = [
                {"number": one.number, "text": line_text(event_text.event_line(names, one, 0))}
                for one in (projection.since(number) if projection else [])
            ]
        regions = {name: html for name, html in self.regions.items() if self.born[name] > shown}
        if shown >= 0 and not (events or regions):
            return b""
        body = {
            "game": projection.name if projection else None,
            "now_ms": None if (now := monitor.now_ns()) is None else now // 1_000_000,
            "events": events,
            "regions": regions,
        }
        return sent(json.dumps(body, ensure_ascii=False), projection.number if projection else 0)


def line_text(line: event_text.Line | None) -> str:
    """Return a line as one text; nothing where the event has none."""
    return "" if line is None else f"{line.who}: {line.text}" if line.who else line.text


def sent(body: str, number: int) -> bytes:
    """Return a server-sent event whose id is the number of the last event of the log."""
    return f"id: {number}\ndata: {body}\n\n".encode()


class Channels:
    """All channels in use, the least recently used forgotten first."""

    def __init__(self, monitor: TableMonitor) -> None:
        self.monitor = monitor
        self.open: OrderedDict[tuple[str, str], Channel] = OrderedDict()
        self.places = Places(MOST_STREAMS, EACH, SPARE)

    def channel(self, name: str, language: str, draw: Draw) -> Channel:
        """Return the channel of a page in a language."""
        key = (name, language)
        if key not in self.open:
            self.open[key] = Channel(draw, language)
            if len(self.open) > MOST_CHANNELS:
                self.open.popitem(last=False)
        self.open.move_to_end(key)
        return self.open[key]

    def listening(self, name: str) -> bool:
        """Return whether any phone listens to a page, in whatever language."""
        return any(channel.listeners for (page, _), channel in self.open.items() if page == name)

    def listened(self, channel: Channel, number: int | None, address: str = "") -> Iterator[bytes]:
        """Yield what a phone is to hear, for as long as it listens; ``number`` is the last event it knows."""
        channel.listeners += 1
        try:
            with self.places.hold(address, ending()):
                yield from self.messages(channel, number)
        finally:
            channel.leave()

    def messages(self, channel: Channel, number: int | None) -> Iterator[bytes]:
        """Yield the news of a channel, and that all is well where there are none for a while."""
        monitor = self.monitor
        shown, game = -1, monitor.projection.name if monitor.projection else None
        heard = number if number is not None else monitor.projection.number if monitor.projection else 0
        yield b"retry: 2000\n\n"
        due_s = time.monotonic() + BEAT_S
        while True:
            projection = monitor.projection
            if projection is not None and (projection.name != game or heard > projection.number):
                shown, game, heard = -1, projection.name, 0 if projection.name != game else projection.number
            revision = monitor.revision
            message = channel.message(monitor, shown, heard) if shown != revision else b""
            shown, heard = revision, projection.number if projection else 0
            if message:
                yield message
                due_s = time.monotonic() + BEAT_S
            elif time.monotonic() >= due_s:
                yield b"event: beat\ndata: {}\n\n"
                due_s = time.monotonic() + BEAT_S
            else:
                channel.followed(monitor)
                channel.wait(revision, due_s - time.monotonic())
