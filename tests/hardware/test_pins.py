"""The Pi's own pins: what is said where there are none; and the clock that devices stamp by."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from gpiozero import PinUnknownPi

from companion.errors import NoPins
from hardware import pins
from hardware.clock import Clock


class LgpioError(Exception):
    """As lgpio has it."""


def failing(error: BaseException | None) -> SimpleNamespace:
    """Return both modules in one, where opening the pins fails like that."""

    def factory() -> str:
        if error is not None:
            raise error
        return "pins"

    return SimpleNamespace(error=LgpioError, LGPIOFactory=factory)


@pytest.fixture
def lgpio(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[SimpleNamespace | None], None]]:
    """Puts something in place of lgpio, or nothing."""

    def put(module: SimpleNamespace | None) -> None:
        def imported(name: str) -> SimpleNamespace:
            if module is None:
                raise ImportError(name)
            return module

        monkeypatch.setattr(importlib, "import_module", imported)

    monkeypatch.delenv("LG_WD", raising=False)
    pins.pi_pins.cache_clear()
    yield put
    pins.pi_pins.cache_clear()


@pytest.mark.parametrize(
    ("module", "says"),
    [
        (None, "sudo apt install python3-lgpio"),
        (
            failing(PinUnknownPi("no revision")),
            r"no Raspberry Pi .*\(no revision\); the command demo needs none",
        ),
        (failing(LgpioError("can not open gpiochip")), r"\(can not open gpiochip\); sudo usermod -aG gpio"),
    ],
)
def test_where_there_are_no_pins_it_says_what_to_do(
    lgpio: Callable[[SimpleNamespace | None], None], module: SimpleNamespace | None, says: str
) -> None:
    lgpio(module)
    with pytest.raises(NoPins, match=says), pins.open_pins():
        pass


def test_the_pins_are_opened_once(lgpio: Callable[[SimpleNamespace | None], None]) -> None:
    lgpio(failing(None))
    with pins.open_pins() as one:
        pass
    lgpio(None)
    with pins.open_pins() as other:
        assert other is one


def test_lgpio_is_loaded_in_a_folder_of_its_own_and_the_table_stays_where_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folders: list[Path] = []

    def imported(_name: str) -> SimpleNamespace:
        os.chdir(os.environ["LG_WD"])  # as lgpio does
        folders.append(Path.cwd())
        return failing(None)

    monkeypatch.setattr(importlib, "import_module", imported)
    monkeypatch.chdir(tmp_path)
    pins.pi_pins.cache_clear()
    pins.pi_pins()
    pins.pi_pins.cache_clear()
    assert Path.cwd() == tmp_path
    assert folders[0].name.startswith("companion-lgpio-")
    assert (folders[0].stat().st_mode & 0o777, "LG_WD" in os.environ) == (0o700, False)


def test_the_clock_of_the_real_table_is_the_kernels() -> None:
    before_ns, at_ns = time.monotonic_ns(), Clock().now_ns()
    assert before_ns <= at_ns <= time.monotonic_ns()


def test_a_fast_clock_gains_and_its_waits_are_short() -> None:
    clock = Clock(speed=100, begun_ns=time.monotonic_ns() - 10_000_000)
    assert clock.now_ns() - time.monotonic_ns() > 900_000_000
    assert clock.wait_s(clock.now_ns() + 1_000_000_000) <= 0.01
    assert clock.wait_s(0) == 0
