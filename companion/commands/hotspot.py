"""``companion hotspot``: a Wi-Fi access point of the table, for places without a known network."""

from __future__ import annotations

import argparse

from companion.bootstrap.hotspot import (
    CONNECTION_NAME,
    HOTSPOT_ADDRESS,
    Hotspot,
    new_key,
    switch_off,
    switch_on,
)
from companion.bootstrap.service import Installer
from companion.commands.install import add_dry_run_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("switch", choices=["on", "off"], help="keep the Wi-Fi, or take it away")
    parser.add_argument("--name", default="Game table", help="what phones call it (default: %(default)s)")
    parser.add_argument("--key", help="8 to 63 letters and digits (default: a new one, which is printed)")
    add_dry_run_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Switch the access point, printing each step."""
    installer = Installer(lambda text: print(text, flush=True), args.root.absolute(), args.dry_run)
    if args.switch == "off":
        switch_off(installer)
        return 0
    hotspot = Hotspot(args.name, args.key or new_key())
    switch_on(hotspot, installer)
    print(f"name: {hotspot.name}\nkey: {hotspot.key}\npages: http://{HOTSPOT_ADDRESS}/")
    print(
        "It comes up at the next start without a known Wi-Fi, or now, which cuts the Wi-Fi that you came by: "
        f"sudo nmcli connection up {CONNECTION_NAME}\n"
        "Enter name and key at /host, Wi-Fi for the players: the page to join then shows them as a code."
    )
    return 0
