"""The client of a running table, under its earlier path, which scripts that drive a table import."""

from __future__ import annotations

from companion.rpc import TableClient as Line

__all__ = ["Line"]
