"""Buttons, lights and sound on gpiozero's own classes for the Pi, over a kernel in memory."""

from __future__ import annotations

import gc
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

from companion.config.controls import Button, Controls, Gesture, Light, LightKind, Place, Strip
from companion.errors import NoPins
from companion.model.patterns import Pattern
from hardware import pins
from hardware.buttons import Buttons, Press
from hardware.lights import Lights
from hardware.sound import Sound
from tests.hardware.kernel import UP, Kernel
from tests.hardware.wired import LIGHTS, until

MS = 1_000_000
LGPIO = "gpiozero.pins.lgpio"
PI_5, PI_3B = 0xC04170, 0xA02082


@pytest.fixture(params=[PI_5, PI_3B], ids=["Pi 5", "Pi 3"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    """A Pi's kernel, on which the companion opens its own pins."""
    made = Kernel()
    monkeypatch.setitem(sys.modules, "lgpio", made)
    monkeypatch.delitem(sys.modules, LGPIO, raising=False)
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: request.param)
    monkeypatch.delenv("LG_WD", raising=False)
    pins.pi_pins.cache_clear()
    gc.collect()  # gpiozero reserves the pin of a device that could not be opened for as long as that exists
    yield made
    pins.pi_pins().close()
    pins.pi_pins.cache_clear()
    sys.modules.pop(LGPIO, None)
    importlib.invalidate_caches()


def test_a_bouncing_press_is_heard_with_the_kernels_stamp(kernel: Kernel) -> None:
    controls = Controls((Place((Button(17, short=("peel",)),)),))
    heard: SimpleQueue[Press] = SimpleQueue()
    with Buttons(controls, heard.put):
        at_ns = time.monotonic_ns() - 3 * MS
        for n, after_ns in enumerate((0, 400_000, 900_000, 1_000_000, 2_500_000)):
            kernel.edge(17, n % 2, at_ns + after_ns)
        assert heard.get(timeout=5) == Press(at_ns, 1, 1, Gesture.SHORT)
    assert heard.empty()


def test_a_button_is_pulled_up_by_the_pi_and_let_go_of_at_the_end(kernel: Kernel) -> None:
    controls = Controls((Place((Button(17), Button(3))),))
    with Buttons(controls, print):
        assert kernel.modes[17] & UP
        assert kernel.modes[3] & UP
        assert set(kernel.alerts) == {17, 3}
    assert kernel.alerts == {}


def test_an_edge_that_the_kernel_lost_is_found(kernel: Kernel) -> None:
    heard: SimpleQueue[Press] = SimpleQueue()
    with Buttons(Controls((Place((Button(17),)),)), heard.put):
        kernel.levels[17] = 0
        press = heard.get(timeout=5)
    assert (press.seat, press.late) == (1, True)


def test_lights_pulse_and_the_strip_is_told_by_spi(kernel: Kernel) -> None:
    with Lights(LIGHTS) as lights:
        lights.show(Pattern.REFUSED)
        assert [kernel.pulses[pin][1] for pin in (5, 6, 13, 19)] == [100, 0, 0, 100]
        assert kernel.sent[-1][4:8] == bytes([255, 0, 0, 128])
    assert kernel.sent[-1][4:8] == bytes([255, 0, 0, 0])


def test_a_dimmed_colour_is_a_part_of_each_pulse(kernel: Kernel) -> None:
    with Lights(Controls((Place(light=Light(LightKind.RGB, (5, 6, 13))),))) as lights:
        lights.show(Pattern.DOUBT)
        assert [kernel.pulses[pin] for pin in (5, 6, 13)] == [(200, 100), (200, 45), (200, 0)]


def test_a_buzzer_sounds_at_the_tunes_pitch(kernel: Kernel) -> None:
    with Sound(Controls(buzzer=12)) as sound:
        sound.play(Pattern.REFUSED)
        assert until(lambda: kernel.pulses.get(12, (0, 0))[1] == 50)
        assert kernel.pulses[12][0] == pytest.approx(440)


def test_a_buzzer_that_fails_is_told_once_and_sounds_again(
    kernel: Kernel, caplog: pytest.LogCaptureFixture
) -> None:
    with Sound(Controls(buzzer=12)) as sound:
        kernel.busy.add(12)
        for _ in range(2):
            sound.play(Pattern.REFUSED)
        assert until(lambda: sound.faults)
        kernel.busy.clear()
        sound.play(Pattern.REFUSED)
        assert until(lambda: kernel.pulses.get(12, (0, 0))[1] == 50)
    assert [record.message for record in caplog.records] == ["the buzzer fails: GPIO busy"]


def test_buttons_lights_and_a_strip_share_the_pins(kernel: Kernel) -> None:
    light = Light(LightKind.STRIP)
    controls = Controls((Place((Button(17),), light), Place((Button(27),), light)), Strip(leds=2), buzzer=12)
    with Buttons(controls, print), Lights(controls) as lights, Sound(controls):
        lights.show(Pattern.ACCEPTED, seat=2)
    assert kernel.sent


OPENED = [
    lambda: Buttons(Controls((Place((Button(8),)),)), print),
    lambda: Lights(Controls((Place(light=Light(LightKind.SINGLE, (8,))),))),
    lambda: Sound(Controls(buzzer=8)),
]


@pytest.mark.parametrize("opened", OPENED, ids=["buttons", "lights", "buzzer"])
def test_a_line_that_a_driver_has_is_told_in_plain_words(
    kernel: Kernel, opened: Callable[[], Buttons | Lights | Sound]
) -> None:
    kernel.busy.add(8)  # as is a chip select of SPI
    with pytest.raises(NoPins, match=r"GPIO busy.*companion wiring"), opened():
        pass


def test_the_table_can_be_opened_again(kernel: Kernel) -> None:
    controls = Controls((Place((Button(17),), Light(LightKind.SINGLE, (19,))),))
    for _ in range(2):
        heard: SimpleQueue[Press] = SimpleQueue()
        with Buttons(controls, heard.put), Lights(controls):
            kernel.edge(17, 0, time.monotonic_ns())
            assert heard.get(timeout=5).seat == 1
            kernel.edge(17, 1, time.monotonic_ns())
