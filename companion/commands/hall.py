"""``companion hall``: one tournament at many tables, with automatic results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from companion.bootstrap.notify import notify
from companion.bootstrap.service import (
    HALL_FOLDER,
    HALL_UNIT,
    PACKAGED_UNIT_PATH,
    PASSWORD_FILE,
    PUBLISH_UNIT,
    Service,
)
from companion.errors import BadConfig, UsageError
from companion.hall.hall import Hall
from companion.hall.mqtt import Broker
from companion.hall.pages.app import create_app
from companion.hall.printing import to_csv, to_json, to_tsh
from companion.hall.setup import BrokerPlan, write_broker_files, write_private
from companion.hall.tournament import Results, Tournament
from companion.hall.trf_mapping import to_trf
from companion.hall.verification import load, verify
from companion.web.auth.pins import Pins
from companion.web.keeping import Kept
from companion.web.serving.addresses import KNOWN_HOSTS_KEY
from companion.web.serving.server import serve
from companion.words.chosen import home

MAX_TABLES = 1000

EXPORT_FORMATS: Mapping[str, Callable[[Tournament, Results], str | bytes]] = {
    "json": to_json,
    "csv": to_csv,
    "t": to_tsh,
    "trf": to_trf,
}
"""Forms in which a tournament is written for other programs."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
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
    init.add_argument("--folder", type=Path, default=HALL_FOLDER, help="(default: %(default)s)")
    named = "a name or address by which tables reach the broker; once for each, the first is told to tables"
    init.add_argument("--name", action="append", required=True, metavar="NAME", help=named)
    init.add_argument("--tables", type=int, default=8, metavar="N", help="accounts table-1 to table-N")
    check = actions.add_parser("check", help="check a tournament's draws and standings against its logs")
    export = actions.add_parser("export", help="write a tournament for other programs")
    form = "json, csv: standings; t: a division for tsh; trf: FIDE's report, for games of two (default: json)"
    export.add_argument("--as", dest="form", choices=EXPORT_FORMATS, default="json", help=form)
    for action in (check, export):
        action.add_argument("log", type=Path, metavar="HALL.db", help="the hall's own log")
        own = "a table's own log, as ID=FILE, once for each; without any the hall's copies are used"
        action.add_argument("--table", metavar="ID=FILE", action="append", default=[], help=own)


def run(args: argparse.Namespace) -> int:
    """Run the requested action; return the exit status."""
    return {"check": check, "export": export_tournament, "init": write_set_up, "run": serve_hall}[
        args.action
    ](args)


def write_set_up(args: argparse.Namespace) -> int:
    """Write the files of a broker and a hall, and print the next steps."""
    if not 1 <= args.tables <= MAX_TABLES:
        raise UsageError(f"--tables is 1 to {MAX_TABLES}; got {args.tables}")
    tables = tuple(f"table-{number}" for number in range(1, args.tables + 1))
    folder = args.folder.absolute()
    plan = BrokerPlan(folder, tuple(args.name), tables, folder, Path("/var/lib/mosquitto"))
    write_broker_files(plan)
    write_private(folder / "hall.env", f"BROKER={plan.names[0]}\nPORT={plan.listen_port}\n", 0o644)
    there = folder == HALL_FOLDER and (PACKAGED_UNIT_PATH.with_name(HALL_UNIT)).exists()
    copied_ = "" if there else f"cp {put_unit(folder)} /etc/systemd/system/ && systemctl daemon-reload && "
    print(
        f"{folder}: accounts for {len(tables)} tables, certificates, mosquitto.conf, hall.env\n\n"
        "On this machine, as root:\n"
        f"  chown -R root:mosquitto {folder} && chmod 0750 {folder} && chmod 0640 {folder}/server.key "
        f"{folder}/passwords {folder}/access\n"
        f"  cp {folder}/mosquitto.conf /etc/mosquitto/mosquitto.conf && systemctl restart mosquitto\n"
        f"  {copied_}systemctl enable --now {HALL_UNIT}\n\n"
        "For each table, beside its own file:\n"
        f"  {folder}/authority.crt\n  {folder}/accounts/table-N.password as {PASSWORD_FILE}\n"
        f"  and the section in {folder}/tables/table-N.toml at the end of its file;\n"
        f"  then ./run install FILE, or with the Debian package: systemctl enable --now {PUBLISH_UNIT}"
    )
    return 0


def put_unit(folder: Path) -> Path:
    """Write the hall's unit into its folder; return its path."""
    write_private(folder / HALL_UNIT, Service(folder=folder).rendered(HALL_UNIT), 0o644)
    return folder / HALL_UNIT


def check(args: argparse.Namespace) -> int:
    """Print the verification report; return 1 where it has faults."""
    report, fine = verify(args.log, table_logs(args))
    print(report, end="")
    return 0 if fine else 1


def export_tournament(args: argparse.Namespace) -> int:
    """Write the newest tournament to standard output."""
    made = EXPORT_FORMATS[args.form](*load(args.log, table_logs(args)))
    sys.stdout.buffer.write(made if isinstance(made, bytes) else made.encode())
    sys.stdout.buffer.flush()
    return 0


def table_logs(args: argparse.Namespace) -> dict[str, Path]:
    """Return the given logs of the tables."""
    return {name: Path(path) for name, _, path in (one.partition("=") for one in args.table)}


def serve_hall(args: argparse.Namespace) -> int:
    """Serve until the process is stopped."""
    folder = args.kept or home() / "hall"
    kept = Kept(folder / "web")
    with Hall(folder, kept, args.user) as hall:
        app = create_app(hall, kept)
        app.config[KNOWN_HOSTS_KEY] = frozenset(name.lower().rstrip(".") for name in args.known_as)
        hall.connect(broker_of(args))
        pins: Pins = app.extensions["pins"]
        if not pins.chosen:
            print(f"first start: open /director and enter the code {pins.first} there", flush=True)

        def ready(port: int) -> None:
            print(f"http://{args.host}:{port}/", flush=True)
            notify("READY=1")

        try:
            serve(app, args.host, args.port, ready, (), lambda: notify("WATCHDOG=1"))
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
