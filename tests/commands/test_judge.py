"""The word judge: a whole play in, one verdict out, and never which word."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from companion.cli import main
from companion.commands.judge import desk, wait
from companion.words import Lexicon, Rare, WordList
from companion.words.judging import VERDICT_DISPLAY_S

LEXICON = Lexicon(WordList.written("small", ["cat", "cot"], rare=["zax"]))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def judged_by(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines printed, without the one that names the list."""
    *lines, last = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"judged by default \([\d,]+ words, sha256 [0-9a-f]{12}\)", last)
    return lines


@pytest.mark.parametrize(
    ("play", "status", "verdict"),
    [
        (["CAT", "dog"], 0, "ACCEPTABLE"),
        (["CAT", "xqz"], 1, "NOT ACCEPTABLE"),
        (["zax"], 0, "ACCEPTABLE"),  # rare words are for the lenient, and that is the default
        (["--lenient", "zax"], 0, "ACCEPTABLE"),
        (["--no-rare", "zax"], 1, "NOT ACCEPTABLE"),
        (["--strict", "cat"], 0, "ACCEPTABLE"),
        (["--strict", "zax", "cat"], 1, "ASK THE TABLE"),
        (["--strict", "zax", "xqz"], 1, "NOT ACCEPTABLE"),
    ],
)
def test_one_verdict_is_printed_for_the_whole_play(
    play: list[str], status: int, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", *play]) == status
    assert judged_by(capsys) == [verdict]


def test_no_word_is_told_to_be_at_fault(capsys: pytest.CaptureFixture[str]) -> None:
    main(["judge", "cat", "xqz", "--json"])
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["verdict"], verdict["acceptable"], verdict["words"]) == ("NOT ACCEPTABLE", False, 2)
    assert "xqz" not in json.dumps(verdict).lower()


def test_programs_learn_which_list_judged_and_how(capsys: pytest.CaptureFixture[str]) -> None:
    main(["judge", "--json", "--strict", "zax"])
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["acceptable"], verdict["policy"]) == (None, "strict")
    assert (verdict["list"]["name"], len(verdict["list"]["sha256"])) == ("default", 64)
    assert verdict["judged_by"].startswith("default (")


def test_each_word_is_told_of_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "--each", "--strict", "cat", "zax", "xqz"]) == 1
    assert judged_by(capsys) == [
        "CAT  valid",
        "ZAX  rare, ask the table",
        "XQZ  not listed",
        "NOT ACCEPTABLE",
    ]


def test_programs_learn_of_each_word_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    main(["judge", "--each", "--json", "cat", "zax"])
    assert json.loads(capsys.readouterr().out)["each"] == [
        {"word": "CAT", "verdict": "valid", "valid": True},
        {"word": "ZAX", "verdict": "rare", "valid": True},
    ]


def test_with_the_family_switch_offensive_words_are_judged_and_not_displayed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["judge", "--each", "--family", "shit", "cat"]) == 0
    assert judged_by(capsys) == ["****  valid", "CAT  valid", "ACCEPTABLE"]


def test_another_list_judges_where_it_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "farm.txt").write_text("cow\n", encoding="utf-8")
    main(["words", "add", str(tmp_path / "farm.txt")])
    capsys.readouterr()
    assert main(["judge", "--list", "farm", "cat"]) == 1
    assert "judged by farm (1 words, sha256 " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("play", "told"),
    [
        (["c4t"], "'c4t' cannot be judged"),
        (["a"], "'a' cannot be judged"),
        (["it's"], "2 to 60 letters"),
        (["cat,dog"], "'cat,dog' cannot be judged"),
        (["a" * 61], "cannot be judged"),
        (["cat"] * 100, "at most 99 words; got 100"),
        (["--list", "nothing", "cat"], "no word list 'nothing'"),
        ([], "no words to judge"),
        (["--log", "/dev/null/log", "cat"], "log /dev/null/log: Not a directory"),
    ],
)
def test_what_cannot_be_judged_is_refused_with_status_two(
    play: list[str], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    assert main(["judge", *play]) == 2
    said = capsys.readouterr()
    assert (said.out, told in said.err) == ("", True)


def test_what_was_judged_is_noted_in_a_log_and_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "judge.log"
    main(["judge", "--log", str(log), "cat", "dog"])
    main(["judge", "--log", str(log), "--strict", "zax"])
    first, second = log.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"\S+ \S+ judged CAT DOG: ACCEPTABLE by default \(.*\), lenient", first)
    assert re.fullmatch(r"\S+ \S+ judged ZAX: ASK THE TABLE by default \(.*\), strict", second)
    said = capsys.readouterr()
    assert "CAT" not in said.out + said.err


class Players:
    """Answers questions at the desk from a script and remembers what was asked and how long was waited."""

    def __init__(self, *answers: str) -> None:
        self.answers = iter(answers)
        self.screen = StringIO()
        self.questions: list[str] = []
        self.waited: list[float] = []

    def ask(self, question: str) -> str:
        self.questions.append(question)
        try:
            return next(self.answers)
        except StopIteration:
            raise EOFError from None

    def sit_down(self, *, rare: Rare = Rare.ACCEPT, terminal: bool = True) -> str:
        console = Console(file=self.screen, force_terminal=terminal, color_system=None, width=100)
        assert desk(LEXICON, rare, console, self.ask, self.waited.append) == 0
        return self.screen.getvalue()


def test_the_desk_asks_for_the_number_of_words_and_then_for_each() -> None:
    players = Players("2", "cat", "cot")
    screen = players.sit_down()
    assert players.questions == ["How many words? ", "Word 1 of 2: ", "Word 2 of 2: ", "How many words? "]
    assert "ACCEPTABLE" in screen
    assert "NOT ACCEPTABLE" not in screen


def test_the_desk_does_not_say_which_word_is_at_fault() -> None:
    screen = Players("2", "cat", "dog").sit_down()
    assert "NOT ACCEPTABLE" in screen
    assert "dog" not in screen.lower()


def test_the_desk_shows_each_verdict_for_ten_seconds_and_then_clears_the_screen_and_what_scrolled_off() -> (
    None
):
    players = Players("1", "cat", "1", "cot")
    screen = players.sit_down()
    assert (VERDICT_DISPLAY_S, players.waited) == (10.0, [10.0, 10.0])
    after_the_last_verdict = screen.rsplit("ACCEPTABLE", 1)[1]
    assert "\x1b[3J" in after_the_last_verdict
    assert "\x1b[2J" in after_the_last_verdict


def test_the_strict_desk_leaves_rare_words_to_the_table() -> None:
    assert "ASK THE TABLE" in Players("1", "zax").sit_down(rare=Rare.ASK)


def test_the_desk_asks_again_where_an_answer_cannot_be_meant() -> None:
    players = Players("0", "many", "100", "1", "c4t", " cat ")
    screen = players.sit_down()
    assert players.questions == ["How many words? "] * 4 + ["Word 1 of 1: "] * 2 + ["How many words? "]
    assert screen.count("A number from 1 to 99, please.") == 3
    assert "'c4t' cannot be judged" in screen


def test_a_screen_that_is_no_terminal_gets_no_control_codes() -> None:
    assert "\x1b" not in Players("1", "cat").sit_down(terminal=False)


def test_the_desk_names_the_list_that_judges() -> None:
    assert f"Word judge: {LEXICON.label}." in Players().sit_down()


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    keys, screen = pty.openpty()
    yield keys, screen
    os.close(keys)
    os.close(screen)


def test_on_a_terminal_and_without_words_the_judge_keeps_its_desk(terminal: tuple[int, int]) -> None:
    keys, screen = terminal
    with subprocess.Popen(
        [sys.executable, "-m", "companion", "judge"], stdin=screen, stdout=screen, stderr=screen
    ) as process:
        os.write(keys, b"1\ncat\n")
        seen = b""
        while b"ACCEPTABLE" not in seen:
            seen += os.read(keys, 4096)
        process.kill()
    assert b"Word judge: default" in seen


def test_keys_pressed_while_a_verdict_is_shown_are_forgotten(
    terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, screen = terminal
    with os.fdopen(os.dup(screen)) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        os.write(keys, b"early\n")
        wait(0.05)
        os.write(keys, b"late\n")
        assert stdin.readline() == "late\n"
