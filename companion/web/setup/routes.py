"""The set-up pages of a table: its steps and their states, the live picture, sheets to print."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.errors import CompanionError, UsageError
from companion.model.seats import MAX_SEATS
from companion.model.set_up import SetUpPicture, SheetKind, WizardStatus
from companion.model.status import SeatStatus, Status
from companion.rpc import WizardClient
from companion.web.auth.roles import role_required
from companion.web.i18n.language import N_, _, translate
from companion.web.live.monitor import run_in_threadpool
from companion.web.pages.table_requests import table
from companion.web.services import current_services
from companion.web.serving.addresses import shared_address
from companion.web.setup import forms

DONE, OPEN, MEND, FREE = "done", "open", "mend", "free"
"""States of a step: done, to be done, to be mended, or left to the host."""

STATE_TEXTS = {DONE: N_("done"), OPEN: N_("to do"), MEND: N_("to mend"), FREE: N_("if you like")}

GRADES = {"good": N_("good"), "fair": N_("will do"), "bad": N_("bad"), "unknown": N_("cannot be told yet")}

ASPECTS = {
    "resolution": N_("Size of the tiles"),
    "focus": N_("Sharpness"),
    "exposure": N_("Brightness"),
    "shadow": N_("Evenness"),
    "glare": N_("Reflections"),
    "flicker": N_("Flicker"),
}
"""Titles of the aspects of the light."""

FACINGS = {
    0: N_("below: reads upright in the picture"),
    90: N_("at the left"),
    180: N_("above: reads upside down"),
    270: N_("at the right"),
}
"""Where a player sits in the picture, by the rotation of the reading direction in degrees."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name in the URL, its title, its purpose, and a function that returns its state."""

    name: str
    title: str
    does: str
    state: Callable[[WizardStatus, Sequence[SeatStatus]], str]


def free(_known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return the state of an optional step."""
    return FREE


def light(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return the state of the camera and its light."""
    if known.sees:
        return MEND
    if known.light is None:
        return OPEN
    return MEND if known.light.grade == "bad" else DONE


def corners(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return the state of the corners: done once the table was found."""
    return OPEN if known.table is None else DONE


def zones(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return the state of the zones: done once every seat has one."""
    own = [zone for zone in known.zones if zone.seat]
    if not own:
        return DONE if known.zones else OPEN
    return DONE if len(own) >= known.seats else MEND


def buttons(known: WizardStatus, seats: Sequence[SeatStatus]) -> str:
    """Return the state of the buttons: done once each was pressed."""
    wired = [(seat.seat, button) for seat in seats for button in range(1, seat.buttons + 1)]
    if not wired:
        return FREE
    if any(seat.stuck for seat in seats):
        return MEND
    return DONE if set(wired) <= set(known.pressed) else OPEN


def tiles(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return the state of the tiles: done once the size of a tile is known."""
    return OPEN if known.tile_px is None else DONE


def camera_still(known: WizardStatus, _seats: Sequence[SeatStatus]) -> str:
    """Return the state of the camera's place: done while the camera has not moved."""
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
    Step("check", N_("Check and play"), N_("Does the camera stand still? Then start a game"), camera_still),
)
"""All steps, in their order."""

STEPS_BY_NAME = {step.name: step for step in STEPS}


def states(known: WizardStatus, status: Status | None) -> dict[str, str]:
    """Return the state of each step, by name."""
    seats = status.seats if status else ()
    return {step.name: step.state(known, seats) for step in STEPS}


def next_step(step_states: dict[str, str]) -> str:
    """Return the name of the first step to be done or mended, of the last one where there is none."""
    return next((name for name, state in step_states.items() if state in {OPEN, MEND}), STEPS[-1].name)


PICTURE_WIDTHS_PX = (480, 960, 1600)
"""Widths of pictures in pixels: a phone gets the next larger one."""

PAPERS = ("a4", "letter")

pages = Blueprint("wizard", __name__)


def wizard() -> WizardClient:
    """Return the client of the set-up service; 503 where these pages have no table."""
    return WizardClient(table().path)


def camera() -> int:
    """Return the number of the requested camera, from 0."""
    return max(0, min(request.values.get("camera", 0, int), 99))


def wizard_status(line: WizardClient, number: int) -> WizardStatus:
    """Return the state of the table's set-up."""
    return run_in_threadpool(lambda: line.state(number))


@pages.get("/host/table")
@role_required("host")
def overview() -> ResponseReturnValue:
    """Show all steps with their states."""
    known = wizard_status(wizard(), camera())
    return render_template("wizard/overview.html", **wizard_page_values(known))


def wizard_page_values(known: WizardStatus) -> Mapping[str, Any]:
    """Return the template variables of all set-up pages."""
    step_states = states(known, current_services().monitor.status)
    return {
        "known": known,
        "steps": STEPS,
        "states": step_states,
        "words": STATE_TEXTS,
        "next": next_step(step_states),
        "camera": known.camera,
        "query": f"?camera={known.camera}" if known.camera else "",
    }


@pages.get("/host/table/<name>")
@role_required("host")
def step(name: str) -> ResponseReturnValue:
    """Show one step."""
    if name not in STEPS_BY_NAME:
        abort(404)
    return step_page(name, {})


def step_page(name: str, given: Mapping[str, str], fault: str = "") -> str:
    """Return the page of a step with the values of a sent form."""
    known = wizard_status(wizard(), camera())
    number = list(STEPS_BY_NAME).index(name)
    zones = forms.zones(given, known) if fault and given.get("do") == "zones" else known.zones
    return render_template(
        f"wizard/{name}.html",
        **wizard_page_values(known),
        step=STEPS[number],
        number=number + 1,
        before=STEPS[number - 1] if number else None,
        after=STEPS[number + 1] if number + 1 < len(STEPS) else None,
        given=given,
        fault=fault,
        status=current_services().monitor.status,
        shapes=forms.shapes(zones, known),
        taps=taps(known, given),
        aspects=ASPECTS,
        grades=GRADES,
        facings=FACINGS,
        papers=PAPERS,
    )


def taps(known: WizardStatus, given: Mapping[str, str]) -> tuple[forms.Spot, ...]:
    """Return the initial positions of the four corners, in percent."""
    if given.get("do") == "taps":
        return forms.parse_corners(given, "tap", 4)
    if known.table is not None:
        return forms.percent(known.table.corners, known)
    return ((12.0, 12.0), (88.0, 12.0), (88.0, 88.0), (12.0, 88.0))


@pages.post("/host/table/<name>")
@role_required("host")
def act(name: str) -> ResponseReturnValue:
    """Carry out a step's form; on a refusal show the step again with the fault and the sent values."""
    does = FORM_ACTIONS.get((name, request.form.get("do", "")))
    if does is None:
        abort(404)
    line, given, number = wizard(), request.form, camera()
    try:
        message = does(line, number, given)
    except CompanionError as error:
        return step_page(name, given, translate(str(error))), 409
    if (name, given["do"]) not in FORMS_WITHOUT_NOTICE:
        flash(translate(message), "good")
    return redirect(f"/host/table/{name}" + (f"?camera={number}" if number else ""))


Form = Mapping[str, str]
FormAction = Callable[[WizardClient, int, Form], str]


def markers(line: WizardClient, number: int, given: Form) -> str:
    """Find the table by its markers."""
    ruler, size = forms.numbers(given, "ruler"), forms.size(given)
    return run_in_threadpool(lambda: line.markers(number, size, ruler[0] if ruler else None))


def save_tapped_corners(line: WizardClient, number: int, given: Form) -> str:
    """Save the corners of the table as tapped."""
    size, known = forms.size(given), wizard_status(line, number)
    if size is None:
        raise UsageError(_("Measure the table between the corners, and say how broad and how deep it is."))
    corners = forms.pixels(forms.parse_corners(given, "tap", 4), known)
    if len(corners) != 4:
        raise UsageError(_("Four corners are needed: top left, top right, bottom right, bottom left."))
    first, second, third, fourth = corners
    return run_in_threadpool(lambda: line.taps(number, (first, second, third, fourth), size))


def share(line: WizardClient, number: int, given: Form) -> str:
    """Divide the table among the seats again."""
    seats, board = forms.numbers(given, "seats") or (4.0,), forms.size(given)
    return run_in_threadpool(lambda: line.seats(number, int(seats[0]), board))


def save_moved_zones(line: WizardClient, number: int, given: Form) -> str:
    """Save zones as they were moved."""
    zones = forms.zones(given, wizard_status(line, number))
    return run_in_threadpool(lambda: line.zones(number, zones))


def tile(line: WizardClient, number: int, given: Form) -> str:
    """Save the size of a tile."""
    found = forms.numbers(given, "tile")
    return run_in_threadpool(lambda: line.tile(number, found[0] if found else None))


def learn(line: WizardClient, _number: int, given: Form) -> str:
    """Begin to enrol a tile set."""
    order = forms.symbols(given.get("order", ""))
    return run_in_threadpool(lambda: line.learn(given.get("name", "").strip()[:60], order))


def mend(line: WizardClient, number: int, given: Form) -> str:
    """Save the table's new place after a bump."""
    spots = forms.pixels(forms.parse_corners(given, "tap", 1), wizard_status(line, number))
    return run_in_threadpool(lambda: line.mend(number, spots[0] if spots else None))


FORM_ACTIONS: Mapping[tuple[str, str], FormAction] = {
    ("picture", "light"): lambda line, number, _given: run_in_threadpool(lambda: line.light(number)),
    ("picture", "guide"): lambda line, number, _given: run_in_threadpool(lambda: line.guide(number, on=True)),
    ("picture", "leave"): lambda line, number, _given: run_in_threadpool(
        lambda: line.guide(number, on=False)
    ),
    ("picture", "lens"): lambda line, number, _given: run_in_threadpool(lambda: line.lens(number)),
    ("corners", "markers"): markers,
    ("corners", "taps"): save_tapped_corners,
    ("seats", "share"): share,
    ("seats", "zones"): save_moved_zones,
    ("tiles", "tile"): tile,
    ("tiles", "learn"): learn,
    ("tiles", "example"): lambda line, number, given: run_in_threadpool(
        lambda: line.example(number, given.get("symbol", "")[:20])
    ),
    ("tiles", "learnt"): lambda line, _number, _given: run_in_threadpool(line.learnt),
    ("check", "drift"): lambda line, number, _given: run_in_threadpool(lambda: line.drift(number)),
    ("check", "mend"): mend,
}
"""The action of each form, by step and form name."""

FORMS_WITHOUT_NOTICE = {
    ("picture", "light"),
    ("picture", "guide"),
    ("corners", "markers"),
    ("corners", "taps"),
    ("tiles", "tile"),
    ("check", "drift"),
}
"""Forms without a notice, because their page shows the result."""


@pages.get("/host/table/picture.jpg")
@role_required("host")
def picture() -> ResponseReturnValue:
    """Send the newest picture, plain or with results drawn on it."""
    line, number = wizard(), camera()
    wanted = request.args.get("w", PICTURE_WIDTHS_PX[0], int)
    width = next((one for one in PICTURE_WIDTHS_PX if one >= wanted), PICTURE_WIDTHS_PX[-1])
    kind = request.args.get("kind", SetUpPicture.PLAIN.value)
    if kind not in set(SetUpPicture):
        abort(404)
    words = {"seat": _("Seat"), "pool": _("Pool"), "board": _("Board")}
    jpeg = run_in_threadpool(lambda: line.shown(number, SetUpPicture(kind), width, words))
    return Response(jpeg, content_type="image/jpeg", headers={"Cache-Control": "no-store"})


@pages.get("/host/table/sheets/<kind>.pdf")
@role_required("host")
def sheet(kind: str) -> ResponseReturnValue:
    """Send a sheet to print, as PDF."""
    paper = request.args.get("paper", PAPERS[0])
    if kind not in set(SheetKind) or paper not in PAPERS:
        abort(404)
    line, url = wizard(), shared_address()
    seats = max(1, min(request.args.get("seats", 4, int), MAX_SEATS))
    if kind == SheetKind.SEATS and not url:
        abort(409, _("No phone can join yet: these pages are open to this computer alone."))
    pdf = run_in_threadpool(lambda: line.sheet(SheetKind(kind), paper, seats, url or ""))
    return Response(pdf, content_type="application/pdf")
