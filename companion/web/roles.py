"""The code of a seat under its earlier path: programs that sign in as a seat import it from here."""

from __future__ import annotations

from companion.web.auth.roles import seat_code

__all__ = ["seat_code"]
