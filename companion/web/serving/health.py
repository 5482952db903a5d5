"""Health and metrics of the pages, and responses to captive-portal checks of phones."""

from __future__ import annotations

import time
from pathlib import Path

from flask import Blueprint, Response, redirect
from flask.typing import ResponseReturnValue

from companion.version import VERSION
from companion.web.services import current_services

STARTED_S = time.monotonic()

pages = Blueprint("health", __name__)


@pages.get("/healthz")
def healthz() -> ResponseReturnValue:
    """Send the health: whether the log can be read and the table answers, and the version."""
    services = current_services()
    monitor, checkup = services.monitor, services.readiness.fault
    well = not monitor.fault and not monitor.table_fault
    components = {"log": monitor.fault or "ok", "table": monitor.table_fault or "ok"}
    if checkup:
        components["checkup"] = checkup
    body = {"well": well, **components, "version": VERSION}
    return body, 200 if well else 503


@pages.get("/metrics")
def metrics() -> ResponseReturnValue:
    """Send metrics of pages and table in Prometheus' text format."""
    services = current_services()
    monitor, status = services.monitor, services.monitor.status
    found: list[tuple[str, str, str, float]] = [
        ("web_uptime_seconds", "", "Since the pages were started.", time.monotonic() - STARTED_S),
        ("web_listeners", "", "Phones that are served live.", services.channels.slots.taken),
        ("web_resident_bytes", "", "Memory of the pages' process.", resident_bytes()),
        ("log_readable", "", "1 where the log can be read.", float(not monitor.fault)),
        ("log_games", "", "Games in the log.", len(monitor.names)),
        (
            "game_events",
            "",
            "Number of the newest event of the game.",
            services.projection.number if services.projection else 0,
        ),
        ("table_answers", "", "1 where the table answers.", float(status is not None)),
    ]
    for number, camera in enumerate(status.cameras if status else ()):
        label = f'{{camera="{number}"}}'
        found.append(("camera_fps", label, "Frames a second.", camera.fps))
        found.append(("camera_ok", label, "1 where the camera sees the table.", float(camera.state == "ok")))
    if status is not None and status.temperature_c is not None:
        found.append(("temperature_celsius", "", "Of the processor.", status.temperature_c))
    return Response("".join(lines(found)), content_type="text/plain; version=0.0.4; charset=utf-8")


def lines(found: list[tuple[str, str, str, float]]) -> list[str]:
    """Return metrics in Prometheus' text format, each with its HELP and TYPE lines once."""
    explained: set[str] = set()
    written = []
    for name, label, what, value in found:
        if name not in explained:
            written.append(f"# HELP companion_{name} {what}\n# TYPE companion_{name} gauge\n")
            explained.add(name)
        written.append(f"companion_{name}{label} {value:g}\n")
    return written


def resident_bytes() -> int:
    """Return this process's resident memory in bytes, 0 where it is unknown."""
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    line = next((line for line in text.splitlines() if line.startswith("VmRSS:")), "VmRSS: 0 kB")
    return int(line.split()[1]) * 1024


@pages.get("/generate_204")
@pages.get("/gen_204")
def android() -> ResponseReturnValue:
    """Answer an Android phone that looks for the internet, so that it stays on this Wi-Fi."""
    return "", 204


@pages.get("/hotspot-detect.html")
@pages.get("/library/test/success.html")
def apple() -> ResponseReturnValue:
    """Answer an iPhone that looks for the internet."""
    return "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"


@pages.get("/connecttest.txt")
def windows() -> ResponseReturnValue:
    """Answer a Windows machine that looks for the internet."""
    return Response("Microsoft Connect Test", content_type="text/plain")


@pages.get("/ncsi.txt")
def older_windows() -> ResponseReturnValue:
    """Answer an older Windows machine that looks for the internet."""
    return Response("Microsoft NCSI", content_type="text/plain")


@pages.get("/success.txt")
def firefox() -> ResponseReturnValue:
    """Answer a Firefox that looks for the internet."""
    return Response("success\n", content_type="text/plain")


@pages.get("/canonical.html")
def newer_firefox() -> ResponseReturnValue:
    """Answer a newer Firefox with the page that it expects (its setting captivedetect.canonicalContent)."""
    return '<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>'


@pages.get("/favicon.ico")
def icon() -> ResponseReturnValue:
    """Redirect browsers that request the old name to the icon."""
    return redirect("/static/icon.svg")


@pages.get("/robots.txt")
def robots() -> ResponseReturnValue:
    """Keep crawlers out."""
    return Response("User-agent: *\nDisallow: /\n", content_type="text/plain")
