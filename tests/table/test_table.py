"""A game at a table: presses, sightings, lights, the log, trouble with cameras and with power."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from companion.errors import BadPicture, MirroredPicture
from companion.events.replay import history
from companion.model.calls import Called
from companion.model.patterns import Pattern
from companion.rules import event as ev
from companion.rules.state import Phase
from companion.vision.camera_frame import CameraFrame
from companion.vision.tracking import TrackedReading
from tests.table.playing import (
    CONFIG,
    FakeCamera,
    FakeHealth,
    FakePress,
    Playing,
    patiently,
    reading_of,
    tile,
    with_policy,
)

LOST = (
    (
        "a picture of the camera cam was lost to a fault of the program: if it goes on, "
        "restart the table and send the diagnostics of the host's page"
    ),
)

HAND = reading_of(("CATCATCATCATCATCATCAT", 100, 400))
"""The first player's 21 tiles, all in one row: not words, but placed and connected."""

SHORT = reading_of(("CATCATCATCATCATCATCA", 100, 400), loose=[tile("T", 300, 440)])
"""The same without its last tile, which lies beside it."""

UNSEEN = reading_of(("CATCATCATCATCATCATCA", 100, 400))
"""The same, its last tile nowhere."""


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Playing]:
    with Playing(tmp_path / "games.db") as playing:
        playing.see(HAND)
        playing.start()
        yield playing


def test_a_press_over_a_table_at_rest_is_decided_lit_and_spoken(play: Playing) -> None:
    play.see(HAND)
    play.wait(5)
    play.press(1)
    play.wait(20)
    drawn = play.until(ev.TilesDrawn)
    assert isinstance(drawn, ev.TilesDrawn)
    assert drawn.counts == (1, 1)
    patiently(lambda: (Pattern.DRAW, 2, 1) in play.lamps.shown)
    assert play.lamps.of(1)[-3:] == [Pattern.HEARD, Pattern.ACCEPTED, Pattern.DRAW]
    assert play.voice.said[-1] == (Pattern.ACCEPTED, ("peel", "left_100", "draw_1"))


def test_the_light_says_at_once_that_a_press_was_heard_and_what_came_of_it_when_it_is_safe(
    play: Playing,
) -> None:
    play.see(HAND)
    play.press(1)
    assert play.lamps.of(1)[-1] is Pattern.HEARD
    assert play.count(ev.TilesDrawn) == 0
    play.wait(20)
    play.until(ev.TilesDrawn)


def test_a_call_with_loose_tiles_is_refused_and_its_light_says_so(play: Playing) -> None:
    play.see(SHORT)
    play.wait(5)
    play.press(1)
    play.see(SHORT)
    play.wait(20)
    refused = play.until(ev.CallRefused)
    assert isinstance(refused, ev.CallRefused)
    assert refused.seat == 1
    patiently(lambda: play.lamps.of(1)[-1] is Pattern.REFUSED)


def test_a_tile_laid_before_the_press_counts_though_it_is_read_after_it(play: Playing) -> None:
    play.see(SHORT)
    laid = play.ms + 100
    play.wait(120)
    play.see(SHORT, 0, moving=((300, 380, 560, 480),))
    play.wait(30)
    play.press(1)
    play.wait(200)
    assert play.count(ev.TilesDrawn) == 0
    play.see(HAND, laid)
    play.until(ev.TilesDrawn)


def test_a_tile_laid_under_a_hand_at_the_press_counts_but_is_not_confirmed(play: Playing) -> None:
    play.see(SHORT)
    play.wait(5)
    play.see(SHORT, 0, moving=((300, 380, 560, 480),))
    play.press(1)
    play.wait(200)
    play.see(HAND, play.ms - 100)
    warned = play.until(ev.Warned)
    assert isinstance(warned, ev.Warned)
    assert "only after it" in warned.text
    assert play.count(ev.TilesDrawn) == 1


def test_an_old_picture_refuses_no_call_over_tiles_that_are_never_seen_at_rest(play: Playing) -> None:
    play.see(SHORT)
    play.wait(1000)
    play.see(SHORT, 0, moving=((100, 380, 560, 420),))
    play.press(1)
    play.wait(5000)
    warned = play.until(ev.Warned)
    assert isinstance(warned, ev.Warned)
    assert warned.text.startswith("not confirmed: the tiles were not seen at rest")
    assert (play.count(ev.TilesDrawn), play.count(ev.CallRefused)) == (1, 0)


def test_a_tile_in_plain_sight_beside_a_resting_hand_refuses_a_call(play: Playing) -> None:
    hand = ((100, 380, 200, 420),)
    play.see(SHORT)
    play.wait(1000)
    play.see(SHORT, 0, moving=hand)
    play.press(1)
    play.wait(1000)
    play.see(SHORT, 0, moving=hand)
    play.wait(4000)
    refused = play.until(ev.CallRefused)
    assert isinstance(refused, ev.CallRefused)
    assert refused.reason.startswith("1 tile is not placed yet")


def test_the_status_says_how_old_the_picture_is_that_was_read_last(play: Playing) -> None:
    play.see(HAND)
    play.wait(2500)
    assert play.desk.status().behind_s == pytest.approx(2.5)


def test_a_call_is_refused_only_after_one_more_look_that_finds_nothing_overlooked(play: Playing) -> None:
    play.see(SHORT)
    laid = play.ms
    play.wait(5)
    play.press(1)
    play.wait(20)
    play.see(HAND, laid)
    play.until(ev.TilesDrawn)
    assert play.count(ev.CallRefused) == 0


class CameraBehind(FakeCamera):
    """A camera whose pictures are read as a whole only when that is requested, but for the first."""

    def __init__(self) -> None:
        super().__init__()
        self.whole_ns, self.requested = 0, True

    def request_detection(self) -> None:
        self.requested = True

    def update(self, frame: CameraFrame, at_ns: int) -> TrackedReading:
        if self.requested:
            self.whole_ns, self.requested = at_ns, False
        return replace(super().update(frame, at_ns), whole_ns=self.whole_ns)


def test_a_picture_older_than_the_press_does_not_delay_its_refusal(tmp_path: Path) -> None:
    with Playing(tmp_path / "games.db", camera=CameraBehind()) as play:
        play.see(HAND)
        play.start()
        play.see(UNSEEN)
        play.wait(50)
        play.press(1)
        pressed = play.ms
        patiently(lambda: play.table.call_queue.seats == (1,))
        time.sleep(0.05)  # for the request of a look
        play.see(UNSEEN, late_ms=30)
        play.wait(50)
        play.see(UNSEEN, late_ms=30)
        play.wait(20)
        play.until(ev.CallRefused)
        assert play.ms - pressed < 200


def test_of_the_calls_on_a_button_the_first_that_means_anything_is_heard(play: Playing) -> None:
    assert [one.event.call for one in play.events if isinstance(one.event, ev.CallAccepted)] == ["split"]
    play.see(HAND)
    play.press(1)
    play.wait(20)
    play.until(ev.CallAccepted, 2)
    assert [one.event.call for one in play.events if isinstance(one.event, ev.CallAccepted)][1] == "peel"


@pytest.mark.parametrize("where", ["evolve", "recount"])
def test_a_game_whose_code_fails_refuses_the_call_and_goes_on(
    play: Playing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, where: str
) -> None:
    def fails(*_: object) -> None:
        raise KeyError("no such seat")

    play.see(HAND)
    before = play.table.loop.state
    with monkeypatch.context() as broken:
        broken.setattr(type(play.table.loop.match.game), where, fails)
        told = play.table.loop.request(Called(play.table.clock.now(), 1, "peel"))
        play.wait(20)
        answer = told.result(10)
    assert answer.accepted is False
    assert "the game stands as before" in answer.text
    assert "no such seat" in caplog.text
    assert play.table.loop.state is before
    play.press(1)
    play.wait(20)
    play.until(ev.CallAccepted, 2)


def test_the_stamp_of_a_call_is_that_of_its_edge(play: Playing) -> None:
    play.see(HAND)
    edge = play.now_ns
    play.wait(8)
    play.table.pressed(FakePress(edge, 1))
    play.wait(20)
    play.until(ev.TilesDrawn)
    accepted = [one for one in play.events if isinstance(one.event, ev.CallAccepted)][-1]
    assert accepted.at_ns == edge - 10**12


def test_a_camera_that_goes_is_told_once_and_people_judge_until_it_is_back(play: Playing) -> None:
    assert play.camera is not None
    play.camera.fares = FakeHealth("gone", "sends no picture: see to its cable")
    play.soon(ev.SightLost)
    play.press(2)
    play.wait(20)
    play.until(ev.TilesDrawn)
    play.camera.fares = FakeHealth()
    play.soon(ev.SightBack)
    assert (play.count(ev.SightLost), play.count(ev.SightBack)) == (1, 1)
    assert play.table.publisher.notes == ()


def test_what_was_laid_while_the_camera_could_not_be_trusted_is_told_when_it_can(play: Playing) -> None:
    assert play.camera is not None
    play.camera.fares = FakeHealth("black", "sees nothing but black")
    play.soon(ev.SightLost)
    laid = reading_of(("CATCATCATCATCATCATCATS", 100, 400))
    play.see(laid)
    play.camera.fares = FakeHealth()
    play.soon(ev.SightBack)
    play.see(laid, 0)
    play.wait(50)
    patiently(lambda: play.table.loop.state.seat(1).placed == 22)


@pytest.mark.parametrize(
    ("what", "error", "said", "host"),
    [
        ("newest", OSError("the lens fell off"), "cam: a look was lost, and not by reading", LOST),
        ("update", ZeroDivisionError("no tile"), "cam: a frame could not be read and was passed over", LOST),
        ("update", BadPicture("not later"), "cam: a frame was passed over: not later", ()),
        (
            "update",
            MirroredPicture("mirrored"),
            "cam: a frame was passed over: mirrored",
            ("the camera cam shows letters as in a mirror, so nothing is read: switch its mirroring off",),
        ),
    ],
)
def test_what_fails_is_logged_as_what_it_is_and_the_table_goes_on(
    play: Playing,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    what: str,
    error: Exception,
    said: str,
    host: tuple[str, ...],
) -> None:
    def fails(*_: object) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(FakeCamera, what, fails)
        assert play.camera is not None
        play.camera.takes(HAND, play.now_ns + 1, 0)
        patiently(lambda: said in caplog.text)
    assert str(error) in caplog.text
    assert {said} == {one.getMessage().partition(";")[0] for one in caplog.records}
    patiently(lambda: play.desk.status().notes == host)
    play.wait(1)
    play.see(HAND)


def test_without_a_camera_people_judge(tmp_path: Path) -> None:
    with Playing(tmp_path / "games.db", camera=None) as play:
        play.start()
        play.press(2)
        play.wait(20)
        play.until(ev.TilesDrawn)
        assert any(isinstance(one.event, ev.SightLost) for one in history(play.log, "one"))


def test_after_a_power_cut_the_game_goes_on_where_it_was_with_its_clocks_paused(tmp_path: Path) -> None:
    with Playing(tmp_path / "games.db") as play:
        play.see(HAND)
        play.start()
        play.wait(5000)
        ran = play.table.loop.state.clock
        last_ns = play.events[-1].at_ns
    with Playing(tmp_path / "games.db", resume=True, now_ns=77) as again:
        state = again.table.loop.state
        assert (state.phase, state.before_pause) == (Phase.PAUSED, Phase.PLAYING)
        assert state.clock.elapsed(10**15) == last_ns - ran.since_ns
        assert "the clocks are paused: the host says resume" in again.texts()[-1]
        assert again.table.clock.now() == last_ns


def test_the_clocks_warn_on_time_and_the_warning_goes_out(tmp_path: Path) -> None:
    config = replace(CONFIG, options={"policy": "off", "cap_s": 30, "warn_s": [10]})
    with Playing(tmp_path / "games.db", config) as play:
        play.start()
        play.wait(19_000)
        play.until(ev.TimeWarned)
        patiently(lambda: play.lamps.of(2)[-1] is Pattern.WARNING)
        play.wait(5000)
        play.table.watch()
        assert play.lamps.of(2)[-1] is Pattern.IDLE
        assert play.voice.said[-1] == (Pattern.WARNING, ("warn_10",))


def test_a_doubted_tile_lights_its_seat(play: Playing) -> None:
    doubted = reading_of(("CAT", 100, 400))
    cells = (replace(doubted.tableaux[0].cells[1], doubt=True),)
    tableau = replace(doubted.tableaux[0], cells=(doubted.tableaux[0].cells[0], *cells))
    play.see(replace(doubted, tableaux=(tableau,)))
    play.wait(20)
    patiently(lambda: play.lamps.of(1)[-1] is Pattern.DOUBT)


def test_a_new_round_is_told_what_lies_there_already(tmp_path: Path) -> None:
    with Playing(tmp_path / "games.db", with_policy("strict")) as play:
        play.see(HAND)
        play.soon(ev.TilesSeen)
        play.start()
        play.see(HAND, 0)
        play.wait(50)
        patiently(lambda: play.table.loop.state.seat(1).placed == 21)


def test_the_picture_of_a_call_is_kept_under_its_events_number(play: Playing) -> None:
    play.see(HAND)
    play.press(1)
    play.wait(20)
    play.until(ev.TilesDrawn)
    number = [one.number for one in play.events if isinstance(one.event, ev.CallAccepted)][-1]
    folder = play.path.with_name("games.db.pictures") / "one"
    patiently((folder / f"{number}.jpg").exists)
    assert play.desk.evidence(number)[:2] == b"\xff\xd8"


def test_a_call_while_the_camera_is_gone_is_given_no_older_picture(play: Playing) -> None:
    assert play.camera is not None
    play.see(HAND)
    play.camera.fares = FakeHealth("gone", "sends no picture: see to its cable")
    play.soon(ev.SightLost)
    play.press(1)
    play.soon(ev.CallAccepted, 2)
    play.camera.fares = FakeHealth()
    play.see(HAND)
    play.press(1)
    play.soon(ev.CallAccepted, 3)
    blind, seen = [one.number for one in play.events if isinstance(one.event, ev.CallAccepted)][1:]
    folder = play.path.with_name("games.db.pictures") / "one"
    patiently((folder / f"{seen}.jpg").exists)
    assert not (folder / f"{blind}.jpg").exists()


def test_a_press_that_calls_nothing_is_let_be(play: Playing) -> None:
    play.press(1, 2, gesture="double")
    before = len(play.events)
    play.wait(100)
    play.table.watch()
    assert len(play.events) == before
