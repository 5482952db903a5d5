"""``companion wiring``: which wire goes where on the Pi's header, for a table's own configuration."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import tomli_w
from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from companion.config.controls import USUAL_BUTTONS, USUAL_SEATS, Controls, LightKind
from companion.config.table import load
from companion.errors import UsageError
from hardware.wiring import Wire, check, default_controls, enabled_interfaces, notes, wires
from hardware.wiring.header import HEADER_PINS, pin_names
from hardware.wiring.picture import picture

SEAT_COLOURS = ("cyan", "yellow", "magenta", "green", "blue", "red")
"""Colours of the seats in turn; each wire is also named in words."""

SUPPLY_COLOURS = {"3V3": "red", "5V": "red", "GND": "default"}
LEGEND = "Header: ● wired, ○ free, ▪ power or ground; the board's edge is on its right."
OUTPUT_COLUMNS = 100
"""Width of output that does not go to a terminal, in columns."""

LIGHTS = LightKind.SINGLE


def print_wiring(all_wires: Sequence[Wire], notes: Sequence[str]) -> None:
    """Print the wires, the header and the notes on standard output."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=OUTPUT_COLUMNS)
    console.print(Columns([wire_table(all_wires), header(all_wires)], padding=(0, 3)))
    console.print(LEGEND, *notes, sep="\n", style="dim", highlight=False)


def wire_table(all_wires: Sequence[Wire]) -> Table:
    """Return the wires as a table: pin, device, and the parts between."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
    table.add_column("pin", no_wrap=True)
    table.add_column("what", no_wrap=True)
    table.add_column("from there", no_wrap=True)
    grouped = Counter(wire.seat for wire in all_wires)
    for before, wire in zip([None, *all_wires], all_wires, strict=False):
        if before is not None and before.seat != wire.seat and grouped[before.seat] + grouped[wire.seat] > 2:
            table.add_section()
        table.add_row(wire.pin, Text(wire.what, style(wire)), wire.part)
    return table


def style(wire: Wire) -> str:
    """Return the colour of a wire."""
    return SEAT_COLOURS[(wire.seat - 1) % len(SEAT_COLOURS)] if wire.seat else "white"


def header(all_wires: Sequence[Wire]) -> Panel:
    """Return the header with pin 1 at the upper left and the board's edge to the right."""
    by_place = {wire.header: wire for wire in all_wires}
    grid = Table.grid(padding=(0, 1))
    for justify in ("right", "right", "right", "center", "center", "left", "left", "left"):
        grid.add_column(justify=justify, no_wrap=True)
    for odd in HEADER_PINS[::2]:
        left, right = cells(odd, by_place.get(odd)), cells(odd + 1, by_place.get(odd + 1))
        grid.add_row(*left, *reversed(right))
    return Panel.fit(grid, title="header", border_style="dim")


def cells(number: int, wire: Wire | None) -> tuple[Text, ...]:
    """Return one pin's cells from the outside in: its device, its name, its number, the pin."""
    name = pin_names()[number]
    colour = style(wire) if wire else SUPPLY_COLOURS.get(name, "dim")
    mark = "●" if wire else "▪" if name in SUPPLY_COLOURS else "○"
    return (
        Text(wire.what if wire else "", colour),
        *(Text(part, colour) for part in (name, str(number), mark)),
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("config", nargs="?", type=Path, metavar="CONFIG.toml", help="a table's configuration")
    parser.add_argument("--seats", type=int, metavar="N", help=f"so many seats (default: {USUAL_SEATS})")
    parser.add_argument("--buttons", type=int, metavar="K", help=f"buttons a seat (default: {USUAL_BUTTONS})")
    kinds = [str(kind) for kind in LightKind]
    parser.add_argument("--lights", choices=kinds, help=f"each seat's light (default: {LIGHTS})")
    parser.add_argument("--buzzer", action="store_true", help="a buzzer too")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--toml", action="store_true", help="print [controls] for the configuration instead")
    form.add_argument("--markdown", action="store_true", help="one row a seat, as a table for a README")
    form.add_argument("--json", action="store_true", help="the wires as JSON")
    form.add_argument("--svg", action="store_true", help="the header with its wires, as an SVG picture")


def run(args: argparse.Namespace) -> int:
    """Check the wiring and print it; raise BadWiring where it cannot be wired."""
    controls = chosen(args)
    check(controls, enabled_interfaces())
    all_wires = wires(controls)
    if args.toml:
        print(as_toml(controls), end="")
    elif args.markdown:
        print("\n".join(as_markdown(all_wires)))
    elif args.json:
        print(json.dumps([asdict(wire) for wire in all_wires], ensure_ascii=False))
    elif args.svg:
        print(picture(all_wires), end="")
    elif not all_wires:
        print("nothing is wired: the configuration has no buttons and no lights")
    else:
        print_wiring(all_wires, notes(controls))
    return 0


def chosen(args: argparse.Namespace) -> Controls:
    """Return the controls of a configuration, or controls laid out by the options."""
    if args.config is None:
        seats = USUAL_SEATS if args.seats is None else args.seats
        buttons = USUAL_BUTTONS if args.buttons is None else args.buttons
        lights = LightKind(args.lights or LIGHTS)
        return default_controls(seats, buttons, lights, buzzer=args.buzzer, in_use=enabled_interfaces())
    if args.buzzer or (args.seats, args.buttons, args.lights) != (None, None, None):
        raise UsageError("a configuration already says how many seats, buttons and lights there are")
    return load(args.config).controls


def as_toml(controls: Controls) -> str:
    """Return the part of a configuration that describes these controls."""
    return tomli_w.dumps({"controls": toml_value(controls)})


def toml_value(value: Any) -> Any:
    """Return a value of a configuration as TOML has it; its dataclasses become tables without defaults."""
    if is_dataclass(value):
        given = {field.name: (getattr(value, field.name), field.default) for field in fields(value)}
        return {name: toml_value(one) for name, (one, default) in given.items() if one != default}
    if isinstance(value, tuple):
        return [toml_value(one) for one in value]
    return str(value) if isinstance(value, StrEnum) else value


def as_markdown(all_wires: Sequence[Wire]) -> list[str]:
    """Return the wires as a table with one row a seat."""
    by_seat: dict[int, list[Wire]] = {}
    for wire in all_wires:
        by_seat.setdefault(wire.seat, []).append(wire)
    first = by_seat.get(1, [])
    heads = [wire.what.removeprefix("seat 1 ") for wire in first]
    rows = [[str(seat), *(wire.pin for wire in some)] for seat, some in by_seat.items() if seat]
    return [line(["seat", *heads]), line(["---"] * (len(heads) + 1)), *map(line, rows)]


def line(cells: Sequence[str]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"
