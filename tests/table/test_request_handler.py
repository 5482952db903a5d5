"""What pages ask a table, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import ascii_uppercase

import pytest

from companion.errors import BadCall, BadLog, Unanswered
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import Order, Ordered
from companion.model.status import Answer, CheckLine, Face, PictureKind, TileSets
from companion.rules import event as ev
from companion.rules.registry import game
from companion.table import NextGame, TableRequestHandler
from companion.table.loop import FEEDBACK_FAILED
from companion.table.remarks import Troubles
from companion.table.request_handler import faces
from companion.table.table import stall_reason
from companion.words.lexicon import Lexicon
from tests.events.logs import packed
from tests.table.playing import LOOKED, WORDS, FakeHealth, Playing, patiently, reading_of, with_policy

HAND = reading_of(("CATCATCATCATCATCATCAT", 100, 400))


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Playing]:
    with Playing(tmp_path / "games.db") as playing:
        playing.see(HAND)
        playing.start()
        playing.see(HAND)
        yield playing


def moving(play: Playing) -> None:
    """Let the clock of a table run by itself, a ms each time somebody looks."""

    def now() -> int:
        play.now_ns += 10**6
        return play.now_ns

    object.__setattr__(play.table.clock, "table", now)


def test_a_phones_call_is_answered_with_what_came_of_it_and_marked(play: Playing) -> None:
    moving(play)
    answer = play.desk.call(1, "peel", {}, "phone")
    assert (answer.accepted, answer.text) == (True, "")
    stamped = play.events[-1 - play.events[-1].number + (answer.number or 0)]
    assert stamped.event == ev.CallAccepted(1, "peel", {"by": "phone"})


def test_a_refusal_is_answered_with_its_reason(play: Playing) -> None:
    moving(play)
    answer = play.desk.call(2, "bananas", {}, "phone")
    assert answer.accepted is False
    assert "say PEEL" in answer.text


def test_orders_and_rulings_are_answered(play: Playing) -> None:
    moving(play)
    assert play.desk.order("pause").accepted
    assert play.desk.ruling("rule_word", "slang", None, {"word": "catcat", "valid": True}).accepted
    assert play.desk.settle(1, (9, 9), "X").text == "no tile is seen at row 10, column 10 before Anna"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (lambda desk: desk.order("paus"), "did you mean 'pause'"),
        (lambda desk: desk.call(3, "peel", {}, "phone"), "seat must be 1 to 2; got 3"),
        (lambda desk: desk.call(1, "peal", {}, "phone"), "did you mean 'peel'"),
        (lambda desk: desk.call(1, "peel", {"tile": "A"}, "phone"), "takes no 'tile'"),
        (lambda desk: desk.call(1, "peel", {}, " "), "'by' must say"),
        (lambda desk: desk.ruling("disqualify", "cheated", None, {}), "needs a seat"),
        (lambda desk: desk.ruling("disqualify", " ", 1, {}), "'reason' must be a text"),
        (lambda desk: desk.lights_test(0), "seat must be 1 to 2; got 0"),
    ],
)
def test_what_cannot_be_understood_is_told_to_who_asked(play: Playing, asked: object, says: str) -> None:
    assert callable(asked)
    with pytest.raises(BadCall) as caught:
        asked(play.desk)
    assert says in str(caught.value)


def test_a_ruling_that_the_rules_cannot_understand_stops_nothing(play: Playing) -> None:
    moving(play)
    assert "must be one letter" in play.desk.settle(1, (0, 0), "QU").text
    assert play.desk.call(1, "peel", {}, "phone").accepted


def test_the_status_tells_of_camera_seats_and_the_last_press(play: Playing) -> None:
    play.press(1)
    status = play.desk.status()
    assert (status.match, status.game, status.policy) == ("one", "bananagrams", "strict")
    assert [(c.name, c.state, c.width, c.height, c.still) for c in status.cameras] == [
        ("cam", "ok", 640, 480, True)
    ]
    assert [(seat.name, seat.buttons) for seat in status.seats] == [("Anna", 2), ("Bo", 2)]
    assert status.seats[0].light == "heard"
    assert status.last_press is not None
    assert status.last_press.call == "peel"


def test_the_status_tells_what_the_tiles_may_show(play: Playing) -> None:
    assert [face.symbol for face in play.desk.status().faces] == list(ascii_uppercase)


def test_signs_are_told_as_they_are_printed_and_a_set_that_is_gone_has_none() -> None:
    assert Face("x", "×") in faces("binary")
    assert Face("AND", "AND") in faces("binary")
    assert Face("", "") in faces("binary")
    assert faces("/nowhere/kitchen.json") == ()


def test_a_camera_that_is_away_is_in_the_notes(play: Playing) -> None:
    assert play.camera is not None
    play.camera.fares = FakeHealth("black", "sees nothing but black")
    play.soon(ev.SightLost)
    status = play.desk.status()
    assert status.policy == "off"
    assert "people judge until it sees again" in status.notes[0]


@pytest.mark.parametrize("kind", list(PictureKind))
def test_the_newest_picture_is_shown(play: Playing, kind: PictureKind) -> None:
    first = play.desk.picture(kind, 320, 0)
    assert first[:2] == b"\xff\xd8"
    assert play.desk.picture(kind, 320, 0) is first


def test_a_picture_of_long_ago_is_not_shown_as_the_newest_of_a_camera_that_is_gone(play: Playing) -> None:
    assert play.camera is not None
    play.see(HAND)
    play.camera.fares = FakeHealth("gone", "sends no picture: see to its cable")
    assert play.desk.picture()
    play.wait(11_000)
    with pytest.raises(Unanswered, match="the camera cam sends no picture: see to its cable"):
        play.desk.picture()


def test_no_game_is_started_while_the_camera_cannot_see_unless_people_judge(tmp_path: Path) -> None:
    for policy, accepted in (("strict", False), ("off", True)):
        with Playing(tmp_path / f"{policy}.db", with_policy(policy)) as play:
            moving(play)
            assert play.camera is not None
            play.camera.fares = FakeHealth("black", "sees nothing but black")
            answer = play.desk.order("start")
            assert answer.accepted is accepted
            assert accepted or "sees nothing but black; companion doctor tells more" in answer.text


def test_without_a_camera_a_game_starts_only_where_people_judge(tmp_path: Path) -> None:
    for policy, accepted in (("strict", False), ("off", True)):
        with Playing(tmp_path / f"{policy}.db", with_policy(policy), camera=None) as play:
            moving(play)
            assert play.desk.order("start").accepted is accepted


def test_a_light_that_fails_costs_a_light_and_not_the_game(play: Playing) -> None:
    moving(play)

    def fails(*_: object) -> None:
        raise OSError("the strip is gone")

    play.table.loop.listener = fails
    assert play.desk.call(1, "peel", {}, "phone").accepted
    assert play.desk.order("pause").accepted
    assert play.desk.status().notes == (FEEDBACK_FAILED,)


def test_what_failed_is_told_to_the_host_for_ten_minutes(play: Playing) -> None:
    troubles = Troubles(lambda: play.now_ns)
    troubles.note("the strip is gone: plug it in")
    play.wait(599_000)
    shortly_before = troubles.notes
    play.wait(1000)
    assert (shortly_before, troubles.notes) == (("the strip is gone: plug it in",), ())


def test_a_stuck_button_is_told_of(play: Playing) -> None:
    play.table.stuck = lambda: {2}
    assert [seat.stuck for seat in play.desk.status().seats] == [False, True]


def test_a_picture_that_is_not_there_is_said_so(play: Playing) -> None:
    with pytest.raises(Unanswered, match="no camera 3"):
        play.desk.picture(PictureKind.PLAIN, 320, 3)
    with pytest.raises(Unanswered, match="no picture was kept of event 99"):
        play.desk.evidence(99)


def test_another_game_is_begun_only_when_this_one_is_over(play: Playing) -> None:
    moving(play)
    assert "end it first" in play.desk.set_up("chew", ["Anna", "Bo"], {}, "default", "").text
    play.desk.order("end")
    assert play.desk.set_up("chew", ["Anna", "Bo"], {}, "default", "").accepted
    assert play.begun == [NextGame("chew", ("Anna", "Bo"), {}, "default", "")]


def test_a_table_that_works_is_well_and_one_that_stands_still_is_not(play: Playing) -> None:
    patiently(lambda: stall_reason(play.table) is None)
    play.now_ns += 11 * 10**9
    patiently(lambda: "seems well, but sent no frame for" in (stall_reason(play.table) or ""))
    assert play.camera is not None
    play.camera.fares = FakeHealth("gone", "sends no picture")
    patiently(lambda: stall_reason(play.table) is None)


def test_a_table_whose_buttons_are_not_listened_to_is_not_well(play: Playing) -> None:
    patiently(lambda: stall_reason(play.table) is None)
    play.table.deaf = lambda: True
    assert stall_reason(play.table) == "the buttons are no longer listened to"


def test_all_who_called_when_the_log_failed_hear_that_nothing_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise BadLog("the disk is full")

    def called() -> None:
        with Playing(tmp_path / "full.db") as play:
            loop, now_ns = play.table.loop, play.table.clock.now()
            monkeypatch.setattr(EventLog, "insert", full)
            both = [loop.request(Ordered(now_ns, order)) for order in (Order.START, Order.END)]
            play.wait(100)
            told.extend(answer.result(10) for answer in both)
            told.append(play.desk.order("start"))

    told = list[Answer]()
    with pytest.raises(BadLog, match="disk is full"):
        called()
    assert len(told) == 3
    assert {(one.accepted, one.text) for one in told} == {
        (False, "this was not kept, try it again: the disk is full")
    }


def test_a_checkup_tells_what_was_looked_at_and_one_look_serves_all_who_ask_soon_after(play: Playing) -> None:
    looks: list[int] = []

    def look() -> list[CheckLine]:
        looks.append(1)
        return list(LOOKED)

    desk = TableRequestHandler(play.table, play.begun.append, look, TileSets)
    assert desk.checkup().lines[1:] == LOOKED
    assert desk.checkup().lines[1:] == LOOKED
    assert looks == [1]


def test_a_table_that_does_not_know_its_seats_parts_is_not_ready_to_judge_strictly(play: Playing) -> None:
    open_step = play.desk.checkup().lines[0]
    assert (open_step.what, open_step.fine, open_step.grave) == ("parts", False, False)
    assert "which part of the table is whose" in open_step.says


def test_what_the_checkup_calls_grave_refuses_a_start_until_it_is_mended(
    play: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    moving(play)
    black = [CheckLine("cam", "picture", False, "it is black", "Take the lid off.", essential=True)]
    desk = TableRequestHandler(play.table, play.begun.append, lambda: black, TileSets)
    assert desk.order("start") == Answer(False, "it is black")
    black.clear()
    monkeypatch.setattr("companion.table.request_handler.CHECKUP_TTL_NS", 0)  # as if time had passed
    assert desk.order("start").text == "the game has started already; say next_round"  # the table's own rules


def test_why_no_game_may_start_is_shown_in_the_checkup(play: Playing) -> None:
    assert play.camera is not None
    play.camera.fares = FakeHealth("gone", "sends no picture")
    grave = [line.says for line in play.desk.checkup().lines if line.grave]
    assert grave == [play.table.unfit()]
    assert "sends no picture" in grave[0]


def test_a_backup_is_brought_back_only_while_no_game_is_played(play: Playing, tmp_path: Path) -> None:
    with EventLog(tmp_path / "old") as log:
        rules, words = game("chew"), Lexicon.of("test", WORDS)
        Match.begun(log, "00001 then", rules, ("Anna", "Bo"), {}, words)
    backup = packed(tmp_path / "old").getvalue()
    moving(play)
    refused = play.desk.restore(backup)
    assert (refused.accepted, refused.text) == (False, "a game is being played; end it first")
    play.desk.order("end")
    assert play.desk.restore(backup).text == "games.db.before-restore-1"
    assert play.desk.restore(backup) == Answer(True, "")  # nothing is lacking now
    with EventLog(play.path, writable=False) as log:
        assert log.games() == ["00001 then", "one"]
