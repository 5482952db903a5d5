"""``companion voice``: the clips are rendered once."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.cli import main
from companion.commands.voice import clips
from companion.config.controls import Language
from companion.rules.registry import entries, game


@pytest.fixture
def espeak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An espeak-ng that writes down its words."""
    program = tmp_path / "bin" / "espeak-ng"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\nwhile [ "$1" != -w ]; do shift; done\necho "$3" > "$2"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))


@pytest.mark.usefixtures("espeak")
def test_every_clip_of_a_language_is_rendered_into_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "clips"
    assert main(["voice", "--language", "de", "--folder", str(folder)]) == 0
    known = clips(Language.DE)
    assert capsys.readouterr().out == f"{len(known)} clips: {folder}/de\n"
    assert (folder / "de" / "left_7.wav").read_text(encoding="utf-8") == "noch 7\n"
    assert {path.stem for path in (folder / "de").iterdir()} == set(known)


@pytest.mark.usefixtures("espeak")
def test_without_a_folder_they_lie_where_the_companion_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    assert main(["voice", "--language", "en"]) == 0
    assert (tmp_path / "home" / "clips" / "en" / "flip.wav").is_file()


def test_without_espeak_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["voice", "--folder", str(tmp_path)]) == 3
    assert "sudo apt install espeak-ng" in capsys.readouterr().err


SHIPPED = [name for name, entry in entries().items() if entry.value.startswith("companion.")]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_call_of_a_button_is_said_in_every_language(name: str) -> None:
    called = {call for calls in game(name).buttons for call in calls}
    assert [call for call in called if game(name).aloud[call].keys() != set(Language)] == []


def test_games_that_share_a_call_say_it_alike() -> None:
    said = {(call, *words.items()) for name in SHIPPED for call, words in game(name).aloud.items()}
    assert len({call for call, *_ in said}) == len(said)
