"""From a configuration to devices: cameras with their readers, lights, sound, buttons."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from gpiozero.pins import Factory

from calibration.drift import Stand, drift
from companion.bootstrap.places import kept_profile
from companion.config.cameras import CameraConfig, CameraKind
from companion.config.controls import Controls
from companion.config.table import TableConfig
from companion.model.profile import Profile
from companion.model.tiles import tile_set
from companion.table import CameraRig, TableCamera
from companion.table.devices import Lights, NoLights, NoSound, Sound
from companion.table.facing_seats import evenly
from companion.table.ocr_worker import OcrWorker, SynchronousOcr
from companion.table.remarks import Troubles
from companion.table.seating_plan import camera_view, seating_plan
from companion.vision import Reader
from companion.vision.detector.perspective import known_tile_size
from companion.vision.ocr import Tesseract
from companion.vision.picture import grey
from companion.vision.tracking import Tracker
from companion.vision.tracking.recheck import SecondReader
from companion.vision.tracking.tracker import SETTLE_NS
from companion.words.chosen import home
from hardware.cameras import Camera, open_camera
from hardware.clock import Clock
from hardware.lights import Lights as Lamps
from hardware.sound import Sound as Voice

LIVE = {CameraKind.PI, CameraKind.USB, CameraKind.STREAM}
"""Cameras that somebody can bump; a film never moves, and looking would take a frame from it."""

WAIT_S = 3.0
"""How long the first picture of a camera is waited for; one that brings none tells so by its health."""

logger = logging.getLogger(__name__)

SET_UP = "set the table up at /host/table of its pages, or with companion calibrate"

THERMOMETER = Path("/sys/class/thermal/thermal_zone0/temp")
BY_COLOUR = {"scrabble", "volcano"}
"""Boards whose squares are told by their colours."""


def standing(profile: Profile | None, camera: CameraConfig, device: Camera) -> Profile | None:
    """Return the profile to play with: corrected in memory where a camera was bumped, its file left alone.

    What was found is said in the log.  Raises BadProfile where the profile is of pictures of another size.
    """
    if profile is None or profile.table is None or camera.kind not in LIVE:
        return profile
    if not profile.table.markers and not profile.landmarks:
        return profile
    shot = device.newest(0, WAIT_S)
    if shot is None:
        return profile
    found = drift(grey(shot.frame), profile)
    level = logging.INFO if found.stand is Stand.STILL else logging.WARNING
    logger.log(level, "camera %s: %s", camera.called, found.says)
    return found.profile


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a simulated table has in place of a Pi's pins, of cameras and of the time.

    ``patient`` says that its clock stands while a frame is read: then second readings are waited for.
    """

    pins: Factory | None = None
    camera: Callable[[CameraConfig], Camera] | None = None
    clock: Clock = field(default_factory=Clock)
    patient: bool = False


@dataclass(frozen=True, slots=True)
class Hardware:
    """Devices that are open, but for the buttons: those belong to a game.

    ``rechecks`` returns who is asked about the doubts of one camera, if anybody; ``troubles`` are told to the
    host.
    """

    cameras: Sequence[tuple[CameraConfig, Camera]]
    lights: Lights
    sound: Sound
    simulation: Simulation
    rechecks: Callable[[], SecondReader | None] = lambda: None
    troubles: Troubles = field(default_factory=Troubles)

    def rig(self, config: TableConfig) -> CameraRig:
        """Return the cameras of a table, their trackers new."""
        tiles, facing = tile_set(config.tile_set), config.facing_deg or evenly(len(config.seats))
        reads = partial(Reader, tiles, board_read(config))
        profiles = [standing(kept_profile(camera), camera, device) for camera, device in self.cameras]
        alone = len(profiles) == 1
        views = [camera_view(profile, config.board, facing, alone=alone) for profile in profiles]
        names = [camera.called for camera, _ in self.cameras]
        placed = dict(zip(names, views, strict=True)), dict(zip(names, profiles, strict=True))
        plan = None if alone else seating_plan(*placed, config, reads())
        rechecks = (lambda: None) if tiles.looks else self.rechecks  # nobody else ever saw one's own tiles
        cameras = [
            TableCamera(
                camera.called,
                device,
                tracker(reads(known_tile_size(profile)), camera, rechecks()),
                seen,
                tiles.size,
            )
            for (camera, device), profile, seen in zip(self.cameras, profiles, views, strict=True)
        ]
        return CameraRig(tuple(cameras), plan)


def tracker(reads: Reader, camera: CameraConfig, second: SecondReader | None) -> Tracker:
    """Return what reads a camera's frames, and asks another about its doubts, if anybody."""
    return Tracker(reads, 0 if camera.kind is CameraKind.FOLDER else SETTLE_NS, second=second)


def board_read(config: TableConfig) -> str | None:
    """Return the board that the reader finds by itself, if there is one."""
    return config.board.kind if config.board and config.board.kind in BY_COLOUR else None


@contextmanager
def opened(config: TableConfig, simulation: Simulation | None = None) -> Iterator[Hardware]:
    """Yield a table's cameras, lights and sound, open until the block ends.

    Raises
    ------
    NoPins, NoCamera, BadFilm, BadProfile
        Where one of them cannot be had.
    """
    simulation = simulation or Simulation()
    with ExitStack() as undo:
        cameras: list[tuple[CameraConfig, Camera]] = []
        for camera in map(coloured(config), config.cameras):
            if camera.profile and kept_profile(camera) is None:
                logger.warning("camera %s: %s is not there yet: %s", camera.called, camera.profile, SET_UP)
            cameras.append((camera, undo.enter_context(open_camera(camera, simulation.camera))))
        lights = lights_of(config.controls, simulation, undo)
        sound = sound_of(config.controls, simulation, undo)
        troubles = Troubles(simulation.clock.now_ns)
        rechecks = rechecked(config, simulation, undo, troubles)
        yield Hardware(cameras, lights, sound, simulation, rechecks, troubles)


def rechecked(
    config: TableConfig, simulation: Simulation, undo: ExitStack, troubles: Troubles
) -> Callable[[], SecondReader | None]:
    """Return what makes the lines to Tesseract, which reads in the background; to nobody where it is off."""
    if not config.ocr:
        return lambda: None
    if simulation.patient:
        return partial(SynchronousOcr, Tesseract())
    return undo.enter_context(OcrWorker(Tesseract(), troubles=troubles)).client


def coloured(config: TableConfig) -> Callable[[CameraConfig], CameraConfig]:
    """Return what lets cameras see colours where the board needs them."""
    needed = board_read(config) is not None
    return lambda camera: replace(camera, colour=camera.colour or needed)


def lights_of(controls: Controls, simulation: Simulation, undo: ExitStack) -> Lights:
    """Return the lights, if there are any."""
    if not any(place.light.pins for place in controls.seats) and controls.strip is None:
        return NoLights()
    return undo.enter_context(Lamps(controls, simulation.pins, simulation.clock))


def sound_of(controls: Controls, simulation: Simulation, undo: ExitStack) -> Sound:
    """Return the sound, if there is any."""
    if controls.buzzer is None and controls.speech is None:
        return NoSound()
    own = controls.speech.folder if controls.speech else ""
    clips = (Path(own) if own else home() / "clips") if controls.speech else None
    return undo.enter_context(Voice(controls, clips, simulation.pins))


def temperature() -> float | None:
    """Return the machine's temperature in degrees Celsius, where it tells."""
    try:
        return int(THERMOMETER.read_text()) / 1000
    except (OSError, ValueError):
        return None
