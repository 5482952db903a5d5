"""Check whether port 80 leads to the pages: phones test internet access there, and addresses need no port."""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection, HTTPException

from companion.web.serving.addresses import ANY_IPV4, HTTP_PORT, addresses
from hardware.cameras.checks import Check

ANSWER_TIMEOUT_S = 10.0
"""Longest time of an answer of this machine, in seconds."""

MAX_ANSWER_BYTES = 2000
"""Largest number of bytes of an answer that are read."""

HEALTH_KEYS = {"well", "log", "table", "version"}
"""The keys of the pages' answer at /healthz."""


def port_check(port: int = HTTP_PORT) -> Check:
    """Return whether a port of this machine leads to the pages, at any of its addresses."""
    found = {pages_answer(host, port) for host in ("127.0.0.1", "::1", *addresses(ANY_IPV4))}
    what = f"port {port}"
    if found == {None}:
        mend = (
            "sudo ./run install opens it for the pages; without it phones may leave a Wi-Fi without internet."
        )
        return Check(what, None, "nobody listens there: addresses of the pages must name their port", mend)
    if True in found:
        return Check(what, fine=True, says="leads to the pages: their address needs no port")
    mend = f"sudo ss -ltnp 'sport = :{port}' says which: stop that one, then sudo ./run install."
    return Check(
        what, False, "another program answers there: addresses of the pages must name their port", mend
    )


def pages_answer(host: str, port: int) -> bool | None:
    """Return whether the pages answer at an address, ``None`` where nothing listens."""
    with closing(HTTPConnection(host, port, timeout=ANSWER_TIMEOUT_S)) as connection:
        try:
            connection.connect()
        except OSError:
            return None
        try:
            connection.request("GET", "/healthz")
            answer = json.loads(connection.getresponse().read(MAX_ANSWER_BYTES))
        except (OSError, HTTPException, ValueError):
            return False
    return isinstance(answer, dict) and set(answer) == HEALTH_KEYS
