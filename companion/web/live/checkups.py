"""The doctor's lines on the host's page: the table is asked to look itself over while a host looks on."""

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
from companion.web.live.monitor import FAILED, TableMonitor, run_in_threadpool, to_text

EVERY_S = 15.0
"""Seconds between two checkups; the cameras are watched for some of them."""

WANTED_S = 20.0
"""Seconds for which a page that was loaded wants lines of now; whoever listens wants them all the time."""

PAGE = "host"

PARTS = (N_("machine"), N_("reading"), N_("table"))
WHATS = (
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
    *(N_("resolution"), N_("glare"), N_("shadow"), N_("flicker")),
    *(N_("start"), N_("parts"), N_("pool")),
)
"""What is looked at, to be translated."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Checkups:
    """What the table found when it last looked itself over; ``fault`` says why it could not."""

    monitor: TableMonitor
    channels: Channels
    clock: Callable[[], float] = time.monotonic
    lines: tuple[CheckLine, ...] = ()
    fault: str = ""
    looked_s: float = float("-inf")
    asked_s: float = float("-inf")

    @property
    def grave(self) -> list[CheckLine]:
        """What must be mended before a game starts."""
        return [line for line in self.lines if line.grave]

    @property
    def lacking(self) -> list[CheckLine]:
        """What is not as it should be, what is grave first."""
        return sorted((line for line in self.lines if line.fine is False), key=lambda line: not line.grave)

    def want(self) -> None:
        """Note that somebody has loaded the page."""
        self.asked_s = self.clock()

    def due(self) -> bool:
        """Return whether somebody looks on and the lines have grown old."""
        wanted = self.channels.listening(PAGE) or self.clock() - self.asked_s < WANTED_S
        return wanted and self.clock() - self.looked_s >= EVERY_S

    def look(self) -> None:
        """Have the table look itself over; phones hear of it where anything became better or worse."""
        table, before = self.monitor.table, (outcome(self.lines), self.fault)
        if table is None:
            return
        try:
            self.lines, self.fault = run_in_threadpool(table.checkup).lines, ""
        except CompanionError as error:
            self.lines, self.fault = (), to_text(error)
        self.looked_s = self.clock()
        if (outcome(self.lines), self.fault) != before:
            self.monitor.notify()

    def run(self) -> None:
        """Look for ever, whenever it is due."""
        while self.monitor.table is not None:
            if self.due():
                try:
                    self.look()
                except Exception:
                    logger.exception("the checkup could not be made")
                    self.lines, self.fault, self.looked_s = (), FAILED, self.clock()
            gevent.sleep(0.5)


def outcome(lines: tuple[CheckLine, ...]) -> list[tuple[str, str, bool | None]]:
    """Return what came of each check, without the figures, which never stand still."""
    return [(line.part, line.what, line.fine) for line in lines]
