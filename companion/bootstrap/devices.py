"""Open the devices of a configuration: cameras with their readers, lights and sound."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from gpiozero.pins import Factory

from companion.bootstrap.camera_place import found_place
from companion.bootstrap.paths import load_profile, profile_paths
from companion.config.cameras import CameraConfig, CameraKind
from companion.config.controls import Controls
from companion.config.table import TableConfig
from companion.model.tiles import tile_set
from companion.table import CameraRig, TableCamera
from companion.table.camera_thread import unmoved
from companion.table.devices import Lights, NoLights, NoSound, Sound
from companion.table.facing_seats import even_facing_deg
from companion.table.ocr_worker import OcrWorker, SynchronousOcr
from companion.table.remarks import Troubles
from companion.table.seating_plan import camera_view, seating_plan
from companion.vision.ocr import Tesseract
from companion.vision.pipeline.reader import Reader
from companion.vision.tracking import Tracker
from companion.vision.tracking.tracker import SETTLE_NS, SecondReader
from companion.words.chosen import home
from hardware.cameras import Camera, open_camera
from hardware.clock import Clock
from hardware.lights import Lights as HardwareLights
from hardware.sound import Sound as HardwareSound

logger = logging.getLogger(__name__)

SET_UP_HINT = "set the table up at /host/table of its pages, or with companion calibrate"

THERMOMETER = Path("/sys/class/thermal/thermal_zone0/temp")
COLOUR_BOARDS = {"scrabble", "volcano"}
"""Boards that the reader detects by the colours of their squares."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """Replacements of a Raspberry Pi's pins, cameras and clock.

    With a ``stepped_clock`` time stops while a frame is read, so OCR runs synchronously.
    """

    pins: Factory | None = None
    camera: Callable[[CameraConfig], Camera] | None = None
    clock: Clock = field(default_factory=Clock)
    stepped_clock: bool = False


@dataclass(frozen=True, slots=True)
class Hardware:
    """The open devices of a table, except the buttons, which are opened for each game.

    ``second_reader`` returns a new OCR client for one camera, or ``None``; ``troubles`` are reported to the
    host.
    """

    cameras: Sequence[tuple[CameraConfig, Camera]]
    lights: Lights
    sound: Sound
    simulation: Simulation
    second_reader: Callable[[], SecondReader | None] = lambda: None
    troubles: Troubles = field(default_factory=Troubles)

    def rig(self, config: TableConfig) -> CameraRig:
        """Return the cameras of a table, each with a new tracker."""
        tiles, facing = tile_set(config.tile_set), config.facing_deg or even_facing_deg(len(config.seats))
        reads = partial(Reader, tiles, detectable_board(config))
        places = [found_place(load_profile(camera), camera, device) for camera, device in self.cameras]
        alone = len(places) == 1
        views = [camera_view(place.pose, config.board, facing, alone=alone) for place in places]
        names = [camera.called for camera, _ in self.cameras]
        poses = dict(zip(names, (place.pose for place in places), strict=True))
        plan = None if alone else seating_plan(dict(zip(names, views, strict=True)), poses, config, reads())
        second_reader = (
            (lambda: None) if tiles.looks else self.second_reader
        )  # OCR does not know enrolled tiles
        cameras = []
        for (camera, device), place, seen in zip(self.cameras, places, views, strict=True):
            reader = reads(place.tile_size)
            watches = tracker(reader, camera, second_reader())
            locate = unmoved if camera.kind.is_recorded else place.follow(reader)
            cameras.append(TableCamera(camera.called, device, watches, seen, tiles.size, locate))
        return CameraRig(tuple(cameras), plan)


def tracker(reads: Reader, camera: CameraConfig, second: SecondReader | None) -> Tracker:
    """Return the tracker of a camera's frames, with a second reader for its doubts, if any."""
    return Tracker(reads, 0 if camera.kind is CameraKind.FOLDER else SETTLE_NS, second=second)


def detectable_board(config: TableConfig) -> str | None:
    """Return the kind of the board where the reader detects it, else ``None``."""
    return config.board.kind if config.board and config.board.kind in COLOUR_BOARDS else None


@contextmanager
def open_devices(config: TableConfig, simulation: Simulation | None = None) -> Iterator[Hardware]:
    """Yield a table's cameras, lights and sound, open until the block ends.

    Raises
    ------
    NoPins, NoCamera, BadFilm
        Where one of them cannot be opened.
    """
    simulation = simulation or Simulation()
    with ExitStack() as undo:
        cameras: list[tuple[CameraConfig, Camera]] = []
        for camera in map(with_colour(config), config.cameras):
            if camera.profile and not any(path.exists() for path in profile_paths(camera)):
                logger.warning(
                    "camera %s: %s is not there yet: %s", camera.called, camera.profile, SET_UP_HINT
                )
            cameras.append((camera, undo.enter_context(open_camera(camera, simulation.camera))))
        troubles = Troubles(simulation.clock.now_ns)
        lights = open_lights(config.controls, simulation, undo, troubles)
        sound = open_sound(config.controls, simulation, undo, troubles)
        second_reader = second_reader_factory(config, simulation, undo, troubles)
        yield Hardware(cameras, lights, sound, simulation, second_reader, troubles)


def second_reader_factory(
    config: TableConfig, simulation: Simulation, undo: ExitStack, troubles: Troubles
) -> Callable[[], SecondReader | None]:
    """Return a function that returns a new client of Tesseract, or ``None`` where OCR is off."""
    if not config.ocr:
        return lambda: None
    if simulation.stepped_clock:
        return partial(SynchronousOcr, Tesseract())
    return undo.enter_context(OcrWorker(Tesseract(), troubles=troubles)).client


def with_colour(config: TableConfig) -> Callable[[CameraConfig], CameraConfig]:
    """Return a function that sets ``colour`` of cameras where the board needs it."""
    needed = detectable_board(config) is not None
    return lambda camera: replace(camera, colour=camera.colour or needed)


def open_lights(controls: Controls, simulation: Simulation, undo: ExitStack, troubles: Troubles) -> Lights:
    """Return the lights, whose faults the host is told, or a stand-in where there are none."""
    if not any(place.light.pins for place in controls.seats) and controls.strip is None:
        return NoLights()
    return undo.enter_context(HardwareLights(controls, simulation.pins, simulation.clock, troubles.note))


def open_sound(controls: Controls, simulation: Simulation, undo: ExitStack, troubles: Troubles) -> Sound:
    """Return the sound, whose faults the host is told, or a stand-in where there is none."""
    if controls.buzzer is None and controls.speech is None:
        return NoSound()
    own = controls.speech.folder if controls.speech else ""
    clips = (Path(own) if own else home() / "clips") if controls.speech else None
    return undo.enter_context(HardwareSound(controls, clips, simulation.pins, troubles.note))


def temperature() -> float | None:
    """Return the machine's temperature in degrees Celsius, ``None`` where there is no sensor."""
    try:
        return int(THERMOMETER.read_text()) / 1000
    except (OSError, ValueError):
        return None
