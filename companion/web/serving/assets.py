"""Static files and a response cache for pages that are the same for all viewers.

When many phones open a page at once it is rendered once.
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

from companion.web.auth.roles import SPARE_SLOT_KEY
from companion.web.services import CachePolicy

FOLDER = Path(__file__).parents[1] / "static"

MIN_COMPRESSED_BODY_BYTES = 600
"""Smallest size of a body that is compressed, in bytes."""

COMPRESSIBLE_TYPES = (
    "text/",
    "application/json",
    "application/javascript",
    "image/svg+xml",
    "application/manifest",
)

pages = Blueprint("assets", __name__)


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file: its content type, its bytes plain and compressed, and the hash in its URL."""

    kind: str
    plain: bytes
    compressed: bytes
    mark: str


@cache
def assets() -> Mapping[str, Asset]:
    """Return all files of the folder by name."""
    return {path.name: asset(path) for path in sorted(FOLDER.iterdir()) if path.is_file()}


def asset(path: Path) -> Asset:
    """Read and compress one file."""
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
    response = Response(found.compressed if packed else found.plain, content_type=found.kind)
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.cache_control.public = True
    response.cache_control.max_age = 31_536_000 if request.args.get("v") == found.mark else 60
    return response


def compress_response(response: Response) -> Response:
    """Return a response, compressed where the client accepts gzip and the body is large enough."""
    if (
        response.is_streamed
        or response.direct_passthrough
        or "Content-Encoding" in response.headers
        or not (response.content_type or "").startswith(COMPRESSIBLE_TYPES)
        or "gzip" not in request.headers.get("Accept-Encoding", "")
    ):
        return response
    body = response.get_data()
    if len(body) >= MIN_COMPRESSED_BODY_BYTES:
        response.set_data(gzip.compress(body, 5, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    response.headers.add("Vary", "Accept-Encoding")
    return response


STATIC_PREFIX = "/static/"
"""Path prefix of the static files."""

STATIC_POLICY = CachePolicy(int, float("inf"))
"""Cache policy of static files, which never change while the pages run."""

MAX_CACHED_RESPONSES = 128
"""Most responses in the cache; the least recently used one is evicted first."""

MAX_CACHED_BODY_BYTES = 256 * 1024
"""Largest size of a cached body, in bytes."""

SESSION = "session="

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A whole response, rendered at a revision; ``created_s`` is by the cache's clock."""

    status: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    revision: int
    created_s: float


@dataclass(slots=True)
class ResponseCache:
    """WSGI middleware that caches responses.

    It caches static files, and the pages in ``policies`` for requests without a session.  Of concurrent
    requests for the same page one is passed on and the others wait for its response.  ``clock`` returns
    seconds.
    """

    pages: Application
    policies: Mapping[str, CachePolicy]
    clock: Callable[[], float] = time.monotonic
    responses: OrderedDict[Key, CachedResponse] = field(default_factory=OrderedDict)
    pending: dict[Key, BoundedSemaphore] = field(default_factory=dict)

    def __call__(self, environ: Environ, start: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        policy = self.policy_of(environ.get("PATH_INFO", ""))
        key = request_key(environ) if policy is not None else None
        if policy is None or key is None:
            return self.pages(environ, start)
        found = self.fresh_response(key, policy)
        if found is None:
            with self.pending.setdefault(key, BoundedSemaphore()):
                found = self.fresh_response(key, policy)
                if found is None:
                    try:
                        return self.request_page(environ, start, key, policy.revision())
                    finally:
                        self.pending.pop(key, None)
        self.responses.move_to_end(key)
        start(found.status, list(found.headers))
        return [found.body]

    def policy_of(self, path: str) -> CachePolicy | None:
        """Return the cache policy of a path, ``None`` where the response depends on the client."""
        if path.startswith(STATIC_PREFIX):
            return STATIC_POLICY
        return self.policies.get(path) or self.policies.get(
            f"/{path.split('/')[1]}/" if path.count("/") > 1 else ""
        )

    def fresh_response(self, key: Key, policy: CachePolicy) -> CachedResponse | None:
        """Return the cached response of a key while its policy allows it, else ``None``."""
        found = self.responses.get(key)
        if found is None or found.revision != policy.revision():
            return None
        return found if self.clock() - found.created_s < policy.max_age_s else None

    def request_page(
        self, environ: Environ, start: StartResponse, key: Key, revision: int
    ) -> Iterable[bytes]:
        """Pass a request on and return the body; cache the response where its status is 200."""
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def noted(status: str, headers: list[tuple[str, str]], *fault: Any) -> Any:
            started.append((status, headers))
            return start(status, headers, *fault)

        created_s = self.clock()
        parts = self.pages(environ, noted)
        body = b"".join(parts)
        if closing := getattr(parts, "close", None):
            closing()
        status, headers = started[-1]
        own = any(name.lower() == "set-cookie" for name, _ in headers)
        if status.startswith("200") and not own and len(body) <= MAX_CACHED_BODY_BYTES:
            self.responses[key] = CachedResponse(status, tuple(headers), body, revision, created_s)
            if len(self.responses) > MAX_CACHED_RESPONSES:
                self.responses.popitem(last=False)
        return [body]


def request_key(environ: Environ) -> Key | None:
    """Return what a response depends on besides the revision; ``None`` where it must not be cached."""
    path, get = environ.get("PATH_INFO", ""), environ.get
    if environ["REQUEST_METHOD"] != "GET" or environ.get(SPARE_SLOT_KEY):
        return None
    cookies = "" if path.startswith(STATIC_PREFIX) else get("HTTP_COOKIE", "")
    if SESSION in cookies:
        return None
    client = (get("HTTP_HOST", ""), get("HTTP_ACCEPT_ENCODING", ""), get("HTTP_ACCEPT_LANGUAGE", ""))
    return (path, get("QUERY_STRING", ""), *client, cookies)
