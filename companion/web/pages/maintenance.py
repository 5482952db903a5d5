"""The host's maintenance pages: backup and restore, updates, diagnostics."""

from __future__ import annotations

import platform
import secrets
import sys
from collections.abc import Container, Iterator
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile

from flask import Blueprint, Response, abort, current_app, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.events.checking import findings
from companion.events.restoring import (
    MAX_BACKUP_BYTES,
    WRITTEN_ACTIONS,
    RestoreAction,
    game_archives,
    pack_backup,
    preview_restore,
)
from companion.model.status import Answer
from companion.rpc.client import TableClient
from companion.rules.record import to_jsonable
from companion.rules.state import Phase
from companion.updating.state import REQUEST_FILE, STATE_PATH, Outcome, State, read
from companion.version import VERSION
from companion.web.auth.roles import may, role_required
from companion.web.i18n.language import N_, _, translate
from companion.web.keeping import COPIED_BYTES
from companion.web.live.monitor import run_in_threadpool
from companion.web.pages.table_requests import table
from companion.web.services import Services, current_services
from companion.web.serving.health import resident_bytes

REPORTED_PACKAGES = ("flask", "gevent", "jinja2", "werkzeug")

BACKUP_README = N_(
    "Every file is one game. The page /host of a table brings them back; "
    "companion log import LOG FILE brings one of them. PINs, tokens, saved players, the table’s file and "
    "calibration, tile sets and word lists of your own are not in here."
)

FATE_TEXTS = {
    RestoreAction.NEW: N_("comes back"),
    RestoreAction.LONGER: N_("goes on as the backup has it"),
    RestoreAction.SAME: N_("is here already"),
    RestoreAction.SHORTER: N_("is here already, and goes further"),
    RestoreAction.OTHER: N_("stays as it is here: another game of that name"),
    RestoreAction.PLAYED: N_("stays as it is here: it is at the table now"),
}

UPLOADED_BACKUP_FILE = "restore.zip"
"""File of an uploaded backup until the host confirms the restore."""

MAX_LISTED_GAMES = 300
"""Most games of a backup that are listed; of the others only the number is shown."""

MAX_FORM_BYTES = 64 * 1024
"""Largest size of a form without its backup, in bytes."""

pages = Blueprint("maintenance", __name__)


@pages.get("/host/backup.zip")
@role_required("host")
def backup() -> ResponseReturnValue:
    """Send all games, as far as each is undamaged."""
    services = current_services()
    log = services.monitor.following.path
    sent = blocks_of_backup(log, _(BACKUP_README))
    response = Response(chain([next(sent)], sent), content_type="application/zip")
    response.headers["Content-Disposition"] = 'attachment; filename="games.zip"'
    return response


def blocks_of_backup(log: Path, note: str) -> Iterator[bytes]:
    """Yield the backup of a log block by block; raise as ``pack_backup`` does before the first."""
    with TemporaryFile() as packed:
        run_in_threadpool(lambda: pack_backup(log, note, packed))
        packed.seek(0)
        yield from iter(lambda: packed.read(COPIED_BYTES), b"")


@pages.get("/host/diagnostics.json")
@role_required("host")
def diagnostics() -> ResponseReturnValue:
    """Send diagnostics: versions, memory, the log's state, the table's status."""
    services = current_services()
    monitor = services.monitor
    log = monitor.following.path
    body = {
        "companion": VERSION,
        "python": sys.version,
        "machine": platform.platform(),
        "packages": {name: version(name) for name in REPORTED_PACKAGES},
        "memory_bytes": resident_bytes(),
        "listeners": services.channels.slots.taken,
        "log": {
            "fault": monitor.fault,
            "games": [str(one) for one in run_in_threadpool(lambda: log_findings(services))],
        },
        "log_bytes": log.stat().st_size if log.exists() else 0,
        "table": to_jsonable(monitor.status) if monitor.status else monitor.table_fault,
    }
    return body, {"Content-Disposition": 'attachment; filename="diagnostics.json"'}


def log_findings(services: Services) -> list[str]:
    """Return a line for every game of the log: whether its hash chain is intact."""
    path = services.monitor.following.path
    return [str(found) for found in findings(path)] if path.exists() else []


def allow_large_backup() -> None:
    """Raise the size limit for a host's backup upload, before the body is read."""
    if request.endpoint != "maintenance.show_restore" or not may("host"):
        return
    request.max_content_length = MAX_BACKUP_BYTES + MAX_FORM_BYTES
    if (request.content_length or 0) > MAX_BACKUP_BYTES + MAX_FORM_BYTES:
        abort(
            413,
            _("A backup has at most %(most)s MB; this is something else.", most=MAX_BACKUP_BYTES // 2**20),
        )


@pages.post("/host/restore")
@role_required("host")
def show_restore() -> ResponseReturnValue:
    """Show what a backup would restore; nothing is changed yet."""
    services, sent = current_services(), request.files.get("backup")
    table()
    if sent is None or not sent.stream.read(1):
        flash(_("Choose the file of a backup first."), "bad")
        return redirect("/host")
    played = services.monitor.status.match if services.monitor.status else ""
    found = run_in_threadpool(lambda: preview_restore(sent.stream, services.monitor.following.path, played))
    mark = secrets.token_hex()
    coming = {one.file: one.game for one in found if one.action in WRITTEN_ACTIONS}
    services.kept.write("restore", {"mark": mark, "games": coming})
    run_in_threadpool(lambda: services.kept.put_file(UPLOADED_BACKUP_FILE, sent.stream))
    return render_template(
        "restore.html",
        games=sorted(found, key=lambda one: one.action not in WRITTEN_ACTIONS)[:MAX_LISTED_GAMES],
        many=len(found),
        coming=len(coming),
        fates=FATE_TEXTS,
        mark=mark,
        busy=game_under_way(services),
    )


def game_under_way(services: Services) -> bool:
    """Return whether a game has started and is not over; backups cannot be restored then."""
    state = services.projection.state if services.projection else None
    return state is not None and state.started and state.phase is not Phase.OVER


@pages.post("/host/restore/now")
@role_required("host")
def restore() -> ResponseReturnValue:
    """Have the table restore the backup that was previewed, a game at a time."""
    services, table_line = current_services(), table()
    known, backup = services.kept.read("restore", {}), services.kept.path(UPLOADED_BACKUP_FILE)
    if not backup.exists() or known.get("mark") != request.form.get("mark"):
        flash(_("Choose the file of the backup again: this one is not here any more."), "bad")
        return redirect("/host")
    services.monitor.restored = frozenset(known["games"].values())
    answer = run_in_threadpool(lambda: restore_games(table_line, backup, known["games"]))
    if not answer.accepted:
        flash(translate(answer.text), "bad")
        return redirect("/host")
    services.kept.drop(UPLOADED_BACKUP_FILE)
    flash(_("The games are back."), "good")
    if answer.text:
        flash(_("The log as it was before is kept as %(name)s.", name=answer.text), "good")
    return redirect("/games")


def restore_games(line: TableClient, backup: Path, files: Container[str]) -> Answer:
    """Restore some game files of a backup, up to the first that the table refuses.

    The log is copied before the first; the answer names the copy, or says why the table refused.
    """
    kept = ""
    with backup.open("rb") as file:
        for number, one in enumerate(game_archives(file, files)):
            answer = line.restore(one, keep=number == 0)
            if not answer.accepted:
                return answer
            kept = kept or answer.text
    return Answer(True, kept)


UPDATE_STATE_KEY = "UPDATES"
"""Key of the app's configuration: path of the file with the update state."""

OUTCOME_TEXTS = {
    Outcome.RUNNING: N_("Version %(version)s is being installed."),
    Outcome.INSTALLED: N_("Version %(version)s is installed."),
    Outcome.REFUSED: N_("Version %(version)s could not be installed. Nothing was changed."),
    Outcome.ROLLED_BACK: N_("The table did not start with version %(version)s. The earlier version is back."),
    Outcome.BROKEN: N_("The table starts neither with version %(version)s nor with the earlier one."),
    Outcome.INTERRUPTED: N_("The installation of version %(version)s was interrupted. Try again."),
}


def known_update() -> State | None:
    """Return the update state; ``None`` where the companion was not installed as a Debian package."""
    return read(current_app.config.get(UPDATE_STATE_KEY, STATE_PATH))


def update_result(state: State | None) -> str:
    """Return the result of the last update as a sentence, empty where there was none."""
    if state is None or state.outcome not in OUTCOME_TEXTS:
        return ""
    return _(OUTCOME_TEXTS[state.outcome], version=state.version)


@pages.post("/host/update")
@role_required("host")
def update() -> ResponseReturnValue:
    """Request the offered version, which the root service installs."""
    services, state = current_services(), known_update()
    version = request.form.get("version", "")
    if state is None or not version or version != state.offered:
        flash(_("This version is not offered any more."), "bad")
    elif game_under_way(services):
        flash(_("A game is being played. Update when it is over."), "bad")
    else:
        services.kept.put(REQUEST_FILE, version.encode())
        text = _(
            "Version %(version)s is being installed. The pages are away for some minutes.", version=version
        )
        flash(text, "good")
    return redirect("/host")
