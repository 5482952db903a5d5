"""Write the description of the interface for programs: ``python -m companion.web.api``."""

from __future__ import annotations

import json

from companion.web.api.openapi import describe_routes
from companion.web.api.routes import OPENAPI_PATH, PREFIX, ROUTES


def text() -> str:
    """Return the description of the routes, as indented JSON."""
    return json.dumps(describe_routes(ROUTES, PREFIX), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    OPENAPI_PATH.write_text(text(), encoding="utf-8")
