"""Run a table: open its devices and play game after game until it is stopped."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from calibration.enrolment.storage import own_folder
from companion.bootstrap.devices import Hardware, Simulation, open_devices, temperature
from companion.bootstrap.games import (
    board_fault,
    check_calls,
    game_lexicon,
    keep_played,
    match_lexicon,
    new_match,
    options_with_handicaps,
    rare_word_rule,
    resume_match,
    tableau_judge,
)
from companion.bootstrap.notify import notify
from companion.bootstrap.paths import load_profile, log_path, profile_path, socket_path
from companion.bootstrap.readiness import live_checks
from companion.bootstrap.readiness.machine import disk_space_check
from companion.bootstrap.storage import recover
from companion.bootstrap.tile_set_choice import TileSetChoice, tile_set_reference, unavailable_text
from companion.config.table import TableConfig
from companion.errors import BadLog, BadProfile, BadTileSet, OtherWords
from companion.events.log import EventLog
from companion.events.match import Match
from companion.model.calls import Noted, Order, Ordered
from companion.model.patterns import Pattern
from companion.model.phrases import phrase
from companion.model.status import CheckLine
from companion.model.tiles import tile_set
from companion.rpc import Server, serve
from companion.rules.event import Stamped
from companion.rules.play import begin
from companion.rules.registry import game as game_named
from companion.rules.state import Phase, State
from companion.table import CameraRig, Devices, NextGame, Table, TableRequestHandler
from companion.table.devices import Press
from companion.table.pictures import Judge
from companion.table.table import stall_reason
from companion.wizard import Wizard, WizardCamera
from companion.wizard.findings import broken_message
from hardware.buttons import Buttons

logger = logging.getLogger(__name__)

SWITCH_INTERVAL_S = 0.0005
"""The interpreter's thread switch interval, in seconds: a press must be lit within 5 ms."""

SUPERVISION_INTERVAL_S = 0.25
"""Seconds between two checks of the running table."""

Listener = Callable[[Sequence[Stamped], State], None]
Until = Callable[[Table], bool]


def never(_table: Table) -> bool:
    """Return False: only the host ends the table."""
    return False


@dataclass(slots=True)
class RunOptions:
    """How a table is run.

    Parameters
    ----------
    resume
        Resume the newest game if it is not finished.
    start
        Order the start of the game as soon as the table is fit for it.
    until
        Returns whether to end the table; called every ``SUPERVISION_INTERVAL_S``.
    listener
        Receives all events after they were written to the log, with the state.
    simulation
        Replacements of a Raspberry Pi's devices.
    ready
        Receives each game's table when it is open.
    stop
        Set it to end the table.
    play_elsewhere
        Receives another game that the host requests; returns whether it is played at another table, which
        ends this one.
    notes
        Messages for the host that are sent when the next game is open.
    """

    resume: bool = False
    start: bool = False
    until: Until = never
    listener: Listener | None = None
    simulation: Simulation = field(default_factory=Simulation)
    ready: Callable[[Table], None] = lambda _table: None
    stop: threading.Event = field(default_factory=threading.Event)
    play_elsewhere: Callable[[NextGame], bool] = lambda _asked: False
    notes: list[str] = field(default_factory=list)


def run(config: TableConfig, options: RunOptions) -> Table:
    """Play game after game at a table, and return the last one's table, closed.

    Raises
    ------
    CompanionError
        Where a device, a file or a word list that it needs is missing, or a button has a call of no game.
    """
    check_calls(config.controls)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    requests: list[NextGame | CamerasChanged] = []
    with open_devices(config, options.simulation) as hardware:
        wizard = make_wizard(config, hardware, lambda: requests.append(CamerasChanged()))
        with serve(socket_path(config), None, wizard) as server:
            context = RunContext(hardware, server, wizard, TileSetChoice(config), requests)
            while True:
                try:
                    with EventLog(log_path(config)) as log:
                        return play_games(config, log, context, options)
                except BadLog as error:
                    options.notes.append(
                        recover(log_path(config), error, partial(report_trouble, context), options.stop)
                    )


def play_games(config: TableConfig, log: EventLog, context: RunContext, options: RunOptions) -> Table:
    """Play game after game and return the last table, closed; raise BadLog where the log fails."""
    found = None
    try:
        found = resume_match(config, log) if options.resume else None
    except OtherWords as error:
        logger.warning("%s; a new game begins", error)
        options.notes.append(phrase("%(why)s; it stays in the log, and a new game has begun", why=str(error)))
    playing = found[0] if found else config
    playing = replace(playing, tile_set=tile_set_reference(context.tile_sets.chosen(playing.game)))
    match = found[1] if found else new_match(playing, log)
    while True:
        keep_played(log, match.name)
        options.resume = True  # after an error of the log this game is resumed
        with open_game(playing, match, context, options) as table:
            supervise(table, options, context.requests)
        if not context.requests:
            return table
        heard = tuple(context.requests)
        if following := [one for one in heard if isinstance(one, NextGame)]:
            if options.play_elsewhere(following[-1]):
                return table
            playing = config_for(context.tile_sets, following[-1])
            match = new_match(playing, log)
            try:
                context.tile_sets.save(playing.game, following[-1].tiles)
            except BadTileSet as error:
                logger.warning("%s", error)
                options.notes.append(phrase("the choice of tiles is not kept: %(why)s", why=str(error)))
        del context.requests[: len(heard)]  # one that came while the next game began is for the one after it


def report_trouble(context: RunContext, why: str) -> None:
    """Show on pages and lights why the table cannot write its log now."""
    context.server.set_table(None, why)
    context.hardware.lights.show(Pattern.WARNING)


@dataclass(frozen=True, slots=True)
class CamerasChanged:
    """The request to reopen the game with new camera profiles."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What all games of a run share; ``requests`` queues what is to follow the current game."""

    hardware: Hardware
    server: Server
    wizard: Wizard
    tile_sets: TileSetChoice
    requests: list[NextGame | CamerasChanged]


@contextmanager
def open_game(config: TableConfig, match: Match, context: RunContext, options: RunOptions) -> Iterator[Table]:
    """Open a game's table during a block: cameras, buttons and the server's service."""
    hardware, vision = context.hardware, GameVision.of(config, context, match.words.label)
    devices = Devices(
        options.simulation.clock.now_ns,
        vision.rig,
        hardware.lights,
        hardware.sound,
        vision.judge,
        temperature,
        lambda: vision.fault or disk_full_text(log_path(config)),
        hardware.troubles,
    )

    def checked(asked: NextGame) -> None:
        asked = replace(asked, tiles=context.tile_sets.validated(asked.game, asked.tiles))
        following = config_for(context.tile_sets, asked)
        with EventLog(log_path(config), writable=False) as log:
            game_options = options_with_handicaps(following, log)
        begin(game_named(following.game), following.seats, game_options, game_lexicon(following).label)
        context.requests.append(asked)

    def look() -> Iterator[CheckLine]:
        log, cameras = log_path(config), hardware.cameras
        for part, check in live_checks(config, log, cameras, buttons, busy=table.busy):
            yield CheckLine(part, **asdict(check))

    table = Table(config, match, devices, options.listener)

    def pressed(press: Press) -> None:
        context.wizard.pressed(press)
        table.pressed(press)

    def lost(press: Press) -> None:
        hardware.troubles.note(lost_press_text(press.seat))

    given = (pressed, options.simulation.pins, options.simulation.clock, table.button_touched, lost)
    buttons = Buttons(table.controls, *given)
    table.stuck = lambda: {state.seat for state in buttons.states() if state.stuck}
    table.deaf = lambda: buttons.dead
    table.defer_to(buttons.undecided_ns)
    context.wizard.table = table
    with table, listening_to(buttons, table):
        if vision.fault:
            logger.error("%s", vision.fault)
            table.loop.submit(Noted(table.clock.now(), vision.fault))
        while options.notes:
            table.loop.submit(Noted(table.clock.now(), options.notes.pop(0)))
        context.server.set_table(TableRequestHandler(table, checked, look, context.tile_sets.choices))
        options.ready(table)
        try:
            yield table
        finally:
            context.server.set_table(None)


def lost_press_text(seat: int) -> str:
    """Return the host's message about a press that was lost."""
    return phrase(
        "a press of seat %(seat)s was lost to a fault of the program: press again, or call on a phone; if it "
        "happens again, restart the table and send the diagnostics of the host's page",
        seat=seat,
    )


@dataclass(frozen=True, slots=True)
class GameVision:
    """The cameras and the tableau judge of a game; empty with the reason in ``fault``."""

    rig: CameraRig = field(default_factory=CameraRig)
    judge: Judge = lambda _reading: ()
    fault: str = ""

    @classmethod
    def of(cls, config: TableConfig, context: RunContext, label: str) -> GameVision:
        """Return a game's vision, which judges by the word list with a label.

        It is empty without the game's tile set or board, or where a camera's profile cannot be read.
        """
        try:
            context.wizard.tiles = tiles = tile_set(config.tile_set)
            if fault := board_fault(config):
                return cls(fault=fault)
            words = match_lexicon(config, label)
            return cls(context.hardware.rig(config), tableau_judge(tiles, words, rare_word_rule(config)))
        except BadTileSet as error:
            return cls(fault=unavailable_text(config.tile_set, str(error)))
        except BadProfile as error:
            return cls(fault=broken_message(str(error)))


def make_wizard(config: TableConfig, hardware: Hardware, changed: Callable[[], None]) -> Wizard:
    """Return the wizard of a table's cameras; it calls ``changed`` after a camera's profile has changed."""
    cameras = [
        WizardCamera(camera.called, device, profile_path(camera), partial(load_profile, camera))
        for camera, device in hardware.cameras
    ]
    return Wizard(cameras, tile_set(config.tile_set), own_folder(), changed)


@contextmanager
def listening_to(buttons: Buttons, table: Table) -> Iterator[None]:
    """Listen to the buttons during a block, if there are any."""
    if not any(seat.buttons for seat in table.controls.seats):
        yield
        return
    with buttons:
        yield


def supervise(table: Table, options: RunOptions, another: Sequence[NextGame | CamerasChanged]) -> None:
    """Watch a table until it ends, and report its health to the service manager."""
    notify("READY=1", f"STATUS={table.config.game}: {', '.join(table.config.seats)}")
    ill, start = "", options.start and not table.loop.state.started
    while not (options.stop.is_set() or options.until(table) or another):
        table.watch()
        if start and not table.unfit():
            start = False
            table.loop.submit(Ordered(table.clock.now(), Order.START))
        said = stall_reason(table) or ""
        if said != ill and said:
            logger.error("%s", said)
        ill = said
        if not ill:
            notify("WATCHDOG=1")
        options.stop.wait(SUPERVISION_INTERVAL_S)


def config_for(tile_sets: TileSetChoice, asked: NextGame) -> TableConfig:
    """Return the configuration for a requested game; raise BadConfig where it has too many seats."""
    config = tile_sets.config.for_game(asked.game, asked.seats, asked.options)
    return replace(config, tile_set=tile_set_reference(asked.tiles), words=asked.words)


def disk_full_text(log: Path) -> str:
    """Return the message that a disk has no space for a game, or an empty text."""
    check = disk_space_check(log.parent)
    return "" if check.fine else f"{check.says}: {check.mend}"


def game_over(table: Table) -> bool:
    """Return whether the game is over."""
    return table.loop.state.phase is Phase.OVER


def recordings_ended(table: Table) -> bool:
    """Return whether all films and folders have ended and all calls are decided."""
    ended = all(one.camera.device.health().state == "ended" for one in table.cameras)
    return ended and not table.call_queue.waiting and table.publisher.notes != ()
