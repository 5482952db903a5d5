"""The outcome of a drill, and a table of outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import JustifyMethod
from rich.table import Table

MAX_PRINTED_FAULTS = 5
"""Faults of one drill that are printed; JSON has all."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one drill.

    Parameters
    ----------
    what
        What was done.
    count
        How often.
    faults
        Losses, failures without a message, late answers; a sentence each.
    measured
        Other counts and measurements, by name.
    """

    what: str
    count: int
    faults: Sequence[str] = ()
    measured: Mapping[str, float] = field(default_factory=dict)

    @property
    def measured_text(self) -> str:
        """The measurements as one text."""
        return ", ".join(f"{name} {value:,.4g}" for name, value in self.measured.items())

    def as_object(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        return asdict(self) | {"faults": list(self.faults)}


def outcome_table(outcomes: Sequence[Outcome]) -> Table:
    """Return a table of outcomes."""
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
        table.add_row(one.what, f"{one.count:,}", f"{len(one.faults):,}", one.measured_text)
    return table


def fault_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the first faults of each drill, as sentences."""
    return [f"{one.what}: {fault}" for one in outcomes for fault in one.faults[:MAX_PRINTED_FAULTS]]
