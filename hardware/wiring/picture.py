"""The picture of a header and its wires, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from hardware.wiring.header import HEADER_PINS, pin_names
from hardware.wiring.wires import Wire

ROW_HEIGHT_PX, TOP_MARGIN_PX, HEADER_CENTRE_PX, PICTURE_WIDTH_PX = 24, 40, 420, 840
"""In pixels: distance of rows, top margin, centre of the header, and width of the picture."""

SEAT_COLOURS = ("#1f4e79", "#a23b2a", "#2e6b34", "#6b3fa0", "#8a5a00", "#00696b", "#8c1d5b", "#4a4a4a")
"""The colour of each seat, with a contrast of at least 4.5 : 1 on white."""

FREE_COLOUR, SUPPLY_COLOUR = "#ffffff", "#c8c8c8"


def picture(wires: Sequence[Wire]) -> str:
    """Return the header as SVG: pin 1 at the top left, the board's edge at the right."""
    height = TOP_MARGIN_PX + 20 * ROW_HEIGHT_PX + 20
    size = f'viewBox="0 0 {PICTURE_WIDTH_PX} {height}"'
    body, top = 20 * ROW_HEIGHT_PX + 8, TOP_MARGIN_PX - 16
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13" role="img">',
        "<title>What is wired to the header</title>",
        f'<rect width="{PICTURE_WIDTH_PX}" height="{height}" fill="#ffffff"/>',
        f'<rect x="{HEADER_CENTRE_PX - 26}" y="{top}" width="52" height="{body}" rx="4" fill="#2b2b2b"/>',
    ]
    for number in HEADER_PINS:
        lines += pin(number, wire_at_pin(number, wires))
    return "\n".join([*lines, "</svg>\n"])


def wire_at_pin(number: int, wires: Sequence[Wire]) -> Wire | None:
    """Return the wire at a pin of the header, ``None`` for none."""
    return next((wire for wire in wires if wire.header == number), None)


def pin(number: int, wire: Wire | None) -> Iterator[str]:
    """Yield the SVG elements of a pin, its name and its wire."""
    side = 1 if number % 2 == 0 else -1
    x, y = HEADER_CENTRE_PX + 12 * side, TOP_MARGIN_PX + (number - 1) // 2 * ROW_HEIGHT_PX
    name = pin_names()[number]
    unused = FREE_COLOUR if name.startswith("GPIO") else SUPPLY_COLOUR
    colour = SEAT_COLOURS[(wire.seat - 1) % len(SEAT_COLOURS)] if wire else unused
    yield f'<circle cx="{x}" cy="{y}" r="8" fill="{colour}" stroke="#ffffff"/>'
    anchor = "start" if side > 0 else "end"
    ink = "#ffffff" if wire else "#000000"
    yield f'<text x="{x}" y="{y + 4}" font-size="9" text-anchor="middle" fill="{ink}">{number}</text>'
    label_x = HEADER_CENTRE_PX + 34 * side
    yield f'<text x="{label_x}" y="{y + 5}" text-anchor="{anchor}" fill="#555555">{name}</text>'
    if wire:
        start, end = HEADER_CENTRE_PX + 92 * side, HEADER_CENTRE_PX + 112 * side
        yield f'<line x1="{start}" y1="{y}" x2="{end}" y2="{y}" stroke="{colour}" stroke-width="3"/>'
        label = escape(f"{wire.what}: {wire.part}")
        x = HEADER_CENTRE_PX + 118 * side
        yield f'<text x="{x}" y="{y + 5}" text-anchor="{anchor}" fill="{colour}">{label}</text>'
