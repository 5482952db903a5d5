"""Answers that are kept ready: styles, scripts and signs; pages that are alike for all viewers.

A crowd that opens a page at once has it drawn once.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, request
from gevent.lock import BoundedSemaphore

from companion.web.auth.roles import SPARE_PLACE
from companion.web.site import Alike

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


STATIC = "/static/"
"""Where the addresses of files begin; they are alike for everybody."""

FILE = Alike(int, float("inf"))
"""Files never change while the pages run."""

MOST = 128
"""Answers that are kept, the least recently asked for forgotten first."""

LARGEST = 256 * 1024
"""Bytes of the largest answer that is kept."""

SESSION = "session="

Environ = dict[str, Any]
Start = Callable[..., Any]
Application = Callable[[Environ, Start], Iterable[bytes]]
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: what it says at a revision."""

    status: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    revision: int
    made_s: float


@dataclass(slots=True)
class Ready:
    """A WSGI application that gives kept answers where it may, and asks the pages otherwise.

    It keeps what a page of ``alike`` answers to a phone without a session, and files.  Of phones that ask for
    the same at once one has it made, and the others wait for it; ``clock`` tells seconds.
    """

    pages: Application
    alike: Mapping[str, Alike]
    clock: Callable[[], float] = time.monotonic
    kept: OrderedDict[Key, Answer] = field(default_factory=OrderedDict)
    making: dict[Key, BoundedSemaphore] = field(default_factory=dict)

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer a request."""
        alike = self.of(environ.get("PATH_INFO", ""))
        key = asked(environ) if alike is not None else None
        if alike is None or key is None:
            return self.pages(environ, start)
        found = self.fresh(key, alike)
        if found is None:
            with self.making.setdefault(key, BoundedSemaphore()):
                found = self.fresh(key, alike)
                if found is None:
                    try:
                        return self.made(environ, start, key, alike.revision())
                    finally:
                        self.making.pop(key, None)
        self.kept.move_to_end(key)
        start(found.status, list(found.headers))
        return [found.body]

    def of(self, path: str) -> Alike | None:
        """Return until when a page is good for everybody, ``None`` where each phone has its own."""
        if path.startswith(STATIC):
            return FILE
        return self.alike.get(path) or self.alike.get(
            f"/{path.split('/')[1]}/" if path.count("/") > 1 else ""
        )

    def fresh(self, key: Key, alike: Alike) -> Answer | None:
        """Return a kept answer that is still what the pages would say."""
        found = self.kept.get(key)
        if found is None or found.revision != alike.revision():
            return None
        return found if self.clock() - found.made_s < alike.fresh_s else None

    def made(self, environ: Environ, start: Start, key: Key, revision: int) -> Iterable[bytes]:
        """Return what the pages answer, and keep it where all went well."""
        told: list[tuple[str, list[tuple[str, str]]]] = []

        def noted(status: str, headers: list[tuple[str, str]], *fault: Any) -> Any:
            told.append((status, headers))
            return start(status, headers, *fault)

        made_s = self.clock()
        parts = self.pages(environ, noted)
        body = b"".join(parts)
        if closing := getattr(parts, "close", None):
            closing()
        status, headers = told[-1]
        own = any(name.lower() == "set-cookie" for name, _ in headers)
        if status.startswith("200") and not own and len(body) <= LARGEST:
            self.kept[key] = Answer(status, tuple(headers), body, revision, made_s)
            if len(self.kept) > MOST:
                self.kept.popitem(last=False)
        return [body]


def asked(environ: Environ) -> Key | None:
    """Return all that an answer depends on besides what has happened, ``None`` where it is for one phone."""
    path, get = environ.get("PATH_INFO", ""), environ.get
    if environ["REQUEST_METHOD"] != "GET" or environ.get(SPARE_PLACE):
        return None
    cookies = "" if path.startswith(STATIC) else get("HTTP_COOKIE", "")
    if SESSION in cookies:
        return None
    says = (get("HTTP_HOST", ""), get("HTTP_ACCEPT_ENCODING", ""), get("HTTP_ACCEPT_LANGUAGE", ""))
    return (path, get("QUERY_STRING", ""), *says, cookies)
