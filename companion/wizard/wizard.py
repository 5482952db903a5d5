"""The set-up service of a table: each step takes pictures, calibrates and stores the result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from calibration.edges import measure_marker
from calibration.light import check
from calibration.light.report import mark_findings
from calibration.markers import find_markers
from calibration.table.drift import DriftState, drift, profile_by_tap, profile_to_keep
from calibration.table.finding import KnownLengths
from calibration.table.preview import ZONE_NAMES, draw_preview
from calibration.table.sizes import ScaleCheck, check_scale, check_scale_by_tiles, median_tile_px
from companion.errors import BadCapture, MirroredPicture
from companion.model.phrases import joined, phrase
from companion.model.profile import Profile, ZoneKind
from companion.model.reading import Face, Tile
from companion.model.set_up import DriftReport, LightStatus, SetUpPicture, SheetKind, WizardStatus, ZoneAt
from companion.model.tiles import TileSet
from companion.rpc import WizardService
from companion.rpc.interface import EMPTY_MAPPING
from companion.table import Table
from companion.table.devices import Press
from companion.table.evidence import jpeg
from companion.vision.camera_frame import CameraFrame, Frame, grey, to_bgr
from companion.vision.pipeline.reader import Reader
from companion.wizard import findings, profile_changes
from companion.wizard.camera import LensGuide, WizardCamera, lens_message
from companion.wizard.tile_set_builder import TileSetBuilder

LIGHT_FRAMES = 8
"""Number of pictures from which flicker is measured."""

BUSY = phrase("a game is being played: end it first, or pause it and mend the camera only")

Spot = tuple[float, float]


@dataclass(slots=True)
class CameraFindings:
    """The last results of one camera's steps."""

    light: LightStatus | None = None
    light_picture: Frame | None = None
    drift: DriftReport | None = None
    guide: LensGuide | None = None


@dataclass(slots=True)
class Wizard(WizardService):
    """Sets a table up; any thread may call, one step runs at a time.

    ``tiles`` is the table's tile set, ``folder`` where enrolled sets are stored.  ``changed`` is called after
    a profile was written, so that the table reads it.  ``table`` is the table of the current game.
    """

    cameras: Sequence[WizardCamera]
    tiles: TileSet
    folder: Path
    changed: Callable[[], None]
    table: Table | None = None
    _by_camera: dict[int, CameraFindings] = field(default_factory=dict)
    _builder: TileSetBuilder | None = None
    _pressed: list[tuple[int, int]] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def pressed(self, press: Press) -> None:
        """Note that a button was pressed, and so works."""
        if (press.seat, press.button) not in self._pressed:
            self._pressed.append((press.seat, press.button))

    def state(self, camera: int = 0) -> WizardStatus:
        """Return the state of the table's set-up."""
        source, found = self._camera(camera), self._findings(camera)
        (profile, broken), health = source.readable_profile(), source.camera.health()
        size = (profile.camera.width, profile.camera.height) if profile else self._size(source)
        return WizardStatus(
            tuple(one.name for one in self.cameras),
            camera,
            *size,
            "" if health.sees else health.says,
            findings.table_finding(profile) if profile else None,
            profile_changes.zones_at(profile) if profile and profile.table else (),
            self._seats(),
            bool(profile and profile.lens),
            profile.tile_px if profile else None,
            str(source.path) if profile else "",
            profile.made_at if profile else "",
            found.light,
            found.drift,
            self._builder.status() if self._builder else None,
            tuple(sorted(self._pressed)),
            self._busy(),
            found.guide.status() if found.guide else None,
            findings.broken_message(broken) if broken else "",
        )

    def shown(
        self, camera: int, kind: SetUpPicture, width: int, words: Mapping[str, str] = EMPTY_MAPPING
    ) -> bytes:
        """Return a picture as JPEG; ``words`` name its zones, by kind."""
        source, found = self._camera(camera), self._findings(camera)
        if kind is SetUpPicture.LIGHT and found.light_picture is not None:
            return jpeg(found.light_picture, width)
        frame = source.frames(1)[0]
        if kind is SetUpPicture.LENS and (guide := found.guide) is not None:
            with self._lock:
                return jpeg(guide.add_frame(frame), width)
        if kind is SetUpPicture.TABLE:
            return jpeg(self._drawn(source, frame, words), width)
        if kind is SetUpPicture.TILES and (builder := self._builder) is not None:
            return jpeg(builder.picture(to_bgr(frame)), width)
        return jpeg(frame, width)

    def sheet(self, kind: SheetKind, paper: str, seats: int, url: str) -> bytes:
        """Return a sheet to print, as PDF."""
        from companion.wizard.printing import sheet  # noqa: PLC0415  fonts take long to import

        return sheet(kind, paper, seats, url, self.tiles)

    def light(self, camera: int) -> str:
        """Check the light and return the result."""
        with self._lock:
            frames = [grey(one) for one in self._camera(camera).frames(LIGHT_FRAMES)]
            lettered = [tile.corners for tile in self._read(frames[0]) if tile.face is Face.UP]
            report = check(frames, np.array(lettered).reshape(-1, 4, 2))
            found = self._findings(camera)
            found.light = findings.light_finding(report)
            found.light_picture = mark_findings(frames[0], report)
            return phrase("The light is %(grade)s.", grade=findings.GRADE_TEXTS[report.grade])

    def guide(self, camera: int, *, on: bool) -> str:
        """Start or stop measuring the lens; return the next instruction."""
        with self._lock:
            self._camera(camera)
            guide = self._findings(camera).guide = LensGuide() if on else None
            return guide.next_step.text if guide else phrase("The lens stays as it was.")

    def lens(self, camera: int) -> str:
        """Save the measured lens; the table must be found again then."""
        guide = self._findings(camera).guide
        if guide is None:
            raise BadCapture(phrase("begin to measure the lens first"))
        fitted = guide.lens()
        lens = fitted.lens
        # the table was found through the former lens
        self._changed(camera, lambda _frame, one: replace(one, lens=lens, table=None, zones=()), anew=True)
        self._findings(camera).guide = None
        return lens_message(fitted)

    def markers(self, camera: int, size_mm: Spot | None = None, ruler_mm: float | None = None) -> str:
        """Find the table by its printed markers; return what was found, with the check of its scale."""
        lengths = KnownLengths(size_mm, ruler_mm)
        scales: list[ScaleCheck | None] = []

        def found(frame: Frame, profile: Profile) -> Profile:
            tiles = self._read(frame)
            known = profile_changes.with_markers(frame, profile, lengths, self._seats(), tiles)
            seen = median_tile_px(tiles) if self.tiles.side_mm else None
            scales.append(check_scale(known, lengths, self.tiles.side_mm, seen))
            return known

        changed = findings.table_message(self._changed(camera, found, anew=True))
        return joined([changed, *(one.text for one in scales if one)], "; ")

    def taps(self, camera: int, corners: Sequence[Spot], size_mm: Spot) -> str:
        """Save the table's four corners as tapped."""

        def found(frame: Frame, profile: Profile) -> Profile:
            tiles = self._read(frame)
            return profile_changes.with_taps(frame, profile, corners, size_mm, self._seats(), tiles)

        return findings.table_message(self._changed(camera, found, anew=True))

    def tile(self, camera: int, tile_mm: float | None = None) -> str:
        """Save the width of a tile; return it, with its check against the markers."""
        scales: list[ScaleCheck | None] = []

        def found(frame: Frame, profile: Profile) -> Profile:
            lengths = tile_mm or self.tiles.side_mm, median_tile_px(self._read(frame))
            scales.append(check_scale_by_tiles(profile, *lengths))
            return profile_changes.with_tile(profile, *lengths)

        side = round(self._changed(camera, found).tile_px or 0)
        broad = phrase("A tile is %(side)s pixels broad in the picture", side=side)
        return joined([broad, *(one.text for one in scales if one)], "; ")

    def seats(self, camera: int, seats: int, board_mm: Spot | None = None) -> str:
        """Divide the table among its seats again."""
        self._changed(
            camera, lambda frame, one: profile_changes.with_seats(one, seats, board_mm, self._read(frame))
        )
        return phrase("The table is shared anew.")

    def zones(self, camera: int, zones: Sequence[ZoneAt]) -> str:
        """Save zones as they were moved."""
        self._changed(camera, lambda _frame, one: profile_changes.with_zones(one, zones))
        return phrase("The zones are kept.")

    def drift(self, camera: int) -> str:
        """Check whether the camera has moved, and return the result."""
        with self._lock:
            source = self._camera(camera)
            frame = grey(source.frames(1)[0])
            found = drift(frame, source.profile_for(frame))
            self._findings(camera).drift = findings.drift_finding(found)
            return findings.drift_finding(found).says

    def mend(self, camera: int, tap: Spot | None = None) -> str:
        """Save the table's new place after a bump."""

        def mended(frame: Frame, profile: Profile) -> Profile:
            found = profile_by_tap(profile, tap) if tap else drift(frame, profile)
            self._findings(camera).drift = findings.drift_finding(found)
            if found.state is DriftState.LOST:
                raise BadCapture(findings.TABLE_LOST_MESSAGE)
            return profile_to_keep(found, frame)

        self._changed(camera, mended, even_now=True)
        return self.drift(camera) if tap is None else phrase("The table is moved to where you tapped.")

    def learn(self, name: str, order: Sequence[str]) -> str:
        """Begin to enrol a tile set."""
        with self._lock:
            self._builder = TileSetBuilder.of(name, order)
            return phrase(
                "Lay two or three tiles of %(symbol)s on the table, and take their picture.", symbol=order[0]
            )

    def example(self, camera: int, symbol: str) -> str:
        """Take the tiles in the newest picture as examples of one symbol."""
        with self._lock:
            return self._set().add_example(self._camera(camera).frames(1)[0], symbol)

    def learnt(self) -> str:
        """Save the enrolled tile set, and return how well it is read."""
        with self._lock:
            kept, report = self._set().save(self.folder)
            self._builder = None
            kept_as = phrase("Kept: to play with it, choose %(set)s when you set up a game", set=kept.name)
            return joined([kept_as, findings.tile_set_message(report)], "; ")

    def _changed(
        self,
        camera: int,
        step: Callable[[Frame, Profile], Profile],
        *,
        even_now: bool = False,
        anew: bool = False,
    ) -> Profile:
        """Return the profile that a step makes from the stored one and the newest picture; store it.

        ``even_now`` allows the change while a game is played; ``anew`` replaces a stored profile that cannot
        be read or has another picture size.
        """
        with self._lock:
            if not even_now and (busy := self._busy()):
                raise BadCapture(busy)
            source = self._camera(camera)
            frame = grey(source.frames(1)[0])
            kept = source.keep(step(frame, source.profile_for(frame, anew=anew)))
            self.changed()
            return kept

    def _drawn(self, source: WizardCamera, frame: CameraFrame, words: Mapping[str, str]) -> Frame:
        """Return a picture with the table and the detected markers drawn on it."""
        profile, _ = source.readable_profile()
        lens = profile.lens if profile else None
        marks = [measure_marker(grey(frame), one, lens) for one in find_markers(grey(frame))]
        return draw_preview(
            to_bgr(frame), profile, marks, {**ZONE_NAMES, **{ZoneKind(k): w for k, w in words.items()}}
        )

    def _read(self, frame: Frame) -> tuple[Tile, ...]:
        """Return the tiles in a grey picture; raise BadCapture where that is mirrored."""
        try:
            return Reader(self.tiles).read(frame).tiles
        except MirroredPicture as error:
            raise BadCapture(
                phrase("letters are seen as in a mirror: switch the camera's mirroring off")
            ) from error

    def _camera(self, camera: int) -> WizardCamera:
        """Return a camera; raise BadCapture for a number without a camera."""
        if not self.cameras:
            raise BadCapture(phrase("this table has no camera: name one in its file, or let people judge"))
        if not 0 <= camera < len(self.cameras):
            raise BadCapture(
                phrase(
                    "there is no camera %(camera)s, this table has %(many)s",
                    camera=camera,
                    many=len(self.cameras),
                )
            )
        return self.cameras[camera]

    def _seats(self) -> int:
        """Return the current game's number of seats."""
        return len(self.table.loop.state.seats) if self.table else 4

    def _busy(self) -> str:
        """Return why nothing may be changed now, empty where it may."""
        playing = self.table is not None and self.table.busy
        return BUSY if playing else ""

    def _findings(self, camera: int) -> CameraFindings:
        return self._by_camera.setdefault(camera, CameraFindings())

    def _size(self, source: WizardCamera) -> tuple[int, int]:
        """Return the width and height of a camera's picture, 0 where it sends none yet."""
        shot = source.camera.newest(0, 0.5)
        return (0, 0) if shot is None else (shot.frame.shape[1], shot.frame.shape[0])

    def _set(self) -> TileSetBuilder:
        """Return the set that is being enrolled; raise BadCapture where there is none."""
        if self._builder is None:
            raise BadCapture(phrase("say first what the set is called and which symbols it has"))
        return self._builder
