"""Readiness checks of a table: its game, wiring, log, word list, reader and cameras."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.bootstrap.devices import with_colour
from companion.bootstrap.games import check_calls, game_lexicon
from companion.bootstrap.paths import load_profile, socket_path
from companion.config.cameras import CameraConfig
from companion.config.table import TableConfig
from companion.errors import BadProfile, BadTileSet, CompanionError, Unanswered
from companion.events.checking import findings
from companion.model.phrases import phrase, phrase_n
from companion.model.tiles import tile_set
from companion.rpc import TableClient
from companion.rules.play import begin
from companion.rules.registry import game as game_named
from companion.vision.camera_frame import Frame
from companion.vision.detector.perspective import TileSize, known_tile_size
from companion.vision.ocr import missing_packages
from companion.vision.pipeline.reader import Reader
from hardware.cameras import Camera, open_camera
from hardware.cameras.checks import Check, CheckContext, TileFinder, checks
from hardware.wiring import check as wired
from hardware.wiring import enabled_interfaces

CHOOSE_TILES = phrase("Set a game up with other tiles, or learn these again at /host/table.")


def essential_check(what: str, look: Callable[[], str], mend: str) -> Check:
    """Return an essential check with the text that ``look`` returns, or the error that it raises."""
    try:
        return Check(what, fine=True, says=look(), essential=True)
    except CompanionError as error:
        mend = CHOOSE_TILES if isinstance(error, BadTileSet) else mend
        return Check(what, fine=False, says=str(error), mend=mend, essential=True)


def table_checks(config: TableConfig, log: Path) -> Iterator[Check]:
    """Yield whether game and wiring are valid, the log is intact, and no other table runs."""
    yield from file_checks(config, log)
    yield no_other_table(config)


def file_checks(config: TableConfig, log: Path) -> Iterator[Check]:
    """Yield whether game and wiring are valid, and the log is intact."""
    game = phrase("See companion rules GAME for its options and calls, and correct the table's file.")
    yield essential_check("game", lambda: game_text(config), game)
    yield essential_check(
        "wiring", lambda: wiring_text(config), "companion wiring shows a wiring that works."
    )
    yield essential_check(
        "log", lambda: log_text(log), f"companion log repair {log} saves what can be saved."
    )


def game_text(config: TableConfig) -> str:
    """Return the game and its players in words.

    Raises BadOption or BadSetUp where it cannot begin, BadConfig where a button has a call of no game.
    """
    rules = game_named(config.game)
    check_calls(config.controls)
    begin(rules, config.seats, config.switches, "words")
    policy = config.switches.get("policy", "strict")
    return phrase(
        "%(game)s for %(players)s; policy %(policy)s",
        game=rules.title,
        players=", ".join(config.seats),
        policy=policy,
    )


def wiring_text(config: TableConfig) -> str:
    """Return the numbers of buttons and seats in words; raise BadWiring."""
    wired(config.controls, enabled_interfaces())
    buttons = sum(len(place.buttons) for place in config.controls.seats)
    return phrase_n(
        "%(count)s button before %(seats)s, no clash",
        "%(count)s buttons before %(seats)s, no clash",
        buttons,
        seats=phrase_n("%(count)s seat", "%(count)s seats", len(config.controls.seats)),
    )


def log_text(log: Path) -> str:
    """Return the number of games of a log in words; raise BadLog, or Unanswered where it is damaged."""
    if not log.exists():
        return phrase("%(log)s will be made", log=log)
    found = list(findings(log))
    if damaged := [str(one) for one in found if one.damage]:
        raise Unanswered("; ".join(damaged))
    games = sum(bool(one.game) for one in found)
    return phrase_n("%(log)s: %(count)s game, whole", "%(log)s: %(count)s games, all whole", games, log=log)


def no_other_table(config: TableConfig) -> Check:
    """Return whether no other table runs and uses the devices."""
    path = socket_path(config)
    try:
        status = TableClient(path, 1.0).status()
    except Unanswered:
        return Check("line", fine=True, says=phrase("%(path)s is free", path=path), essential=True)
    mend = phrase("Stop it first: sudo systemctl stop companion-table, or Ctrl-C where it runs.")
    return Check(
        "line", False, phrase("a table plays %(match)s already", match=status.match), mend, essential=True
    )


def judging_checks(config: TableConfig) -> Iterator[Check]:
    """Yield whether the word list and the reader's networks are installed."""
    yield essential_check(
        "words", lambda: game_lexicon(config).label, "companion words list shows which lists there are."
    )
    again = phrase("Install the companion again: its trained networks are damaged or missing.")
    yield essential_check("reader", lambda: reader_text(config), again)
    yield second_reader_check(config)


def reader_text(config: TableConfig) -> str:
    """Run the reader once, and return a text about it; raise CompanionError where it fails."""
    tiles = tile_set(config.tile_set)
    Reader(tiles).read(np.full((240, 320), 128, np.uint8))
    return phrase("knows the %(count)s symbols of %(name)s", count=len(tiles.symbols), name=tiles.name)


def second_reader_check(config: TableConfig) -> Check:
    """Return whether Tesseract reads doubts again; without it people have to settle more doubts."""
    if not config.ocr:
        return Check("second reader", None, phrase("switched off in the table's file (ocr = false)"))
    try:
        tiles = tile_set(config.tile_set)
    except BadTileSet as error:
        return Check("second reader", None, str(error))
    if tiles.looks:
        return Check("second reader", None, phrase("there is none for tiles of one's own"))
    if packages := missing_packages(tiles.symbols):
        mend = phrase("sudo apt install %(packages)s, and start the table again", packages=" ".join(packages))
        return Check("second reader", None, phrase("Tesseract is not there for these tiles"), mend)
    return Check(
        "second reader", fine=True, says=phrase("Tesseract reads doubts once more in the background")
    )


def camera_checks(config: TableConfig) -> Iterator[tuple[str, Check]]:
    """Yield the checks of each camera, with its name; they take some seconds each."""
    if not config.cameras:
        essential = config.switches.get("policy", "strict") != "off"
        mend = phrase('Name one in [[cameras]], or set policy = "off" and let people judge.')
        yield "no camera", Check("picture", not essential, phrase("nobody sees the tiles"), mend, essential)
    for camera in map(with_colour(config), config.cameras):
        for check in one_camera(camera, config):
            yield camera.called, check


def one_camera(camera: CameraConfig, config: TableConfig) -> Iterator[Check]:
    """Yield the checks of one camera."""
    try:
        with ExitStack() as undo:
            yield from full_camera_checks(config, camera, undo.enter_context(open_camera(camera)))
    except CompanionError as error:
        mend = phrase("See to its cable and power, and to what [[cameras]] says of it.")
        yield Check("picture", False, str(error), mend, essential=True)


def full_camera_checks(config: TableConfig, camera: CameraConfig, device: Camera) -> Iterator[Check]:
    """Yield the checks of an open camera, which take some seconds."""
    try:
        profile = load_profile(camera)
    except BadProfile as error:
        mend = phrase("Set the table up again at /host/table.")
        yield Check("profile", False, str(error), mend, essential=True)
        return
    tiles: TileFinder | None = None
    with suppress(BadTileSet):  # the check of the reader tells it
        tiles = tile_finder(config, known_tile_size(profile))
    yield from checks(device, camera, CheckContext(profile, tiles))


def tile_finder(config: TableConfig, tile_size: TileSize | None) -> Callable[[Frame], NDArray[np.float64]]:
    """Return a function from a grey picture to its tiles' corners, in pixels, float64, shape (n, 4, 2)."""
    reader = Reader(tile_set(config.tile_set), tile_size=tile_size)

    def corners(frame: Frame) -> NDArray[np.float64]:
        tiles = reader.read(frame).tiles
        return np.array([tile.corners for tile in tiles], np.float64).reshape(-1, 4, 2)

    return corners
