"""Messages that were lost to a fault of the hall's own program, for the director."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Lost:
    """How many messages were lost, the topic of the last one, and what went wrong with it."""

    count: int = 0
    topic: str = ""
    fault: str = ""

    def note(self, topic: str, error: Exception) -> None:
        """Note a message that was lost."""
        self.count += 1
        self.topic, self.fault = topic, repr(error)
