"""A drawn table under two cameras that overlap: one reading, exact, and again with one camera gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from calibration.profile import write_profile
from companion.bootstrap.devices import Hardware
from companion.config.cameras import CameraConfig, CameraKind
from companion.errors import BadConfig
from companion.events.replay import history
from companion.rules import event as ev
from tests.table import playing
from tests.table.playing import FakeHealth, Playing, patiently
from tests.table.two_cameras import MIDDLES_MM, WORDS, ZONES, DrawnCamera, laid, picture, profile, watched_by

SEED = 4
CONFIG = replace(playing.CONFIG, seats=("Anna", "Bo", "Cy", "Di"))
GONE = FakeHealth("gone", "sends no picture: see to its cable")


class Two:
    """A game at the table, with its two cameras."""

    def __init__(self, play: Playing, cameras: dict[str, DrawnCamera]) -> None:
        self.play, self.cameras = play, cameras

    def look(self, words: dict[int, str] = WORDS, only: tuple[str, ...] = tuple(MIDDLES_MM)) -> None:
        """Let cameras see words on the table until they lie still."""
        pictures = {name: picture(name, laid(words), SEED) for name in only}
        for _ in range(4):
            self.play.wait(100)
            for name, frame in pictures.items():
                self.play.now_ns += 1
                self.cameras[name].takes(frame, self.play.now_ns)
                self.seen(name)

    def seen(self, name: str) -> None:
        """Wait until the newest frame of a camera has been told of."""
        at_ns = self.play.now_ns
        camera = next(one for one in self.play.table.cameras if one.camera.name == name)
        patiently(lambda: camera.newest is not None and camera.newest.shot.at_ns == at_ns)

    def words(self) -> dict[int, tuple[str, ...]]:
        """Return what the game knows of each seat's tableau."""
        self.play.wait(50)
        state = self.play.table.loop.state
        return {n: seat.sighting.grid for n, seat in enumerate(state.seats, 1) if seat.sighting}

    def until(self, words: dict[int, str]) -> None:
        """Wait until the game knows of these words."""
        patiently(lambda: self.words() == {seat: (word,) for seat, word in words.items()}, str(words))


def hardware(folder: Path) -> tuple[Hardware, dict[str, DrawnCamera]]:
    """Return two cameras with their profiles."""
    cameras = {name: DrawnCamera() for name in MIDDLES_MM}
    configs = {
        name: CameraConfig(CameraKind.SIMULATED, name=name, profile=str(folder / f"{name}.toml"))
        for name in cameras
    }
    for name, config in configs.items():
        write_profile(profile(name), str(config.profile))
    devices = [(configs[name], camera) for name, camera in cameras.items()]
    return watched_by(devices), cameras


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    devices, cameras = hardware(tmp_path)
    with Playing(tmp_path / "games.db", CONFIG, rig=devices.rig(CONFIG)) as play:
        play.start()
        yield Two(play, cameras)


def test_two_cameras_read_one_table_exactly_and_one_alone_what_it_sees_whole(two: Two) -> None:
    two.look()
    two.until(WORDS)
    assert not any(seat.sighting.doubts for seat in two.play.table.loop.state.seats)

    two.cameras["left"].fares = GONE
    two.play.soon(ev.SightLost)
    lost = two.play.until(ev.SightLost)
    says = "the camera left sends no picture: see to its cable; people judge Anna and Di until it sees again"
    assert lost == ev.SightLost(says, (1, 4))
    grown = {**WORDS, 1: "CRANED", 2: "TIGERS", 4: "COUNTERREVOLUTION"}
    two.look(grown, only=("right",))
    two.until({**WORDS, 2: "TIGERS"})

    two.cameras["left"].fares = FakeHealth()
    two.play.soon(ev.SightBack)
    assert two.play.until(ev.SightBack) == ev.SightBack("the camera left sees the table", (1, 4))
    two.look(grown)
    two.until(grown)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_tiles_are_photographed_by_a_camera_that_sees_them_all(two: Two, seat: int) -> None:
    two.look()
    two.until(WORDS)
    close = two.play.desk.close_up(seat)
    assert [(one.row, one.col) for one in close.tiles] == [(0, col) for col in range(len(WORDS[seat]))]
    middles = [sum(x for x, _ in one.corners) / 4 for one in close.tiles]
    steps = [right - left for left, right in pairwise(middles)]
    assert max(steps) < 1.3 * min(steps)
    assert two.play.desk.tile_picture(seat, (0, 2))


def test_of_a_tableau_that_no_camera_sees_whole_each_tile_keeps_its_cell(two: Two) -> None:
    two.look()
    two.until(WORDS)
    cols = [one.col for one in two.play.desk.close_up(4).tiles]
    assert len(cols) > len(WORDS[4]) // 2
    assert cols[-1] - cols[0] == len(cols) - 1
    assert (cols[0] > 0) or (cols[-1] < len(WORDS[4]) - 1)


def test_each_camera_that_is_lost_takes_its_own_seats_and_brings_them_back(two: Two) -> None:
    two.look()
    two.until(WORDS)
    two.cameras["left"].fares = GONE
    two.play.soon(ev.SightLost)
    two.cameras["right"].fares = GONE
    two.play.soon(ev.SightLost, 2)
    assert two.play.table.loop.state.blind == (1, 2, 3, 4)
    assert "people judge until it sees again" in two.play.table.publisher.notes[1]
    two.cameras["left"].fares = FakeHealth()
    two.play.soon(ev.SightBack)
    assert two.play.table.loop.state.blind == (3, 4)


def test_a_camera_too_many_is_only_told_of(tmp_path: Path) -> None:
    devices, _ = hardware(tmp_path)
    config, spare = devices.cameras[0][0], DrawnCamera()
    second = replace(config, name="spare")
    write_profile(
        replace(profile("left"), camera=replace(profile("left").camera, name="spare")), str(config.profile)
    )
    both = replace(devices, cameras=[*devices.cameras[:1], *watched_by([(second, spare)]).cameras])
    two = playing.CONFIG  # the left camera sees both of its seats
    with Playing(tmp_path / "games.db", two, rig=both.rig(two)) as play:
        play.start()
        spare.fares = GONE
        patiently(lambda: bool(play.table.publisher.notes))
        play.wait(50)
        patiently(lambda: any("the other cameras see all seats" in text for text in play.texts()))
        assert play.table.loop.state.blind == ()
        assert not any(isinstance(one.event, ev.SightLost) for one in history(play.log, "one"))
        assert play.table.unfit() == ""


def test_profiles_that_do_not_agree_about_a_seat_are_refused(tmp_path: Path) -> None:
    devices, _ = hardware(tmp_path)
    moved = replace(ZONES[1], corners_mm=((310, 170), (610, 170), (610, 400), (310, 400)))
    other = profile("right", (ZONES[0], moved, *ZONES[2:]))
    write_profile(other, str(devices.cameras[1][0].profile))
    with pytest.raises(BadConfig, match="has the zone of seat 2 elsewhere"):
        devices.rig(CONFIG)
