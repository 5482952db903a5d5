"""Exports: JSON that plays back byte for byte, CSV, text, tsh."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.cli import main, run
from companion.errors import BadExport, BadLog
from companion.events import codec, exported
from companion.events.exported import MAX_EXPORTED_EVENTS, from_json, to_csv, to_json, to_tsh, to_txt
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.tsh import Player, parse_division
from tests.rules.playing import Table, all_flipped, memory_log, started


def rounds(seats: int = 2, **options: Any) -> Table:
    """Return a table after two confirmed rounds of Chew's; seat 2 is first, then seat 1."""
    table = started(seats, policy="off", **options)
    for at, first in ((10, 2), (110, 1)):
        all_flipped(table)
        others = [seat for seat in range(1, seats + 1) if seat != first]
        for n, seat in enumerate([first, *others[:-1]]):
            table.call(at + n, seat, "done")
        table.host(at + 50, "confirm", "next_round")
    return table


def test_an_exported_game_plays_back_to_the_identical_state_byte_for_byte() -> None:
    table = Table("bananagrams", policy="off")
    table.host(0, "start")
    table.call(1, 1, "split")
    table.sees(2, 1, "CAT", "..O", loose="QZ", doubts=[[0, 1]])
    table.call(3, 2, "peel")
    table.rule(4, "set_score", seat=1, score=2.5)
    name, rows = from_json(to_json("test", list(table.log.rows("test"))))
    log = memory_log()
    log.insert(name, rows)
    assert codec.dump(Match.resumed(log, "test", table.match.words).state) == codec.dump(table.state)


def test_an_export_that_was_changed_is_refused() -> None:
    text = to_json("test", list(rounds().log.rows("test"))).replace("[2,1]", "[1,2]", 1)
    with pytest.raises(BadLog, match="was changed after it was written"):
        from_json(text)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "tableau-companion game", "version": 1, "game": "x", "events": [{}]}'],
)
def test_what_is_no_export_is_told(text: str) -> None:
    with pytest.raises(BadExport, match="this is no exported game"):
        from_json(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"events":[' + "{}," * (MAX_EXPORTED_EVENTS + 1) + "{}]}",
        '{"game":[' + "[]," * 10 + '1],"events":[]}',
        '{"events":[' + "0," * (6 * MAX_EXPORTED_EVENTS + 7) + "0]}",
        '{"events":[' + '"",' * (12 * MAX_EXPORTED_EVENTS + 13) + '""]}',
    ],
)
def test_more_than_a_game_holds_is_refused_before_it_takes_memory(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json, "loads", lambda _text: pytest.fail("it was read"))
    with pytest.raises(BadExport, match="holds more than 50,000 events"):
        exported.from_json(text)


def test_signs_inside_of_texts_count_for_nothing() -> None:
    exported.check_size(json.dumps({"events": [{"body": '[[{"\\\\"}]],' * 1000}]}))


def test_an_event_that_holds_too_much_is_refused() -> None:
    one = {"number": 1, "at_ns": 0, "event": "x", "version": 1, "body": "[" + "{}," * 200_000, "hash": ""}
    text = json.dumps({"format": exported.EXPORT_FORMAT, "version": 1, "game": "x", "events": [one]})
    with pytest.raises(BadExport, match="event 1 holds more than any event does"):
        exported.from_json(text)


def test_an_export_of_a_newer_companion_is_told() -> None:
    body = json.loads(to_json("test", list(rounds().log.rows("test"))))
    with pytest.raises(BadExport, match="this companion reads tableau-companion game 1"):
        from_json(json.dumps({**body, "version": 2}))


def test_a_game_without_events_is_none() -> None:
    with pytest.raises(BadLog, match="a game starts with its set-up; this one does not"):
        to_csv("empty", [])


def test_csv_has_a_row_for_every_seat_of_every_confirmed_round() -> None:
    assert to_csv("evening", list(rounds().log.rows("test"))).split("\r\n") == [
        "game,round,seat,name,place,score,total,handicap,penalty,warnings,status",
        "evening,1,1,seat 1,2,1,1,9,0,0,",
        "evening,1,2,seat 2,1,2,2,11,0,0,",
        "evening,2,1,seat 1,1,2,3,10,0,0,",
        "evening,2,2,seat 2,2,1,3,10,0,0,",
        "",
    ]


def test_csv_holds_nothing_that_a_spreadsheet_computes() -> None:
    assert ",'=1+1," in to_csv("e", list(tabled(["=1+1", "b"]).log.rows("test")))


def tabled(names: list[str]) -> Table:
    table = Table("chew", names, policy="off")
    table.host(0, "start")
    all_flipped(table)
    table.call(1, 1, "done")
    table.host(2, "confirm")
    return table


def test_txt_is_a_readable_record() -> None:
    text = to_txt("e", list(tabled(["Ann", "Bo"]).log.rows("test")))
    assert "0:01.000  Ann: done\n" in text
    assert "0:02.000  host: confirm\n" in text


def test_tsh_has_a_line_for_every_seat_with_its_opponents_and_scores() -> None:
    assert to_tsh("e", list(rounds().log.rows("test"))).splitlines() == [
        "seat\xa01                     0 2 2; 1 2",
        "seat\xa02                     0 1 1; 2 1",
    ]


def test_tsh_leaves_the_pairings_of_larger_tables_undefined() -> None:
    assert to_tsh("e", list(rounds(3).log.rows("test"))).splitlines()[0] == (
        "seat\xa01                     0 00 00; 2 3"
    )


def shared_first() -> str:
    """Export a round whose first place two players share: (3 + 2) / 2 points each."""
    table = started(3, policy="off", flips=10)
    table.call(1, 1, "done")
    table.call(1.001, 2, "done")
    table.host(2, "confirm")
    return to_tsh("e", list(table.log.rows("test")))


def test_tsh_counts_half_points_where_a_place_is_shared_and_says_so() -> None:
    comment, *players = parse_division(shared_first().encode())
    assert comment == "# All scores count half points: 5 means 2.5 points.\n"
    assert [one.scores for one in players if isinstance(one, Player)] == [(5,), (5,), (2,)]


def test_tsh_keeps_shared_points_as_they_were_given_among_the_extras() -> None:
    found = [one.extras for one in parse_division(shared_first().encode()) if isinstance(one, Player)]
    assert found == [(("points", ("2.5",)),), (("points", ("2.5",)),), (("points", ("1",)),)]


def sanctioned() -> Table:
    """Return a confirmed round of three: one fined and warned, one replaced, one withdrawn."""
    table = started(3, policy="off", flips=10)
    table.rule(0, "penalize", seat=1, points=2)
    table.rule(0, "warn", seat=1)
    table.rule(0, "substitute", seat=2, player="Bea")
    table.rule(0, "withdraw", seat=3)
    table.call(1, 1, "done")
    table.host(2, "confirm")
    return table


def test_csv_tells_penalties_warnings_and_who_is_out() -> None:
    """Of two who are placed the first has 2 points and the second 1."""
    rows = to_csv("e", list(sanctioned().log.rows("test"))).split("\r\n")
    assert rows[1:4] == [
        "e,1,1,seat 1,1,2,0,11,2,1,",
        "e,1,2,Bea,2,1,1,9,0,0,",
        "e,1,3,seat 3,,0,0,10,0,0,withdrawn",
    ]


def test_tsh_keeps_penalties_among_the_extras_and_names_the_substitute() -> None:
    lines = to_tsh("e", list(sanctioned().log.rows("test"))).splitlines()
    assert lines[0].endswith("; 2; penalty 2")
    assert lines[1].startswith("Bea ")


def test_txt_tells_every_ruling_with_its_reason() -> None:
    text = to_txt("e", list(sanctioned().log.rows("test")))
    assert "referee: penalize seat 1 points 2: as the table saw\n" in text
    assert "referee: substitute seat 2 player Bea: as the table saw\n" in text


class TestCommand:
    def kept(self, tmp_path: Path) -> Path:
        script = tmp_path / "script.jsonl"
        lines = [
            {"game": "chew", "seats": ["Ann", "Bo"], "options": {"policy": "off"}, "lexicon": ["aa"]},
            {"at": 0, "host": "start"},
            {"at": 1, "seat": 1, "call": "flip"},
        ]
        script.write_text("\n".join(map(json.dumps, lines)))
        assert main(["referee", "--log", str(tmp_path / "log"), "--game", "evening", str(script)]) == 0
        return tmp_path / "log"

    @pytest.mark.parametrize("form", ["json", "csv", "txt", "tsh"])
    def test_every_form_is_written(
        self, form: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        log = self.kept(tmp_path)
        capfdbinary.readouterr()
        assert main(["export", "evening", "--to", form, "--log", str(log)]) == 0
        assert capfdbinary.readouterr().out

    def test_it_goes_into_a_file_and_from_there_into_another_log(self, tmp_path: Path) -> None:
        log, out, copy = self.kept(tmp_path), tmp_path / "out.json", tmp_path / "copy"
        assert main(["export", "evening", "--log", str(log), "--out", str(out)]) == 0
        assert main(["log", "import", str(copy), str(out)]) == 0
        with EventLog(log) as one, EventLog(copy) as other:
            assert list(one.rows("evening")) == list(other.rows("evening"))

    def test_a_game_that_is_not_there_is_told(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["export", "morning", "--log", str(self.kept(tmp_path))]) == 2
        assert "no game 'morning'; it has evening" in capsys.readouterr().err

    def test_a_reader_that_leaves_early_is_no_fault_of_a_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def left(_data: bytes) -> None:
            raise BrokenPipeError

        log = self.kept(tmp_path)
        monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=SimpleNamespace(write=left)))
        with pytest.raises(BrokenPipeError):
            run("export", ["evening", "--log", str(log)])

    def test_a_file_that_cannot_be_written_is_told(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        log = self.kept(tmp_path)
        assert main(["export", "evening", "--log", str(log), "--out", str(tmp_path / "no" / "file")]) == 2
        assert "No such file" in capsys.readouterr().err

    def test_a_file_too_large_for_any_game_is_told(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("companion.commands.log.MAX_EXPORT_BYTES", 10)
        (tmp_path / "large").write_text("x" * 11)
        assert main(["log", "import", str(tmp_path / "log"), str(tmp_path / "large")]) == 2
        assert "that is no exported game" in capsys.readouterr().err

    def test_a_file_that_cannot_be_read_is_told(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["log", "import", str(tmp_path / "log"), str(tmp_path / "none")]) == 2
        assert "No such file" in capsys.readouterr().err
