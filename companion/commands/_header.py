"""The Pi's header as a picture on a terminal, and its wires as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hardware.wiring.header import PINS, names
from hardware.wiring.wires import Wire

SEATS = ("cyan", "yellow", "magenta", "green", "blue", "red")
"""Colours of the seats in turn; each wire is also named in words."""

SUPPLIES = {"3V3": "red", "5V": "red", "GND": "default"}
LEGEND = "Header: ● wired, ○ free, ▪ power or ground; the board's edge is on its right."
WIDTH = 100
"""Columns of what no terminal shows."""


def shown(all_: Sequence[Wire], notes: Sequence[str]) -> None:
    """Print the wires, the header and what else to know on standard output."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    console.print(Columns([wire_table(all_), header(all_)], padding=(0, 3)))
    console.print(LEGEND, *notes, sep="\n", style="dim", highlight=False)


def wire_table(all_: Sequence[Wire]) -> Table:
    """Return the wires as a table: pin, what, and what lies between."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
    table.add_column("pin", no_wrap=True)
    table.add_column("what", no_wrap=True)
    table.add_column("from there", no_wrap=True)
    grouped = Counter(wire.seat for wire in all_)
    for before, wire in zip([None, *all_], all_, strict=False):
        if before is not None and before.seat != wire.seat and grouped[before.seat] + grouped[wire.seat] > 2:
            table.add_section()
        table.add_row(wire.pin, Text(wire.what, style(wire)), wire.part)
    return table


def style(wire: Wire) -> str:
    """Return the colour of a wire."""
    return SEATS[(wire.seat - 1) % len(SEATS)] if wire.seat else "white"


def header(all_: Sequence[Wire]) -> Panel:
    """Return the header as it lies with its pin 1 at the upper left, the board's edge to the right."""
    by_place = {wire.header: wire for wire in all_}
    grid = Table.grid(padding=(0, 1))
    for justify in ("right", "right", "right", "center", "center", "left", "left", "left"):
        grid.add_column(justify=justify, no_wrap=True)
    for odd in PINS[::2]:
        left, right = cells(odd, by_place.get(odd)), cells(odd + 1, by_place.get(odd + 1))
        grid.add_row(*left, *reversed(right))
    return Panel.fit(grid, title="header", border_style="dim")


def cells(number: int, wire: Wire | None) -> tuple[Text, ...]:
    """Return one pin from the outside in: what is wired, its name, its number, the pin."""
    name = names()[number]
    colour = style(wire) if wire else SUPPLIES.get(name, "dim")
    mark = "●" if wire else "▪" if name in SUPPLIES else "○"
    return (
        Text(wire.what if wire else "", colour),
        *(Text(part, colour) for part in (name, str(number), mark)),
    )
