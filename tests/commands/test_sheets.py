"""``companion sheets``."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.cli import main
from companion.commands.sheets import SHEET_KINDS, button_cards


def sheets(*words: str) -> int:
    return main(["sheets", *words])


def test_every_kind_is_written_where_it_was_asked_for(tmp_path: Path) -> None:
    assert sheets("--out", str(tmp_path), "--url", "http://192.168.4.1:8080") == 0
    assert {path.name for path in tmp_path.iterdir()} == {f"{kind}-a4.pdf" for kind in SHEET_KINDS}
    assert all(path.read_bytes().startswith(b"%PDF") for path in tmp_path.iterdir())


def test_without_an_address_there_are_no_seat_cards_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sheets("--out", str(tmp_path)) == 0
    assert not (tmp_path / "seats-a4.pdf").exists()
    assert "no seat cards: they need --url" in capsys.readouterr().out


def test_one_kind_alone_on_letter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sheets("lens", "--paper", "letter", "--out", str(tmp_path)) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["lens-letter.pdf"]
    assert "measure the ruler: it must be 100 mm long" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["posters"], "no sheet 'posters'; there are markers"),
        (["seats"], "seat cards need --url"),
        (["seats", "--url", "192.168.4.1"], "begins with http://"),
        (["seats", "--url", "http://a", "--seats", "14"], "--seats is 1 to 13; got 14"),
        (["tiles", "--tile-mm", "100"], "--tile-mm is 8 to 60"),
        (["tiles", "--each", "0"], "--each is 1 to 12"),
        (["tiles", "--tiles", "none"], "none"),
        (["lens", "--out", "/nowhere"], "there is no folder /nowhere; make it first"),
    ],
)
def test_what_cannot_be_printed_is_told(
    words: list[str],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sheets(*words) == 2
    assert says in capsys.readouterr().err


def test_the_legend_has_every_game_with_its_likeliest_call_on_a_short_press() -> None:
    cards = button_cards(3)
    assert len(cards) == 5
    assert all((card.lines[0].button, card.lines[0].gesture) == (1, "short") for card in cards)
    assert cards[0].lines[0].call == "SPLIT / PEEL"
