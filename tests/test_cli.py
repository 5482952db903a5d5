"""The companion command: picking a command, saying what went wrong, ending with the right status."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion import cli, errors
from companion.errors import BadPicture, CompanionError


def nothing(_: argparse.Namespace) -> None:
    """Do nothing."""


def play(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[argparse.Namespace], object], status: int = 0
) -> dict[str, object]:
    """Put a command ``play`` beside the real ones; return where its logging's settings will stand."""
    logged: dict[str, object] = {}

    def arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("words", nargs="*")

    def run(args: argparse.Namespace) -> int:
        act(args)
        return status

    command = SimpleNamespace(arguments=arguments, run=run)
    monkeypatch.setitem(cli.COMMANDS, "play", "play a game")
    monkeypatch.setitem(sys.modules, "companion.commands.play", command)
    monkeypatch.setattr(logging, "basicConfig", lambda **settings: logged.update(settings))
    return logged


def raiser(error: BaseException) -> Callable[[argparse.Namespace], object]:
    def act(_: argparse.Namespace) -> object:
        raise error

    return act


def test_the_version_is_that_of_the_projects_file(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"tableau-companion {project['version']}\n"


@pytest.mark.parametrize(
    "words",
    [
        ["log", "verify", "LONG"],
        ["log", "repair", "LONG"],
        ["export", "game", "--log", "LONG"],
        ["referee", "game.jsonl", "--log", "LONG"],
        ["enrol", "kitchen", "LONG", "--order=A B"],
        ["enrol", "kitchen", "a.jpg", "--order=A B", "--to", "LONG"],
        ["calibrate", "lens", "LONG", "--profile", "p.toml"],
        ["calibrate", "light", "LONG"],
        ["calibrate", "table", "a.jpg", "--profile", "LONG"],
        ["sheets", "--out", "LONG"],
        ["web", "--log", "LONG"],
    ],
    ids=" ".join,
)
def test_a_name_that_no_file_can_have_is_refused_in_words(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([word.replace("LONG", "x" * 300) for word in words])
    assert ended.value.code == 2
    assert "a name has at most 255 bytes" in capsys.readouterr().err


def test_a_command_gets_the_words_after_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[str] = []
    play(monkeypatch, lambda args: got.extend(args.words))
    monkeypatch.setattr(sys, "argv", ["companion", "play", "a b", "*.jpg"])
    cli.main()
    assert got == ["a b", "*.jpg"]


@pytest.mark.parametrize("status", [0, 1, 7])
def test_the_status_of_the_command_is_the_status_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    play(monkeypatch, nothing, status)
    assert cli.main(["play"]) == status


def test_a_fault_is_one_line_that_names_the_command_and_sets_the_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, raiser(BadPicture("x.jpg: no such file; check its name")))
    assert cli.main(["play"]) == 2
    assert capsys.readouterr().err == "companion play: x.jpg: no such file; check its name\n"


def test_a_fault_may_bring_a_status_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(CompanionError):
        exit_status = 5

    play(monkeypatch, raiser(Gone("gone")))
    assert cli.main(["play"]) == 5


def test_a_fault_that_nobody_foresaw_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, raiser(ZeroDivisionError("odd")))
    with pytest.raises(ZeroDivisionError, match="odd"):
        cli.main(["play"])


def test_stopping_by_the_keyboard_is_quiet_and_has_the_usual_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, raiser(KeyboardInterrupt()))
    assert cli.main(["play"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_reader_that_has_left_ends_the_command_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-P", "-m", "companion", "--help"]
    said = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (said.returncode, said.stderr) == (141, b"")


@pytest.mark.parametrize(
    ("where", "status", "says"),
    [(">/dev/full", 2, b"companion rules: the disk is full: delete files, and try again\n"), (">&-", 0, b"")],
)
def test_output_that_cannot_be_written_is_told_in_a_line(where: str, status: int, says: bytes) -> None:
    command = ["sh", "-c", f'"$0" -P -m companion rules {where}', sys.executable]
    said = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    assert (said.returncode, said.stderr) == (status, says)


def test_output_that_nobody_reads_is_dropped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play(monkeypatch, raiser(BrokenPipeError()))
    with (tmp_path / "out").open("w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert cli.main(["play"]) == 141
        out.write("more")
    assert (tmp_path / "out").read_text() == ""


@pytest.mark.parametrize(("own", "then"), [(None, "1"), ("3", "3")])
def test_small_equations_are_solved_on_one_thread_unless_somebody_chose_otherwise(
    monkeypatch: pytest.MonkeyPatch, own: str | None, then: str
) -> None:
    name = "OPENBLAS_NUM_THREADS"
    monkeypatch.setenv(name, own or "")
    if own is None:
        monkeypatch.delenv(name)
    play(monkeypatch, nothing)
    assert cli.main(["play"]) == 0
    assert os.environ[name] == then


@pytest.mark.parametrize(("words", "level"), [([], logging.WARNING), (["-v"], logging.DEBUG)])
def test_only_with_v_does_a_command_say_more(
    monkeypatch: pytest.MonkeyPatch, words: list[str], level: int
) -> None:
    logged = play(monkeypatch, nothing)
    cli.main(["play", *words])
    assert logged["level"] == level


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_lists_every_command_on_standard_output(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([word]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    for name, what in cli.COMMANDS.items():
        assert f"{name} " in said.out
        assert what in said.out


def test_python_runs_the_companion_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["companion", "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("companion", run_name="__main__")
    assert end.value.code == 0
    assert capsys.readouterr().out == f"{cli.usage()}\n"


def test_no_word_at_all_gets_the_list_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("companion: which command?\n\nusage: companion COMMAND ...\n")


def test_a_mistyped_command_gets_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["raed", "x.jpg"]) == 2
    assert "companion: no command 'raed'; did you mean 'read'?\n" in capsys.readouterr().err


def test_a_word_that_resembles_no_command_gets_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["zzzzzz"]) == 2
    assert "companion: no command 'zzzzzz'\n\nusage:" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_every_command_in_the_list_is_there_and_explains_itself(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([name, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: companion {name} ")
    assert callable(importlib.import_module(f"companion.commands.{name.replace('-', '_')}").run)


def test_the_list_of_commands_is_shown_without_loading_any_picture_library() -> None:
    check = (
        "import sys; from companion.cli import main; main(['--help']);"
        "sys.exit(', '.join({'cv2', 'numpy', 'onnxruntime', 'flask'} & set(sys.modules)) or 0)"
    )
    said = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")


def leaves(root: type[CompanionError]) -> list[type[CompanionError]]:
    return [leaf for child in root.__subclasses__() for leaf in (leaves(child) or [child])]


@pytest.mark.parametrize(
    "error", [value for value in vars(errors).values() if isinstance(value, type)], ids=lambda e: e.__name__
)
def test_every_error_of_the_companion_sets_a_status_that_tells_a_script_of_the_fault(
    error: type[CompanionError],
) -> None:
    assert issubclass(error, CompanionError)
    assert 1 <= error.exit_status <= 125


def test_every_particular_error_is_also_one_that_python_knows() -> None:
    known = (ValueError, TypeError, LookupError, OSError, RuntimeError)
    particular = [error for error in leaves(CompanionError) if error.__module__.startswith("companion")]
    assert particular
    assert [error for error in particular if not issubclass(error, known)] == []
