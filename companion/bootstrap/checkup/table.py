"""What must be right about a table: its file, its game, its words, its log, its cameras."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.bootstrap.devices import with_colour
from companion.bootstrap.games import game_lexicon
from companion.bootstrap.paths import load_profile, socket_path
from companion.config.cameras import CameraConfig
from companion.config.table import TableConfig
from companion.errors import BadTileSet, CompanionError, Unanswered
from companion.events.checking import findings
from companion.model.phrases import phrase, phrase_n
from companion.model.tiles import tile_set
from companion.rpc import TableClient
from companion.rules.play import begin
from companion.rules.registry import game as game_named
from companion.vision import Reader
from companion.vision.detector.perspective import TileSize, known_tile_size
from companion.vision.ocr.tesseract import missing_packages
from companion.vision.picture import Frame
from hardware.cameras import open_camera
from hardware.cameras.checks import Check, Known, checks
from hardware.wiring import check as wired
from hardware.wiring import on_this_pi

GONE = phrase("Set a game up with other tiles, or learn these again at /host/table.")


def tried(what: str, look: Callable[[], str], mend: str) -> Check:
    """Return an essential check: what a look says, or the fault that it meets."""
    try:
        return Check(what, fine=True, says=look(), essential=True)
    except CompanionError as error:
        mend = GONE if isinstance(error, BadTileSet) else mend
        return Check(what, fine=False, says=str(error), mend=mend, essential=True)


def table_checks(config: TableConfig, log: Path) -> Iterator[Check]:
    """Yield whether game and wiring can be, the log is whole, and no other table runs already."""
    yield from file_checks(config, log)
    yield alone(config)


def file_checks(config: TableConfig, log: Path) -> Iterator[Check]:
    """Yield whether game and wiring can be, and the log is whole."""
    game = phrase("See companion rules GAME for its options, and correct the table's file.")
    yield tried("game", lambda: set_up(config), game)
    yield tried("wiring", lambda: wiring(config), "companion wiring shows a wiring that works.")
    yield tried("log", lambda: whole(log), f"companion log repair {log} saves what can be saved.")


def set_up(config: TableConfig) -> str:
    """Return the game in words; raise BadOption or BadSetUp for one that cannot begin."""
    rules = game_named(config.game)
    begin(rules, config.seats, config.switches, "words")
    policy = config.switches.get("policy", "strict")
    return phrase(
        "%(game)s for %(players)s; policy %(policy)s",
        game=rules.title,
        players=", ".join(config.seats),
        policy=policy,
    )


def wiring(config: TableConfig) -> str:
    """Return how much is wired; raise BadWiring for what cannot be."""
    wired(config.controls, on_this_pi())
    buttons = sum(len(place.buttons) for place in config.controls.seats)
    return phrase_n(
        "%(count)s button before %(seats)s, no clash",
        "%(count)s buttons before %(seats)s, no clash",
        buttons,
        seats=phrase_n("%(count)s seat", "%(count)s seats", len(config.controls.seats)),
    )


def whole(log: Path) -> str:
    """Return what a log holds; raise BadLog for one that is damaged or newer than this program."""
    if not log.exists():
        return phrase("%(log)s will be made", log=log)
    found = list(findings(log))
    if damaged := [str(one) for one in found if one.damage]:
        raise Unanswered("; ".join(damaged))
    games = sum(bool(one.game) for one in found)
    return phrase_n("%(log)s: %(count)s game, whole", "%(log)s: %(count)s games, all whole", games, log=log)


def alone(config: TableConfig) -> Check:
    """Return whether another table has the devices already."""
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
    """Yield whether the words that judge and the networks that read are there."""
    yield tried(
        "words", lambda: game_lexicon(config).label, "companion words list shows which lists there are."
    )
    again = phrase("Install the companion again: its trained networks are damaged or missing.")
    yield tried("reader", lambda: reads(config), again)
    yield second_reader(config)


def reads(config: TableConfig) -> str:
    """Return that the reader reads; raise CompanionError where it does not."""
    tiles = tile_set(config.tile_set)
    Reader(tiles).read(np.full((240, 320), 128, np.uint8))
    return phrase("knows the %(count)s symbols of %(name)s", count=len(tiles.symbols), name=tiles.name)


def second_reader(config: TableConfig) -> Check:
    """Return whether doubts get a second reading; without it people are asked a little more often."""
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
    """Yield what is right and wrong about each camera, with its name; it takes some seconds each."""
    if not config.cameras:
        essential = config.switches.get("policy", "strict") != "off"
        mend = phrase('Name one in [[cameras]], or set policy = "off" and let people judge.')
        yield "no camera", Check("picture", not essential, phrase("nobody sees the tiles"), mend, essential)
    for camera in map(with_colour(config), config.cameras):
        for check in one_camera(camera, config):
            yield camera.called, check


def one_camera(camera: CameraConfig, config: TableConfig) -> Iterator[Check]:
    """Yield what is right and wrong about one camera."""
    try:
        with ExitStack() as undo:
            profile = load_profile(camera)
            device = undo.enter_context(open_camera(camera))
            tiles = finder(config, known_tile_size(profile))
            yield from checks(device, camera, Known(profile, tiles))
    except CompanionError as error:
        mend = phrase("See to its cable and power, and to what [[cameras]] says of it.")
        yield Check("picture", False, str(error), mend, essential=True)


def finder(config: TableConfig, tile_size: TileSize | None) -> Callable[[Frame], NDArray[np.float64]]:
    """Return what finds the corners of tiles in a grey picture, (n, 4, 2)."""
    reader = Reader(tile_set(config.tile_set), tile_size=tile_size)

    def corners(frame: Frame) -> NDArray[np.float64]:
        tiles = reader.read(frame).tiles
        return np.array([tile.corners for tile in tiles], np.float64).reshape(-1, 4, 2)

    return corners
