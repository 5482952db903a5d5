"""What all eyes tell, put together: sightings go to the loop, and whether the table sees at all."""

from __future__ import annotations

from companion.model.calls import Noted, Seen
from companion.rules.state import Phase
from companion.table.clock import GameClock
from companion.table.devices import Health
from companion.table.loop import Loop

PLAYED = {Phase.PLAYING, Phase.JUDGING}


class Sights:
    """Hears what the eyes see; any of their threads may tell it."""

    def __init__(self, loop: Loop, clock: GameClock) -> None:
        self._loop, self._clock = loop, clock
        self._blind: dict[str, str] = {}

    @property
    def busy(self) -> bool:
        """Whether somebody plays, so that every frame matters."""
        state = self._loop.state
        dealing = state.started and state.phase is Phase.SETUP
        return dealing or state.phase in PLAYED

    @property
    def notes(self) -> tuple[str, ...]:
        """What ails the cameras, in sentences."""
        return tuple(self._blind.values())

    def seen(self, seen: Seen) -> None:
        """Hand on a sighting."""
        self._loop.tell(seen)

    def rest(self, place: int, at_ns: int, *, at_rest: bool) -> None:
        """Hand on whether a place is at rest; a call that waits for it is decided at once."""
        self._loop.waiting.saw(place, at_ns, at_rest=at_rest)
        if at_rest and self._loop.waiting.waiting:
            self._loop.wake()

    def fares(self, name: str, health: Health) -> None:
        """Say once that a camera cannot be relied on, and once that it can again."""
        if health.sees:
            self._blind.pop(name, None)
            if not self._blind:
                self._loop.tell(Noted(self._clock.now(), f"the camera {name} {health.says}", sees=True))
        elif str(health.state) != "waiting":
            text = f"the camera {name} {health.says}; people judge until it sees again"
            self._blind[name] = text
            self._loop.tell(Noted(self._clock.now(), text, sees=False))
