"""What the host takes home: a backup of all games, and what helps to find a fault; no secrets in either."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from companion.events.checking import findings
from companion.events.restoring import packed
from companion.rules.plain import plain
from companion.version import VERSION
from companion.web.health import resident_bytes
from companion.web.language import N_, _
from companion.web.roles import only
from companion.web.site import Site, here
from companion.web.watching import away

PACKAGES = ("flask", "gevent", "jinja2", "werkzeug")

README = N_(
    "Every file is one game. The page /host of a table brings them back; "
    "companion log import LOG FILE brings one of them."
)

pages = Blueprint("saving", __name__)


@pages.get("/host/backup.zip")
@only("host")
def backup() -> ResponseReturnValue:
    """Send all games, as far as each is undamaged."""
    site = here()
    log = site.watching.following.path
    response = Response(away(lambda: packed(log, _(README))), content_type="application/zip")
    response.headers["Content-Disposition"] = 'attachment; filename="games.zip"'
    return response


@pages.get("/host/diagnostics.json")
@only("host")
def diagnostics() -> ResponseReturnValue:
    """Send what helps somebody far away to see what is wrong."""
    site = here()
    watching = site.watching
    log = watching.following.path
    body = {
        "companion": VERSION,
        "python": sys.version,
        "machine": platform.platform(),
        "packages": {name: version(name) for name in PACKAGES},
        "memory_bytes": resident_bytes(),
        "listeners": site.channels.places.taken,
        "log": {"fault": watching.fault, "games": [str(one) for one in away(lambda: checked(site))]},
        "log_bytes": log.stat().st_size if log.exists() else 0,
        "table": plain(watching.status) if watching.status else watching.unanswered,
    }
    return body, {"Content-Disposition": 'attachment; filename="diagnostics.json"'}


def checked(site: Site) -> list[str]:
    """Return a line for every game of the log: whether it is as it was written."""
    path = site.watching.following.path
    return [str(found) for found in findings(path)] if path.exists() else []
