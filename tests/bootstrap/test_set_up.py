"""A simulated table that is set up while it runs: it is looked through anew, and then played at."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from companion.bootstrap.simulated.game import SimulatedGame
from companion.bootstrap.simulated.setup_script import CORNER_MARGIN, SetupScript, SetupTable
from companion.bots.player_tiles import PlayerTiles
from companion.cli import main
from companion.config.examples import DEFAULT_EXAMPLE
from companion.errors import Unanswered
from companion.model.calls import SECOND
from companion.rpc import TableClient, WizardClient
from companion.rules import event as ev
from companion.table import Table
from companion.table.zoned_seats import ZonedSeats
from hardware.simulated.tabletop import Tabletop
from tests.table.playing import patiently
from tests.web.simulated import Playing, playing


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Playing]:
    """A table of two, of which nothing is known."""
    with playing(replace(SimulatedGame.of("bananagrams", 2, 1, tmp_path), uncalibrated=True)) as found:
        yield found


def zoned(table: Playing) -> bool:
    """Return whether the table knows who sits where."""
    at = table.simulated_table._table  # noqa: SLF001 - what the players sit at
    assert isinstance(at, Table)
    return bool(at.cameras) and isinstance(at.cameras[0].camera.view, ZonedSeats)


def test_what_was_set_up_is_used_at_once_and_by_the_game_that_follows(table: Playing) -> None:
    line, wizard = TableClient(table.line), WizardClient(table.line)
    with table.going():
        assert not zoned(table)
        assert wizard.markers(0, None, None).startswith("The table is ")
        before = line.status().match
        patiently(lambda: zoned(table))
        assert line.status().match == before  # it is the same game, which only waits
        assert line.order("start").accepted is not False
        patiently(lambda: "a game is being played" in wizard.state(0).busy)
        line.order("end")


def test_a_table_whose_profile_was_cut_off_is_set_up_anew_on_its_pages(tmp_path: Path) -> None:
    plan = replace(SimulatedGame.of("bananagrams", 2, 1, tmp_path), uncalibrated=True)
    (tmp_path / "bananagrams.profile.toml").write_text("profile = 1\nmade_at = ")
    with playing(plan) as table, table.going():
        line, wizard = TableClient(table.line), WizardClient(table.line)
        assert "find the table's corners anew" in line.order("start").text
        assert "find the table's corners anew" in wizard.state(0).broken
        assert wizard.markers(0, None, None).startswith("The table is ")
        patiently(lambda: zoned(table))
        assert wizard.state(0).broken == ""
        patiently(lambda: line.order("start").accepted is True)
        line.order("end")


def test_another_game_set_up_at_the_table_is_played_by_those_who_can(table: Playing) -> None:
    line = TableClient(table.line)
    with table.going():
        assert line.set_up("chew", ["Ann", "Bob"], {}, "default").accepted
        patiently(lambda: game_at(line) == ("chew", 2))
        hands = 2 * ["companion.bots.building"]
        patiently(lambda: [type(one).__module__ for one in table.simulated_table.players] == hands)
        assert line.set_up("bananagrams", ["Ann", "Bob", "Cy"], {}, "default").accepted
        patiently(lambda: game_at(line) == ("bananagrams", 3))
        patiently(lambda: table.simulated_table.players == [])  # two hands cannot play for three


def game_at(line: TableClient) -> tuple[str, int] | None:
    """Return the game and its number of seats, ``None`` between two games, when nobody answers for long."""
    try:
        status = line.status()
    except Unanswered:
        return None
    return status.game, len(status.seats)


class ButtonPresser:
    """Notes which buttons were pressed."""

    def __init__(self) -> None:
        self.pressed: list[tuple[int, int]] = []

    def press(self, seat: int, button: int) -> None:
        self.pressed.append((seat, button))


def test_a_board_game_set_up_at_a_table_without_a_board_is_started_only_where_people_judge(
    table: Playing,
) -> None:
    line = TableClient(table.line)
    with table.going():
        assert line.set_up("binary_scrabble", ["Ann", "Bob"], {"policy": "advise"}, "default").accepted
        patiently(lambda: game_at(line) == ("binary_scrabble", 2))
        answer = line.order("start")
        assert (answer.accepted, "names none: add [board] to it" in answer.text) == (False, True)
        assert line.set_up("binary_scrabble", ["Cy", "Dan"], {"policy": "off"}, "default").accepted
        patiently(lambda: line.status().seats[0].name == "Cy")
        assert line.order("start").accepted
        line.order("end")


def test_before_the_start_tiles_are_laid_out_and_buttons_tried_and_then_all_is_as_before(
    tmp_path: Path,
) -> None:
    plan = SimulatedGame.of("bananagrams", 2, 1, tmp_path)
    tabletop, buttons = (
        Tabletop(plan.seating, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", random.Random(1)),
        ButtonPresser(),
    )
    before = dict(tabletop.world.tiles)
    setup_script = SetupScript(
        cast(SetupTable, SimpleNamespace(tabletop=tabletop, buttons=buttons)), plan.config().controls
    )
    setup_script.act(1 * SECOND)
    assert tabletop.world.tiles == before
    for tenth in range(30, 120):
        setup_script.act(tenth * SECOND // 10)
    up = [tile for tile in tabletop.world.tiles.values() if tile.up]
    assert len(up) >= 10
    assert buttons.pressed == [(seat, button) for seat in (1, 2) for button in (1, 2, 3)]
    setup_script.end()
    assert tabletop.world.tiles == before


def test_a_table_is_not_set_up_without_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--uncalibrated", "--headless"]) == 2
    assert "--uncalibrated is for a table with its pages" in capsys.readouterr().err


@pytest.mark.parametrize("game", ["bananagrams", "binary_scrabble", "martian_boggle"])
def test_tiles_are_laid_out_beside_the_board_and_the_middle(game: str, tmp_path: Path) -> None:
    plan = SimulatedGame.of(game, 2, 1, tmp_path)
    tabletop, board = Tabletop(plan.seating, "A" * 90, random.Random(1)), plan.seating.board
    setup_table = cast(SetupTable, SimpleNamespace(tabletop=tabletop, buttons=ButtonPresser()))
    SetupScript(setup_table, plan.config().controls).act(3 * SECOND)
    up = [tile for tile in tabletop.world.tiles.values() if tile.up]
    assert len(up) >= 10
    half = board.squares * board.pitch / 2 if board else 0
    assert not board or all(abs(t.x - board.x) > half or abs(t.y - board.y) > half for t in up)


def test_players_put_no_tile_on_a_marker_card(tmp_path: Path) -> None:
    tabletop = Tabletop(SimulatedGame.of("chew", 6, 1, tmp_path).seating, "A" * 144, random.Random(1))
    tabletop.corner_margin = CORNER_MARGIN
    for seat in tabletop.seats:
        tiles = PlayerTiles(seat, 1.5)
        for tile in seat.draw_tiles(12):
            tiles.add_loose(tile)
            tiles.add_face_down(seat.draw_tiles(1)[0])
    tabletop.advance(600)
    laid = [tile for number, tile in tabletop.world.tiles.items() if number in tabletop.world.laid_by]
    assert len(laid) == 144
    assert not any(tabletop.in_corner((tile.x, tile.y)) for tile in laid)


def test_the_first_game_of_such_a_demo_is_one_that_it_can_play() -> None:
    assert SimulatedGame.of(DEFAULT_EXAMPLE, None, 1, Path()).seating.board is None


def test_events_are_still_only_what_was_said(table: Playing) -> None:
    with table.going():
        WizardClient(table.line).markers(0, None, None)
        patiently(lambda: zoned(table))
    announced = [one.event.text for one in table.events if isinstance(one.event, ev.Announced)]
    assert not any("started again in the middle of the game" in text for text in announced)
