"""The picture of a header and its wires, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from hardware.wiring.header import PINS, names
from hardware.wiring.wires import Wire

ROW, TOP, MIDDLE, WIDTH = 24, 40, 420, 840
"""In pixels: distance of rows, top margin, centre of the header, and width of the picture."""

SEATS = ("#1f4e79", "#a23b2a", "#2e6b34", "#6b3fa0", "#8a5a00", "#00696b", "#8c1d5b", "#4a4a4a")
"""The colour of each seat, with a contrast of at least 4.5 : 1 on white."""

FREE, SUPPLY = "#ffffff", "#c8c8c8"


def picture(wires: Sequence[Wire]) -> str:
    """Return the header as SVG: pin 1 at the top left, the board's edge at the right."""
    height = TOP + 20 * ROW + 20
    size = f'viewBox="0 0 {WIDTH} {height}"'
    body, top = 20 * ROW + 8, TOP - 16
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13" role="img">',
        "<title>What is wired to the header</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<rect x="{MIDDLE - 26}" y="{top}" width="52" height="{body}" rx="4" fill="#2b2b2b"/>',
    ]
    for number in PINS:
        lines += pin(number, wired(number, wires))
    return "\n".join([*lines, "</svg>\n"])


def wired(number: int, wires: Sequence[Wire]) -> Wire | None:
    """Return the wire at a pin of the header, ``None`` for none."""
    return next((wire for wire in wires if wire.header == number), None)


def pin(number: int, wire: Wire | None) -> Iterator[str]:
    """Yield the SVG elements of a pin, its name and its wire."""
    side = 1 if number % 2 == 0 else -1
    x, y = MIDDLE + 12 * side, TOP + (number - 1) // 2 * ROW
    name = names()[number]
    colour = SEATS[(wire.seat - 1) % len(SEATS)] if wire else FREE if name.startswith("GPIO") else SUPPLY
    yield f'<circle cx="{x}" cy="{y}" r="8" fill="{colour}" stroke="#ffffff"/>'
    anchor = "start" if side > 0 else "end"
    ink = "#ffffff" if wire else "#000000"
    yield f'<text x="{x}" y="{y + 4}" font-size="9" text-anchor="middle" fill="{ink}">{number}</text>'
    yield f'<text x="{MIDDLE + 34 * side}" y="{y + 5}" text-anchor="{anchor}" fill="#555555">{name}</text>'
    if wire:
        start, end = MIDDLE + 92 * side, MIDDLE + 112 * side
        yield f'<line x1="{start}" y1="{y}" x2="{end}" y2="{y}" stroke="{colour}" stroke-width="3"/>'
        told = escape(f"{wire.what}: {wire.part}")
        x = MIDDLE + 118 * side
        yield f'<text x="{x}" y="{y + 5}" text-anchor="{anchor}" fill="{colour}">{told}</text>'
