"""A whole game, from the host's start to the last score, held against what really lay there."""

from __future__ import annotations

import pytest

from companion.rehearsal.runner import WIZARD, Rehearsal, rehearse


@pytest.mark.slow
def test_a_game_at_a_table_that_was_set_up_by_its_pages_ends_with_the_right_score() -> None:
    played = rehearse(Rehearsal("chew", 2, 1, WIZARD))
    assert played.passed, played.reason
    assert played.honest_calls > 5
    assert played.honest_refused == 0
