"""Files of a hall's broker: accounts, access list, certificates, and Mosquitto's configuration.

Everything is written into one folder; accounts and certificates that exist are kept, so that tables can be
added later.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion import processes
from companion.config.hall import PLAIN_PORT, TLS_PORT
from companion.errors import BadOutput, UsageError
from companion.hall.contract.discovery import DISCOVERY_PREFIX
from companion.hall.contract.messages import MAX_PAYLOAD_BYTES
from companion.hall.contract.topics import PUBLISHED, SUBSCRIBED, TOPIC_ROOT, checked_id

HALL_ACCOUNT = "hall"
"""The hall's account."""

READER_ACCOUNT = "homeassistant"
"""An account that may read everything and write nothing."""

MAX_INFLIGHT_MESSAGES, MAX_QUEUED_MESSAGES = 1000, 50_000
"""Most unacknowledged messages of one client, and most messages that wait for it beyond those."""

CERTIFICATE_DAYS = 3650
"""Days that certificates are good for."""

PBKDF2_ITERATIONS = 101
"""Rounds of PBKDF2 in Mosquitto's password file (its ``$7$`` form, as mosquitto_passwd writes it)."""


@dataclass(frozen=True, slots=True)
class BrokerPlan:
    """A broker to set up: where its files go, how tables reach it, and which tables there are.

    ``names`` are the names and addresses in its certificate; ``runs_in`` is the folder that the broker will
    find the files in, ``state`` where it keeps messages.
    """

    folder: Path
    names: tuple[str, ...]
    tables: tuple[str, ...]
    runs_in: Path
    state: Path
    tls: bool = True
    port: int = 0
    user: str = ""

    def __post_init__(self) -> None:
        for table in self.tables:
            checked_id(table)
        if not self.names:
            raise UsageError("a broker needs a name or an address by which tables reach it")

    @property
    def listen_port(self) -> int:
        """The port to listen on."""
        return self.port or (TLS_PORT if self.tls else PLAIN_PORT)


def write_broker_files(plan: BrokerPlan) -> Mapping[str, str]:
    """Write all files; return the password of each account.

    Raises
    ------
    BadOutput
        Where a file cannot be written, or openssl is missing or fails.
    """
    try:
        (plan.folder / "accounts").mkdir(parents=True, exist_ok=True)
        accounts = {
            name: password(plan.folder, name) for name in (HALL_ACCOUNT, READER_ACCOUNT, *plan.tables)
        }
        for found in sorted((plan.folder / "accounts").glob("*.password")):
            accounts.setdefault(found.stem, found.read_text(encoding="utf-8").strip())
        if plan.tls:
            certificates(plan)
        write_private(
            plan.folder / "passwords",
            "".join(f"{one}:{password_hash(own)}\n" for one, own in accounts.items()),
        )
        write_private(plan.folder / "access", access_list())
        write_private(plan.folder / "mosquitto.conf", configuration(plan))
        for table in plan.tables:
            write_private(plan.folder / "tables" / f"{table}.toml", table_section(plan, table), 0o644)
    except OSError as error:
        raise BadOutput(f"{plan.folder}: {error}") from error
    return accounts


def password(folder: Path, account: str) -> str:
    """Return an account's password, made at the first call."""
    path = folder / "accounts" / f"{account}.password"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(24) + "\n")
    return path.read_text(encoding="utf-8").strip()


def write_private(path: Path, text: str, mode: int = 0o600) -> None:
    """Write a file, by default readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=mode)
    path.chmod(mode)
    path.write_text(text, encoding="utf-8")


def password_hash(password: str) -> str:
    """Return a password in the format of Mosquitto's password file."""
    salt = secrets.token_bytes(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, PBKDF2_ITERATIONS)
    return f"$7${PBKDF2_ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def access_list() -> str:
    """Return the access list: a table has its own topics only, the hall those of its requests."""
    every = f"{TOPIC_ROOT}/tables"
    lines = [
        f"user {HALL_ACCOUNT}",
        *(f"topic read {every}/+/{channel.value}" for channel in PUBLISHED),
        *(f"topic write {every}/+/{channel.value}" for channel in SUBSCRIBED),
        f"topic read {TOPIC_ROOT}/halls/{HALL_ACCOUNT}/answers/+",
        "",
        f"user {READER_ACCOUNT}",
        *(f"topic read {every}/+/{channel.value}" for channel in PUBLISHED),
        f"topic read {DISCOVERY_PREFIX}/#",
        "",
        *(f"pattern write {every}/%u/{channel.value}" for channel in PUBLISHED),
        *(f"pattern read {every}/%u/{channel.value}" for channel in SUBSCRIBED),
        f"pattern write {TOPIC_ROOT}/halls/+/answers/%u",
        f"pattern write {DISCOVERY_PREFIX}/sensor/%u/+/config",
    ]
    return "\n".join(lines) + "\n"


def configuration(plan: BrokerPlan) -> str:
    """Return a Mosquitto configuration that keeps acknowledged messages through a power cut.

    The default settings lose them: the state is written every half hour.  They also allow a client only 20
    unacknowledged messages, which delays a hall of hundreds of tables.
    """
    place = plan.runs_in
    lines = [
        *([f"user {plan.user}"] if plan.user else []),
        "allow_anonymous false",
        f"password_file {place / 'passwords'}",
        f"acl_file {place / 'access'}",
        "persistence true",
        f"persistence_location {plan.state}/",
        "autosave_interval 1",
        "autosave_on_changes true",
        f"max_packet_size {MAX_PAYLOAD_BYTES + 4000}",
        f"max_inflight_messages {MAX_INFLIGHT_MESSAGES}",
        f"max_queued_messages {MAX_QUEUED_MESSAGES}",
        "set_tcp_nodelay true",
        f"listener {plan.listen_port}{'' if plan.tls else ' 127.0.0.1'}",
    ]
    if plan.tls:
        lines += [
            f"cafile {place / 'authority.crt'}",
            f"certfile {place / 'server.crt'}",
            f"keyfile {place / 'server.key'}",
            "tls_version tlsv1.2",
        ]
    return "\n".join(lines) + "\n"


def table_section(plan: BrokerPlan, table: str) -> str:
    """Return the section of a table's configuration file; its two files are copied beside that."""
    lines = [
        "[hall]",
        f'broker = "{plan.names[0]}"',
        f'table = "{table}"',
        f"port = {plan.listen_port}",
        'password = "hall.password"',
        *(['authority = "authority.crt"'] if plan.tls else []),
    ]
    return "\n".join(lines) + "\n"


def certificates(plan: BrokerPlan) -> None:
    """Create the authority, and the broker's certificate for its names; keep those that are valid."""
    authority, key = plan.folder / "authority.crt", plan.folder / "authority.key"
    if not authority.exists():
        subject = "/CN=tableau hall authority"
        openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", str(CERTIFICATE_DAYS), "-subj", subject, "-keyout", str(key), "-out", str(authority)),
            *("-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"),
        )
        key.chmod(0o600)
    server, own = plan.folder / "server.crt", plan.folder / "server.key"
    request, more = plan.folder / "server.csr", plan.folder / "server.ext"
    known = more.read_text(encoding="utf-8") if more.exists() else ""
    wanted = f"subjectAltName={','.join(map(subject_alt_name, plan.names))}\nextendedKeyUsage=serverAuth\n"
    if server.exists() and known == wanted:
        return
    more.write_text(wanted, encoding="utf-8")
    openssl(
        *("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
        *("-subj", "/CN=tableau hall broker", "-keyout", str(own), "-out", str(request)),
    )
    own.chmod(0o600)
    openssl(
        *("x509", "-req", "-in", str(request), "-CA", str(authority), "-CAkey", str(key), "-CAcreateserial"),
        *("-days", str(CERTIFICATE_DAYS), "-extfile", str(more), "-out", str(server)),
    )


def subject_alt_name(name: str) -> str:
    """Return a name or an address in the form of a certificate."""
    try:
        return f"IP:{ipaddress.ip_address(name)}"
    except ValueError:
        return f"DNS:{name}"


def openssl(*words: str) -> None:
    """Run openssl; raise BadOutput where it is missing or fails."""
    command: Sequence[str] = ("openssl", *words)
    try:
        done = processes.run(command, timeout_s=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadOutput(f"openssl: {error}; install it: apt-get install openssl") from error
    if done.returncode:
        raise BadOutput(f"openssl {words[0]}: {done.stderr.strip()[-300:]}")
