"""Sets a simulated table up by the steps of its pages, as a host would who accepts every suggestion."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from companion.errors import Unanswered
from companion.model.profile import ZoneKind
from companion.rpc import WizardClient

TRIES, PAUSE_S = 5, 0.5
"""How often a step that is refused is tried again, and how long a host waits before: tiles are laid out."""

PATIENCE_S = 300.0
"""How long a step may take: a table that has little of a processor reads slowly."""


class SettingUp:
    """A host who goes through the steps in a thread of the own, from ``with`` to the end of its block.

    ``before`` returns whether the tiles are laid out, ``done`` hears that the table is set up.  ``fault``
    is what the table says to a step that it refuses for good.
    """

    def __init__(self, line: Path, before: Callable[[], bool], done: Callable[[], None]) -> None:
        self._line, self._before, self._done = WizardClient(line, PATIENCE_S), before, done
        self.fault = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self.go_through, name="host", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def go_through(self) -> None:
        """Go through all steps, in the order of the pages."""
        while not self._before():
            if self._over.wait(PAUSE_S / 10):
                return
        line = self._line
        steps: tuple[Callable[[], object], ...] = (
            lambda: line.light(0),
            lambda: line.markers(0, None, None),
            self._keep_zones,
            lambda: line.tile(0, None),
            lambda: line.drift(0),
        )
        if all(self._taken(step) for step in steps):
            self._done()

    def _keep_zones(self) -> None:
        """Keep the parts of the table as they are suggested."""
        zones = self._line.state(0).zones
        if any(zone.kind == ZoneKind.SEAT for zone in zones):
            self._line.zones(0, zones)

    def _taken(self, step: Callable[[], object]) -> bool:
        """Return whether the table takes a step, perhaps after some tries."""
        for _ in range(TRIES):
            with suppress(Unanswered):
                step()
                return True
            if self._over.wait(PAUSE_S):
                return False
        try:
            step()
        except Unanswered as error:
            self.fault = str(error)
            return False
        return True
