"""``companion enrol``: from photographs of shapes that no network knows to a set that is read."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest

from companion.cli import main
from companion.model.tiles import tile_set
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


def table_of(folder: Path, *pictures: list[list[str]]) -> str:
    """Return the file of a table whose camera shows each picture for a while."""
    (folder / "film").mkdir()
    for number, rows in enumerate(pictures):
        for moment in range(3):
            cv2.imwrite(str(folder / f"film/{number}-{moment}.png"), photograph(rows))
    (folder / "table.toml").write_text(
        'name = "t"\ngame = "bananagrams"\nseats = ["A", "B"]\n'
        '[[cameras]]\nkind = "folder"\nwhere = "film"\npace = 0\n'
    )
    return str(folder / "table.toml")


def test_a_camera_is_shown_symbol_after_symbol(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = table_of(folder, *([[symbol] * 3] for symbol in ORDER.split()))
    call = ["enrol", "shapes", "--order", ORDER, "--live", table, "--preview", "seen.png"]
    assert main([*call, "--counts", "△=5", "--values", "△=3"]) == 0
    told = capsys.readouterr()
    assert "1 of 4  Taken.  Lay 3 tiles of '↑' in a row, the first of them upright" in told.err
    assert "4 of 4  All symbols are taken." in told.err
    assert "read with: companion read --tiles shapes" in told.out
    assert cv2.imread("seen.png") is not None
    assert tile_set(str(folder / "home/tiles/shapes.json")).values == {"△": 3}


def test_a_camera_is_shown_all_symbols_together(folder: Path) -> None:
    table = table_of(folder, ROWS)
    call = ["enrol", "shapes", "--order", ORDER, "--live", table, "--together", "--each", "2"]
    assert main(call) == 0


def test_counts_and_values_of_the_set_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["enrol", "shapes", "tiles.png", "--order", ORDER, "--counts", "△=5 ✚=12", "--values", "Γ=31"]
    assert main(call) == 0
    rows = {line.split("│")[1].strip(): line for line in capsys.readouterr().out.splitlines() if "│" in line}
    assert [cell.strip() for cell in rows["✚"].split("│")[-3:-1]] == ["12", "0"]
    assert [cell.strip() for cell in rows["Γ"].split("│")[-3:-1]] == ["any", "31"]


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
        (["shapes", "tiles.png", "--order", "A B", "--live", "table.toml"], "one of the two"),
        (["shapes", "--order", "A B", "--live", "table.toml", "--each", "1"], "--each 1: 2 to 12 tiles"),
        (["shapes", "--live", "table.toml"], "say which symbols were laid"),
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
