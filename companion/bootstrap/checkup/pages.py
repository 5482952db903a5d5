"""Whether port 80 leads to the pages: phones look for the internet there, and addresses need no port."""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection, HTTPException

from companion.web.serving.addresses import EVERYWHERE, PLAIN, addresses
from hardware.cameras.checks import Check

PATIENCE_S = 10.0
"""How long an answer may take that comes from this very machine."""

LONGEST = 2000
"""Bytes of an answer that are looked at."""

OWN = {"well", "log", "table", "version"}
"""What the pages tell at /healthz, and hardly anything else does."""


def port_check(port: int = PLAIN) -> Check:
    """Return whether a port of this machine leads to the pages, at whichever of its addresses."""
    found = {answered(host, port) for host in ("127.0.0.1", "::1", *addresses(EVERYWHERE))}
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


def answered(host: str, port: int) -> bool | None:
    """Return whether it is the pages who answer at an address, or ``None`` where nobody listens."""
    with closing(HTTPConnection(host, port, timeout=PATIENCE_S)) as connection:
        try:
            connection.connect()
        except OSError:
            return None
        try:
            connection.request("GET", "/healthz")
            told = json.loads(connection.getresponse().read(LONGEST))
        except (OSError, HTTPException, ValueError):
            return False
    return isinstance(told, dict) and set(told) == OWN
