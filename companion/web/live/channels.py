"""Live pages over server-sent events, and limits on open connections.

A page is made of named regions, and only changed regions are sent.  A channel is a page in one language; it
is rendered once for all phones that listen to it, and only when the monitor's revision has changed.
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

HEARTBEAT_S = 15.0
"""Seconds between two heartbeats on a stream without news."""

MAX_STREAMS, MAX_STREAMS_PER_ADDRESS, SPARE_STREAMS = 400, 8, 20
"""Most live streams in all, of one address while they are scarce, and spare ones for host and referee."""

MAX_CHANNELS = 64
"""Most channels that are kept; the least recently used one is dropped first."""

MAX_CACHED_MESSAGES = 8
"""Most cached messages of a channel, for phones at the same revision."""

MAX_SPARE_SLOTS_PER_ADDRESS = 6
"""Slots at which an address gets no spare one; one browser opens this many."""

Regions = Mapping[str, str]

Draw = Callable[[], Regions]
"""Renders the regions of a page in the current language, by region id."""


Cancel = Callable[[], None]
"""Cancels the holder of a slot."""


def do_nothing() -> None:
    """Do nothing: the holder of the slot ends by itself."""


def cancel(answering: Any) -> None:
    """Kill a greenlet with a ConnectionResetError, as if its client had hung up."""
    gevent.kill(answering, ConnectionResetError(errno.ECONNRESET, "the phone has hung up"))


def cancel_current() -> Cancel:
    """Return a function that cancels the current greenlet."""
    return partial(cancel, gevent.getcurrent())


@dataclass(slots=True)
class ConnectionSlots:
    """A limit on what is open at the same time: connections of the server, or live streams.

    One address may hold half of the slots while they are not scarce (a router may hide many phones behind one
    address), and ``each`` once half are taken.  Where all are taken, an address with fewer than ``each`` gets
    the oldest slot of the address that holds the most, if that holds more than ``each``.

    Parameters
    ----------
    most
        Slots for everybody.
    each
        Slots of one address while they are scarce.
    spare
        Further slots for host and referee alone, ``MAX_SPARE_SLOTS_PER_ADDRESS`` for each address.
    """

    most: int
    each: int
    spare: int = 0
    held: dict[str, dict[object, Cancel]] = field(default_factory=dict)
    taken: int = 0

    @property
    def scarce(self) -> bool:
        """Whether half of the slots are taken."""
        return self.taken >= self.most // 2

    @property
    def full(self) -> bool:
        """Whether only spare slots are left."""
        return self.taken >= self.most

    def has_room(self, address: str, *, spare: bool) -> bool:
        """Return whether an address may take one more slot; ``spare`` allows a spare one."""
        own = len(self.held.get(address, ()))
        if not self.full:
            return own < (self.each if self.scarce else self.most // 2)
        if own < self.each and self.evict_greedy():
            return True
        return spare and self.taken < self.most + self.spare and own < MAX_SPARE_SLOTS_PER_ADDRESS

    def evict_greedy(self) -> bool:
        """Cancel the oldest slot of the address that holds the most, if more than ``each``."""
        greedy = max(self.held, key=lambda address: len(self.held[address]), default="")
        if len(self.held.get(greedy, ())) <= self.each:
            return False
        mark, end = next(iter(self.held[greedy].items()))
        self.release(greedy, mark)
        end()
        return True

    def release(self, address: str, mark: object) -> None:
        """Free a slot, once."""
        own = self.held.get(address, {})
        if own.pop(mark, None) is not None:
            self.taken -= 1
            if not own:
                del self.held[address]

    @contextmanager
    def hold(self, address: str, end: Cancel = do_nothing) -> Iterator[None]:
        """Hold a slot during the block; ``end`` cancels its holder."""
        mark = object()
        self.held.setdefault(address, {})[mark] = end
        self.taken += 1
        try:
            yield
        finally:
            self.release(address, mark)


@dataclass(slots=True)
class PageChannel:
    """One page in one language.

    ``changed_at`` is the revision at which each region last changed, ``content_revision`` the newest revision
    that changed anything here.  ``renderer`` renders the page with each change while anybody listens.
    """

    draw: Draw
    language: str
    revision: int = -1
    content_revision: int = -1
    newest: tuple[str, int] | None = None
    listeners: int = 0
    renderer: gevent.Greenlet | None = None
    changed: Event = field(default_factory=Event)
    regions: dict[str, str] = field(default_factory=dict)
    changed_at: dict[str, int] = field(default_factory=dict)
    messages: OrderedDict[tuple[int, int, int], bytes] = field(default_factory=OrderedDict)

    def render(self, monitor: TableMonitor) -> None:
        """Render the page where the revision has changed; wake listeners where its content has."""
        if self.revision == monitor.revision:
            return
        self.revision, projection = monitor.revision, monitor.projection
        with use_language(self.language):
            found = self.draw()
        newest = (projection.name, projection.number) if projection else None
        if newest != self.newest:
            self.newest, self.content_revision = newest, self.revision
        for name, html in found.items():
            if self.regions.get(name) != html:
                self.regions[name] = html
                self.changed_at[name] = self.content_revision = self.revision
        if self.content_revision == self.revision:
            self.wake()

    def wake(self) -> None:
        """Wake all listeners."""
        waiting, self.changed = self.changed, Event()
        waiting.set()

    def wait(self, revision: int, timeout_s: float) -> None:
        """Wait until the content is newer than a revision, ``timeout_s`` at most."""
        if self.content_revision <= revision:
            self.changed.wait(max(0.0, timeout_s))

    def render_forever(self, monitor: TableMonitor) -> None:
        """Render the page with each change for ever."""
        while True:
            revision = monitor.revision
            self.render(monitor)
            monitor.wait(revision, HEARTBEAT_S)

    def ensure_rendering(self, monitor: TableMonitor) -> None:
        """Start the renderer where it is not running; an exception ends it."""
        if self.renderer is None or self.renderer.dead:
            self.renderer = gevent.spawn(self.render_forever, monitor)
            self.renderer.link(lambda _ended: self.wake())

    def remove_listener(self) -> None:
        """Remove a listener; the last one ends the renderer."""
        self.listeners -= 1
        if not self.listeners and self.renderer is not None:
            self.renderer.kill(block=False)

    def message(self, monitor: TableMonitor, shown: int, number: int) -> bytes:
        """Return the message for a phone that shows a revision and has the events up to a number."""
        self.render(monitor)
        key = (self.revision, shown, number)
        if key not in self.messages:
            self.messages[key] = self.compose(monitor, shown, number)
            if len(self.messages) > MAX_CACHED_MESSAGES:
                self.messages.popitem(last=False)
        return self.messages[key]

    def compose(self, monitor: TableMonitor, shown: int, number: int) -> bytes:
        """Return one server-sent event: changed regions, later events, the game's time.

        Empty where the phone shows everything already.
        """
        projection = monitor.projection
        names = projection.names if projection else ()
        with use_language(self.language):
            events = [
                {"number": one.number, "text": line_text(event_text.event_line(names, one, 0))}
                for one in (projection.since(number) if projection else [])
            ]
        regions = {name: html for name, html in self.regions.items() if self.changed_at[name] > shown}
        if shown >= 0 and not (events or regions):
            return b""
        body = {
            "game": projection.name if projection else None,
            "now_ms": None if (now := monitor.now_ns()) is None else now // 1_000_000,
            "events": events,
            "regions": regions,
        }
        return sse_event(json.dumps(body, ensure_ascii=False), projection.number if projection else 0)


def line_text(line: event_text.Line | None) -> str:
    """Return a line as one text, empty where the event has none."""
    return "" if line is None else f"{line.who}: {line.text}" if line.who else line.text


def sse_event(body: str, number: int) -> bytes:
    """Return a server-sent event whose id is the number of the log's last event."""
    return f"id: {number}\ndata: {body}\n\n".encode()


class Channels:
    """All channels in use; the least recently used one is dropped first."""

    def __init__(self, monitor: TableMonitor) -> None:
        self.monitor = monitor
        self.open: OrderedDict[tuple[str, str], PageChannel] = OrderedDict()
        self.slots = ConnectionSlots(MAX_STREAMS, MAX_STREAMS_PER_ADDRESS, SPARE_STREAMS)

    def channel(self, name: str, language: str, draw: Draw) -> PageChannel:
        """Return the channel of a page in a language."""
        key = (name, language)
        if key not in self.open:
            self.open[key] = PageChannel(draw, language)
            if len(self.open) > MAX_CHANNELS:
                self.open.popitem(last=False)
        self.open.move_to_end(key)
        return self.open[key]

    def has_listeners(self, name: str) -> bool:
        """Return whether any phone listens to a page, in any language."""
        return any(channel.listeners for (page, _), channel in self.open.items() if page == name)

    def stream(self, channel: PageChannel, number: int | None, address: str = "") -> Iterator[bytes]:
        """Yield server-sent events to a phone while it listens; ``number`` is the last event that it has."""
        channel.listeners += 1
        try:
            with self.slots.hold(address, cancel_current()):
                yield from self.messages(channel, number)
        finally:
            channel.remove_listener()

    def messages(self, channel: PageChannel, number: int | None) -> Iterator[bytes]:
        """Yield the messages of a channel, and heartbeats while there are none."""
        monitor = self.monitor
        shown, game = -1, monitor.projection.name if monitor.projection else None
        last_event = number if number is not None else monitor.projection.number if monitor.projection else 0
        yield b"retry: 2000\n\n"
        due_s = time.monotonic() + HEARTBEAT_S
        while True:
            projection = monitor.projection
            if projection is not None and (projection.name != game or last_event > projection.number):
                shown, game, last_event = (
                    -1,
                    projection.name,
                    0 if projection.name != game else projection.number,
                )
            revision = monitor.revision
            message = channel.message(monitor, shown, last_event) if shown != revision else b""
            shown, last_event = revision, projection.number if projection else 0
            if message:
                yield message
                due_s = time.monotonic() + HEARTBEAT_S
            elif time.monotonic() >= due_s:
                yield b"event: beat\ndata: {}\n\n"
                due_s = time.monotonic() + HEARTBEAT_S
            else:
                channel.ensure_rendering(monitor)
                channel.wait(revision, due_s - time.monotonic())
