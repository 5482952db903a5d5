"""The pages on which a host sets the table up: what they show, ask, refuse and keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.model.set_up import (
    DriftReport,
    EnrolmentProgress,
    LensProgress,
    LightFinding,
    LightStatus,
    TableGeometry,
    WizardStatus,
    ZoneAt,
)
from companion.model.status import SeatStatus, Status
from companion.rpc import serve
from companion.web.serving.addresses import LISTEN_ADDRESS_KEY, ListenAddress
from companion.web.setup.routes import STEPS
from tests.rpc.simple_wizard import SimpleWizard
from tests.web.made import OWN, Desk, token

CORNERS = ((0.0, 0.0), (1000.0, 0.0), (1000.0, 800.0), (0.0, 800.0))
NEW = WizardStatus(
    ("lamp", "shelf"), 0, 1000, 800, "", None, (), 2, False, None, "", "", None, None, None, ()
)
GLARE = LightFinding(
    "glare", "bad", "2.0% of the picture is burnt white", "Move the lamp that is mirrored there."
)
ZONES = (
    ZoneAt("seat", 1, CORNERS[1:], 0.0),
    ZoneAt("seat", 2, CORNERS[:3], 33.0),
    ZoneAt("pool", None, CORNERS),
)
KNOWN = replace(
    NEW,
    table=TableGeometry(800.4, 500.0, 0.32, 4, CORNERS),
    zones=ZONES,
    tile_px=24.5,
    kept="lamp.toml",
    light=LightStatus("bad", 12, (GLARE,)),
    drift=DriftReport("still", 0.3, "the camera stands as it did"),
    pressed=((1, 1),),
)


class Wired(Desk):
    """A table with a button before each of two seats."""

    def status(self) -> Status:
        seats = (SeatStatus(1, "Ada", buttons=1), SeatStatus(2, "Bo", buttons=2, stuck=True))
        return replace(super().status(), seats=seats)


@pytest.fixture
def wizard() -> SimpleWizard:
    return SimpleWizard(NEW, "worked")


@pytest.fixture
def desk(tmp_path: Path, wizard: Any) -> Iterator[Desk]:
    """A table that can be set up, at the other end of a real line."""
    found = Wired()
    with serve(tmp_path / "socket", found, wizard):
        yield found


def send(host: FlaskClient, step: str, **values: Any) -> Any:
    path = f"/host/table/{step}"
    return host.post(path, data={"csrf_token": token(host), **values}, follow_redirects=True)


@pytest.mark.parametrize("path", ["", "/print", "/corners", "/picture.jpg", "/sheets/markers.pdf"])
def test_nobody_but_the_host_sees_how_the_table_is_set_up(phone: FlaskClient, path: str) -> None:
    assert phone.get(f"/host/table{path}").status_code == 302
    assert (
        phone.post("/host/table/picture", data={"csrf_token": token(phone), "do": "light"}).status_code == 403
    )


@pytest.mark.parametrize("known", [NEW, KNOWN])
def test_every_step_is_a_page(host: FlaskClient, wizard: SimpleWizard, known: WizardStatus) -> None:
    wizard.known = known
    for number, step in enumerate(STEPS, 1):
        page = host.get(f"/host/table/{step.name}")
        assert page.status_code == 200
        assert f"Step {number} of {len(STEPS)}" in page.text
    assert host.get("/host/table/nowhere").status_code == 404


def test_a_profile_that_cannot_be_read_is_told_on_every_page(host: FlaskClient, wizard: SimpleWizard) -> None:
    wizard.known = replace(NEW, broken="lamp.toml: is no profile")
    for path in ("", *(f"/{step.name}" for step in STEPS)):
        assert "lamp.toml: is no profile" in host.get(f"/host/table{path}").text


def test_the_overview_tells_how_far_each_step_is(host: FlaskClient, wizard: SimpleWizard) -> None:
    assert host.get("/host/table").text.count("to do") == 5
    wizard.known = KNOWN
    page = host.get("/host/table").text
    # the light is bad and a button is stuck; corners, seats, tiles are known, and the camera stands still
    assert (page.count("to mend"), page.count(">done<"), page.count("if you like")) == (2, 4, 1)
    assert 'href="/host/table/picture">Go on' in page


def test_a_camera_that_fails_a_seat_without_a_zone_and_a_bump_are_to_be_mended(
    host: FlaskClient, wizard: SimpleWizard
) -> None:
    drift = DriftReport("moved", 12.4, "bumped")
    wizard.known = replace(KNOWN, sees="is gone", seats=5, drift=drift, light=None)
    assert host.get("/host/table").text.count("to mend") == 4
    assert "is gone" in host.get("/host/table/picture").text
    assert "moved by 12 mm" in host.get("/host/table/check").text


def test_a_board_alone_needs_no_seats_and_a_table_without_buttons_no_presses(
    host: FlaskClient, wizard: SimpleWizard, desk: Desk
) -> None:
    board = (ZoneAt("board", None, CORNERS),)
    wizard.known = replace(KNOWN, zones=board)
    assert "Board" in host.get("/host/table/seats").text
    assert ">to do<" not in host.get("/host/table").text
    assert desk.heard == []


def test_another_camera_is_asked_for_by_its_number(host: FlaskClient, wizard: SimpleWizard) -> None:
    page = host.get("/host/table/corners?camera=1").text
    assert "Camera shelf" in page
    assert 'name="camera" value="1"' in page
    answer = send(host, "corners", do="markers", camera="1")
    assert answer.request.url.endswith("/host/table/corners?camera=1")
    assert wizard.asked[-1] == ("markers", 1, None, None)


def test_markers_are_found_with_and_without_a_tape_measure(host: FlaskClient, wizard: SimpleWizard) -> None:
    send(host, "corners", do="markers", breadth="", depth="", ruler="")
    send(host, "corners", do="markers", breadth="800,5", depth="500", ruler="98")
    assert wizard.asked == [("markers", 0, None, None), ("markers", 0, (800.5, 500.0), 98.0)]


def test_what_the_table_refuses_is_told_with_everything_as_it_was_filled_in(
    host: FlaskClient, wizard: SimpleWizard
) -> None:
    wizard.refuses = "marker 2 cannot be seen"
    page = send(host, "corners", do="markers", breadth="801", depth="502")
    assert page.status_code == 409
    assert "marker 2 cannot be seen" in page.text
    assert 'value="801"' in page.text


def tap_fields(*corners: tuple[float, float]) -> dict[str, str]:
    return {
        f"tap-{axis}-{k}": str(value)
        for k, corner in enumerate(corners)
        for axis, value in zip("xy", corner, strict=True)
    }


def test_taps_are_percents_of_the_picture_and_reach_the_table_as_pixels(
    host: FlaskClient, wizard: SimpleWizard
) -> None:
    fields = tap_fields((10, 10), (90, 10), (90, 90), (10, 90))
    send(host, "corners", do="taps", breadth="800", depth="500", **fields)
    corners = ((99.5, 79.5), (899.5, 79.5), (899.5, 719.5), (99.5, 719.5))
    assert wizard.asked == [("taps", 0, corners, (800.0, 500.0))]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (tap_fields((10, 10), (90, 10), (90, 90), (10, 90)), "Measure the table between the corners"),
        ({"breadth": "8", "depth": "5", **tap_fields((10, 10))}, "Four corners are needed"),
        ({"breadth": "wide", "depth": "5"}, "must be a number; got “wide”"),
        ({"breadth": "8", "depth": "inf"}, "must be a number"),
    ],
)
def test_taps_that_are_not_whole_are_refused_before_the_table_hears_of_them(
    host: FlaskClient, wizard: SimpleWizard, values: dict[str, str], says: str
) -> None:
    page = send(host, "corners", do="taps", **values)
    assert page.status_code == 409
    assert says in page.text
    assert wizard.asked == []


def zone_fields(known: WizardStatus) -> dict[str, str]:
    fields: dict[str, str] = {}
    for n, zone in enumerate(known.zones):
        fields |= {f"zone{n}-kind": zone.kind, f"zone{n}-facing": str(zone.facing_deg)}
        fields |= {f"zone{n}-seat": str(zone.seat)} if zone.seat else {}
        for k, (x, y) in enumerate(zone.corners):
            fields |= {f"zone{n}-x-{k}": str((x + 0.5) / 10), f"zone{n}-y-{k}": str((y + 0.5) / 8)}
    return fields


def test_zones_are_shown_and_kept_as_they_were_moved(host: FlaskClient, wizard: SimpleWizard) -> None:
    wizard.known = KNOWN
    page = host.get("/host/table/seats").text
    assert "33°" in page  # a facing that is none of the four sides stays as it is
    fields = zone_fields(KNOWN)
    assert fields["zone0-x-0"] == "100.05"
    assert "The zones" not in page
    assert "zones worked" in send(host, "seats", do="zones", **fields).text
    ((name, camera, zones),) = wizard.asked
    assert (name, camera) == ("zones", 0)
    assert [(one.kind, one.seat, one.facing_deg) for one in zones] == [
        (one.kind, one.seat, one.facing_deg) for one in ZONES
    ]
    for one, other in zip(zones, ZONES, strict=True):
        assert np.array(one.corners) == pytest.approx(np.array(other.corners), abs=1e-6)


def test_zones_that_are_refused_stay_on_the_page_as_they_were_moved(
    host: FlaskClient, wizard: SimpleWizard
) -> None:
    wizard.known, wizard.refuses = KNOWN, "seat 1: its edge crosses itself"
    page = send(host, "seats", do="zones", **(zone_fields(KNOWN) | {"zone0-x-0": "12.34"}))
    assert page.status_code == 409
    assert 'value="12.34"' in page.text


def test_the_table_is_shared_anew_with_and_without_a_board(host: FlaskClient, wizard: SimpleWizard) -> None:
    wizard.known = KNOWN
    send(host, "seats", do="share", seats="6")
    send(host, "seats", do="share", seats="2", breadth="300", depth="310")
    assert wizard.asked == [("seats", 0, 6, None), ("seats", 0, 2, (300.0, 310.0))]


def test_light_tiles_and_camera_are_looked_at(host: FlaskClient, wizard: SimpleWizard) -> None:
    wizard.known = KNOWN
    assert "Move the lamp" in send(host, "picture", do="light").text
    send(host, "tiles", do="tile", tile="19")
    send(host, "tiles", do="tile", tile="")
    send(host, "check", do="drift")
    assert wizard.asked == [("light", 0), ("tile", 0, 19.0), ("tile", 0, None), ("drift", 0)]


def test_a_bump_is_mended_with_one_press_and_a_lost_table_with_one_tap(
    host: FlaskClient, wizard: SimpleWizard
) -> None:
    wizard.known = replace(KNOWN, drift=DriftReport("moved", 12.4, "bumped"))
    assert 'value="mend"' in host.get("/host/table/check").text
    send(host, "check", do="mend")
    wizard.known = replace(KNOWN, drift=DriftReport("lost", None, "lost"))
    assert "tap-x-0" in host.get("/host/table/check").text
    send(host, "check", do="mend", **tap_fields((10, 20)))
    assert wizard.asked == [("mend", 0, None), ("mend", 0, (99.5, 159.5))]


def test_tiles_of_ones_own_are_learnt_symbol_by_symbol(host: FlaskClient, wizard: SimpleWizard) -> None:
    send(host, "tiles", do="learn", name="kitchen", order="A  B ?")
    wizard.known = replace(NEW, tiles=EnrolmentProgress("kitchen", ("A", "B", "?"), (3, 0, 0)))
    page = host.get("/host/table/tiles").text
    assert "✓ 3" in page
    send(host, "tiles", do="example", symbol="B")
    send(host, "tiles", do="learnt")
    assert wizard.asked == [("learn", "kitchen", ("A", "B", "?")), ("example", 0, "B"), ("learnt",)]


def test_a_lens_is_measured_as_the_table_guides(host: FlaskClient, wizard: SimpleWizard) -> None:
    send(host, "picture", do="guide")
    wizard.known = replace(NEW, guide=LensProgress("Move the board to the left edge.", 3, 41, enough=False))
    page = host.get("/host/table/picture").text
    assert "Move the board to the left edge." in page
    assert "3 pictures kept, 41 % of the picture covered" in page
    assert 'value="lens"' not in page
    wizard.known = replace(NEW, guide=LensProgress("Enough.", 12, 90, enough=True))
    send(host, "picture", do="lens")
    send(host, "picture", do="leave")
    assert wizard.asked == [("guide", 0, True), ("lens", 0), ("guide", 0, False)]


def test_buttons_are_ticked_when_they_were_pressed(host: FlaskClient, wizard: SimpleWizard) -> None:
    wizard.known = KNOWN
    page = host.get("/host/table/buttons").text
    assert page.count("Button 1: pressed") == 1
    assert page.count("not pressed yet") == 2
    assert "a button is stuck" in page


def test_why_nothing_can_be_changed_now_stands_on_every_step(host: FlaskClient, wizard: SimpleWizard) -> None:
    wizard.known = replace(KNOWN, busy="a game is being played")
    assert all("a game is being played" in host.get(f"/host/table/{one.name}").text for one in STEPS)


def test_a_form_that_no_step_has_is_not_found(host: FlaskClient, wizard: SimpleWizard) -> None:
    assert send(host, "print", do="light").status_code == 404
    assert wizard.asked == []


def test_pictures_are_drawn_with_words_of_the_language_spoken(
    host: FlaskClient, wizard: SimpleWizard
) -> None:
    for language, seat in (("en", "Seat"), ("de", "Platz")):
        host.post("/language", data={"language": language}, headers=OWN)
        host.get("/host/table/picture.jpg?kind=table")
        assert wizard.asked[-1][4]["seat"] == seat


def test_pictures_are_of_few_sizes_and_known_kinds(host: FlaskClient, wizard: SimpleWizard) -> None:
    picture = host.get("/host/table/picture.jpg?kind=table&w=500")
    assert (picture.content_type, picture.headers["Cache-Control"]) == ("image/jpeg", "no-store")
    host.get("/host/table/picture.jpg?w=99999&camera=1")
    assert [one[1:4] for one in wizard.asked] == [(0, "table", 960), (1, "plain", 1600)]
    assert host.get("/host/table/picture.jpg?kind=secret").status_code == 404


def test_sheets_are_printed_on_known_paper_with_the_address_of_the_pages(
    app: Flask, host: FlaskClient, wizard: SimpleWizard
) -> None:
    app.config[LISTEN_ADDRESS_KEY] = ListenAddress("192.168.4.1")
    cards = host.get("/host/table/sheets/seats.pdf?paper=letter&seats=99")
    assert cards.content_type == "application/pdf"
    assert wizard.asked == [("sheet", "seats", "letter", 13, "http://192.168.4.1/")]
    assert host.get("/host/table/sheets/secret.pdf").status_code == 404
    assert host.get("/host/table/sheets/seats.pdf?paper=napkin").status_code == 404


def test_no_seat_cards_are_printed_that_lead_no_phone_anywhere(
    host: FlaskClient, wizard: SimpleWizard
) -> None:
    assert "No phone can join yet" in host.get("/host/table/sheets/seats.pdf").text
    assert wizard.asked == []


def test_the_hosts_page_leads_there(host: FlaskClient) -> None:
    assert 'href="/host/table"' in host.get("/host").text
