"""``companion hall``: many tables, one tournament; their results flow in by themselves."""

from __future__ import annotations

import argparse
import socket
import sys
from pathlib import Path

from companion.bootstrap.notify import notify
from companion.bootstrap.service import HOMES, UNITS
from companion.errors import BadConfig, UsageError
from companion.hall.checking import checked
from companion.hall.hall import Hall
from companion.hall.link import Broker
from companion.hall.pages.app import create_app
from companion.hall.setup import Plan, put, written
from companion.web.auth.kept import Kept
from companion.web.auth.pins import Pins
from companion.web.serving.addresses import KNOWN
from companion.web.serving.server import serve
from companion.words.chosen import home

UNIT = "companion-hall.service"

FOLDER = Path("/etc/tableau-companion/hall")

MOST_TABLES = 1000


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    run_ = actions.add_parser("run", help="follow the tables of a broker and serve the hall's pages")
    run_.add_argument("--broker", default="127.0.0.1", metavar="HOST", help="(default: %(default)s)")
    run_.add_argument(
        "--broker-port", type=int, default=0, metavar="PORT", help="(default: 8883, 1883 plain)"
    )
    run_.add_argument(
        "--user", default="hall", help="the hall's account at the broker (default: %(default)s)"
    )
    run_.add_argument("--password", type=Path, metavar="FILE", help="the file with the account's password")
    run_.add_argument("--authority", type=Path, metavar="FILE", help="the certificate the broker must have")
    host = "the address to listen on; 0.0.0.0 for all phones around (default: %(default)s)"
    run_.add_argument("--host", default="127.0.0.1", help=host)
    run_.add_argument("--port", type=int, default=8090, help="(default: %(default)s; 0: any that is free)")
    run_.add_argument("--known-as", metavar="NAME", action="append", default=[], help="as for companion web")
    kept = "where the hall keeps everything (default: among the host's own files)"
    run_.add_argument("--kept", type=Path, metavar="DIR", help=kept)
    init = actions.add_parser(
        "init", help="make accounts, certificates, a Mosquitto configuration, a service"
    )
    init.add_argument(
        "--folder", type=Path, default=Path("/etc/tableau-companion/hall"), help="(default: %(default)s)"
    )
    named = "a name or address by which tables reach the broker; once for each, the first is told to tables"
    init.add_argument("--name", action="append", required=True, metavar="NAME", help=named)
    init.add_argument("--tables", type=int, default=8, metavar="N", help="accounts table-1 to table-N")
    check = actions.add_parser("check", help="check a tournament's draws and standings against its logs")
    check.add_argument("log", type=Path, metavar="HALL.db", help="the hall's own log")
    own = "a table's own log, as ID=FILE, once for each; without any the hall's copies are used"
    check.add_argument("--table", metavar="ID=FILE", action="append", default=[], help=own)


def run(args: argparse.Namespace) -> int:
    """Do what was asked."""
    return {"check": check, "init": init, "run": follow}[args.action](args)


def init(args: argparse.Namespace) -> int:
    """Write what a broker and a hall need, and say what to do with it."""
    if not 1 <= args.tables <= MOST_TABLES:
        raise UsageError(f"--tables is 1 to {MOST_TABLES}; got {args.tables}")
    tables = tuple(f"table-{number}" for number in range(1, args.tables + 1))
    folder = args.folder.absolute()
    plan = Plan(folder, tuple(args.name), tables, folder, Path("/var/lib/mosquitto"))
    written(plan)
    unit = put_unit(plan)
    print(
        f"{folder}: accounts for {len(tables)} tables, certificates, mosquitto.conf, {unit.name}\n\n"
        "On this machine, as root:\n"
        f"  chown -R root:mosquitto {folder} && chmod 0750 {folder} && chmod 0640 {folder}/server.key "
        f"{folder}/passwords {folder}/access\n"
        f"  cp {folder}/mosquitto.conf /etc/mosquitto/mosquitto.conf && systemctl restart mosquitto\n"
        f"  cp {unit} /etc/systemd/system/ && systemctl daemon-reload && "
        f"systemctl enable --now {unit.name}\n\n"
        "For each table, beside its own file:\n"
        f"  {folder}/authority.crt\n  {folder}/accounts/table-N.password\n"
        f"  and the section in {folder}/tables/table-N.toml at the end of its file; then ./run install FILE"
    )
    return 0


def put_unit(plan: Plan) -> Path:
    """Write the hall's unit, filled in, into the folder; return its place."""
    home_ = "read-only" if Path(sys.executable).absolute().parts[1] in HOMES else "yes"
    text = (UNITS / UNIT).read_text(encoding="utf-8")
    known = {
        "companion": f"{sys.executable} -P -m companion",
        "home": home_,
        "folder": str(plan.folder),
        "broker": plan.names[0],
        "port": str(plan.reached_port),
    }
    for key, value in known.items():
        text = text.replace(f"@{key}@", value)
    put(plan.folder / UNIT, text, 0o644)
    return plan.folder / UNIT


def check(args: argparse.Namespace) -> int:
    """Print what the logs say; return 1 where something does not fit."""
    tables = dict(one.partition("=")[::2] for one in args.table)
    report, fine = checked(args.log, {name: Path(path) for name, path in tables.items()})
    print(report, end="")
    return 0 if fine else 1


def follow(args: argparse.Namespace) -> int:
    """Serve until told to stop."""
    folder = args.kept or home() / "hall"
    kept = Kept(folder / "web")
    with Hall(folder, kept, args.user) as hall:
        app = create_app(hall, kept)
        app.config[KNOWN] = frozenset(name.lower().rstrip(".") for name in args.known_as)
        hall.connect(broker_of(args))
        pins: Pins = app.extensions["pins"]
        if not pins.chosen:
            print(f"first start: open /director and enter the code {pins.first} there", flush=True)

        def ready(port: int) -> None:
            print(f"http://{args.host}:{port}/", flush=True)
            notify("READY=1")

        try:
            socket.getaddrinfo(args.host, args.port)
            serve(app, args.host, args.port, ready, (), lambda: notify("WATCHDOG=1"))
        except OSError as error:
            raise UsageError(f"{args.host}:{args.port} cannot be listened on: {error.strerror}") from error
        except KeyboardInterrupt:
            print("the hall is closed; tables play on", file=sys.stderr)
    return 0


def broker_of(args: argparse.Namespace) -> Broker:
    """Return the broker that the options name; raise BadConfig where the password cannot be read."""
    port = args.broker_port or (8883 if args.authority else 1883)
    if args.password is None:
        return Broker(args.broker, port, authority=args.authority)
    try:
        password = args.password.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"{args.password}: {error}") from error
    return Broker(args.broker, port, args.user, password, args.authority)
