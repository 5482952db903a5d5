"""Which paths a file can have."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.model.files import MAX_NAME_BYTES, path_problem


@pytest.mark.parametrize(
    "path", ["", "games.db", "x" * MAX_NAME_BYTES, "/".join(["x" * 200] * 10), "ä" * 127]
)
def test_a_path_that_a_file_can_have_is_fine(path: str, tmp_path: Path) -> None:
    assert path_problem(path) == ""
    with pytest.raises(FileNotFoundError):
        (tmp_path / path / "nothing").stat()


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("x" * (MAX_NAME_BYTES + 1), "at most 255 bytes"),
        ("ä" * 128, "at most 255 bytes"),
        ("a/" * 3000, "at most 4,095 bytes"),
        ("a\0b", "no NUL"),
        ("\udcff.jpg", "not in UTF-8"),
    ],
)
def test_what_no_file_can_be_called_is_told_with_its_reason(path: str, why: str) -> None:
    assert why in path_problem(path)
