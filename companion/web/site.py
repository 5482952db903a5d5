"""What every page may ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import current_app
from gevent.lock import BoundedSemaphore
from jinja2 import Environment

from companion.web.auth.kept import Kept
from companion.web.live.channels import Channels, Regions
from companion.web.live.checkups import Checkups
from companion.web.live.story import Story
from companion.web.live.watching import Watching


@dataclass(slots=True)
class Picture:
    """The newest picture of the table, of one kind and width, or what kept it from being taken.

    ``taking`` is held by the one who has it taken; the others wait for it.
    """

    taken_s: float = float("-inf")
    jpeg: bytes = b""
    fault: str = ""
    taking: BoundedSemaphore = field(default_factory=BoundedSemaphore)


@dataclass(frozen=True, slots=True)
class Site:
    """The game and the table as last seen, the live pages, the last checkup, and what is kept."""

    watching: Watching
    channels: Channels
    checkups: Checkups
    kept: Kept
    env: Environment
    lives: Mapping[str, Live]
    pictures: dict[tuple[str, int], Picture] = field(default_factory=dict)

    @property
    def story(self) -> Story | None:
        """The game that is shown."""
        return self.watching.story

    def now_ns(self, story: Story) -> int:
        """Return what the game's clock says, or said at the last event where nobody knows better."""
        now_ns = self.watching.now_ns()
        return story.at_ns if now_ns is None else max(now_ns, story.at_ns)

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
