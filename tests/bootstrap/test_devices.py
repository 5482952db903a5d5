"""The devices of a table: what fails in a game is told to the host."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.bootstrap.devices import Simulation, open_devices
from companion.config.controls import Controls, Light, LightKind, Place, Speech
from companion.config.table import TableConfig
from companion.model.patterns import Pattern
from hardware.lights.lamps import PinLamp
from hardware.simulated.pins import SimulatedControls
from tests.hardware.wired import until

TABLE = TableConfig("bananagrams", ("Ada", "Ben"), ocr=False)


def test_a_player_of_clips_that_fails_is_told_to_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = tmp_path / "bin" / "aplay"
    player.parent.mkdir()
    player.write_text("#!/bin/sh\necho the device is busy >&2\nexit 1\n")
    player.chmod(0o755)
    monkeypatch.setenv("PATH", str(player.parent))
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "peel.wav").touch()
    config = replace(TABLE, controls=Controls(speech=Speech(folder=str(tmp_path))))
    with open_devices(config) as devices:
        devices.sound.play(Pattern.ACCEPTED, ("peel",))
        assert until(lambda: devices.troubles.notes)
    assert devices.troubles.notes == ("calls are not heard: aplay: the device is busy",)


def test_lights_that_fail_are_told_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def dark(*_: object) -> None:
        raise OSError("the supply is gone")

    controls = Controls((Place(light=Light(LightKind.SINGLE, (17,))),))
    monkeypatch.setattr(PinLamp, "show", dark)
    simulation = Simulation(SimulatedControls(controls).pins)
    with open_devices(replace(TABLE, controls=controls), simulation) as devices:
        devices.lights.show(Pattern.ACCEPTED, 1)
        (note,) = devices.troubles.notes
    assert note.startswith("the lights do not light up: the supply is gone")
