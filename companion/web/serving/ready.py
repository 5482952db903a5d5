"""Answers that are alike for all viewers, kept ready: a crowd that opens a page at once has it drawn once."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.web.auth.roles import SPARE_PLACE
from companion.web.live.watching import Watching

ALIKE = frozenset({"/", "/help", "/games", "/healthz"})
"""Pages that depend on nothing but their address, the phone's language, what has happened, and the hour."""

STATIC = "/static/"
"""Where the addresses of files begin; they are alike for everybody."""

FRESH_S = 1.0
"""Seconds for which a page is good for everybody: the clocks on it are drawn as they stood."""

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
    """A whole answer: what it says at a revision of the game and the table."""

    status: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    revision: int
    made_s: float


@dataclass(slots=True)
class Ready:
    """A WSGI application that gives kept answers where it may, and asks the pages otherwise.

    It keeps what a page of ``ALIKE`` answers to a phone without a session, and files.  A kept page is good
    until something happens, and for ``FRESH_S`` seconds at most; ``clock`` tells seconds.
    """

    pages: Application
    watching: Watching
    clock: Callable[[], float] = time.monotonic
    kept: OrderedDict[Key, Answer] = field(default_factory=OrderedDict)

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer a request."""
        key = asked(environ)
        if key is None:
            return self.pages(environ, start)
        found = self.kept.get(key)
        if found is not None and self.fresh(found, key):
            self.kept.move_to_end(key)
            start(found.status, list(found.headers))
            return [found.body]
        return self.made(environ, start, key)

    def fresh(self, answer: Answer, key: Key) -> bool:
        """Return whether an answer is still what the pages would say."""
        unchanged = answer.revision == self.watching.revision
        return key[0].startswith(STATIC) or (unchanged and self.clock() - answer.made_s < FRESH_S)

    def made(self, environ: Environ, start: Start, key: Key) -> Iterable[bytes]:
        """Return what the pages answer, and keep it where all went well."""
        told: list[tuple[str, list[tuple[str, str]]]] = []

        def noted(status: str, headers: list[tuple[str, str]], *fault: Any) -> Any:
            told.append((status, headers))
            return start(status, headers, *fault)

        revision, made_s = self.watching.revision, self.clock()
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
    files = path.startswith(STATIC)
    if environ["REQUEST_METHOD"] != "GET" or environ.get(SPARE_PLACE) or not (files or path in ALIKE):
        return None
    cookies = "" if files else get("HTTP_COOKIE", "")
    if SESSION in cookies:
        return None
    says = (get("HTTP_HOST", ""), get("HTTP_ACCEPT_ENCODING", ""), get("HTTP_ACCEPT_LANGUAGE", ""))
    return (path, get("QUERY_STRING", ""), *says, cookies)
