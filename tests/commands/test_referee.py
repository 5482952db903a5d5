"""``companion referee``: what it takes, what it prints, and how it tells of faults."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main

SET_UP = {
    "game": "bananagrams",
    "seats": ["north", "east"],
    "options": {"policy": "strict"},
    "lexicon": ["cat", "cot", "at", "to"],
}
START = {"at": 0, "host": "start"}
SPLIT = {"at": 1, "seat": 1, "call": "split"}


def script(tmp_path: Path, *lines: Any) -> str:
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return str(path)


def told(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_it_prints_one_object_for_each_line_of_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["referee", "--json", script(tmp_path, SET_UP, START, "", SPLIT)]) == 0
    assert [(line["line"], line["at"]) for line in told(capsys)] == [(1, 0), (2, 0), (4, 1)]


def test_the_contracts_example_is_told_as_the_contract_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = {"grid": ["CAT", "..O", "..." + "X" * 15], "loose": "QZ"}
    lines = (
        SET_UP,
        START,
        SPLIT,
        {"at": 9.1, "seat": 1, "sees": seen},
        {"at": 9.2, "seat": 1, "call": "peel"},
    )
    assert main(["referee", "--json", script(tmp_path, *lines)]) == 0
    last = told(capsys)[-1]
    assert {
        name: last[name] for name in ("line", "at", "accepted", "reason", "phase", "round", "pool", "winner")
    } == {
        "line": 5,
        "at": 9.2,
        "accepted": False,
        "reason": "2 tiles are not placed yet: Q Z",
        "phase": "playing",
        "round": 1,
        "pool": 102,
        "winner": None,
    }
    assert last["seats"][0] == {
        "name": "north",
        "hand": 21,
        "face_down": 0,
        "placed": 19,
        "verdict": {"valid": False, "invalid_words": ["X" * 15], "islands": 2, "loose": 2, "doubts": 0},
        "place": None,
        "score": 0,
        "total": 0,
        "handicap": None,
    }
    assert last["events"] == [
        {
            "number": 8,
            "event": "CallRefused",
            "seat": 1,
            "call": "peel",
            "reason": "2 tiles are not placed yet: Q Z",
        }
    ]


def test_without_json_it_prints_a_readable_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (
        SET_UP,
        START,
        SPLIT,
        {"at": 2.25, "seat": 2, "call": "peel"},
        {"at": 61, "referee": "disqualify", "seat": 2, "reason": "looked"},
        {"at": 62, "referee": "rule_word", "word": "cato", "valid": True, "reason": "a Roman"},
    )
    assert main(["referee", script(tmp_path, *lines)]) == 0
    text = capsys.readouterr().out
    assert "0:02.250  east: peel refused: the camera has not seen east's tiles yet\n" in text
    assert "1:01.000  referee: disqualify east: looked\n" in text
    assert "1:02.000  referee: rule_word word cato valid yes: a Roman\n" in text


def test_a_dash_is_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(SET_UP)))
    assert main(["referee", "--json", "-"]) == 0
    assert told(capsys)[0]["phase"] == "setup"


def test_the_default_list_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up = {**SET_UP, "lexicon": "default"}
    lines = (set_up, START, SPLIT, {"at": 2, "seat": 1, "sees": {"grid": ["HOUSE"]}})
    assert main(["referee", "--json", script(tmp_path, *lines)]) == 0
    assert told(capsys)[-1]["seats"][0]["verdict"]["invalid_words"] == []


def test_a_second_list_for_long_words_can_be_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up = {"game": "chew", "seats": ["a"], "lexicon": ["aa"], "long_lexicon": ["b" * 16]}
    lines = (set_up, START, {"at": 2, "seat": 1, "call": "lookup", "word": "b" * 16})
    assert main(["referee", "--json", script(tmp_path, *lines)]) == 0
    assert told(capsys)[-1]["events"][-1]["valid"] is True


def test_the_game_is_kept_in_a_log_that_it_is_given(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    path = script(tmp_path, SET_UP, START)
    assert main(["referee", "--log", log, "--game", "evening", path]) == 0
    assert main(["log", "verify", log]) == 0
    assert main(["referee", "--log", log, "--game", "evening", path]) == 2


FAULTS = [
    ("not JSON", "line 2: not JSON"),
    ("[1]", "line 2: a line must be a JSON object"),
    ('{"at": NaN, "host": "start"}', "line 2: not JSON: NaN is no number"),
    ("[" * 100_000, "line 2: a line is longer than 65536 characters"),
    ("[" * 60_000, "line 2: not JSON"),
    (
        {"at": 0, "referee": "overturn_done", "seat": 1, "reason": "a \ud800 sleeve"},
        "line 2: a text has half of a sign in it",
    ),
    ({"at": 0, "\udfff": 1, "host": "start"}, "line 2: a text has half of a sign in it"),
    ({"at": 0}, "line 2: a line needs exactly one of host, sees, call, board, referee; got none"),
    ({"at": 0, "host": "start", "call": "peel"}, "got host, call"),
    ({"host": "start"}, "'at' must be seconds from 0 to 1000000; got None"),
    ({"at": -1, "host": "start"}, "'at' must be seconds from 0"),
    ({"at": True, "host": "start"}, "'at' must be seconds from 0"),
    ({"at": 0, "host": "strat"}, "no order 'strat'; did you mean 'start'"),
    ({"at": 0, "host": ["start"]}, "no order ['start']"),
    ({"at": 0, "host": "start", "set": 1}, "a host's line has no 'set'"),
    ({"at": 0, "call": "peel"}, "a call needs a 'seat'"),
    ({"at": 0, "seat": 3, "call": "peel"}, "'seat' must be 1 to 2; got 3"),
    ({"at": 0, "seat": 1, "call": "peal"}, "Bananagrams has no call 'peal'; did you mean 'peel'"),
    ({"at": 0, "seat": 1, "call": ["peel"]}, "'call' must be a text; got ['peel']"),
    ({"at": 0, "seat": 1, "call": "peel", "tiles": 3}, "peel takes no 'tiles'"),
    ({"at": 0, "seat": 1, "sees": "CAT"}, "'sees' must be an object"),
    ({"at": 0, "seat": 1, "sees": {"gird": ["CAT"]}}, "'sees' has no 'gird'; did you mean 'grid'"),
    ({"at": 0, "seat": 1, "sees": {"grid": "CAT"}}, "'grid' must be a list of texts"),
    ({"at": 0, "seat": 1, "sees": {"grid": ["C T"]}}, "' ' is no symbol"),
    ({"at": 0, "seat": 1, "sees": {"loose": 3}}, "'loose' must be letters; got 3"),
    ({"at": 0, "seat": 1, "sees": {"loose": "A" * 401}}, "at most 400 loose tiles; got 401"),
    ({"at": 0, "seat": 1, "sees": {"face_down": "3"}}, "'face_down' must be a number of tiles; got '3'"),
    ({"at": 0, "seat": 1, "sees": {"face_down": -3}}, "face_down must be 0 to 400; got -3"),
    ({"at": 0, "seat": 1, "sees": {"grid": ["CAT"], "doubts": [[1, 1]]}}, "a doubt must name a cell"),
    ({"at": 0, "seat": 1, "sees": {"grid": ["CAT"], "unread": [[0, 1]]}}, "must be in doubt; got [0, 1]"),
    (
        {"at": 0, "seat": 1, "sees": {"grid": ["CAT"], "doubts": [[1]]}},
        "must be a cell [row, column]; got [1]",
    ),
    ({"at": 0, "seat": 1, "sees": {"grid": ["CAT"], "doubts": 3}}, "must be a list of at most 400"),
    ({"at": 0, "seat": 1, "sees": {"grid": ["A" * 300] * 2}}, "a tableau has at most 400 tiles; got 600"),
    ({"at": 0, "sees": {}}, "'sees' needs a 'seat'"),
    ({"at": 0, "board": 3}, "'board' must be an object"),
    ({"at": 0, "board": {"cells": [[1, 2]]}}, "must be [row, column, symbol]; got [1, 2]"),
    ({"at": 0, "board": {"cells": [[1, 2, "1"], [1, 2, "0"]]}}, "a board's cell is named twice: [1, 2]"),
    ({"at": 0, "board": {"cells": [[1, 2, "NONSENSES"]]}}, "must be a tile's symbol"),
    ({"at": 0, "board": {"pieces": []}}, "'pieces' must name cells by seat"),
    ({"at": 0, "board": {"pieces": {"x": []}}}, "'pieces' must be named by seat, from 1; got 'x'"),
    ({"at": 0, "referee": "disqualify", "seat": 1}, "disqualify needs a 'reason'"),
    (
        {"at": 0, "referee": "rule_word", "word": 3, "valid": True, "reason": "x"},
        "'word' must be one word of letters",
    ),
    (
        {"at": 0, "referee": "rule_word", "word": "a", "valid": 1, "reason": "x"},
        "'valid' must be true or false",
    ),
    ({"at": 0, "referee": "set_place", "seat": 1, "place": 0, "reason": "x"}, "whole number from 1 to 100"),
]


@pytest.mark.parametrize(("line", "says"), FAULTS)
def test_a_fault_ends_with_2_and_names_the_line_and_the_reason(
    line: Any, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["referee", script(tmp_path, SET_UP, line)]) == 2
    assert says in capsys.readouterr().err


SET_UP_FAULTS = [
    ({**SET_UP, "game": "bananagram"}, "line 1: no game 'bananagram'; did you mean 'bananagrams'"),
    ({**SET_UP, "game": ["chew"]}, "line 1: 'game' must be a text; got ['chew']"),
    ({**SET_UP, "options": {"polcy": "off"}}, "line 1: no option 'polcy'; did you mean 'policy'"),
    ({**SET_UP, "options": {"policy": "of"}}, "did you mean 'off'"),
    ({**SET_UP, "options": []}, "'options' must be an object"),
    ({**SET_UP, "seats": "north"}, "'seats' must be a list of texts"),
    ({**SET_UP, "seats": []}, "Bananagrams is for 1 to 13 players; got 0"),
    ({**SET_UP, "lexicon": 3}, "'lexicon' must be a list of texts"),
    ({**SET_UP, "lexicon": ["don't"]}, "a word has letters only"),
    ({**SET_UP, "lexicon": "oxford"}, "no word list 'oxford'"),
    ({**SET_UP, "set": 3}, "the set-up has no 'set'"),
    ({"game": "chew"}, "the set-up needs seats"),
    ("{", "line 1: not JSON"),
    ({**SET_UP, "lexicon": ["cat", "d\udc00g"]}, "line 1: a text has half of a sign in it"),
    ({"game": "chew", "seats": ["a"] * 1, "options": {"handicaps": [134, 134]}}, "2 handicaps for 1 seats"),
]


@pytest.mark.parametrize(("line", "says"), SET_UP_FAULTS)
def test_a_fault_of_the_set_up_is_told(
    line: Any, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    assert main(["referee", script(tmp_path, line)]) == 2
    assert says in capsys.readouterr().err


def test_time_never_goes_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["referee", script(tmp_path, SET_UP, {"at": 5, "host": "start"}, {"at": 4.9, "host": "pause"})])
        == 2
    )
    assert "line 3: 'at' goes back from 5 to 4.9 seconds" in capsys.readouterr().err


def test_a_script_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["referee", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_a_script_that_is_no_text_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "script").write_bytes(b"\xff\xfe\x00")
    assert main(["referee", str(tmp_path / "script")]) == 2
    assert "utf-8" in capsys.readouterr().err


def test_an_empty_script_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["referee", script(tmp_path, "")]) == 2
    assert "is empty" in capsys.readouterr().err


def test_a_set_up_longer_than_any_word_list_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.rules.script.MAX_SET_UP_CHARS", 100)
    assert main(["referee", script(tmp_path, {**SET_UP, "lexicon": ["aa"] * 100})]) == 2
    assert "the set-up is longer than 100 characters" in capsys.readouterr().err
