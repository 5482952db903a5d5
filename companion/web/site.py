"""What every page may ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import current_app
from gevent.lock import BoundedSemaphore
from jinja2 import Environment

from companion.web.keeping import Kept
from companion.web.live.channels import Channels, Regions
from companion.web.live.checkups import Checkups
from companion.web.live.monitor import GameProjection, TableMonitor


@dataclass(slots=True)
class Picture:
    """The newest picture of the table, of one kind and width, or what kept it from being taken.

    ``taking`` is held by the one who has it taken; the others wait for it.
    """

    taken_s: float = float("-inf")
    jpeg: bytes = b""
    fault: str = ""
    taking: BoundedSemaphore = field(default_factory=BoundedSemaphore)


FRESH_S = 1.0
"""Seconds for which a page with clocks is good for everybody: they are drawn as they stood."""


@dataclass(frozen=True, slots=True)
class Alike:
    """How long a page that is alike for all viewers is good: while its revision stands, for some seconds."""

    revision: Callable[[], int]
    fresh_s: float = FRESH_S


@dataclass(frozen=True, slots=True)
class Site:
    """The game and the table as last seen, the live pages, the last checkup, and what is kept.

    ``alike`` are the pages that depend on nothing but their address, the phone's language, what has happened,
    and the hour; ``/a/`` are all below that address.
    """

    monitor: TableMonitor
    channels: Channels
    checkups: Checkups
    kept: Kept
    env: Environment
    lives: Mapping[str, Live]
    alike: Mapping[str, Alike] = field(default_factory=dict)
    pictures: dict[tuple[str, int], Picture] = field(default_factory=dict)

    @property
    def projection(self) -> GameProjection | None:
        """The game that is shown."""
        return self.monitor.projection

    def now_ns(self, projection: GameProjection) -> int:
        """Return what the game's clock says, or said at the last event where nobody knows better."""
        now_ns = self.monitor.now_ns()
        return projection.at_ns if now_ns is None else max(now_ns, projection.at_ns)

    def regions(self, names: Mapping[str, str], values: Mapping[str, Any]) -> Regions:
        """Return the regions of a page, each from its template."""
        return {name: self.env.get_template(template).render(values) for name, template in names.items()}


@dataclass(frozen=True, slots=True)
class Live:
    """A live page: what draws its regions (for the seat that its address names), and who may see it."""

    draw: Callable[[Site, int], Regions]
    role: str = ""


def here() -> Site:
    """Return the site that answers now."""
    found: Site = current_app.extensions["companion"]
    return found
