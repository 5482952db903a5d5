"""``companion calibrate delay`` before a screen whose pictures come late."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from companion.cli import main
from companion.commands._terminal import Show
from companion.config.cameras import CameraConfig
from hardware.cameras.health import Health, State
from hardware.frames import Shot
from hardware.simulated.camera import AlwaysOpen

LATE_S = 0.3


class Screen:
    """Remembers when it was bright."""

    def __init__(self) -> None:
        self.switched: list[tuple[float, bool]] = [(0.0, False)]

    @contextmanager
    def flashing(self) -> Iterator[Show]:
        yield lambda bright: self.switched.append((time.monotonic(), bright))

    def bright_at(self, at: float) -> bool:
        return [bright for since, bright in self.switched if since <= at][-1]


class LateCamera(AlwaysOpen):
    """Films a screen, or nothing; its pictures come late and are stamped on arrival, less what it knows."""

    def __init__(self, screen: Screen, sees: bool, known_s: float) -> None:
        self.screen, self.sees, self.known_s = screen, sees, known_s
        self.rng = np.random.default_rng(1)

    def newest(self, after_ns: int, wait_s: float) -> Shot:
        time.sleep(0.01)
        bright = self.sees and self.screen.bright_at(time.monotonic() - LATE_S)
        frame = self.rng.integers(80, 120, (48, 64), np.uint8) + np.uint8(100 * bright)
        return Shot(frame, time.monotonic_ns() - round(1e9 * self.known_s), "phone")

    def health(self) -> Health:
        return Health(State.OK, 0, "sees the table")


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """The terminal, flashing in a hurry; somebody presses Enter."""
    screen, step = Screen(), "companion.commands.calibration.delay"
    monkeypatch.setattr(f"{step}.flashing_screen", screen.flashing)
    monkeypatch.setattr(f"{step}.switch_intervals", lambda rng: rng.uniform(0.06, 0.15, 24))
    monkeypatch.setattr(f"{step}.DARK_S", 0.1)
    monkeypatch.setattr(f"{step}.MAX_DELAY_S", 0.6)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    return screen


def table(path: Path, camera: str) -> str:
    file = path / "table.toml"
    file.write_text(f'name = "t"\ngame = "bananagrams"\nseats = ["A", "B"]\n[[cameras]]\n{camera}\n')
    return str(file)


def look(monkeypatch: pytest.MonkeyPatch, screen: Screen, sees: bool, known_s: float) -> None:
    def open_camera(_: CameraConfig) -> LateCamera:
        return LateCamera(screen, sees, known_s)

    monkeypatch.setattr("companion.commands._pictures.open_camera", open_camera)


@pytest.mark.parametrize("known", ["", "delay_ms = 200"])
def test_a_stream_s_delay_is_told(
    tmp_path: Path,
    screen: Screen,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    known: str,
) -> None:
    look(monkeypatch, screen, sees=True, known_s=0.2 if known else 0.5)
    file = table(tmp_path, f'kind = "stream"\nwhere = "http://phone/video"\n{known}')
    assert main(["calibrate", "delay", "--live", file]) == 0
    told = capsys.readouterr().out
    delay_ms = int(told.split("delay_ms = ")[1].split()[0])
    assert delay_ms == pytest.approx(1000 * LATE_S, abs=40)
    assert f"Pictures come {delay_ms} ms late" in told


def test_a_stream_is_never_told_to_be_early(
    tmp_path: Path, screen: Screen, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    look(monkeypatch, screen, sees=True, known_s=LATE_S + 0.2)
    file = table(tmp_path, 'kind = "stream"\nwhere = "http://phone/video"\ndelay_ms = 0')
    assert main(["calibrate", "delay", "--live", file]) == 0
    assert "set delay_ms = 0 in" in capsys.readouterr().out


def test_another_camera_s_stamps_are_judged(
    tmp_path: Path, screen: Screen, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    look(monkeypatch, screen, sees=True, known_s=LATE_S)
    assert main(["calibrate", "delay", "--live", table(tmp_path, 'kind = "usb"')]) == 0
    off_ms = int(capsys.readouterr().out.split("stamped ")[1].split()[0])
    assert off_ms == pytest.approx(0, abs=40)


def test_a_camera_that_looks_elsewhere_is_told(
    tmp_path: Path, screen: Screen, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    look(monkeypatch, screen, sees=False, known_s=0.0)
    assert main(["calibrate", "delay", "--live", table(tmp_path, 'kind = "usb"')]) == 2
    assert "does not see the terminal flash" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("camera", "says"),
    [
        ('kind = "film"\nwhere = "game.mp4"', "is no live camera"),
        ('kind = "usb"', "run this in a terminal"),
    ],
)
def test_what_cannot_be_measured_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    camera: str,
    says: str,
) -> None:
    look(monkeypatch, Screen(), sees=True, known_s=0.0)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert main(["calibrate", "delay", "--live", table(tmp_path, camera)]) == 2
    assert says in capsys.readouterr().err


def test_a_camera_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "delay"]) == 2
    assert "give the camera as --live TABLE.toml" in capsys.readouterr().err
