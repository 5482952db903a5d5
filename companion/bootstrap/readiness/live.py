"""Readiness checks of a running table, on its open devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from companion.bootstrap.readiness.controls import held_buttons
from companion.bootstrap.readiness.machine import machine_checks, steady_checks
from companion.bootstrap.readiness.table import file_checks, full_camera_checks, judging_checks
from companion.config.cameras import CameraConfig
from companion.config.table import TableConfig
from companion.model.phrases import phrase
from hardware.buttons import Buttons
from hardware.cameras import Camera
from hardware.cameras.checks import Check, picture_check

Cameras = Sequence[tuple[CameraConfig, Camera]]


def live_checks(
    config: TableConfig, log: Path, cameras: Cameras, buttons: Buttons, *, busy: bool
) -> Iterator[tuple[str, Check]]:
    """Yield the checks of a running table, each with the part that it is about.

    Parameters
    ----------
    config
        The table, with the game that is set up.
    log
        Its log's path.
    cameras, buttons
        Its open devices.
    busy
        Whether a game is being played; then only checks that cost no time are made.
    """
    yield from (("machine", check) for check in (steady_checks(log) if busy else machine_checks(log)))
    if not busy:
        yield from (("reading", check) for check in judging_checks(config))
        yield from (("table", check) for check in file_checks(config, log))
    for camera, device in cameras:
        seen = (
            [picture_check(device)]
            if busy or not camera.kind.is_live
            else full_camera_checks(config, camera, device)
        )
        yield from ((camera.called, check) for check in seen)
    if buttons.states():
        yield from held_buttons(buttons)
    else:
        yield "table", Check("buttons", None, phrase("none are wired; phones stand in for them"))
