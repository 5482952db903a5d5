"""One measured figure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured.

    ``most`` is the highest value that is good enough, or ``None`` where the
    figure is only told.
    """

    what: str
    value: float
    unit: str
    most: float | None = None

    @property
    def good(self) -> bool:
        """Whether the figure is good enough."""
        return self.most is None or self.value <= self.most

    def __str__(self) -> str:
        limit = (
            "" if self.most is None else f" (at most {self.most:g}: {'good' if self.good else 'NOT REACHED'})"
        )
        return f"{self.what}: {self.value:.4g} {self.unit}{limit}"
