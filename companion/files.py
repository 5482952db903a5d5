"""Files that are replaced atomically: after a power cut a file has its old content or its new one."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a new file that replaces ``path`` at the end of the block, synced to the disk.

    The old file stays where the block fails.  ``mode`` are the new file's permissions before the umask.
    Raises OSError.
    """
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_atomically(path: Path, body: bytes, mode: int = 0o666) -> None:
    """Replace a file's content, as ``replacing`` does; a missing folder is created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, mode) as file:
        file.write(body)


def copy_file(path: Path, to: Path) -> None:
    """Copy a file's content atomically; raise OSError."""
    with path.open("rb") as file, replacing(to) as copy:
        shutil.copyfileobj(file, copy)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk; raise OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
