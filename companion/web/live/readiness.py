"""Readiness checks for the host's page: the table runs them while that page is open."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import gevent

from companion.errors import CompanionError
from companion.model.status import CheckLine
from companion.web.i18n.language import N_
from companion.web.live.channels import Channels
from companion.web.live.monitor import FAILURE_MESSAGE, TableMonitor, run_in_threadpool, to_text

CHECK_INTERVAL_S = 15.0
"""Seconds between two checks; a check watches the cameras for some seconds."""

PAGE_LOAD_WINDOW_S = 20.0
"""Seconds after a page load in which checks are run; they also run while a phone listens to the page."""

PAGE = "host"

PARTS = (N_("machine"), N_("reading"), N_("table"))
CHECK_NAMES = (
    *(N_("versions"), N_("disk space"), N_("disk"), N_("clock"), N_("temperature"), N_("power")),
    *(
        N_("memory"),
        N_("words"),
        N_("reader"),
        N_("second reader"),
        N_("game"),
        N_("wiring"),
        N_("log"),
        N_("buttons"),
    ),
    *(N_("picture"), N_("speed"), N_("size"), N_("profile"), N_("markers"), N_("focus"), N_("exposure")),
    *(N_("delay"), N_("resolution"), N_("glare"), N_("shadow"), N_("flicker"), N_("mirroring")),
    *(N_("start"), N_("parts"), N_("pool")),
)
"""Names of the checks, marked for translation."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class ReadinessChecks:
    """The result of the table's last readiness check; ``fault`` says why there is none.

    ``checked_s`` and ``requested_s`` are when the last check ended and when the page was last loaded, by
    ``clock``, in seconds.
    """

    monitor: TableMonitor
    channels: Channels
    clock: Callable[[], float] = time.monotonic
    lines: tuple[CheckLine, ...] = ()
    fault: str = ""
    checked_s: float = float("-inf")
    requested_s: float = float("-inf")

    @property
    def blocking(self) -> list[CheckLine]:
        """Lines that must be fixed before a game starts."""
        return [line for line in self.lines if line.grave]

    @property
    def problems(self) -> list[CheckLine]:
        """Lines that are not fine, essential ones first."""
        return sorted((line for line in self.lines if line.fine is False), key=lambda line: not line.grave)

    def request(self) -> None:
        """Note that the page was loaded."""
        self.requested_s = self.clock()

    def due(self) -> bool:
        """Return whether the page is in use and the lines are older than ``CHECK_INTERVAL_S``."""
        wanted = self.channels.has_listeners(PAGE) or self.clock() - self.requested_s < PAGE_LOAD_WINDOW_S
        return wanted and self.clock() - self.checked_s >= CHECK_INTERVAL_S

    def check(self) -> None:
        """Have the table check itself; notify phones where a result has changed."""
        table, before = self.monitor.table, (results(self.lines), self.fault)
        if table is None:
            return
        try:
            self.lines, self.fault = run_in_threadpool(table.checkup).lines, ""
        except CompanionError as error:
            self.lines, self.fault = (), to_text(error)
        self.checked_s = self.clock()
        if (results(self.lines), self.fault) != before:
            self.monitor.notify()

    def run(self) -> None:
        """Run checks for ever, whenever one is due."""
        while self.monitor.table is not None:
            if self.due():
                try:
                    self.check()
                except Exception:
                    logger.exception("the checkup could not be made")
                    self.lines, self.fault, self.checked_s = (), FAILURE_MESSAGE, self.clock()
            gevent.sleep(0.5)


def results(lines: tuple[CheckLine, ...]) -> list[tuple[str, str, bool | None]]:
    """Return the result of each check, without its text, whose figures change all the time."""
    return [(line.part, line.what, line.fine) for line in lines]
