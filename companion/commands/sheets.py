"""``companion sheets``: sheets to print, as PDF files of exact size."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from calibration.sheets.cards import seat_sheet
from calibration.sheets.legend import Card, Line, legend_sheet
from calibration.sheets.lens import lens_sheet
from calibration.sheets.marking import board_sheet, corner_sheet
from calibration.sheets.mat import mat_sheet
from companion.config.controls import (
    MAX_BUTTONS,
    USUAL_BUTTONS,
    USUAL_SEATS,
    Gesture,
    calls_by_gesture,
)
from companion.errors import BadOutput, UsageError
from companion.model.seats import MAX_SEATS
from companion.model.tiles import tile_set, tile_set_names
from companion.paper import PAPERS, Paper
from companion.rules import registry
from companion.vision.picture import to_printable

SHEET_KINDS = {
    "markers": "four corner markers for the table",
    "board": "four smaller ones for a board that stays at its place",
    "lens": "the lens board",
    "seats": "seat cards with the code that opens each seat's page; needs --url",
    "tiles": "the tile mat, for companion enrol",
    "buttons": "what the buttons call in each game",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    kinds = "; ".join(f"{kind}: {what}" for kind, what in SHEET_KINDS.items())
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"which to make (default: all). {kinds}")
    parser.add_argument("--paper", choices=sorted(PAPERS), default="a4", help="size (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="where to (default: here)")
    cards = "seat cards (default: %(default)s)"
    parser.add_argument("--seats", type=int, default=USUAL_SEATS, metavar="N", help=cards)
    parser.add_argument(
        "--url", metavar="ADDRESS", help="where the table's pages are, as http://192.168.4.1:8080"
    )
    tiles = f"the mat's set: {', '.join(tile_set_names())} or a .json file (default: %(default)s)"
    parser.add_argument("--tiles", default="bananagrams-en", metavar="SET", help=tiles)
    parser.add_argument(
        "--each", type=int, default=3, metavar="N", help="places a symbol (default: %(default)s)"
    )
    parser.add_argument(
        "--tile-mm", type=float, default=20.0, metavar="MM", help="a tile's breadth (default: 20)"
    )
    many = range(1, MAX_BUTTONS + 1)
    seat = "buttons a seat (default: %(default)s)"
    parser.add_argument("--buttons", type=int, default=USUAL_BUTTONS, choices=many, help=seat)


def run(args: argparse.Namespace) -> int:
    """Write the sheets and name them; return the exit status."""
    check_options(args)
    paper = PAPERS[args.paper]
    wanted = args.kinds or [kind for kind in SHEET_KINDS if kind != "seats" or args.url]
    if not args.out.is_dir():
        raise UsageError(f"--out: there is no folder {to_printable(args.out)}; make it first")
    for kind in dict.fromkeys(wanted):
        path = args.out / f"{kind}-{args.paper}.pdf"
        try:
            path.write_bytes(SHEET_MAKERS[kind](paper, args))
        except OSError as error:
            raise BadOutput(f"{to_printable(path)}: cannot be written: {error.strerror}") from error
        print(to_printable(path))
    if not args.kinds and not args.url:
        print("no seat cards: they need --url, the address that companion web tells")
    print("print at 100 % ('actual size') and measure the ruler: it must be 100 mm long")
    return 0


def check_options(args: argparse.Namespace) -> None:
    """Raise UsageError for options that cannot be printed."""
    if unknown := [kind for kind in args.kinds if kind not in SHEET_KINDS]:
        raise UsageError(f"no sheet {unknown[0]!r}; there are {', '.join(SHEET_KINDS)}")
    if "seats" in args.kinds and not args.url:
        raise UsageError("seat cards need --url, the address of the table's pages, which companion web tells")
    if args.url and not (args.url.startswith(("http://", "https://")) and len(args.url) <= 200):
        raise UsageError(f"--url begins with http:// or https://; got {to_printable(args.url)[:60]!r}")
    bounds = (
        ("--seats", args.seats, 1, MAX_SEATS),
        ("--each", args.each, 1, 12),
        ("--tile-mm", args.tile_mm, 8, 60),
    )
    for name, value, least, most in bounds:
        if not least <= value <= most:
            raise UsageError(f"{name} is {least} to {most}; got {value:g}")


def button_cards(buttons: int) -> list[Card]:
    """Return a card of each game with the calls of ``buttons`` buttons a seat."""
    cards = []
    for game in registry.installed():
        lines = []
        order = list(Gesture)
        every = sorted(
            calls_by_gesture(game.buttons, buttons).items(),
            key=lambda one: (one[0][0], order.index(one[0][1])),
        )
        for (button, gesture), either in every:
            words = " / ".join(call.upper().replace("_", " ") for call in either)
            means = "; then: ".join(game.calls[call].means for call in either)
            lines.append(Line(button, gesture.value, words, means))
        if lines:
            cards.append(Card(game.title, tuple(lines)))
    return cards


SHEET_MAKERS: dict[str, Callable[[Paper, argparse.Namespace], bytes]] = {
    "markers": lambda paper, _: corner_sheet(paper),
    "board": lambda paper, _: board_sheet(paper),
    "lens": lambda paper, _: lens_sheet(paper),
    "seats": lambda paper, args: seat_sheet(paper, args.seats, args.url),
    "tiles": lambda paper, args: mat_sheet(paper, tile_set(args.tiles).symbols, args.each, args.tile_mm),
    "buttons": lambda paper, args: legend_sheet(paper, button_cards(args.buttons)),
}
