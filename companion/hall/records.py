"""What the hall knows of its tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.events.replay import GameReplay


@dataclass(slots=True)
class TableRecord:
    """The hall's state of one table.

    ``told`` is the name that it gives itself, ``name`` the one that the hall's pages and sheets show.
    ``pages`` is the URL of its own pages, ``live`` its newest game, ``health`` its newest health message,
    ``fault`` why its events cannot be accepted.  ``revision`` rises with every change.  ``updated_s`` is when
    its newest event arrived, by ``time.monotonic``; ``clock_offset_ns`` is that clock minus the game's.
    """

    id: str
    told: str = ""
    name: str = ""
    online: bool = False
    pages: str = ""
    health: dict[str, Any] = field(default_factory=dict)
    live: GameReplay | None = None
    fault: str = ""
    revision: int = 0
    updated_s: float = 0.0
    clock_offset_ns: int = 0

    def change(self) -> None:
        """Raise the revision, so that pages render the table again."""
        self.revision += 1


def tell_name(tables: Mapping[str, TableRecord], record: TableRecord, told: str) -> None:
    """Note the name that a table gives itself; tables that give the same one are shown with their ids."""
    if told == record.told:
        return
    before, record.told = record.told, told
    for name in {before, told} - {""}:
        alike = [one for one in tables.values() if one.told == name]
        for one in alike:
            one.name = f"{name} ({one.id})" if alike[1:] else name
            one.change()
