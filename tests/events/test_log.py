"""The log: append-only, durable, chained; optimistic append; versions."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from companion.errors import BadLog
from companion.events import codec
from companion.events.checking import findings
from companion.events.log import EventLog, sidecar_path
from companion.events.match import Match
from companion.events.replay import history
from companion.model.calls import SECOND, Called, Order, Ordered
from companion.model.phrases import Message, phrase
from companion.model.sightings import Board
from companion.rules.event import Announced, BoardSeen, Disqualified, Event, GameSetUp, Stamped
from companion.rules.registry import game
from companion.version import VERSION
from companion.words.lexicon import Lexicon
from tests.rules.playing import memory_log

WORDS = Lexicon.of("test", ["aa"])


def begun(log: EventLog, name: str = "one") -> Match:
    match = Match.begun(log, name, game("bananagrams"), ["north", "east"], {"policy": "off"}, WORDS)
    match.handle(Ordered(0, Order.START))
    match.handle(Called(SECOND, 1, "split"))
    return match


def test_it_waits_for_the_disk_and_writes_ahead(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as log:
        modes = [
            log.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
        ]
    assert modes == ["wal", 2]  # 2 is FULL


def test_a_closed_log_can_be_read_by_who_may_write_nothing() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        with EventLog(path) as log:
            begun(log)
            assert sidecar_path(path, "-wal").exists()
        Path(folder).chmod(0o555)
        with who_may_write_nothing(), EventLog(path, writable=False) as log:
            assert log.games() == ["one"]
        Path(folder).chmod(0o755)


@contextmanager
def who_may_write_nothing() -> Iterator[None]:
    """Be another user than root during the block; others may not write to a folder of 0555."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(was)


def test_a_log_stays_in_write_ahead_mode_when_it_is_closed(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as log:
        begun(log)
    assert (tmp_path / "log").read_bytes()[18:20] == b"\2\2"  # SQLite file format, 1.3.3


def test_a_transaction_that_a_power_cut_left_half_done_is_taken_back(tmp_path: Path) -> None:
    path = half_done(tmp_path)
    with EventLog(path) as log:
        assert max(row.number for row in log.rows("one")) < 100


def half_done(folder: Path) -> Path:
    """Return a log beside which lies the journal of a transaction that was under way."""
    with EventLog(folder / "whole") as log:
        begun(log)
    with closing(sqlite3.connect(folder / "whole", isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode=DELETE; PRAGMA cache_size=1; BEGIN IMMEDIATE;")
        row = ("one", 0, "Announced", 1, "x" * 5000, b"")
        for number in range(100, 160):
            connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (row[0], number, *row[1:]))
        for ending in ("", "-journal"):
            shutil.copy(sidecar_path(folder / "whole", ending), sidecar_path(folder / "log", ending))
        connection.execute("ROLLBACK")
    return folder / "log"


@pytest.mark.parametrize(
    "body", [b"\xff\xd8\xff\xe0 a photograph", b"hello " * 1000, b"SQLite format 3\0" + b"x" * 5000]
)
def test_what_is_no_log_is_refused_and_stays_as_it_is(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "photo.jpg").write_bytes(body)
    for writable in (True, False):
        with pytest.raises(BadLog, match="is no log of games"):
            EventLog(tmp_path / "photo.jpg", writable=writable)
    assert (tmp_path / "photo.jpg").read_bytes() == body


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(BadLog, match="is no file"):
        EventLog(tmp_path)


def test_a_log_that_was_only_just_begun_is_opened_again(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "log")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    EventLog(tmp_path / "log").close()


def test_a_log_that_somebody_reads_is_closed_at_once_and_stays_readable(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as log:
        begun(log)
        with EventLog(tmp_path / "log", writable=False) as reader:
            assert reader.games() == ["one"]
            started = time.perf_counter()
            log.close()
            assert time.perf_counter() - started < 5
            assert reader.head("one")[0] > 0


def test_a_game_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as log:
        match = begun(log)
        match.handle(Called(2 * SECOND, 1, "dump"))
        before = codec.dump(match.state)
    with EventLog(tmp_path / "log") as log:
        assert codec.dump(Match.resumed(log, "one", WORDS).state) == before


def test_the_log_names_the_list_that_judges_with_its_hash() -> None:
    log = memory_log()
    begun(log)
    assert f'"words":"{WORDS.label}"' in next(log.rows("one")).body
    assert "sha256" in WORDS.label


def test_a_game_does_not_go_on_with_other_words() -> None:
    log = memory_log()
    begun(log)
    with pytest.raises(BadLog, match=r"game one is judged by test \(1 words, .*cannot go on with other"):
        Match.resumed(log, "one", Lexicon.of("other", ["aa"]))


def test_an_option_younger_than_the_log_has_its_default() -> None:
    log = memory_log()
    log.append("one", [Stamped(1, 0, GameSetUp("bananagrams", ("a", "b"), {"tie_ms": 9}, WORDS.label, 144))])
    options = Match.resumed(log, "one", WORDS).state.options
    assert (options["tie_ms"], options["peel_merge_ms"]) == (9, 1500)


def test_a_game_says_which_companion_began_it_and_an_older_one_says_nothing() -> None:
    log = memory_log()
    begun(log)
    (row,) = log.rows_of("one", "GameSetUp")
    body = json.loads(row.body)
    assert body.pop("program") == VERSION
    older = codec.decode({"GameSetUp": GameSetUp}, "GameSetUp", 1, json.dumps(body))
    assert isinstance(older, GameSetUp)
    assert older.program == ""


def test_a_resumed_game_goes_on(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as log:
        begun(log)
        match = Match.resumed(log, "one", WORDS)
        assert match.handle(Called(2 * SECOND, 1, "dump"))[0].number == match.number - 3


def test_events_can_be_neither_changed_nor_deleted() -> None:
    log = memory_log()
    begun(log)
    for statement in ("UPDATE events SET body = ''", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            log.connection.execute(statement)


def test_who_writes_to_a_game_that_has_gone_on_is_refused(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as one, EventLog(tmp_path / "log") as other:
        first = begun(one)
        second = Match.resumed(other, "one", WORDS)
        first.handle(Called(2 * SECOND, 1, "dump"))
        with pytest.raises(BadLog, match="event 7 does not follow the last one in the log, 10"):
            second.handle(Called(3 * SECOND, 2, "dump"))


def test_a_refused_append_changes_neither_state_nor_log(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as one, EventLog(tmp_path / "log") as other:
        first = begun(one)
        second = Match.resumed(other, "one", WORDS)
        other.head("one")
        first.handle(Called(2 * SECOND, 1, "dump"))
        state, rows = second.state, list(one.rows("one"))
        with pytest.raises(BadLog, match="could not be written: UNIQUE constraint failed"):
            second.handle(Called(3 * SECOND, 2, "dump"))
        assert (second.state, list(one.rows("one"))) == (state, rows)


def test_events_must_follow_the_last_one() -> None:
    log = memory_log()
    begun(log)
    with pytest.raises(BadLog, match="event 9 does not follow the last one in the log, 6"):
        log.append("one", [Stamped(9, 0, Announced("hello"))])


def test_two_games_of_one_name_are_refused() -> None:
    log = memory_log()
    begun(log)
    with pytest.raises(BadLog, match="has a game 'one' already"):
        begun(log)


def test_a_game_that_is_not_there_is_told_with_those_that_are() -> None:
    log = memory_log()
    begun(log)
    with pytest.raises(BadLog, match="no game 'two'; it has one"):
        Match.resumed(log, "two", WORDS)


def test_a_log_of_a_newer_companion_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "log"
    EventLog(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=2")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(BadLog, match="format 2; this companion knows 1: update it, the log is untouched"):
        EventLog(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_log_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a shopping list, long enough to be a header of something else" * 20)
    with pytest.raises(BadLog, match="is no log of games"):
        EventLog(path)


def test_a_log_to_read_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadLog, match="there is no log"):
        EventLog(tmp_path / "none", writable=False)


def test_a_log_to_read_cannot_be_written(tmp_path: Path) -> None:
    with EventLog(tmp_path / "log") as log:
        begun(log)
    with EventLog(tmp_path / "log", writable=False) as log, pytest.raises(BadLog, match="readonly"):
        log.append("one", [Stamped(7, 0, Announced("hello"))])


class TestCodec:
    def test_a_board_of_an_older_log_says_of_no_tile_since_when_it_lies_there(self) -> None:
        body = '{"board":{"cells":[[0,0,"A"]],"pieces":[],"doubts":[]}}'
        event = codec.decode({"BoardSeen": BoardSeen}, "BoardSeen", 1, body)
        assert event == BoardSeen(Board(((0, 0, "A"),)))

    def test_a_disqualification_of_an_older_log_is_no_withdrawal(self) -> None:
        body = '{"seat":1,"returned":21,"reason":"a phony"}'
        event = codec.decode({"Disqualified": Disqualified}, "Disqualified", 1, body)
        assert event == Disqualified(1, 21, "a phony", withdrawn=False)

    def test_an_event_of_a_newer_version_is_refused(self) -> None:
        with pytest.raises(BadLog, match="Announced version 3 was written by a newer companion"):
            codec.decode({"Announced": Announced}, "Announced", 3, '{"text":"hello"}')

    def test_an_event_of_a_game_that_is_not_installed_is_refused(self) -> None:
        with pytest.raises(BadLog, match="by a game not installed"):
            codec.decode({}, "Meowed", 1, "{}")

    def test_fields_that_are_none_are_told(self) -> None:
        with pytest.raises(BadLog, match="Announced cannot be read"):
            codec.decode({"Announced": Announced}, "Announced", 1, '{"words":"hello"}')

    def test_an_older_body_is_brought_up_to_date(self) -> None:
        class Said(Announced):
            version = 3

            @classmethod
            def upgraded(cls, body: Mapping[str, Any], version: int) -> Mapping[str, Any]:
                return {"text": body["words"], "version": version}

        assert codec.decode({"Said": Said}, "Said", 1, '{"words":"hello"}') == Said("hello")

    def test_an_older_body_that_nobody_can_bring_up_to_date_is_told(self) -> None:
        class Said(Event):
            version = 2

        with pytest.raises(BadLog, match="Said has no version 1"):
            codec.decode({"Said": Said}, "Said", 1, '{"words":"hello"}')

    def test_a_message_is_read_back_with_its_id_and_values(self) -> None:
        event = Announced(phrase("%(name)s: %(reason)s", name="Ada", reason=phrase("time is up")))
        name, version, body = codec.encode(event)
        again = codec.decode({"Announced": Announced}, name, version, body)
        assert isinstance(again, Announced)
        assert isinstance(again.text, Message)
        assert again.text == event.text
        assert (again.text.id, again.text.values["reason"]) == ("%(name)s: %(reason)s", phrase("time is up"))

    def test_a_text_that_an_older_companion_kept_as_a_string_is_read_as_it_was(self) -> None:
        assert codec.decode({"Announced": Announced}, "Announced", 1, '{"text":"hello"}') == Announced(
            "hello"
        )

    def test_a_message_beyond_the_bounds_is_refused(self) -> None:
        body = '{"text":{"id":"%(a)s","values":{}}}'
        with pytest.raises(BadLog, match="a message lacks its value 'a'"):
            codec.decode({"Announced": Announced}, "Announced", 2, body)

    def test_a_value_without_a_form_in_json_is_a_fault_of_the_programs(self) -> None:
        with pytest.raises(TypeError, match="set has no form in JSON"):
            codec.encode(Announced(cast("str", {"a"})))


def test_a_game_that_does_not_start_with_its_set_up_is_told() -> None:
    log = memory_log()
    log.append("one", [Stamped(1, 0, GameSetUp("bananagrams", ("a", "b"), {}, "test", 144))])
    assert [type(one.event) for one in history(log, "one")] == [GameSetUp]
    log.append("two", [Stamped(1, 0, Announced("hello"))])
    with pytest.raises(BadLog, match=r"Announced version 2 was written by"):
        history(log, "two")


def test_events_are_values() -> None:
    assert replace(Announced("a"), text="b") == Announced("b")
    assert isinstance(Announced("a"), Event)


def test_a_log_that_was_begun_and_nothing_more_has_no_games_and_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.touch()  # all that SQLite has done when a table is killed while it makes its log
    with EventLog(path, writable=False) as log:
        assert log.games() == []
    assert not any(one.damage for one in findings(path))
    with EventLog(path) as log:
        assert log.games() == []
