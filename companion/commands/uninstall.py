"""``companion uninstall``: removal of everything that ``companion install`` has installed."""

from __future__ import annotations

import argparse

from companion.bootstrap.service import STATE_FOLDERS, Installer, uninstall
from companion.commands.install import add_dry_run_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    purge = f"take away games, pictures, the table's file and the users too ({', '.join(STATE_FOLDERS)})"
    parser.add_argument("--purge", action="store_true", help=purge)
    add_dry_run_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Uninstall, printing each step."""
    installer = Installer(lambda text: print(text, flush=True), args.root.absolute(), args.dry_run)
    uninstall(installer, purge=args.purge)
    if not args.purge:
        print(
            f"games and the table's file are still in {STATE_FOLDERS[0]} and {STATE_FOLDERS[2]}; "
            "--purge takes them away"
        )
    return 0
