"""``companion install``: the table and its pages as services that start with the machine."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.bootstrap.service import Installer, Service, install
from companion.web.serving.addresses import ANY_IPV4


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    table = "the table's file (default: the one that is installed, or an example)"
    parser.add_argument("config", nargs="?", type=Path, metavar="CONFIG.toml", help=table)
    host = "the address that the pages listen on (default: %(default)s, all phones around)"
    parser.add_argument("--host", default=ANY_IPV4, help=host)
    parser.add_argument("--port", type=int, default=8080, help="(default: %(default)s)")
    shut = "leave port 80 alone: phones must then name the port, and may leave a Wi-Fi without internet"
    parser.add_argument("--no-port-80", dest="plain", action="store_false", help=shut)
    camera = "open the network for the table to this one address, a camera's"
    parser.add_argument("--network-camera", metavar="ADDRESS", help=camera)
    add_dry_run_arguments(parser)


def add_dry_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a dry run."""
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    root = "write below this folder, as for another machine's disk, and run nothing"
    parser.add_argument("--root", type=Path, default=Path("/"), metavar="DIR", help=root)


def run(args: argparse.Namespace) -> int:
    """Install, printing each step."""
    service = Service(args.config, args.host, args.port, args.network_camera, port_80=args.plain)
    install(service, Installer(lambda text: print(text, flush=True), args.root.absolute(), args.dry_run))
    return 0
