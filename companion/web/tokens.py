"""Tokens of programs under their earlier path: scripts that prepare a table issue them from here."""

from __future__ import annotations

from companion.web.auth.tokens import good, issue, revoke, tokens

__all__ = ["good", "issue", "revoke", "tokens"]
