"""``companion enrol``: from photographs of shapes that no network knows to a set that is read."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest

from companion.cli import main
from tests.shapes import photograph

ORDER = "△ ↑ Γ ✚"
ROWS = [["△", "△", "↑", "↑"], ["Γ", "Γ", "✚", "✚"]]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with a photograph of two tiles of each shape, and no set of anybody's own."""
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("tiles.png", photograph(ROWS))
    return tmp_path


def test_a_set_is_learnt_kept_and_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["enrol", "shapes", "tiles.png", "--order", ORDER, "--counts", "△=5 ✚=2"]) == 0
    assert "companion read --tiles shapes" in capsys.readouterr().out
    cv2.imwrite("fresh.png", photograph([["✚", "Γ"], ["↑", "△"]], seed=7))
    assert main(["read", "--tiles", "shapes", "--alone", "fresh.png"]) == 0
    assert "4 tiles face up" in capsys.readouterr().out
    assert (folder / "home/tiles/shapes.png").is_file()


def test_a_missing_tile_is_told_with_a_picture_of_what_was_found(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cv2.imwrite("tiles.png", photograph([ROWS[0], ROWS[1][:3]]))
    assert main(["enrol", "shapes", "tiles.png", "--order", ORDER]) == 2
    assert "7 tiles are seen, 1 too few for 2 of each of 4 symbols" in capsys.readouterr().err
    assert (folder / "shapes-found.png").is_file()
    assert not (folder / "home").exists()


def test_tiles_laid_in_another_order_are_not_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite("tiles.png", photograph([["△", "Γ", "Γ", "△"], ["✚", "↑", "↑", "✚"]]))
    assert main(["enrol", "shapes", "tiles.png", "--order", ORDER]) == 2
    assert "laid in the order that was said" in capsys.readouterr().err
    assert not (folder / "home").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["binary", "tiles.png"], "comes with the product"),
        (["shapes", "tiles.png"], "say which symbols were laid"),
        (["shapes"], "say which symbols were laid"),
        (["shapes", "--order", "A B"], "give a photograph"),
        (["shapes", "tiles.png", "--order", "A A"], "names each symbol once"),
        (["shapes", "tiles.png", "--order", "A B", "--counts", "A"], '--counts is written "A=5 B=2"'),
        (["shapes", "tiles.png", "--order", "A B", "--values", "C=5"], "--values names C"),
        (["shapes", "--photo", "A"], "--photo is written SYMBOL=FILE"),
        (["shapes", "--photo", "=x"], "--photo is written SYMBOL=FILE"),
        (["shapes", "no.png", "--order", "A"], "no.png"),
        (["shapes", "tiles.png", "--like", "nowhere"], "no tile set 'nowhere'"),
    ],
)
def test_what_cannot_be_is_refused_and_says_what_to_do(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["enrol", *words]) == 2
    assert says in capsys.readouterr().err


def test_a_set_of_that_name_is_not_overwritten_unasked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "shapes.json").write_text("{}")
    assert main(["enrol", "shapes", "tiles.png", "--order", ORDER, "--to", "."]) == 2
    assert "replace it with --again" in capsys.readouterr().err
