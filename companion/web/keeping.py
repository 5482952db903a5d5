"""The file store of the pages: a secret, PINs, failed logins, tables of players.

Files are written atomically and are readable by their owner only.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from companion.errors import BadOutput
from companion.files import replacing

MAX_FILE_CHARS = 10_000_000
"""Longest file that is read, in characters; the largest names the games of a backup."""

COPIED_BYTES = 2**20
"""Size of the blocks in which an open file is copied, in bytes."""


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
        self._written(self._path(name), [json.dumps(value, ensure_ascii=False).encode()])

    def put(self, file: str, body: bytes) -> None:
        """Store a file's bytes."""
        self._written(self.folder / file, [body])

    def put_file(self, file: str, source: IO[bytes]) -> None:
        """Store a copy of an open file, from its beginning."""
        source.seek(0)
        self._written(self.folder / file, iter(lambda: source.read(COPIED_BYTES), b""))

    def path(self, file: str) -> Path:
        """Return the path of a stored file, which may be missing."""
        return self.folder / file

    def drop(self, file: str) -> None:
        """Delete a stored file."""
        (self.folder / file).unlink(missing_ok=True)

    def _written(self, path: Path, parts: Iterable[bytes]) -> None:
        """Write a file's parts atomically, readable by its owner only."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(path, 0o600) as written:
                written.writelines(parts)
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
