"""Checks of paths."""

from __future__ import annotations

MAX_NAME_BYTES, MAX_PATH_BYTES = 255, 4095
"""Bytes of a name and of a whole path (Linux, ``limits.h``: NAME_MAX, and PATH_MAX with its closing zero)."""


def path_problem(path: str) -> str:
    """Return why a path cannot be used, or an empty text; the file need not exist."""
    if "\0" in path:
        return "a name has no NUL"
    try:
        data = path.encode()
    except UnicodeEncodeError:  # Python hands on names that are no UTF-8 with surrogates in them
        return "its name is not in UTF-8; rename it"
    if len(data) > MAX_PATH_BYTES:
        return f"a path has at most {MAX_PATH_BYTES:,} bytes"
    if max(map(len, data.split(b"/"))) > MAX_NAME_BYTES:
        return f"a name has at most {MAX_NAME_BYTES} bytes"
    return ""
