"""What must be right before a game, as the running table itself can tell: its devices are open already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from companion.bootstrap.checkup.machine import machine_checks, steady_checks
from companion.bootstrap.checkup.table import file_checks, finder, judging_checks
from companion.bootstrap.checkup.touch import closed
from companion.bootstrap.paths import load_profile
from companion.config.cameras import CameraConfig
from companion.config.table import TableConfig
from companion.errors import BadProfile
from companion.model.phrases import phrase
from companion.vision.detector.perspective import known_tile_size
from hardware.buttons import Buttons
from hardware.cameras import Camera
from hardware.cameras.checks import LIVE, Check, Known, checks, lively

Cameras = Sequence[tuple[CameraConfig, Camera]]


def live_checks(
    config: TableConfig, log: Path, cameras: Cameras, buttons: Buttons, *, busy: bool
) -> Iterator[tuple[str, Check]]:
    """Yield what is right and wrong about a running table, with the part that each line is about.

    Parameters
    ----------
    config
        The table, with the game that is set up.
    log
        Its log.
    cameras, buttons
        Its devices, open.
    busy
        Whether a game is being played: then nothing is done that takes time from it.
    """
    yield from (("machine", check) for check in (steady_checks(log) if busy else machine_checks(log)))
    if not busy:
        yield from (("reading", check) for check in judging_checks(config))
        yield from (("table", check) for check in file_checks(config, log))
    for camera, device in cameras:
        seen = [lively(device)] if busy or camera.kind not in LIVE else watched(config, camera, device)
        yield from ((camera.called, check) for check in seen)
    if buttons.states():
        yield from closed(buttons)
    else:
        yield "table", Check("buttons", None, phrase("none are wired; phones stand in for them"))


def watched(config: TableConfig, camera: CameraConfig, device: Camera) -> Iterator[Check]:
    """Yield what is right and wrong about an open camera; it takes some seconds."""
    try:
        profile = load_profile(camera)
    except BadProfile as error:
        yield Check(
            "profile", False, str(error), phrase("Set the table up again at /host/table."), essential=True
        )
        return
    known = Known(profile, finder(config, known_tile_size(profile)))
    yield from checks(device, camera, known)
