"""What the host takes home: a backup of all games, and what helps to find a fault; no secrets in either."""

from __future__ import annotations

import io
import platform
import sys
import zipfile
from importlib.metadata import version

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from companion.events.checking import findings
from companion.events.exported import to_json
from companion.rules.plain import plain
from companion.web.health import resident_bytes
from companion.web.language import N_
from companion.web.roles import only
from companion.web.site import Site, here
from companion.web.watching import away

PACKAGES = ("flask", "gevent", "jinja2", "werkzeug", "tableau-companion")

README = N_("Every file is one game; companion log import LOG FILE puts it into a log.")

pages = Blueprint("saving", __name__)


@pages.get("/host/backup.zip")
@only("host")
def backup() -> ResponseReturnValue:
    """Send all games, as far as each is undamaged."""
    site = here()
    response = Response(away(lambda: packed(site)), content_type="application/zip")
    response.headers["Content-Disposition"] = 'attachment; filename="games.zip"'
    return response


def packed(site: Site) -> bytes:
    """Return every game of the log as a file of its own, in one archive."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", f"{README}\n")
        if site.watching.following.path.exists():
            for number, found in enumerate(findings(site.watching.following.path), 1):
                if found.rows:
                    archive.writestr(f"game-{number:04}.json", to_json(found.game, found.rows))
    return written.getvalue()


@pages.get("/host/diagnostics.json")
@only("host")
def diagnostics() -> ResponseReturnValue:
    """Send what helps somebody far away to see what is wrong."""
    site = here()
    watching = site.watching
    log = watching.following.path
    body = {
        "python": sys.version,
        "machine": platform.platform(),
        "packages": {name: version(name) for name in PACKAGES},
        "memory_bytes": resident_bytes(),
        "listeners": site.channels.listeners,
        "log": {"fault": watching.fault, "games": [str(one) for one in away(lambda: checked(site))]},
        "log_bytes": log.stat().st_size if log.exists() else 0,
        "table": plain(watching.status) if watching.status else watching.unanswered,
    }
    return body, {"Content-Disposition": 'attachment; filename="diagnostics.json"'}


def checked(site: Site) -> list[str]:
    """Return a line for every game of the log: whether it is as it was written."""
    path = site.watching.following.path
    return [str(found) for found in findings(path)] if path.exists() else []
