"""Events that the broker does not bring, asked for at a table's own pages (``GET /api/v1/events``)."""

from __future__ import annotations

import http.client
import json
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode, urlsplit

from companion.config.hall import PAGES
from companion.errors import BadMessage
from companion.hall.contract.messages import LARGEST, payload
from companion.hall.contract.topics import answers
from companion.hall.copies import Key
from companion.hall.link import Received

PATH = "/api/v1/events"

PATIENCE_S = 5.0
"""Seconds in which a table's pages must answer."""

AT_ONCE = 4
"""Tables that are asked side by side; the others wait."""

FETCHED = b"fetched"
"""Correlation of what came this way."""

logger = logging.getLogger(__name__)


class Fetching:
    """Asks tables' pages in threads of its own; what they send is heard as an answer of the table.

    Parameters
    ----------
    hall
        The hall's id.
    hear
        Called with every answer, in the thread that asked.
    """

    def __init__(self, hall: str, hear: Callable[[Received], None]) -> None:
        self.hall, self.hear = hall, hear
        self.workers = ThreadPoolExecutor(AT_ONCE, "fetching")
        self.under_way: set[str] = set()
        self.lock = threading.Lock()

    def ask(self, key: Key, pages: str, after: int, known: bytes) -> bool:
        """Ask for the events of a game after a number; return whether that was begun.

        ``known`` is the hash of an event of the game.  A table has one question at a time.
        """
        source, game = key
        with self.lock:
            if not PAGES.fullmatch(pages) or not known or source in self.under_way:
                return False
            self.under_way.add(source)
        query = urlencode({"game": game, "after": after, "known": known.hex()})
        self.workers.submit(self.fetch, source, pages, query)
        return True

    def fetch(self, source: str, pages: str, query: str) -> None:
        """Ask a table's pages, and hear what they send."""
        try:
            found = fetched(pages, query)
            self.hear(Received(answers(self.hall, source), payload({**found, "table": source}), "", FETCHED))
        except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
            logger.warning("%s: its pages at %s do not send what is missing: %s", source, pages, error)
        finally:
            with self.lock:
                self.under_way.discard(source)

    def close(self) -> None:
        """Ask nothing more."""
        self.workers.shutdown(wait=False, cancel_futures=True)


def fetched(pages: str, query: str) -> dict[str, object]:
    """Return what a table's pages answer.

    Raises
    ------
    OSError, HTTPException, ValueError, RecursionError
        Where they do not answer, or with anything but a JSON object of bearable size.
    """
    where = urlsplit(pages)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE_S)
    try:
        connection.request("GET", f"{PATH}?{query}", headers={"Accept": "application/json"})
        response = connection.getresponse()
        body = response.read(LARGEST + 1)
    finally:
        connection.close()
    if response.status != http.client.OK or len(body) > LARGEST:
        raise BadMessage(f"status {response.status} with {len(body):,} bytes")
    found = json.loads(body)
    if not isinstance(found, dict):
        raise BadMessage("the answer is no JSON object")
    return found
