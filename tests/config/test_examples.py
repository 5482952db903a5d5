"""Every game has an example, and every example describes a table that the game can be played at."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.config.examples import example, examples
from companion.config.table import load
from companion.errors import BadConfig
from companion.model.tiles import tile_set
from companion.rules.play import begin
from companion.rules.registry import entries, game
from hardware.wiring import check as wired


def test_every_game_has_an_example() -> None:
    assert set(examples()) == {name for name in entries() if name in examples()} != set()
    assert len(examples()) == 5


@pytest.mark.parametrize("name", examples())
def test_an_example_can_be_played_as_it_stands(name: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(example(name), encoding="utf-8")
    config = load(path)
    assert begin(game(config.game), config.seats, config.switches, "words")
    assert len(config.controls.seats) == len(config.seats)
    assert tile_set(config.tile_set).size == game(config.game).tiles
    wired(config.controls)


def test_a_mistyped_example_is_named_with_the_nearest() -> None:
    with pytest.raises(BadConfig, match="did you mean 'chew'"):
        example("chw")
