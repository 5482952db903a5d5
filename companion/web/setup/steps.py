"""The steps of setting a table up, and how far each is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from companion.model.set_up import WizardStatus
from companion.model.status import SeatStatus, Status
from companion.web.i18n.language import N_

DONE, OPEN, MEND, FREE = "done", "open", "mend", "free"
"""How far a step is: done, to be done, something to be mended, or left to the host."""

STATES = {DONE: N_("done"), OPEN: N_("to do"), MEND: N_("to mend"), FREE: N_("if you like")}

GRADES = {"good": N_("good"), "fair": N_("will do"), "bad": N_("bad"), "unknown": N_("cannot be told yet")}

ASPECTS = {
    "resolution": N_("Size of the tiles"),
    "focus": N_("Sharpness"),
    "exposure": N_("Brightness"),
    "shadow": N_("Evenness"),
    "glare": N_("Reflections"),
    "flicker": N_("Flicker"),
}
"""What a page calls each thing about the light."""

FACINGS = {
    0: N_("below: reads upright in the picture"),
    90: N_("at the left"),
    180: N_("above: reads upside down"),
    270: N_("at the right"),
}
"""Where a player sits in the picture, by how far the own reading direction is turned."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name in the address, its title, what it is for, and how far it is."""

    name: str
    title: str
    does: str
    state: Callable[[WizardStatus, Sequence[SeatStatus]], str]


def free(_known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return that nobody needs to do it."""
    return FREE


def light(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return how far the picture is looked after."""
    if known.sees:
        return MEND
    if known.light is None:
        return OPEN
    return MEND if known.light.grade == "bad" else DONE


def corners(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return whether the table was found."""
    return OPEN if known.table is None else DONE


def zones(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return whether everybody has a zone."""
    own = [zone for zone in known.zones if zone.seat]
    if not own:
        return DONE if known.zones else OPEN
    return DONE if len(own) >= known.seats else MEND


def buttons(known: WizardStatus, seats: Sequence[SeatStatus]) -> str:
    """Return whether every button was pressed once."""
    wired = [(seat.seat, button) for seat in seats for button in range(1, seat.buttons + 1)]
    if not wired:
        return FREE
    if any(seat.stuck for seat in seats):
        return MEND
    return DONE if set(wired) <= set(known.pressed) else OPEN


def tiles(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return whether it is known how large a tile is."""
    return OPEN if known.tile_px is None else DONE


def stands(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return whether the camera stands as it did."""
    if known.drift is None:
        return OPEN
    return DONE if known.drift.stand == "still" else MEND


STEPS = (
    Step("print", N_("Print"), N_("Marker cards for the corners, cards for the seats"), free),
    Step("picture", N_("Camera and light"), N_("Sharp, bright and without reflections"), light),
    Step("corners", N_("Corners of the table"), N_("By printed markers or by four taps"), corners),
    Step("seats", N_("Seats"), N_("Which part of the table belongs to whom"), zones),
    Step("tiles", N_("Tiles"), N_("How large they are; tiles of your own"), tiles),
    Step("buttons", N_("Buttons and lamps"), N_("Press each one, see each one shine"), buttons),
    Step("check", N_("Check and play"), N_("Does the camera stand still? Then start a game"), stands),
)
"""All steps, in their order."""

BY_NAME = {step.name: step for step in STEPS}


def states(known: WizardStatus, status: Status | None) -> dict[str, str]:
    """Return how far each step is."""
    seats = status.seats if status else ()
    return {step.name: step.state(known, seats) for step in STEPS}


def next_step(told: dict[str, str]) -> str:
    """Return the first step that is still to be done, the last one where none is."""
    return next((name for name, state in told.items() if state in {OPEN, MEND}), STEPS[-1].name)
