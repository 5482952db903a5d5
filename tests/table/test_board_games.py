"""Whole calls on a drawn board under two cameras that face each other, one of which is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from calibration.profile import write_profile
from companion.bootstrap.simulated.game import GAMES
from companion.config.cameras import CameraConfig, CameraKind
from companion.model.calls import Called, Order, Ordered
from companion.rules import event as ev
from companion.vision.camera_frame import Frame
from tests.table.board_cameras import Drawn, veiled
from tests.table.playing import FakeHealth, Playing, patiently
from tests.table.test_board_plan import HOME, LETTERS, SUM
from tests.table.test_boards import two
from tests.table.two_cameras import DrawnCamera, watched_by

GONE = FakeHealth("gone", "sends no picture: see to its cable")


class Table:
    """A game at a drawn board with two cameras."""

    def __init__(self, play: Playing, cameras: Mapping[str, DrawnCamera]) -> None:
        self.play, self.cameras = play, cameras

    def look(self, frames: Mapping[str, Frame], only: tuple[str, ...] = ("near", "far")) -> None:
        """Let cameras see pictures until nothing has moved for a while."""
        for _ in range(4):
            self.play.wait(100)
            for name in only:
                self.play.now_ns += 1
                self.cameras[name].takes(frames[name], self.play.now_ns)
                self.seen(name)
        self.play.wait(50)

    def seen(self, name: str) -> None:
        """Wait until the newest frame of a camera has been told of."""
        at_ns = self.play.now_ns
        camera = next(one for one in self.play.table.cameras if one.camera.name == name)
        patiently(lambda: camera.newest is not None and camera.newest.shot.at_ns == at_ns)

    def lose(self, name: str) -> None:
        """Unplug a camera, and wait until that is said."""
        self.cameras[name].fares = GONE
        patiently(lambda: bool(self.play.table.publisher.notes))
        self.play.wait(50)

    def start(self) -> None:
        """Start the game."""
        self.play.table.loop.submit(Ordered(self.play.table.clock.now(), Order.START))
        self.play.soon(ev.RoundStarted)


@contextmanager
def at_table(drawn: Drawn, folder: Path, call: str) -> Iterator[Table]:
    """Yield a game at a drawn board, its cameras calibrated."""
    game, cameras = drawn.plan.game, {name: DrawnCamera() for name in drawn.sees}
    settings = GAMES[game]
    config = replace(two(game, call), tile_set=settings.tile_set, board=settings.board)
    devices = []
    for name, camera in cameras.items():
        path = str(folder / f"{name}.toml")
        write_profile(drawn.profile(name), path)
        devices.append((CameraConfig(CameraKind.SIMULATED, name=name, profile=path, colour=True), camera))
    hardware = watched_by(devices)
    with Playing(folder / "games.db", config, rig=hardware.rig(config)) as play:
        yield Table(play, cameras)


def test_an_equation_is_scored_by_two_cameras_and_the_next_by_the_one_that_is_left(tmp_path: Path) -> None:
    drawn = Drawn("binary_scrabble", tmp_path)
    with at_table(drawn, tmp_path, "play") as table:
        play = table.play
        table.look(drawn.pictures({}))
        table.start()
        table.look(drawn.pictures(SUM))
        first = play.table.loop.state.turn
        play.press(first)
        play.soon(ev.TurnPassed)
        assert play.table.loop.state.seat(first).score == 16

        table.lose("near")
        across = {**SUM, (8, 5): "+", (9, 5): "0", (10, 5): "=", (11, 5): "1"}
        table.look(drawn.pictures(across), ("far",))
        play.press(play.table.loop.state.turn)
        play.soon(ev.TurnPassed, 2)
        assert play.count(ev.CallAccepted) == 2
        assert any("the other cameras see all seats" in text for text in play.texts())
        assert not play.count(ev.SightLost)


def test_a_call_is_judged_at_once_where_a_hand_moves_before_one_camera_alone(tmp_path: Path) -> None:
    drawn = Drawn("binary_scrabble", tmp_path)
    with at_table(drawn, tmp_path, "play") as table:
        play = table.play
        table.look(drawn.pictures({}))
        table.start()
        laid = drawn.pictures(SUM)
        table.look(laid, ("far",))
        table.look({"near": veiled(laid["near"], (600, 300, 760, 500))}, ("near",))
        for left in (560, 640):
            play.wait(40)
            moving = {**laid, "near": veiled(laid["near"], (left, 300, left + 160, 500))}
            for name in ("near", "far"):
                play.now_ns += 1
                table.cameras[name].takes(moving[name], play.now_ns)
                table.seen(name)
        play.press(play.table.loop.state.turn)
        play.soon(ev.CallAccepted)
        assert not any("not seen at rest" in text for text in play.texts())


def test_a_word_under_pyramids_is_called_by_the_camera_that_sees_the_board_upside_down(
    tmp_path: Path,
) -> None:
    drawn = Drawn("martian_boggle", tmp_path)
    with at_table(drawn, tmp_path, "end_turn") as table:
        play = table.play
        table.look(drawn.pictures(LETTERS))
        table.lose("near")
        frames = drawn.pictures(LETTERS, HOME)
        table.look(frames, ("far",))
        table.start()
        table.look(frames, ("far",))
        state = play.table.loop.state
        assert state.board.pieces == ((1, tuple(HOME["red"])), (2, tuple(HOME["blue"])))
        details = {"word": "crane" if state.turn == 1 else "tiger", "by": "phone"}
        answer = play.table.loop.request(Called(play.table.clock.now(), state.turn, "word", details))
        play.soon(ev.CallAccepted)
        assert answer.result(5).accepted
