"""``companion read`` of tiles that are of another set than the one that is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from calibration.drawing.camera import View
from calibration.drawing.layout import PlacedTile
from calibration.drawing.scene import draw_placed
from companion import cli
from companion.vision.picture import save_picture


def told(folder: Path, capsys: pytest.CaptureFixture[str], symbols: Sequence[str], *options: str) -> str:
    """Return what ``companion read`` prints of a drawn row of tiles."""
    placed = [PlacedTile(1.04 * k - 3, 0, 0.0, one, 0, (0, k)) for k, one in enumerate(symbols)]
    drawn = draw_placed(np.random.default_rng(2), View(900, 900, 60, 0, 0.0), placed, severity=0.3)
    save_picture(folder / "table.png", drawn.picture)
    assert cli.main(["read", *options, str(folder / "table.png")]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("symbols", "tiles", "signs", "others"),
    [
        ("10=01=1", "bananagrams-en", "0, 1, =", "binary"),
        ("KÄÖTÖÄN", "bananagrams-en", "Ä, Ö", "bananagrams-fi or scrabble-de"),
    ],
)
def test_tiles_of_another_set_are_told(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    symbols: str,
    tiles: str,
    signs: str,
    others: str,
) -> None:
    said = told(tmp_path, capsys, symbols, "--tiles", tiles)
    assert f" tiles look like {signs}, which {tiles} lacks: try --tiles {others}." in said


@pytest.mark.parametrize(("symbols", "tiles"), [("10=01=1", "binary"), ("FRINGES", "bananagrams-en")])
def test_nothing_is_said_of_other_sets_where_the_named_one_lies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], symbols: str, tiles: str
) -> None:
    assert "look like" not in told(tmp_path, capsys, symbols, "--tiles", tiles)


def test_a_program_gets_json_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "look like" not in told(tmp_path, capsys, "10=01=1", "--json")
