"""The services that page handlers use, and how long rendered pages may be cached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import current_app
from gevent.lock import BoundedSemaphore
from jinja2 import Environment

from companion.web.keeping import Kept
from companion.web.live.channels import Channels, Regions
from companion.web.live.monitor import GameProjection, TableMonitor
from companion.web.live.readiness import ReadinessChecks


@dataclass(slots=True)
class Picture:
    """The newest picture of the table of one kind and width, or in ``fault`` why there is none.

    ``taking`` is held by the request that fetches it; other requests wait for it.  ``taken_s`` is by
    ``time.monotonic``.
    """

    taken_s: float = float("-inf")
    jpeg: bytes = b""
    fault: str = ""
    taking: BoundedSemaphore = field(default_factory=BoundedSemaphore)


DEFAULT_MAX_AGE_S = 1.0
"""Seconds for which a rendered page that shows running clocks may be reused."""


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """How long a page is cached: while ``revision()`` returns the same number, for ``max_age_s`` seconds."""

    revision: Callable[[], int]
    max_age_s: float = DEFAULT_MAX_AGE_S


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one app: monitor, live channels, readiness checks, the file store, templates.

    ``cached`` has the cache policy of each page that depends on nothing but address, language, revision
    and hour, by path; ``/a/`` stands for all paths below it.
    """

    monitor: TableMonitor
    channels: Channels
    readiness: ReadinessChecks
    kept: Kept
    env: Environment
    live_pages: Mapping[str, LivePage]
    cached: Mapping[str, CachePolicy] = field(default_factory=dict)
    pictures: dict[tuple[str, int], Picture] = field(default_factory=dict)

    @property
    def projection(self) -> GameProjection | None:
        """The projection of the game that is shown."""
        return self.monitor.projection

    def now_ns(self, projection: GameProjection) -> int:
        """Return the game's clock in nanoseconds, the last event's time where the clock is unknown."""
        now_ns = self.monitor.now_ns()
        return projection.at_ns if now_ns is None else max(now_ns, projection.at_ns)

    def regions(self, names: Mapping[str, str], values: Mapping[str, Any]) -> Regions:
        """Render a page's regions: ``names`` maps region ids to templates, ``values`` are their variables."""
        return {name: self.env.get_template(template).render(values) for name, template in names.items()}


@dataclass(frozen=True, slots=True)
class LivePage:
    """A live page: a function that renders its regions for a seat (0: none), and the role that may see it."""

    draw: Callable[[Services, int], Regions]
    role: str = ""


def current_services() -> Services:
    """Return the services of the app that handles the current request."""
    found: Services = current_app.extensions["companion"]
    return found
