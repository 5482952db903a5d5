"""The client of a running table, under its earlier path: scripts that drive a table import it from here."""

from __future__ import annotations

from companion.rpc import TableClient as Line

__all__ = ["Line"]
