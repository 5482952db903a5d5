"""Tournaments of two as report files of FIDE, and results and players from such files."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.cli import main
from companion.errors import BadEntry, BadExport
from companion.hall import entries as en
from companion.hall.formats.ties import win_count
from companion.hall.hall import Hall
from companion.hall.register import PlayerRow, read
from companion.hall.tournament import history, outcome
from companion.hall.trf import Game, Player, Report, format_report, parse_report
from companion.hall.trf_mapping import to_trf
from tests.hall.tables import Tables, opened
from tests.hall.test_pages import post
from tests.hall.test_tournament_service import draw, shut

NAMES = ("Ann A", "Bob B", "Cat C", "Dan D", "Eve E")


def pairs(hall: Hall, tables: Tables, form: str = "swiss", rounds: int = 3) -> None:
    """Open a tournament of five players at two tables."""
    tables.online("t1", "t2")
    hall.service.open("Pairs", form, {"rounds": rounds, "game": "martian_boggle"})
    hall.service.enter([PlayerRow(name, "", 1000 + 100 * n) for n, name in enumerate(NAMES)])


def told(hall: Hall) -> Report:
    return parse_report(to_trf(hall.service.tournament, hall.conductor.results()))


def test_before_the_first_round_the_file_names_players_rounds_and_who_begins(
    hall: Hall, tables: Tables
) -> None:
    pairs(hall, tables)
    players = tuple(Player(n, name, 900 + 100 * n, 0, 1) for n, name in enumerate(NAMES, 1))
    assert told(hall) == Report("Pairs", players, 3, (), "white1")


def test_no_rating_is_taken_that_the_file_has_no_room_for() -> None:
    assert read(b"name,rating\nAda,9999\n", "csv") == [PlayerRow("Ada", rating=9999)]
    with pytest.raises(BadEntry, match="line 2: rating must be 0 to 9999"):
        read(b"name,rating\nAda,10000\n", "csv")


@pytest.mark.parametrize("form", ["swiss", "round_robin"])
@pytest.mark.parametrize("seed", range(3))
def test_games_points_and_absent_players_stand_in_the_file(
    hall: Hall, tables: Tables, form: str, seed: int
) -> None:
    chance = random.Random(seed)
    pairs(hall, tables, form)
    for number in (1, 2, 3):
        draw(hall)
        for one in hall.service.tournament.rounds[-1].tables:
            places = chance.choice([(1, 2), (2, 1), (1, 1)])
            hall.service.rule(number, one.number, places, places, "by hand")
        shut(hall)
    hall.service.add(en.PlayerWithdrew("director", "p2", "ill"))
    found, state = told(hall), hall.service.tournament
    played = history(state, hall.conductor.results())
    assert (found.rounds, found.first, found.absent) == (3, "", (2,))
    for player, person in zip(found.players, state.people.values(), strict=True):
        assert player.points == win_count(played, person.id) == sum(game.counts for game in player.games)
        for game, now in zip(player.games, state.rounds, strict=True):
            table = next((one for one in now.tables if person.id in one.players), None)
            if table is None:
                assert game == Game(0, "-", "U")
            else:
                seats = [f"p{player.number}", f"p{game.opponent}"]
                assert list(table.players) == (seats if game.colour == "w" else seats[::-1])


def test_a_file_of_an_evening_of_many_is_refused(hall: Hall, tables: Tables, phone: FlaskClient) -> None:
    opened(hall, tables)
    with pytest.raises(BadExport, match="games of two"):
        to_trf(hall.service.tournament, {})
    assert phone.get("/papers/tournament.trf").status_code == 404


def results_of(hall: Hall, *, swap: bool = False, names: dict[str, str] | None = None) -> Report:
    """Return a file by which who begins has won each game of the round under way."""
    state = hall.service.tournament
    assert state.current is not None
    players = []
    for number, person in enumerate(state.people.values(), 1):
        table = next((one for one in state.current.tables if person.id in one.players), None)
        game = Game(0, "-", "U")
        if table is not None:
            seat = table.players.index(person.id)
            other = int(table.players[1 - seat].removeprefix("p"))
            game = Game(other, "wb"[seat], "01"[(seat == 0) != swap])
        name = (names or {}).get(person.name, person.name)
        players.append(Player(number, name, games=(*[Game()] * (state.current.number - 1), game)))
    return Report("Pairs", tuple(players))


def test_missing_results_come_from_a_file_and_others_stay(hall: Hall, tables: Tables) -> None:
    pairs(hall, tables)
    draw(hall)
    hall.service.rule(1, 2, (2, 1), (5, 9), "by hand")
    hall.service.set_reported_results(results_of(hall), hall.conductor.results())
    tables_ = hall.service.tournament.rounds[0].tables
    found = [outcome(one, {}) for one in tables_]
    assert [one and (one.places, one.scores) for one in found] == [((1, 2), (2, 1)), ((2, 1), (5, 9))]
    with pytest.raises(BadEntry, match="no result that is missing"):
        hall.service.set_reported_results(results_of(hall), hall.conductor.results())


def test_results_of_two_players_of_one_name_are_left_alone(hall: Hall, tables: Tables) -> None:
    pairs(hall, tables)
    draw(hall)
    state = hall.service.tournament
    first, second = (state.name_of(one.players[0]) for one in state.rounds[0].tables)
    with pytest.raises(BadEntry, match="no result that is missing"):
        hall.service.set_reported_results(results_of(hall, names={first: "Zoe", second: "Zoe"}), {})


def test_two_who_both_lost_have_no_place(hall: Hall, tables: Tables) -> None:
    pairs(hall, tables)
    draw(hall)
    told_ = results_of(hall)
    lost = tuple(
        Player(
            one.number,
            one.name,
            games=tuple(Game(g.opponent, g.colour, "0") if g.opponent else g for g in one.games),
        )
        for one in told_.players
    )
    hall.service.set_reported_results(Report("Pairs", lost), {})
    assert {one.ruled and one.ruled.places for one in hall.service.tournament.rounds[0].tables} == {
        (None, None)
    }


def test_the_director_brings_players_and_results_and_everybody_takes_the_file(
    director: FlaskClient, phone: FlaskClient, hall: Hall, tables: Tables
) -> None:
    tables.online("t1", "t2")
    hall.service.open("Pairs", "swiss", {"rounds": 3, "game": "martian_boggle"})
    file = format_report(Report("Elsewhere", tuple(Player(n, name, 1500) for n, name in enumerate(NAMES, 1))))
    assert "are registered" in post(director, "/director/players", file=(io.BytesIO(file), "players.trf"))
    assert hall.service.tournament.people["p1"].rating == 1500
    draw(hall)
    results = io.BytesIO(format_report(results_of(hall)))
    assert "results are set" in post(director, "/director/results", file=(results, "round.trf"))
    shut(hall)
    assert '<a class="button" href="/papers/tournament.trf">' in phone.get("/standings").text
    assert parse_report(phone.get("/papers/tournament.trf").data) == told(hall)


def test_a_file_that_cannot_be_read_is_told_on_the_desk(
    director: FlaskClient, hall: Hall, tables: Tables
) -> None:
    pairs(hall, tables)
    draw(hall)
    says = post(director, "/director/results", file=(io.BytesIO(b"001   x      Ada"), "round.trf"))
    assert "line 1 cannot be read" in says


def test_players_are_read_with_their_ratings() -> None:
    file = format_report(Report("Open", (Player(1, "Doe, Jane", 1520), Player(2, "Bo", 0))))
    assert read(file, "trf") == [PlayerRow("Doe, Jane", "", 1520), PlayerRow("Bo")]


def test_the_command_writes_every_form_of_a_tournament(
    hall: Hall, tables: Tables, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    pairs(hall, tables)
    log = str(Path(hall.folder) / "hall.db")
    for form, begins in (
        ("trf", b"012 Pairs\r\n"),
        ("t", b"Ann A"),
        ("csv", b"\xef\xbb\xbfrank"),
        ("json", b"{"),
    ):
        assert main(["hall", "export", log, "--as", form]) == 0
        assert capfdbinary.readouterr().out.startswith(begins), form
