"""A table at work: game after game, until somebody stops it."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from calibration.enrolment.keeping import own_folder
from companion.bootstrap.boxes import Boxes, missed, place
from companion.bootstrap.checkup import live_checks
from companion.bootstrap.checkup.machine import space
from companion.bootstrap.devices import Hardware, Simulation, opened, temperature
from companion.bootstrap.games import begun, carried, judge_of, judging, rare_words, resumed, words_for
from companion.bootstrap.notify import notify
from companion.bootstrap.places import kept_profile, log_of, profile_of, socket_of
from companion.bootstrap.storage import recover
from companion.config.table import TableConfig
from companion.errors import BadLog, BadTileSet, OtherWords
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
from companion.wizard import Wizard, WizardEye
from hardware.buttons import Buttons

logger = logging.getLogger(__name__)

SWITCH_S = 0.0005
"""How long one thread may hold up another: a press is to be lit within 5 ms while pictures are read."""

BEAT_S = 0.25
"""How often the table is looked after."""

Listener = Callable[[Sequence[Stamped], State], None]
Until = Callable[[Table], bool]


def never(_table: Table) -> bool:
    """Return that nothing but its host ends the table."""
    return False


@dataclass(slots=True)
class Run:
    """How a table is run.

    Parameters
    ----------
    resume
        Go on with the newest game, if it was not finished.
    start
        Give the host's order to start as soon as the table can.
    until
        Says whether the table is to end; looked at four times a second.
    listener
        Told of everything that is safe in the log.
    simulation
        What stands in for a Pi, if anything does.
    ready
        Told of each game's table when all is open.
    stop
        Set it to end the table.
    elsewhere
        Told of another game that the host asks for; true where it is played at another table, and this one
        ends.
    notes
        What the host is to be told once a game is at work.
    """

    resume: bool = False
    start: bool = False
    until: Until = never
    listener: Listener | None = None
    simulation: Simulation = field(default_factory=Simulation)
    ready: Callable[[Table], None] = lambda _table: None
    stop: threading.Event = field(default_factory=threading.Event)
    elsewhere: Callable[[NextGame], bool] = lambda _asked: False
    notes: list[str] = field(default_factory=list)


def run(config: TableConfig, how: Run) -> Table:
    """Play game after game at a table, and return the last one's table, closed.

    Raises
    ------
    CompanionError
        Where something that it needs cannot be had.
    """
    sys.setswitchinterval(SWITCH_S)
    asked: list[NextGame | LookAgain] = []
    with opened(config, how.simulation) as hardware:
        wizard = wizard_for(config, hardware, lambda: asked.append(LookAgain()))
        with serve(socket_of(config), None, wizard) as line:
            at = At(hardware, line, wizard, Boxes(config), asked)
            while True:
                try:
                    with EventLog(log_of(config)) as log:
                        return played(config, log, at, how)
                except BadLog as error:
                    how.notes.append(recover(log_of(config), error, partial(troubled, at), how.stop))


def played(config: TableConfig, log: EventLog, at: At, how: Run) -> Table:
    """Play game after game into a log and return the last table, closed; raise BadLog where the log fails."""
    found = None
    try:
        found = resumed(config, log) if how.resume else None
    except OtherWords as error:
        logger.warning("%s; a new game begins", error)
        how.notes.append(phrase("%(why)s; it stays in the log, and a new game has begun", why=str(error)))
    playing = found[0] if found else config
    playing = replace(playing, tile_set=place(at.boxes.chosen(playing.game)))
    match = found[1] if found else begun(playing, log)
    while True:
        how.resume = True  # should the log fail, this game goes on
        with at_work(playing, match, at, how) as table:
            look_after(table, how, at.asked)
        if not at.asked:
            return table
        if following := [one for one in at.asked if isinstance(one, NextGame)]:
            if how.elsewhere(following[-1]):
                return table
            playing = set_up(at.boxes, following[-1])
            match = begun(playing, log)
            at.boxes.keep(playing.game, following[-1].tiles)
        at.asked.clear()


def troubled(at: At, why: str) -> None:
    """Say on every page and light why the table cannot keep a game just now."""
    at.line.set_table(None, why)
    at.hardware.lights.show(Pattern.WARNING)


@dataclass(frozen=True, slots=True)
class LookAgain:
    """The same game, with cameras that were set up anew."""


@dataclass(frozen=True, slots=True)
class At:
    """What one game after the other is played at; ``asked`` is what the host wants next."""

    hardware: Hardware
    line: Server
    wizard: Wizard
    boxes: Boxes
    asked: list[NextGame | LookAgain]


@contextmanager
def at_work(config: TableConfig, match: Match, at: At, how: Run) -> Iterator[Table]:
    """Yield a game's table at work: its cameras look, its buttons are heard, its line answers."""
    hardware, seeing = at.hardware, Seeing.of(config, at, match.words.label)
    devices = Devices(
        how.simulation.clock.now_ns,
        seeing.rig,
        hardware.lights,
        hardware.sound,
        seeing.judge,
        temperature,
        lambda: seeing.fault or full(log_of(config)),
        hardware.troubles,
    )

    def checked(asked: NextGame) -> None:
        asked = replace(asked, tiles=at.boxes.wanted(asked.game, asked.tiles))
        following = set_up(at.boxes, asked)
        with EventLog(log_of(config), writable=False) as log:
            options = carried(following, log)
        begin(game_named(following.game), following.seats, options, words_for(following).label)
        at.asked.append(asked)

    def look() -> Iterator[CheckLine]:
        log, cameras = log_of(config), hardware.cameras
        for part, check in live_checks(config, log, cameras, buttons, busy=table.busy):
            yield CheckLine(part, **asdict(check))

    table = Table(config, match, devices, how.listener)

    def pressed(press: Press) -> None:
        at.wizard.pressed(press)
        table.pressed(press)

    def lost(press: Press) -> None:
        hardware.troubles.note(unheard(press.seat))

    given = (pressed, how.simulation.pins, how.simulation.clock, table.button_touched, lost)
    buttons = Buttons(table.controls, *given)
    table.stuck = lambda: {state.seat for state in buttons.states() if state.stuck}
    table.defer_to(buttons.undecided_ns)
    at.wizard.table = table
    with table, pressing(buttons, table):
        if seeing.fault:
            logger.error("%s", seeing.fault)
            table.loop.submit(Noted(table.clock.now(), seeing.fault))
        while how.notes:
            table.loop.submit(Noted(table.clock.now(), how.notes.pop(0)))
        at.line.set_table(TableRequestHandler(table, checked, look, at.boxes.told))
        how.ready(table)
        try:
            yield table
        finally:
            at.line.set_table(None)


def unheard(seat: int) -> str:
    """Return what the host is told where a press was lost."""
    return phrase(
        "a press of seat %(seat)s was lost to a fault of the program: press again, or call on a phone; if it "
        "happens again, restart the table and send the diagnostics of the host's page",
        seat=seat,
    )


@dataclass(frozen=True, slots=True)
class Seeing:
    """What sees a game's tiles and says what they are; nothing where ``fault`` says why."""

    rig: CameraRig = field(default_factory=CameraRig)
    judge: Judge = lambda _reading: ()
    fault: str = ""

    @classmethod
    def of(cls, config: TableConfig, at: At, label: str) -> Seeing:
        """Return what sees a game's tiles, judged by the list that a label names.

        It is nothing where the tile set is gone, so that people judge meanwhile.
        """
        try:
            at.wizard.tiles = tiles = tile_set(config.tile_set)
            words = judging(config, label)
            return cls(at.hardware.rig(config), judge_of(tiles, words, rare_words(config)))
        except BadTileSet as error:
            return cls(fault=missed(config.tile_set, str(error)))


def wizard_for(config: TableConfig, hardware: Hardware, changed: Callable[[], None]) -> Wizard:
    """Return what sets a table's cameras up; ``changed`` hears that one is to be looked through anew."""
    eyes = [
        WizardEye(camera.called, device, profile_of(camera), partial(kept_profile, camera))
        for camera, device in hardware.cameras
    ]
    return Wizard(eyes, tile_set(config.tile_set), own_folder(), changed)


@contextmanager
def pressing(buttons: Buttons, table: Table) -> Iterator[None]:
    """Listen to the buttons, where there are any."""
    if not any(place.buttons for place in table.controls.seats):
        yield
        return
    with buttons:
        yield


def look_after(table: Table, how: Run, another: Sequence[NextGame | LookAgain]) -> None:
    """Look after a table until it is over, telling the service manager that all is well while it is."""
    notify("READY=1", f"STATUS={table.config.game}: {', '.join(table.config.seats)}")
    ill, start = "", how.start and not table.loop.state.started
    while not (how.stop.is_set() or how.until(table) or another):
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
        how.stop.wait(BEAT_S)


def set_up(boxes: Boxes, asked: NextGame) -> TableConfig:
    """Return the table for another game; raise BadConfig where it has no room for it."""
    config = boxes.config
    facing = config.facing_deg if len(asked.seats) == len(config.seats) else ()
    config = replace(config, seats=asked.seats, facing_deg=facing, tile_set=place(asked.tiles))
    return replace(config, game=asked.game, options=asked.options, policy=None, words=asked.words)


def full(log: Path) -> str:
    """Return that a disk has no room for a game, or nothing."""
    check = space(log.parent)
    return "" if check.fine else f"{check.says}: {check.mend}"


def over(table: Table) -> bool:
    """Return whether the game is over."""
    return table.loop.state.phase is Phase.OVER


def watched_to_the_end(table: Table) -> bool:
    """Return whether every film or folder that the table looks at has come to its end and all is decided."""
    ended = all(one.camera.device.health().state == "ended" for one in table.cameras)
    return ended and not table.waiting.waiting and table.publisher.notes != ()
