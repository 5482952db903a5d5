"""What one camera's thread makes of its readings, and how far behind it is."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from companion.config.table import BoardConfig
from companion.errors import MirroredPicture
from companion.model.calls import SECOND
from companion.rules import event as ev
from companion.table import TableCamera
from companion.table.camera_thread import Pace
from companion.table.table import stall_reason
from companion.table.views import BoardView
from companion.vision.tracking import TrackedReading
from tests.table.playing import NO_LOOK, FakeCamera, Playing, patiently, reading_of, tile

SET = 8
OTHER_SIZE = (
    "the camera cam sends pictures of another size than when the table was set up: turn it back, or set the "
    "table up again; people judge until it sees again"
)
TABLE = reading_of(("CAT", 100, 400))


def paced(read_s: float) -> Pace:
    """Return the pace of a camera thread that reads each picture for so long, and then takes the newest."""
    pace = Pace()
    for number in range(8):
        pace.taken.append(round(number * read_s * SECOND))
        pace.read.append(round((number + 1) * read_s * SECOND))
    return pace


def test_pictures_are_as_old_as_they_become_before_the_next_is_read() -> None:
    assert paced(0.1).age_ns(round(0.8 * SECOND)) == round(0.2 * SECOND)
    assert paced(2).age_ns(16 * SECOND) == 4 * SECOND


def test_a_picture_that_no_newer_one_follows_grows_old() -> None:
    assert paced(0.1).age_ns(10 * SECOND) == round(9.3 * SECOND)


@pytest.mark.parametrize(
    ("many", "still", "crowded"), [(9, True, False), (30, False, False), (30, True, True)]
)
def test_only_far_more_tiles_than_there_are_at_rest_are_a_crowd(
    many: int, still: bool, crowded: bool
) -> None:
    camera = FakeCamera()
    one = TableCamera("lamp", camera, camera, BoardView(BoardConfig()), SET)
    reading = reading_of(loose=[tile("A", 20 * n, 20) for n in range(many)])
    assert one.too_many(TrackedReading(reading, NO_LOOK, 1, 1, still)) is crowded


def test_a_camera_knows_when_more_is_taken_for_tiles_than_there_are() -> None:
    reading = cast("TrackedReading", SimpleNamespace(still=True, reading=SimpleNamespace(tiles=[None] * 181)))
    nothing = cast("Any", None)
    camera = TableCamera("left", nothing, nothing, nothing, 144)
    assert camera.too_many(reading)
    assert not replace(camera, set_size=145).too_many(reading)
    assert not replace(camera, set_size=None).too_many(reading)


def test_a_camera_is_located_when_all_has_changed_and_each_minute_at_rest(tmp_path: Path) -> None:
    with Playing(tmp_path / "games.db") as play:
        camera = play.camera
        assert camera is not None
        play.see(TABLE)
        play.see(TABLE)
        assert len(camera.located) == 1  # in the first picture of all
        camera.began_ns, camera.says_moved = play.now_ns, "the camera was bumped"
        play.see(TABLE)
        assert (len(camera.located), camera.restarts) == (2, 1)
        camera.began_ns = play.now_ns  # the restart, not another bump
        play.see(TABLE)
        assert (len(camera.located), camera.restarts) == (2, 1)
        assert play.desk.status().notes == ("camera cam: the camera was bumped",)
        play.now_ns += 61 * SECOND
        play.see(TABLE, moving=((0, 0, 9, 9),))
        assert len(camera.located) == 2
        play.see(TABLE)
        play.see(TABLE)
        assert (len(camera.located), camera.restarts) == (3, 1)  # what hands hide is remembered


def test_people_judge_while_pictures_have_another_size_than_the_profile(tmp_path: Path) -> None:
    with Playing(tmp_path / "games.db") as play:
        assert play.camera is not None
        play.see(TABLE)
        play.start()
        play.camera.misfits, play.camera.began_ns = True, play.now_ns
        play.camera.takes(TABLE, play.now_ns + 1, 0)
        play.soon(ev.SightLost)
        (note,) = play.table.publisher.notes
        assert note == OTHER_SIZE
        assert play.table.cameras[0].status().state == "misfit"
        play.now_ns += 11 * SECOND
        patiently(lambda: stall_reason(play.table) is None)  # a restart would not help
        play.camera.misfits = False
        play.soon(ev.SightBack)
        assert not play.table.publisher.notes


def test_a_picture_in_a_mirror_is_no_reason_for_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise MirroredPicture("mirrored")

    with Playing(tmp_path / "games.db") as play:
        assert play.camera is not None
        play.see(TABLE)
        monkeypatch.setattr(FakeCamera, "update", fails)
        play.now_ns += 11 * SECOND
        play.camera.takes(TABLE, play.now_ns, 0)
        patiently(lambda: stall_reason(play.table) is None)


def test_the_age_of_pictures_is_told_while_more_are_taken() -> None:
    pace, stop = Pace(), threading.Event()
    pace.taken.append(1)

    def take() -> None:
        while not stop.is_set():
            pace.taken.append(pace.taken[-1] + 1)
            pace.read.append(pace.taken[-1])

    taking, often = threading.Thread(target=take), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    taking.start()
    try:
        assert all(pace.age_ns(10**12) > 0 for _ in range(5000))
    finally:
        stop.set()
        taking.join()
        sys.setswitchinterval(often)
