"""``companion web``: the pages on everybody's phone, beside the table's process."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Iterable
from pathlib import Path

from companion.bootstrap.notify import notify
from companion.errors import UsageError
from companion.rpc import TableClient
from companion.web.app import create_app
from companion.web.auth.pins import Pins
from companion.web.serving.addresses import ANY_IPV4, HTTP_PORT, KNOWN_HOSTS_KEY, addresses
from companion.web.serving.mdns import DEFAULT_HOST_NAME, MdnsAnnouncer
from companion.web.serving.server import inherited_sockets, serve
from companion.words.chosen import home


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("--log", type=Path, required=True, metavar="LOG", help="the table's log")
    table = "the table's socket (default: only the log is shown)"
    parser.add_argument("--table", type=Path, metavar="SOCKET", help=table)
    parser.add_argument("--game", metavar="GAME", help="show this game (default: the one that is played)")
    host = "the address to listen on; 0.0.0.0 for all phones around (default: %(default)s)"
    parser.add_argument("--host", default="127.0.0.1", help=host)
    parser.add_argument("--port", type=int, default=8080, help="(default: %(default)s; 0: any that is free)")
    mdns = "the pages' name in the network, found as NAME.local (default: %(default)s)"
    parser.add_argument("--mdns", metavar="NAME", default=DEFAULT_HOST_NAME, help=mdns)
    silent = "tell the network no name; pages that only this machine reaches are never announced"
    parser.add_argument("--no-mdns", dest="mdns", action="store_const", const="", help=silent)
    known = "a name of your own under which phones open the pages, as table.example.org; once for each name"
    parser.add_argument("--known-as", metavar="NAME", action="append", default=[], help=known)
    kept = "where PIN, secret and saved tables are kept (default: among the host's own files)"
    parser.add_argument("--kept", type=Path, metavar="DIR", help=kept)


def run(args: argparse.Namespace) -> int:
    """Serve until the process is stopped."""
    if not 0 <= args.port <= 65_535:
        raise UsageError(f"--port is 0 to 65535; got {args.port}")
    app = create_app(
        args.log, TableClient(args.table) if args.table else None, args.kept or home() / "web", args.game
    )
    app.config[KNOWN_HOSTS_KEY] = frozenset(name.lower().rstrip(".") for name in args.known_as)
    if args.mdns:
        app.extensions["announcing"] = MdnsAnnouncer(args.host, args.mdns)
    pins: Pins = app.extensions["pins"]
    if not pins.chosen:
        print(f"first start: open /host and enter the code {pins.first} there", flush=True)
    extra_sockets = inherited_sockets()
    own = [one.getsockname()[:2] for one in extra_sockets]
    serve(
        app,
        args.host,
        args.port,
        lambda port: report_ready([(args.host, port), *own]),
        extra_sockets,
        lambda: notify("WATCHDOG=1"),
    )
    return 0


def report_ready(listens: Iterable[tuple[str, int]]) -> None:
    """Report to people and to the service manager that the pages are served."""
    print_addresses(listens)
    notify("READY=1")


def print_addresses(listens: Iterable[tuple[str, int]]) -> None:
    """Print the URLs by which phones reach the listening sockets, each once."""
    for host, port in dict.fromkeys((reachable_address(host), port) for host, port in listens):
        print(f"http://{host}/" if port == HTTP_PORT else f"http://{host}:{port}/", flush=True)


def reachable_address(host: str) -> str:
    """Return the address by which phones reach a host: for a wildcard address, that of its route out."""
    if host not in {ANY_IPV4, "::", ""}:
        return f"[{host}]" if ":" in host else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:  # a hotspot has no route out, and is reachable nevertheless
            return next(iter(addresses(host)), "127.0.0.1")
        return str(probe.getsockname()[0])
