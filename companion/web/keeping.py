"""What the pages keep, under its earlier path: scripts that prepare a table open it from here."""

from __future__ import annotations

from companion.web.auth.kept import Kept

__all__ = ["Kept"]
