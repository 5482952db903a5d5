"""What a drill did, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import JustifyMethod
from rich.table import Table

FAULTS_SHOWN = 5
"""Faults of one drill that are printed; JSON has all."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One line of the table of drills.

    Parameters
    ----------
    what
        What was done.
    count
        How often.
    faults
        What was lost, refused without a word, or answered too late; a sentence each.
    measured
        What was counted or measured besides, by what it is called.
    """

    what: str
    count: int
    faults: Sequence[str] = ()
    measured: Mapping[str, float] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """What was measured, as one text."""
        return ", ".join(f"{name} {value:,.4g}" for name, value in self.measured.items())

    def as_object(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self) | {"faults": list(self.faults)}


def printed(outcomes: Sequence[Outcome]) -> Table:
    """Return the table of what was done, how often, and what was lost."""
    table = Table()
    columns: dict[str, JustifyMethod] = {
        "what was done": "left",
        "times": "right",
        "faults": "right",
        "measured": "left",
    }
    for name, side in columns.items():
        table.add_column(name, justify=side)
    for one in outcomes:
        table.add_row(one.what, f"{one.count:,}", f"{len(one.faults):,}", one.told)
    return table


def fault_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the first faults of each drill, as sentences."""
    return [f"{one.what}: {fault}" for one in outcomes for fault in one.faults[:FAULTS_SHOWN]]
