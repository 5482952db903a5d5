"""Tokens with which programs may call and rule."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from companion.errors import BadPin
from companion.web.keeping import Kept

MAX_TOKENS = 20
"""Most tokens at the same time."""


def hash_token(token: str) -> str:
    """Return the stored hash of a token; a token is random, so it needs no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def tokens(kept: Kept) -> list[dict[str, Any]]:
    """Return name and mark of every token."""
    found = kept.read("tokens", [])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def issue(kept: Kept, name: str, token: str) -> None:
    """Store a new token; raise BadPin where there are too many."""
    known = tokens(kept)
    if len(known) >= MAX_TOKENS:
        raise BadPin(f"there are {MAX_TOKENS} tokens already; take one back first")
    kept.write("tokens", [*known, {"name": name or "?", "mark": hash_token(token)}])


def revoke(kept: Kept, given: str) -> None:
    """Revoke a token by its hash."""
    kept.write("tokens", [one for one in tokens(kept) if one["mark"] != given])


def is_valid_token(kept: Kept, given: str) -> bool:
    """Return whether a token was issued and not revoked."""
    marked = hash_token(given)
    return any(secrets.compare_digest(marked, str(one.get("mark", ""))) for one in tokens(kept))
