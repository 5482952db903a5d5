"""A running hall: intake and conductor in threads of their own, tournament service and connection."""

from __future__ import annotations

import logging
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from companion.hall.conductor import Conductor
from companion.hall.intake import Intake
from companion.hall.mqtt import Broker, MqttConnection
from companion.hall.replica import GameKey, LogReplica
from companion.hall.tournament import Table
from companion.hall.tournament_service import SecretStore, TournamentService

THREAD_SWITCH_S = 0.0005
"""Python's thread switch interval in s, short so that sends to many phones do not block each other."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Hall:
    """All parts of a hall except its pages; use it in a ``with`` statement."""

    folder: Path
    kept: SecretStore
    name: str = "hall"
    replica: LogReplica = field(init=False)
    intake: Intake = field(init=False)
    service: TournamentService = field(init=False)
    conductor: Conductor = field(init=False)
    link: MqttConnection | None = field(init=False, default=None)
    stop: threading.Event = field(init=False, default_factory=threading.Event)
    threads: list[threading.Thread] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        """Open the stores and resume where the hall was stopped."""
        self.replica = LogReplica(self.folder / "tables.db")
        self.intake = Intake(self.replica, self.name)
        self.service = TournamentService(self.folder / "hall.db", self.kept)
        self.intake.conflicts.closed = self.closed
        noted = {(one.table, one.game) for one in self.groups() if one.game}
        self.intake.verify(noted | self.intake.newest_games())
        if self.replica.damage:
            logger.warning("%s; what it lacked is asked for again", self.replica.damage)
        self.intake.request_updates(sorted(noted))
        self.intake.load()
        self.conductor = Conductor(self.service, self.intake)

    @property
    def revision(self) -> int:
        """A number that rises with every change that pages may show."""
        changes = self.conductor.changes + (self.link.changes if self.link else 0)
        return self.intake.revision + self.service.revision + changes

    def groups(self, *, closed: bool = False) -> list[Table]:
        """Return the groups of all rounds of the tournament, or of those that are closed."""
        rounds = self.service.state.rounds if self.service.state else ()
        return [table for one in rounds for table in one.tables if one.closed or not closed]

    def closed(self, key: GameKey) -> bool:
        """Return whether the round that a game counts in is closed."""
        return any((one.table, one.game) == key for one in self.groups(closed=True))

    def connect(self, broker: Broker) -> None:
        """Follow the tables of a broker."""
        self.link = MqttConnection(broker, self.name, self.intake.filters, self.intake.receive)
        self.intake.attach(self.link)
        self.link.start()

    def __enter__(self) -> Self:
        sys.setswitchinterval(THREAD_SWITCH_S)
        for one in (self.intake, self.conductor):
            self.threads.append(threading.Thread(target=one.run, args=(self.stop,), daemon=True))
            self.threads[-1].start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join()
        self.intake.http_replay.close()
        if self.link is not None:
            self.link.close()
        self.service.close()
        self.replica.close()
