from __future__ import annotations

from typing import Any

import pytest

from companion.rules.state import Phase, State
from companion.table.pictures import words_hidden


@pytest.mark.parametrize(
    ("policy", "phase", "hush"),
    [
        ("strict", Phase.PLAYING, True),
        ("off", Phase.PLAYING, True),
        ("strict", Phase.PAUSED, True),
        ("advise", Phase.PLAYING, False),
        ("strict", Phase.JUDGING, False),
        ("strict", Phase.OVER, False),
    ],
)
def test_words_are_told_of_only_where_no_call_is_to_be_judged(policy: Any, phase: Phase, hush: bool) -> None:
    state = State("bananagrams", (), {"policy": policy}, phase=phase, before_pause=Phase.PLAYING)
    assert words_hidden(state) is hush
