"""Tests of files that are replaced atomically."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.files import replacing, write_atomically


def test_a_file_is_made_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_atomically(path, b"one", 0o600)
    assert path.read_bytes() == b"one"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_block_that_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"new")
            raise ValueError("bad")

    with pytest.raises(ValueError, match="bad"):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
