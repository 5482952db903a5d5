"""Pages ask a table that is being set up over the line; what no table can have never reaches it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.errors import BadCapture, Unanswered
from companion.model.set_up import SetUpPicture, SheetKind, TableGeometry, WizardStatus, ZoneAt
from companion.rpc import TableClient, WizardClient, serve
from tests.rpc.simple_desk import STATUS, SimpleDesk
from tests.rpc.simple_wizard import SimpleWizard

CORNERS = ((1.0, 2.0), (600.0, 3.5), (590.0, 470.0), (4.0, 460.0))
ZONE = ZoneAt("seat", 1, CORNERS, 90.0)
TABLE = TableGeometry(800.0, 500.0, 0.4, 4, CORNERS)
KNOWN = WizardStatus(
    ("lamp",), 0, 640, 480, "", TABLE, (ZONE,), 2, False, 24.5, "a.toml", "now", None, None, None, ((1, 2),)
)


class Dark(SimpleWizard):
    """Knows a table, but sees no light."""

    def __init__(self) -> None:
        super().__init__(KNOWN)

    def light(self, camera: int) -> str:
        raise BadCapture(f"the camera {camera} is in the dark")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "line"


@pytest.fixture
def wizard(place: Path) -> Iterator[Dark]:
    found: Any = Dark()
    with serve(place, SimpleDesk(), found):
        yield found


def test_what_is_asked_reaches_the_table_as_it_was_asked(wizard: Dark, place: Path) -> None:
    line = WizardClient(place)
    assert line.state(1) == replace(KNOWN, camera=1)
    assert line.shown(0, SetUpPicture.TABLE, 480) == b"\xff\xd8 picture"
    line.shown(1, SetUpPicture.TABLE, 960, {"seat": "Platz"})
    assert line.sheet(SheetKind.SEATS, "letter", 3, "http://10.0.0.1/") == b"%PDF"
    assert line.markers(0, (800.0, 500.0), 99.0) == "markers done"
    line.taps(1, CORNERS, (800.0, 500.0))
    line.tile(0, None)
    line.seats(0, 6, None)
    line.zones(0, [ZONE])
    line.guide(0, on=True)
    line.lens(1)
    line.drift(0)
    line.mend(0, (12.0, 13.0))
    line.learn("kitchen", ["A", "?"])
    line.example(0, "A")
    assert line.learnt() == "learnt done"
    assert wizard.asked == [
        ("shown", 0, SetUpPicture.TABLE, 480, {}),
        ("shown", 1, SetUpPicture.TABLE, 960, {"seat": "Platz"}),
        ("sheet", SheetKind.SEATS, "letter", 3, "http://10.0.0.1/"),
        ("markers", 0, (800.0, 500.0), 99.0),
        ("taps", 1, CORNERS, (800.0, 500.0)),
        ("tile", 0, None),
        ("seats", 0, 6, None),
        ("zones", 0, (ZONE,)),
        ("guide", 0, True),
        ("lens", 1),
        ("drift", 0),
        ("mend", 0, (12.0, 13.0)),
        ("learn", "kitchen", ("A", "?")),
        ("example", 0, "A"),
        ("learnt",),
    ]


def test_what_the_table_refuses_is_told_in_its_own_words(wizard: Dark, place: Path) -> None:
    with pytest.raises(Unanswered, match="the camera 2 is in the dark"):
        WizardClient(place).light(2)
    assert wizard.asked == []


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda line: line.shown(0, SetUpPicture.PLAIN, 8), "width: must be 16 to 4096"),
        (
            lambda line: line.shown(0, SetUpPicture.PLAIN, 80, {"bowl": "Napf"}),
            "drawn for seat, pool, board; got",
        ),
        (
            lambda line: line.shown(0, SetUpPicture.PLAIN, 80, {"seat": "S" * 25}),
            "one line of at most 24 signs",
        ),
        (
            lambda line: line.shown(0, SetUpPicture.PLAIN, 80, {"seat": "a\nb"}),
            "one line of at most 24 signs",
        ),
        (lambda line: line.sheet(SheetKind.SEATS, "a4", 30, ""), "seats: must be 1 to 13"),
        (lambda line: line.sheet(SheetKind.SEATS, "a4", 3, "h" * 300), "at most 200 signs"),
        (lambda line: line.markers(0, (9e9, 1.0), None), "must be 1 to 5000 mm"),
        (lambda line: line.markers(0, None, 10.0), "must be 50 to 150 mm"),
        (lambda line: line.taps(0, CORNERS, (0.0, 500.0)), "must be 1 to 5000 mm"),
        (
            lambda line: line.taps(0, ((float("nan"), 0.0), *CORNERS[1:]), (8.0, 5.0)),
            "numbers of a message are",
        ),
        (lambda line: line.tile(0, 500.0), "5 to 100 mm"),
        (lambda line: line.seats(0, 14, None), "seats: must be 1 to 13"),
        (lambda line: line.zones(0, [ZONE] * 40), "at most 32 zones"),
        (lambda line: line.mend(0, (1e9, 0.0)), "must be -40000 to 40000"),
        (lambda line: line.learn("k" * 99, ["A"]), "at most 60 signs"),
        (lambda line: line.learn("k", ["A"] * 999), "must be at most 200; got 999"),
        (lambda line: line.example(0, "A\n"), "one line"),
    ],
)
def test_what_no_table_can_have_never_reaches_it(
    wizard: Dark, place: Path, ask: Callable[[WizardClient], object], says: str
) -> None:
    assert not wizard.asked
    with pytest.raises(Unanswered, match=says):
        ask(WizardClient(place))


def test_a_table_without_a_wizard_says_that_it_cannot_be_set_up(place: Path) -> None:
    with serve(place, SimpleDesk()), pytest.raises(Unanswered, match="cannot be set up from a page"):
        WizardClient(place).state(0)


def test_between_two_games_whoever_asks_waits_for_the_next_desk(place: Path) -> None:
    told = []
    with serve(place, None) as server:
        asking = threading.Thread(target=lambda: told.append(TableClient(place).status()))
        asking.start()
        time.sleep(0.05)
        assert not told
        server.set_table(SimpleDesk())
        asking.join(10)
    assert told == [STATUS]


def test_where_no_desk_comes_it_is_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.rpc.server.NEXT_GAME_TIMEOUT_S", 0.05)
    with serve(place, None), pytest.raises(Unanswered, match="being made ready; ask again"):
        TableClient(place).status()
