"""Pictures of calls: kept under the call's number, within a budget, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.config.table import Pictures
from companion.errors import Unanswered
from companion.rules import event as ev
from companion.table.evidence import Evidence, jpeg, prune
from tests.table.playing import Playing, reading_of

HAND = reading_of(("CATCATCATCATCATCATCAT", 100, 400))
FRAME = np.full((100, 200), 120, np.uint8)


def size_of(body: bytes) -> tuple[int, int]:
    picture = cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return picture.shape[1], picture.shape[0]


def test_a_calls_frame_is_kept_under_its_events_number(tmp_path: Path) -> None:
    with Evidence(tmp_path, "00001 table", Pictures(width=160)) as evidence:
        evidence.note(1, 5, FRAME)
        evidence.decided(1, 5, 17)
    assert size_of(evidence.picture(17)) == (160, 80)
    assert (tmp_path / "00001 table" / "17.jpg").is_file()


def test_a_call_that_was_stamped_anew_finds_its_frame(tmp_path: Path) -> None:
    with Evidence(tmp_path, "one", Pictures()) as evidence:
        evidence.note(1, 5, FRAME)
        evidence.note(2, 6, FRAME)
        evidence.decided(1, 99, 4)
    assert evidence.picture(4)
    with pytest.raises(Unanswered):
        evidence.picture(5)


def test_a_call_that_is_dropped_as_a_repeat_leaves_no_picture_to_the_next(tmp_path: Path) -> None:
    with Playing(tmp_path / "games.db") as play:
        play.see(HAND)
        play.start()
        play.see(HAND, moving=((100, 380, 560, 420),))
        for _ in range(2):  # the second repeats the first, which waits for the tiles to lie still
            play.press(1)
            play.wait(50)
        play.see(HAND)
        play.soon(ev.TilesDrawn)
        play.table.evidence.decided(1, play.table.clock.now(), 999)  # as of a call that was stamped anew
    assert not list(tmp_path.rglob("999.jpg"))
    assert len(list(tmp_path.rglob("*.jpg"))) == 2


def test_a_games_name_is_no_path(tmp_path: Path) -> None:
    with Evidence(tmp_path / "kept", "../../away", Pictures()) as evidence:
        evidence.note(1, 5, FRAME)
        evidence.decided(1, 5, 1)
    assert evidence.picture(1)
    assert [path.parent.parent for path in tmp_path.rglob("1.jpg")] == [tmp_path / "kept"]


def test_where_none_are_wanted_none_are_kept(tmp_path: Path) -> None:
    with Evidence(tmp_path, "one", Pictures(megabytes=0)) as evidence:
        evidence.note(1, 5, FRAME)
        evidence.decided(1, 5, 1)
    assert list(tmp_path.rglob("*.jpg")) == []


def test_the_oldest_go_when_there_are_too_many_whatever_the_clock_said(tmp_path: Path) -> None:
    for age, name in enumerate(("00002 b/10", "00002 b/9", "00001 a/11", "00001 a/2")):
        path = tmp_path / f"{name}.jpg"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(100))
        os.utime(path, ns=(age, age))
    prune(tmp_path, 250)
    assert sorted(path.name for path in tmp_path.rglob("*.jpg")) == ["10.jpg", "9.jpg"]


def test_calls_that_are_never_decided_fill_no_memory(tmp_path: Path) -> None:
    with Evidence(tmp_path, "one", Pictures()) as evidence:
        for n in range(20):
            evidence.note(1, n, FRAME)
        for n in range(20):
            evidence.decided(2, n, n)
        evidence.decided(1, 0, 99)
    assert evidence.picture(99)
    assert len(list(tmp_path.rglob("*.jpg"))) == 1


def test_a_disk_that_cannot_be_written_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "one").write_text("in the way")
    with Evidence(tmp_path, "one", Pictures()) as evidence:
        evidence.note(1, 5, FRAME)
        evidence.decided(1, 5, 1)
    assert "the picture of event 1 was not kept" in caplog.text


def test_small_pictures_are_not_enlarged() -> None:
    assert size_of(jpeg(FRAME, 4000)) == (200, 100)


def test_a_press_whose_picture_cannot_be_held_is_a_call_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_seat: int, _at_ns: int) -> None:
        raise OSError("no room for a picture")

    with Playing(tmp_path / "games.db") as play:
        play.see(HAND)
        play.start()
        play.see(HAND)
        monkeypatch.setattr(play.table, "note", fail)
        with pytest.raises(OSError, match="no room"):
            play.press(1)
        play.wait(20)
        play.until(ev.TilesDrawn)
