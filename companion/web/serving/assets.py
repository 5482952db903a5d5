"""Styles, scripts and signs: read once, sent compressed, kept by phones until they change."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, abort, request

FOLDER = Path(__file__).parents[1] / "static"

SMALLEST = 600
"""Bytes below which compressing does not pay."""

COMPRESSED = ("text/", "application/json", "application/javascript", "image/svg+xml", "application/manifest")

pages = Blueprint("assets", __name__)


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent: plain and compressed."""

    kind: str
    plain: bytes
    packed: bytes
    mark: str


@cache
def assets() -> Mapping[str, Asset]:
    """Return all files of the folder by name."""
    return {path.name: asset(path) for path in sorted(FOLDER.iterdir()) if path.is_file()}


def asset(path: Path) -> Asset:
    """Return one file, ready to be sent."""
    plain = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    mark = hashlib.sha256(plain).hexdigest()[:12]
    return Asset(kind, plain, gzip.compress(plain, 9, mtime=0), mark)


def asset_url(name: str) -> str:
    """Return the address of a file, which changes when the file does."""
    return f"/static/{name}?v={assets()[name].mark}"


@pages.get("/static/<name>")
def static(name: str) -> Response:
    """Send a file."""
    if name not in assets():
        abort(404)
    found = assets()[name]
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    response = Response(found.packed if packed else found.plain, content_type=found.kind)
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.cache_control.public = True
    response.cache_control.max_age = 31_536_000 if request.args.get("v") == found.mark else 60
    return response


def packed(response: Response) -> Response:
    """Return a page compressed, where the phone can read it so and it pays."""
    if (
        response.is_streamed
        or response.direct_passthrough
        or "Content-Encoding" in response.headers
        or not (response.content_type or "").startswith(COMPRESSED)
        or "gzip" not in request.headers.get("Accept-Encoding", "")
    ):
        return response
    body = response.get_data()
    if len(body) >= SMALLEST:
        response.set_data(gzip.compress(body, 5, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    response.headers.add("Vary", "Accept-Encoding")
    return response
