"""``companion publish``: a table's log is published to a hall by MQTT, from a process beside the table."""

from __future__ import annotations

import argparse
import socket
import sys
import threading
from dataclasses import replace
from pathlib import Path

from companion.bootstrap.notify import notify
from companion.bootstrap.paths import log_path, socket_path
from companion.commands._signals import ending
from companion.config.hall import PAGES_PORT, HallConfig
from companion.config.table import TableConfig, load
from companion.errors import BadConfig
from companion.events.following import LogFollower
from companion.hall.contract.discovery import discovery
from companion.hall.contract.messages import payload
from companion.hall.contract.topics import Channel, topic
from companion.hall.mqtt import Broker, LastWill, MqttConnection
from companion.hall.publishing.publisher import Outbox, PublishedTable, Publisher
from companion.hall.publishing.summary import offline
from companion.rpc import TableClient


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml", help="the table, with a section [hall]")
    log = "the table's log (default: as for the table itself)"
    parser.add_argument("--log", type=Path, metavar="LOG", help=log)
    line = "the table's socket (default: as for the table itself)"
    parser.add_argument("--table", type=Path, metavar="SOCKET", help=line)
    own = "the file with the account's password (default: the one that the section names)"
    parser.add_argument("--password", type=Path, metavar="FILE", help=own)
    port = "the port of the table's pages, where a hall asks for what the broker lost (default: 8080)"
    parser.add_argument("--pages-port", type=int, default=PAGES_PORT, metavar="PORT", help=port)
    parser.add_argument(
        "--kept", type=Path, metavar="DIR", help="where the last acknowledged numbers are kept"
    )


def run(args: argparse.Namespace) -> int:
    """Publish until a signal."""
    config = load(args.config)
    if config.hall is None:
        raise BadConfig(f"{args.config}: there is no section [hall], so nothing is published; see docs hall")
    log = args.log or log_path(config)
    hall = replace(config.hall, password=str(args.password)) if args.password else config.hall
    publisher = Publisher(
        published_table(config, hall, args.table, args.pages_port),
        LogFollower(log),
        Outbox((args.kept or log.parent) / "published.json"),
    )
    stop = threading.Event()
    with ending(stop):
        link = connect(publisher, hall)
        link.start()
        notify("READY=1")
        print(f"publishing {log} to {link.broker} as {hall.table}", file=sys.stderr, flush=True)
        try:
            publisher.run(stop)
        finally:
            link.publish(topic(hall.table, Channel.HEALTH), payload(offline(hall.table)), retain=True)
            link.close()
    return 0


def published_table(
    config: TableConfig, hall: HallConfig, line_at: Path | None = None, port: int = PAGES_PORT
) -> PublishedTable:
    """Return the description of the table that is published."""
    line = TableClient(line_at or socket_path(config))
    return PublishedTable(
        hall.table, config.name, line if hall.orders else None, line.status, lambda: pages_address(hall, port)
    )


def pages_address(hall: HallConfig, port: int) -> str:
    """Return the URL of the table's pages for a hall: as configured, else at this machine's address, else "".

    The address is the machine's own on the route to the broker; determining it sends nothing.
    """
    if hall.pages:
        return hall.pages
    try:
        family, kind, _, _, where = socket.getaddrinfo(
            hall.broker, hall.reached_port, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind) as line:
            line.connect(where)
            own = line.getsockname()[0]
    except OSError:
        return ""
    return f"http://[{own}]:{port}" if ":" in own else f"http://{own}:{port}"


def connect(publisher: Publisher, hall: HallConfig) -> MqttConnection:
    """Return a publisher's connection; raise NoBroker where its certificate cannot be read."""
    broker = Broker(
        hall.broker,
        hall.reached_port,
        hall.table if hall.password else "",
        hall.secret(),
        Path(hall.authority) if hall.authority else None,
    )
    will = LastWill(topic(hall.table, Channel.HEALTH), payload(offline(hall.table)))
    link = MqttConnection(broker, hall.table, publisher.topics(), publisher.receive, will)
    publisher.attach(link)
    if hall.discovery:
        publisher.retained = list(discovery(hall.table, publisher.table.name))
    return link
