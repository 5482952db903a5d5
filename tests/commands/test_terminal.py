"""What commands show on a terminal, and what they leave out elsewhere."""

from __future__ import annotations

import pytest

from companion.commands._terminal import Bar


def test_a_bar_leaves_no_line_where_standard_error_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    bar = Bar(2)
    for _ in range(2):
        with bar():
            pass
    assert capsys.readouterr().err == ""
