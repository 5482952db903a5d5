"""``companion wiring``: which wire goes where on the Pi's header, for a table's own configuration."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import tomli_w

from companion.commands._header import shown
from companion.config.controls import USUAL_BUTTONS, USUAL_SEATS, Controls, Light, LightKind
from companion.config.table import load
from companion.errors import UsageError
from hardware.wiring import Wire, check, laid_out, notes, on_this_pi, wires
from hardware.wiring.picture import picture

LIGHTS = LightKind.SINGLE


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
    check(controls, on_this_pi())
    all_ = wires(controls)
    if args.toml:
        print(as_toml(controls), end="")
    elif args.markdown:
        print("\n".join(as_markdown(all_)))
    elif args.json:
        print(json.dumps([asdict(wire) for wire in all_], ensure_ascii=False))
    elif args.svg:
        print(picture(all_), end="")
    elif not all_:
        print("nothing is wired: the configuration has no buttons and no lights")
    else:
        shown(all_, notes(controls))
    return 0


def chosen(args: argparse.Namespace) -> Controls:
    """Return the controls of a configuration, or those laid out for what was asked for."""
    if args.config is None:
        seats = USUAL_SEATS if args.seats is None else args.seats
        buttons = USUAL_BUTTONS if args.buttons is None else args.buttons
        lights = LightKind(args.lights or LIGHTS)
        return laid_out(seats, buttons, lights, buzzer=args.buzzer, in_use=on_this_pi())
    if args.buzzer or (args.seats, args.buttons, args.lights) != (None, None, None):
        raise UsageError("a configuration already says how many seats, buttons and lights there are")
    return load(args.config).controls


def as_toml(controls: Controls) -> str:
    """Return the part of a configuration that describes these controls."""
    seats = [{"buttons": [{"pin": b.pin} for b in p.buttons], **light_toml(p.light)} for p in controls.seats]
    told = {
        **({"strip": asdict(controls.strip)} if controls.strip else {}),
        **({"buzzer": controls.buzzer} if controls.buzzer is not None else {}),
        "seats": seats,
    }
    return tomli_w.dumps({"controls": told})


def light_toml(light: Light) -> dict[str, dict[str, object]]:
    """Return a seat's light without what is as usual."""
    if light.kind is LightKind.NONE:
        return {}
    pins = {"pins": list(light.pins)} if light.pins else {}
    ohms = {"ohms": list(light.ohms)} if light.ohms else {}
    return {"light": {"kind": str(light.kind), **pins, **ohms}}


def as_markdown(all_: Sequence[Wire]) -> list[str]:
    """Return the wires as a table with one row a seat."""
    by_seat: dict[int, list[Wire]] = {}
    for wire in all_:
        by_seat.setdefault(wire.seat, []).append(wire)
    first = by_seat.get(1, [])
    heads = [wire.what.removeprefix("seat 1 ") for wire in first]
    rows = [[str(seat), *(wire.pin for wire in some)] for seat, some in by_seat.items() if seat]
    return [line(["seat", *heads]), line(["---"] * (len(heads) + 1)), *map(line, rows)]


def line(cells: Sequence[str]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"
