"""The file store of the pages: a secret, PINs, failed logins, tables of players.

Files are written atomically and are readable by their owner only.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import BadOutput
from companion.files import write_atomically

MAX_FILE_CHARS = 1_000_000
"""Longest file that is read, in characters; the largest that is written has some thousands."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder of small JSON files."""

    folder: Path

    def read(self, name: str, default: Any) -> Any:
        """Return the value of a name, the default where there is none or it cannot be read."""
        try:
            with self._path(name).open(encoding="utf-8") as file:
                return json.loads(file.read(MAX_FILE_CHARS))
        except (OSError, ValueError):
            return default

    def write(self, name: str, value: Any) -> None:
        """Store a value; a power cut leaves the old one or the new one."""
        self._written(self._path(name), json.dumps(value, ensure_ascii=False).encode())

    def put(self, file: str, body: bytes) -> None:
        """Store a file's bytes."""
        self._written(self.folder / file, body)

    def get(self, file: str) -> bytes:
        """Return a stored file's bytes, empty where there is none."""
        try:
            return (self.folder / file).read_bytes()
        except OSError:
            return b""

    def drop(self, file: str) -> None:
        """Delete a stored file."""
        (self.folder / file).unlink(missing_ok=True)

    def _written(self, path: Path, body: bytes) -> None:
        """Write a file atomically, readable by its owner only."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(path, body, 0o600)
        except OSError as error:
            raise BadOutput(f"{path} cannot be written: {error.strerror}") from error

    def secret(self) -> str:
        """Return the secret that sessions are signed with, made at the first call."""
        found = self.read("secret", None)
        if not isinstance(found, str) or len(found) < 32:
            found = secrets.token_hex(32)
            self.write("secret", found)
        return found

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"
