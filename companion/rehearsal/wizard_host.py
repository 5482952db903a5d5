"""A host bot that sets a simulated table up through the wizard and accepts every suggestion."""

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

MAX_STEP_TRIES, RETRY_PAUSE_S = 5, 0.5
"""Number of retries of a refused step, and seconds between them, in which tiles are laid out."""

STEP_TIMEOUT_S = 300.0
"""Seconds that a step may take on a table with a small share of a processor."""


class WizardHost:
    """Runs the wizard's steps in a thread, from ``with`` to the end of its block.

    ``tiles_ready`` returns whether the tiles are laid out; ``on_done`` is called when the table is set up.
    ``fault`` is the table's answer to a step that was refused after all retries.
    """

    def __init__(self, client: Path, tiles_ready: Callable[[], bool], on_done: Callable[[], None]) -> None:
        self._client, self._tiles_ready, self._on_done = (
            WizardClient(client, STEP_TIMEOUT_S),
            tiles_ready,
            on_done,
        )
        self.fault = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self.run, name="host", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def run(self) -> None:
        """Run all steps, in the order of the pages."""
        while not self._tiles_ready():
            if self._over.wait(RETRY_PAUSE_S / 10):
                return
        client = self._client
        steps: tuple[Callable[[], object], ...] = (
            lambda: client.light(0),
            lambda: client.markers(0, None, None),
            self._keep_zones,
            lambda: client.tile(0, None),
            lambda: client.drift(0),
        )
        if all(self._accepted(step) for step in steps):
            self._on_done()

    def _keep_zones(self) -> None:
        """Accept the suggested zones."""
        zones = self._client.state(0).zones
        if any(zone.kind == ZoneKind.SEAT for zone in zones):
            self._client.zones(0, zones)

    def _accepted(self, step: Callable[[], object]) -> bool:
        """Return whether the table accepts a step, perhaps after retries."""
        for _ in range(MAX_STEP_TRIES):
            with suppress(Unanswered):
                step()
                return True
            if self._over.wait(RETRY_PAUSE_S):
                return False
        try:
            step()
        except Unanswered as error:
            self.fault = str(error)
            return False
        return True
