"""Live cameras: the newest frame, faults said once, and the way back."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event

import pytest

from companion.errors import NoCamera
from companion.vision.camera_frame import Frame
from hardware.cameras.health import Limits, State
from hardware.cameras.live import LiveCamera, Timing
from hardware.frames import Shot
from tests.hardware.cameras.made import Flow, noisy, one_after_another

QUICK = Limits(fps=20, first_s=0.3, silent_s=0.15, slow_s=0.2, black_s=0.1, frozen_s=0.1)
PULSE = Timing(watch_s=0.02, pause_s=0.02)


def slowly(draws: Callable[[int], Frame] = noisy, most: int = 10**6) -> Flow:
    """Return a source of some hundred frames a second."""

    def drawn(number: int) -> Frame:
        time.sleep(0.005)
        return draws(number)

    return Flow(time.monotonic_ns, drawn, most)


def becomes(camera: LiveCamera, state: State) -> bool:
    """Return whether a camera comes to fare like this within two seconds."""
    until = time.monotonic() + 2
    while time.monotonic() < until:
        if camera.health().state is state:
            return True
        time.sleep(0.01)
    return False


def test_the_newest_frame_wins() -> None:
    source = slowly()
    with LiveCamera("cam", lambda: source, QUICK, PULSE) as camera:
        first = camera.newest(0, 2)
        assert first is not None
        time.sleep(0.1)
        second = camera.newest(first.at_ns, 2)
        assert second is not None
        assert int(second.name.split()[1]) > int(first.name.split()[1]) + 2


def test_a_frame_is_waited_for_no_longer_than_asked() -> None:
    with LiveCamera("cam", one_after_another(), QUICK, PULSE) as camera:
        began = time.monotonic()
        assert camera.newest(0, 0.1) is None
        assert 0.05 < time.monotonic() - began < 1


def test_a_frame_comes_as_soon_as_it_is_there() -> None:
    with LiveCamera("cam", slowly, QUICK, PULSE) as camera:
        began = time.monotonic()
        assert camera.newest(0, 60) is not None
        assert time.monotonic() - began < 10


def test_an_unplugged_camera_is_said_once_and_comes_back(caplog: pytest.LogCaptureFixture) -> None:
    away = [NoCamera("is not there")] * 3
    open_source = one_after_another(slowly(most=20), *away, slowly())
    with caplog.at_level(logging.INFO), LiveCamera("cam", open_source, QUICK, PULSE) as camera:
        assert becomes(camera, State.GONE)
        assert becomes(camera, State.OK)
    said = [record.getMessage() for record in caplog.records]
    assert said == ["cam: sees the table", "cam: was unplugged", "cam: sees the table again"]


def test_a_device_is_let_go_before_it_is_opened_again_and_at_the_end() -> None:
    first, second = slowly(most=3), slowly()
    with LiveCamera("cam", one_after_another(first, second), QUICK, PULSE) as camera:
        assert camera.newest(0, 2) is not None
        while not second.taken:
            time.sleep(0.01)
        assert first.closed == 1
    assert second.closed == 1


def test_a_camera_that_hangs_is_noticed_while_it_hangs(caplog: pytest.LogCaptureFixture) -> None:
    hangs, loose = Event(), Event()

    def draws(number: int) -> Frame:
        if number > 5:
            hangs.set()
            loose.wait(10)
        return noisy(number)

    with LiveCamera("cam", lambda: Flow(time.monotonic_ns, draws), QUICK, PULSE):
        hangs.wait(2)
        time.sleep(0.5)
        said = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
        loose.set()
    assert said == ["cam: sends no picture: see to its cable, power and network"]


def test_a_camera_gone_black_is_noticed_and_believed_again_in_light() -> None:
    dark = Event()
    source = slowly(lambda number: noisy(number, 4 if dark.is_set() else 120))
    with LiveCamera("cam", lambda: source, QUICK, PULSE) as camera:
        assert becomes(camera, State.OK)
        dark.set()
        assert becomes(camera, State.BLACK)
        dark.clear()
        assert becomes(camera, State.OK)


@pytest.mark.parametrize("locks", [True, False])
def test_a_locked_exposure_is_chosen_anew_once_the_light_has_become_another(locks: bool) -> None:
    shade = [120]
    source = slowly(lambda number: noisy(number, shade[0]))
    source.locks_exposure = locks
    with LiveCamera("cam", lambda: source, replace(QUICK, other_light_s=0.1), PULSE) as camera:
        assert becomes(camera, State.OK)
        shade[0] = 254
        until = time.monotonic() + 2
        while len(source.stops) < 4 and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.3)
    assert (source.stops, source.closed) == ([0, 1, 2, 3] if locks else [], 1)


def test_a_camera_says_why_no_picture_comes_while_it_chooses_its_exposure() -> None:
    shade, loose = [120], Event()

    class Slow(Flow):
        def expose(self, stops: int) -> None:
            super().expose(stops)
            loose.wait(10)

    source = Slow(time.monotonic_ns, lambda number: noisy(number, shade[0]))
    with LiveCamera("cam", lambda: source, replace(QUICK, other_light_s=0.1), PULSE) as camera:
        assert becomes(camera, State.OK)
        shade[0] = 254
        assert becomes(camera, State.GONE)
        assert camera.health().says == "chooses its exposure anew, as the light has changed"
        loose.set()
        assert becomes(camera, State.OK)


def test_a_frozen_camera_is_noticed() -> None:
    source = slowly(lambda number: noisy(min(number, 20)))
    with LiveCamera("cam", lambda: source, QUICK, PULSE) as camera:
        assert becomes(camera, State.FROZEN)


def test_a_camera_that_stays_frozen_is_opened_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.health.MIN_STUCK_S", 0.2)
    frozen, alive = slowly(lambda _: noisy(1)), slowly()
    with LiveCamera("cam", one_after_another(frozen, alive), QUICK, PULSE) as camera:
        assert becomes(camera, State.FROZEN)
        assert becomes(camera, State.OK)
    assert (frozen.closed, alive.taken > 0) == (1, True)


def test_how_long_it_fares_so_is_kept_while_it_lasts() -> None:
    with LiveCamera("cam", one_after_another(slowly(most=5)), QUICK, PULSE) as camera:
        assert becomes(camera, State.GONE)
        since_ns = camera.health().since_ns
        time.sleep(0.1)
        assert camera.health().since_ns == since_ns


def test_a_fault_that_nobody_foresaw_is_logged_and_the_camera_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(Flow):
        def take(self) -> Shot:
            raise ZeroDivisionError("driver")

    with LiveCamera("cam", one_after_another(Broken(time.monotonic_ns), slowly()), QUICK, PULSE) as camera:
        assert camera.newest(0, 2) is not None
    assert "failed in a way nobody foresaw" in caplog.text


def test_pauses_between_tries_grow_to_the_longest() -> None:
    camera = LiveCamera("cam", one_after_another(), QUICK)
    pauses = camera.pauses()
    assert [next(pauses) for _ in range(7)] == [0.5, 1, 2, 4, 8, 10, 10]
