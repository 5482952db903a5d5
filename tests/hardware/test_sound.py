"""The table's voice, through a player that only writes down what it was given."""

from __future__ import annotations

import logging
import time
import wave
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.commands.voice import PHRASES, phrases
from companion.config.controls import Controls, Language, Player, Speech
from companion.errors import BadOutput, NoSpeech
from companion.model.patterns import Pattern
from hardware.simulated.pins import SimulatedControls
from hardware.sound import Sound
from hardware.sound.clips import clip_path, render_clips
from hardware.sound.sound import MAX_TUNE_S, TUNES
from tests.hardware.wired import until

SPOKEN = Controls(speech=Speech(Language.DE))
BUZZING = Controls(buzzer=12)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Makes the only program that is installed: a shell script, which may write to the file returned."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def installed(name: str, script: str) -> Path:
        told = tmp_path / "told"
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script.format(told=told)}\n", encoding="utf-8")
        path.chmod(0o755)
        return told

    return installed


def recorded(folder: Path, *names: str) -> Path:
    """Return a folder of German clips that are there, if empty."""
    for name in names:
        path = clip_path(folder, Language.DE, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def test_a_call_and_how_many_are_left_are_spoken_one_after_the_other(
    program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    told = program("aplay", 'echo "$@" >> {told}')
    folder = recorded(tmp_path / "clips", "flip", "left_7")
    with Sound(SPOKEN, folder) as sound:
        sound.play(clips=("flip", "left_7"))
        assert until(lambda: len(lines(told)) == 2)
        assert sound.faults == ()
    assert lines(told) == [f"-q {folder}/de/flip.wav", f"-q {folder}/de/left_7.wav"]


def test_without_a_player_it_says_once_what_to_install(
    program: Callable[[str, str], Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    program("true", "exit 0")
    with caplog.at_level(logging.WARNING), Sound(SPOKEN, recorded(tmp_path, "flip")) as sound:
        sound.play(clips=("flip",))
        sound.play(clips=("flip",))
    assert [r.message for r in caplog.records] == [
        "calls are not spoken until you run: sudo apt install alsa-utils"
    ]


def test_without_clips_it_says_how_to_render_them(
    program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    program("aplay", "exit 0")
    with Sound(SPOKEN, tmp_path) as sound:
        sound.play(clips=("flip",))
        assert until(lambda: sound.faults)
        assert "render the clips with: companion voice --language de" in sound.faults[0]


def test_a_player_that_fails_is_said_with_its_last_word(
    program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    program("aplay", "echo first >&2; echo no sound card >&2; exit 1")
    with Sound(SPOKEN, recorded(tmp_path, "flip", "done")) as sound:
        sound.play(clips=("flip", "done"))
        assert until(lambda: sound.faults)
    assert sound.faults == ("calls are not heard: aplay: no sound card",)


def test_a_player_that_is_gone_is_told(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    program("aplay", "exit 0")
    with Sound(SPOKEN, recorded(tmp_path, "flip")) as sound:
        (tmp_path / "bin" / "aplay").unlink()
        sound.play(clips=("flip",))
        assert until(lambda: sound.faults)
    assert "No such file" in sound.faults[0]


def test_a_player_that_hangs_is_cut_off(
    program: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("aplay", "exec /bin/sleep 60")
    monkeypatch.setattr("hardware.sound.sound.MAX_CLIP_S", 0.2)
    with Sound(SPOKEN, recorded(tmp_path, "flip")) as sound:
        sound.play(clips=("flip",))
        assert until(lambda: sound.faults)
    assert "it took longer than" in sound.faults[0]


def test_what_waited_behind_a_hanging_player_is_outdated_and_not_said(
    program: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hang = 'echo "$2" >> {told}; case "$2" in *flip*) exec /bin/sleep 60;; esac'
    told = program("aplay", hang)
    monkeypatch.setattr("hardware.sound.sound.MAX_CLIP_S", 0.5)
    monkeypatch.setattr("hardware.sound.sound.MAX_CUE_AGE_S", 0.4)
    with Sound(SPOKEN, recorded(tmp_path / "clips", "flip", "left_7", "done", "pause")) as sound:
        sound.play(clips=("flip", "left_7"))
        sound.play(clips=("done",))
        assert until(lambda: sound.faults)
        sound.play(clips=("pause",))
        assert until(lambda: len(lines(told)) > 1)
    assert [Path(line).stem for line in lines(told)] == ["flip", "pause"]


def test_the_table_closes_at_once_in_the_middle_of_a_clip(
    program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    told = program("aplay", "echo on > {told}; exec /bin/sleep 60")
    with Sound(SPOKEN, recorded(tmp_path, "flip")) as sound:
        sound.play(clips=("flip", "flip"))
        assert until(lambda: lines(told))
        begun = time.monotonic()
    assert time.monotonic() - begun < 3
    assert sound.faults == ()


def test_only_the_newest_cues_wait(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    told = program("aplay", 'echo "$2" >> {told}; exec /bin/sleep 0.2')
    names = [f"left_{n}" for n in range(10)]
    folder = recorded(tmp_path / "clips", *names)
    with Sound(SPOKEN, folder) as sound:
        for name in names:
            sound.play(clips=(name,))
        assert until(lambda: len(lines(told)) >= 3 and lines(told)[-1].endswith("left_9.wav"))
    assert len(lines(told)) < len(names)


def test_another_player_is_called_as_it_wants_it(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    told = program("paplay", 'echo "$@" >> {told}')
    folder = recorded(tmp_path / "clips", "flip")
    with Sound(Controls(speech=Speech(Language.DE, Player.PAPLAY)), folder) as sound:
        sound.play(clips=("flip",))
        assert until(lambda: lines(told))
    assert lines(told) == [f"{folder}/de/flip.wav"]


def test_a_buzzer_plays_the_tune_and_is_silent_afterwards() -> None:
    table = SimulatedControls(BUZZING)
    with Sound(BUZZING, pins=table.pins) as sound:
        sound.play(Pattern.ACCEPTED)
        pin = table.pins.pin(12)
        assert until(lambda: pin.state == 0.5)
        assert pin.frequency == pytest.approx(880, abs=1)
        assert until(lambda: pin.state == 0)


def test_a_table_without_sound_is_silent() -> None:
    with Sound(Controls()) as sound:
        sound.play(Pattern.WINNER, ("winner",))
    assert sound.faults == ()


@pytest.mark.parametrize("pattern", Pattern)
def test_no_tune_is_long_and_every_tone_is_within_the_buzzers_reach(pattern: Pattern) -> None:
    notes = TUNES[pattern]
    assert sum(note.ms for note in notes) <= 1000 * MAX_TUNE_S
    assert all(note.hertz == 0 or 55 <= note.hertz <= 3520 for note in notes)


def test_every_tune_is_another() -> None:
    tunes = [tune for tune in TUNES.values() if tune]
    assert len(set(tunes)) == len(tunes) == 7


def test_the_same_is_said_in_every_language() -> None:
    english, german = phrases(Language.EN), phrases(Language.DE)
    assert english.keys() == german.keys()
    assert (english["left_7"], german["left_7"]) == ("7 left", "noch 7")
    assert all(len(words) == len(Language) for words in PHRASES.values())


def test_what_nobody_recorded_is_left_out(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    told = program("aplay", 'echo "$2" >> {told}')
    with Sound(SPOKEN, recorded(tmp_path / "clips", "left_7")) as sound:
        sound.play(clips=("snap", "left_7"))
        assert until(lambda: lines(told))
    assert (len(lines(told)), sound.faults) == (1, ())


def test_clips_are_rendered_whole_by_espeak(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    told = program("espeak-ng", 'echo "$@" >> {told}; while [ $1 != -w ]; do shift; done; echo wave > "$2"')
    paths = list(render_clips({"flip": "Flip", "left_7": "noch 7"}, Language.DE, tmp_path))
    assert [path.read_text(encoding="utf-8") for path in paths] == ["wave\n"] * 2
    assert "-v de" in lines(told)[0]
    assert lines(told)[1].endswith(" noch 7")
    assert sorted(path.name for path in (tmp_path / "de").iterdir()) == ["flip.wav", "left_7.wav"]


def test_without_espeak_it_says_what_to_install(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    program("true", "exit 0")
    with pytest.raises(NoSpeech, match="sudo apt install espeak-ng"):
        list(render_clips({"flip": "Flip"}, Language.EN, tmp_path))


def test_an_espeak_that_fails_is_told(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    program("espeak-ng", "exit 1")
    with pytest.raises(NoSpeech, match="could not speak 'Flip'"):
        list(render_clips({"flip": "Flip"}, Language.EN, tmp_path))


def test_a_folder_that_cannot_be_written_is_told(program: Callable[[str, str], Path], tmp_path: Path) -> None:
    program("espeak-ng", "exit 0")
    (tmp_path / "en").write_text("a file", encoding="utf-8")
    with pytest.raises(BadOutput, match="choose another folder"):
        list(render_clips({"flip": "Flip"}, Language.EN, tmp_path))


def test_the_real_espeak_speaks(tmp_path: Path) -> None:
    try:
        (path,) = render_clips({"left_7": "seven left"}, Language.EN, tmp_path)
    except NoSpeech:
        pytest.skip("espeak-ng is not installed")
    with wave.open(str(path)) as sound:
        assert 0.3 < sound.getnframes() / sound.getframerate() < 2
