"""The demo where a host sets up another game: it is played by others, at a table of its own."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.bootstrap.running import RunOptions
from companion.bootstrap.simulated.game import SimulatedGame
from companion.commands import demo
from companion.config.table import BoardConfig, TableConfig
from companion.table import NextGame
from tests.slow import mostly_slow

CHEW = NextGame("chew", ("Ann", "Bob"), {"rounds": 2}, "default", "bananagrams-en")
BINARY = NextGame("binary_scrabble", ("Ann", "Bob"), {}, "default", "binary")

Plays = Callable[..., list[tuple[TableConfig, bool]]]

GIVEN: Mapping[str, Any] = {"players": 2, "seed": 1, "speed": 1.0, "headless": False, "until": None}


@pytest.fixture
def plays(monkeypatch: pytest.MonkeyPatch) -> Plays:
    """Plays a demo at which the host asks for some games one after the other.

    Returns each table that was played at, and whether what was asked for there went on elsewhere.
    """

    def played(plan: SimulatedGame, *games: NextGame) -> list[tuple[TableConfig, bool]]:
        tables: list[tuple[TableConfig, bool]] = []
        left = list(games)

        def runs(config: TableConfig, how: RunOptions) -> Any:
            tables.append((config, bool(left) and how.play_elsewhere(left.pop(0))))
            return SimpleNamespace(loop=SimpleNamespace(state=None))

        monkeypatch.setattr(demo, "run_table", runs)
        monkeypatch.setattr(demo, "game_over", lambda _table: False)
        following: SimulatedGame | None = plan
        while following is not None:
            given = argparse.Namespace(**GIVEN, uncalibrated=plan.uncalibrated)
            following = demo.play(following, given, RunOptions())
        return tables

    return played


@pytest.mark.slow
def test_a_game_that_a_host_asks_for_is_played_with_its_own_tiles_and_board(
    plays: Plays, tmp_path: Path
) -> None:
    first = SimulatedGame.of("binary_scrabble", 2, 1, tmp_path)
    (binary, _), (chew, _), (again, gone_on) = plays(first, CHEW, BINARY)
    assert (binary.tile_set, binary.board) == ("binary", BoardConfig("scrabble"))
    assert (chew.game, chew.seats, chew.options) == ("chew", ("Ann", "Bob"), {"rounds": 2})
    assert (chew.tile_set, chew.board) == ("bananagrams-en", None)
    assert (again.tile_set, again.board, again.seats) == ("binary", BoardConfig("scrabble"), ("Ann", "Bob"))
    assert not gone_on


@pytest.mark.parametrize(
    "asked",
    mostly_slow(
        [
            replace(CHEW, seats=tuple("ABCDEFGHI")),
            replace(CHEW, tiles="kitchen"),
            replace(CHEW, game="a_strangers_game"),
        ]
    ),
)
def test_what_simulated_players_cannot_play_stays_at_the_table_for_people(
    asked: NextGame, plays: Plays, tmp_path: Path
) -> None:
    ((config, play_elsewhere),) = plays(SimulatedGame.of("chew", 2, 1, tmp_path), asked)
    assert (config.game, play_elsewhere) == ("chew", False)


def test_a_table_that_was_set_up_by_its_host_is_kept_for_the_next_game(plays: Plays, tmp_path: Path) -> None:
    plan = replace(SimulatedGame.of("bananagrams", 2, 1, tmp_path), uncalibrated=True)
    ((config, play_elsewhere),) = plays(plan, CHEW)
    assert (config.game, play_elsewhere) == ("bananagrams", False)
