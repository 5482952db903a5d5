"""More than one tournament in a hall's life, and rounds that are drawn or begun anew."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from flask.testing import FlaskClient

from companion.errors import BadEntry
from companion.events.log import Row
from companion.events.match import Match
from companion.hall import entries as en
from companion.hall.conductor import seat_names
from companion.hall.contract import messages
from companion.hall.contract.topics import Channel
from companion.hall.hall import Hall
from companion.hall.mqtt import MqttConnection
from companion.hall.printing import cross_table, to_tsh
from companion.hall.publishing.orders import SET_UP, OrderRequest
from companion.hall.register import PlayerRow, from_csv
from companion.hall.replica import GameKey
from companion.hall.tournament import Table, outcome, standings
from companion.rules.registry import game
from tests.hall.games import WORDS
from tests.hall.tables import Tables, opened
from tests.hall.test_tournament_service import draw, shut
from tests.web.made import token


class Line:
    """Stands for the connection: notes the orders that are given, and answers each as obeyed."""

    def __init__(self, hall: Hall) -> None:
        self.hall, self.orders = hall, list[tuple[str, str]]()
        self.requests: list[OrderRequest] = []

    def request(self, name: str, payload: bytes, _reply_to: str, correlation: bytes) -> None:
        asked = OrderRequest.read(payload)
        self.requests.append(asked)
        self.orders.append((name.split("/")[3], asked.order))
        found = self.hall.intake.requests.sent[correlation]
        found.answer = type("Answered", (), {"accepted": True, "text": "", "table": found.table})()


@pytest.fixture
def line(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> Line:
    found = Line(hall)
    monkeypatch.setattr(hall.intake.requests, "link", found)
    assert not isinstance(found, MqttConnection)
    return found


def first_group(hall: Hall) -> Table:
    """Return the first group of the round under way."""
    now = hall.service.tournament.current
    assert now is not None
    return now.tables[0]


def evening(hall: Hall, tables: Tables) -> None:
    """Play a tournament of one round to its end."""
    opened(hall, tables, rounds=1)
    draw(hall)
    tables.play_round()
    shut(hall)
    hall.service.add(en.TournamentEnded("director"))


def test_tables_are_set_up_in_a_second_tournament_too(hall: Hall, tables: Tables, line: Line) -> None:
    opened(hall, tables, rounds=1)
    draw(hall)
    hall.conductor.set_up()
    tables.play_round()
    shut(hall)
    hall.service.add(en.TournamentEnded("director"))
    opened(hall, tables, rounds=1)
    draw(hall)
    line.orders.clear()
    hall.conductor.set_up()
    assert sorted(line.orders) == [("t1", SET_UP), ("t2", SET_UP)]


def test_tables_are_set_up_again_after_a_draw_was_undone(hall: Hall, tables: Tables, line: Line) -> None:
    opened(hall, tables)
    draw(hall)
    hall.conductor.set_up()
    hall.service.undo(hall.service.entries[-1].number, "too early")
    draw(hall)
    line.orders.clear()
    hall.conductor.set_up()
    assert sorted(line.orders) == [("t1", SET_UP), ("t2", SET_UP)]


def test_a_table_is_not_told_twice_while_nothing_has_changed(hall: Hall, tables: Tables, line: Line) -> None:
    opened(hall, tables)
    draw(hall)
    hall.conductor.set_up()
    hall.conductor.set_up()
    assert len(line.orders) == 2


def test_another_game_with_the_same_seats_is_not_the_groups_game(hall: Hall, tables: Tables) -> None:
    opened(hall, tables, players=4)
    draw(hall)
    seats = seat_names(hall.service.tournament, first_group(hall))
    other = Match.begun(tables.logs["t1"], "0001", game("bananagrams"), seats, {"policy": "off"}, WORDS)
    tables.publish("t1", other)
    hall.conductor.step()
    assert first_group(hall).game == ""


def test_the_game_of_a_group_whose_result_was_set_counts_for_no_other_round(
    hall: Hall, tables: Tables
) -> None:
    opened(hall, tables, players=4)
    draw(hall)
    hall.service.rule(1, 1, [4, 3, 2, 1], [1, 2, 3, 4], "the camera failed")
    match = tables.begin("t1", seat_names(hall.service.tournament, first_group(hall)))
    hall.conductor.step()
    assert first_group(hall).game == match.name
    assert hall.conductor.is_recorded("t1", match.name)


def test_a_table_that_obeyed_and_yet_has_another_game_is_told_again(
    hall: Hall, tables: Tables, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(hall, tables, players=4)
    draw(hall)
    hall.conductor.set_up()
    tables.begin("t1", ["Guest", "Host"], start=False)
    monkeypatch.setattr("companion.hall.conductor.OBEYED_S", 0.0)
    hall.conductor.set_up()
    assert line.orders == [("t1", SET_UP)] * 2


def test_a_game_of_an_earlier_tournament_counts_in_no_later_one(
    hall: Hall, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _bytes: "the same")  # so that the same groups are drawn
    evening(hall, tables)
    first = hall.service.tournament.rounds[0].tables
    opened(hall, tables, rounds=1)
    draw(hall)
    assert [one.players for one in hall.service.tournament.rounds[0].tables] == [one.players for one in first]
    hall.conductor.step()
    assert all(not one.game for one in hall.service.tournament.rounds[0].tables)


def test_a_game_that_was_played_at_the_table_before_the_draw_does_not_count(
    hall: Hall, tables: Tables
) -> None:
    opened(hall, tables, players=3)
    tables.online("t1")
    hall.conductor.draw()
    seats = seat_names(hall.service.tournament, first_group(hall))
    hall.service.undo(hall.service.entries[-1].number, "only to know who will sit where")
    tables.play("t1", tables.begin("t1", seats), [1, 2, 3])  # they try the table out
    hall.conductor.draw()
    hall.conductor.step()
    assert (first_group(hall).game, hall.conductor.results()) == ("", {})
    match = tables.begin("t1", seats)
    hall.conductor.step()
    assert first_group(hall).game == match.name


def test_a_game_that_was_begun_again_before_it_started_counts_instead(hall: Hall, tables: Tables) -> None:
    opened(hall, tables, players=4)
    draw(hall)
    group = hall.service.tournament.rounds[0].tables[0]
    seats = [hall.service.tournament.name_of(player) for player in group.players]
    tables.begin("t1", seats, start=False)
    hall.conductor.step()
    again = tables.begin("t1", seats)
    hall.conductor.step()
    assert hall.service.tournament.rounds[0].tables[0].game == again.name
    tables.play("t1", again, [1, 2, 3, 4])
    assert outcome(hall.service.tournament.rounds[0].tables[0], hall.conductor.results()) is not None


def test_a_game_that_has_started_is_not_replaced_by_a_later_one(hall: Hall, tables: Tables) -> None:
    opened(hall, tables, players=4)
    draw(hall)
    group = hall.service.tournament.rounds[0].tables[0]
    seats = [hall.service.tournament.name_of(player) for player in group.players]
    first = tables.begin("t1", seats)
    hall.conductor.step()
    tables.begin("t1", seats)
    hall.conductor.step()
    assert hall.service.tournament.rounds[0].tables[0].game == first.name


def test_a_table_with_another_game_is_told_and_set_up_again_once_its_game_is_undone(
    hall: Hall, tables: Tables, line: Line
) -> None:
    opened(hall, tables)
    draw(hall)
    state = hall.service.tournament
    for one in state.rounds[0].tables:
        tables.begin(one.table, seat_names(state, one), start=False)
    hall.conductor.step()
    tables.begin("t1", ["Guest", "Host"], start=False)
    hall.service.add(en.AutopilotSet("director", True))
    with pytest.raises(BadEntry, match=r"another game .* at: t1; undo its entry"):
        hall.conductor.step()
    begun = next(one for one in hall.service.entries if getattr(one.event, "table", "") == "t1")
    hall.service.undo(begun.number, "another game")
    hall.conductor.step()
    assert line.orders == [("t2", "start"), ("t1", SET_UP)]


def test_a_result_is_read_again_once_its_events_are_written(
    hall: Hall, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(hall, tables)
    for _ in range(2):
        draw(hall)
        tables.play_round()
        shut(hall)
    before = hall.conductor.results()
    hall.intake.rewind(("t1", "0001"), 6)
    hall.intake.load()
    hall.conductor.outcomes.clear()  # as after a start
    write_broker_files = hall.replica.insert

    def insert(rows: Sequence[tuple[GameKey, Row]]) -> None:
        hall.conductor.results()  # the conductor's thread looks while the events are accepted and not written
        write_broker_files(rows)

    monkeypatch.setattr(hall.replica, "insert", insert)
    rows = list(tables.logs["t1"].rows("0001", 6))
    for one in messages.batches("t1", "0001", rows, 6 + len(rows)):
        tables.hand("t1", Channel.EVENTS, messages.events_payload(one))
    assert hall.conductor.results() == before


def test_players_come_over_from_the_last_tournament_with_their_handicaps(hall: Hall, tables: Tables) -> None:
    evening(hall, tables)
    before = hall.service.handicaps(hall.conductor.results())
    names = {one.name: before[one.id] for one in hall.service.tournament.people.values()}
    assert set(names.values()) != {10}
    hall.service.take_over(hall.conductor.results(), "Second evening", "chew_evening", {})
    people = hall.service.tournament.people.values()
    assert {one.name: one.handicap for one in people} == names
    assert hall.service.tournament.name == "Second evening"


def test_players_who_withdrew_do_not_come_over(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    hall.service.add(en.PlayerWithdrew("director", "p2", "went home"), en.TournamentEnded("hall"))
    hall.service.take_over({}, "Second", "chew_evening", {})
    state = hall.service.tournament
    assert "Player 2" not in [one.name for one in state.people.values()]
    assert [state.name_of(one) for one in state.playing][:2] == ["Player 1", "Player 3"]


def test_players_come_over_where_a_substitute_has_a_name_that_is_there(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    hall.service.add(en.PlayerSubstituted("director", "p2", "Player 1", "ill"), en.TournamentEnded("hall"))
    hall.service.take_over({}, "Second", "chew_evening", {})
    people = hall.service.tournament.people.values()
    assert sorted(one.name for one in people)[:3] == ["Player 1", "Player 1", "Player 3"]


def test_nothing_is_taken_over_from_a_tournament_that_goes_on(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    with pytest.raises(BadEntry, match="end it first"):
        hall.service.take_over({}, "Second", "chew_evening", {})
    assert hall.service.tournament.name == "Evening"


def test_the_register_that_is_written_has_the_handicaps_of_the_next_evening(
    director: FlaskClient, hall: Hall, tables: Tables
) -> None:
    evening(hall, tables)
    found = from_csv(director.get("/papers/players.csv").data)
    own = hall.service.handicaps(hall.conductor.results())
    assert [one.handicap for one in found] == list(own.values())


def test_earlier_tournaments_can_be_looked_at(
    phone: FlaskClient, director: FlaskClient, hall: Hall, tables: Tables
) -> None:
    evening(hall, tables)
    standing = phone.get("/papers/standings.json").text
    given = {
        "csrf_token": token(director, "/director"),
        "name": "Next",
        "form": "chew_evening",
        "over": "yes",
    }
    director.post("/director/open", data=given)
    assert hall.service.tournament.name == "Next"
    assert len(hall.service.tournament.people) == 8
    text = phone.get("/tournaments").text
    assert "Evening" in text
    assert "Player 3" in phone.get("/tournaments/0001").text
    assert phone.get("/tournaments/0001/standings.json").text == standing
    assert phone.get("/tournaments/0009").status_code == 404


LINE = re.compile(r"(\S.*?)\s+(\d+) ((?:\d+ ?)*); ((?:-?\d+ ?)*)(?:; team (.*))?")
"""A player's line as tsh documents it: name, rating, opponents, scores, and keys with values."""


def of_two(hall: Hall, tables: Tables) -> None:
    """Play three rounds of Martian Boggle with five players; the director sets the results."""
    tables.online("t1", "t2")
    hall.service.open("Pairs", "swiss", {"rounds": 3, "game": "martian_boggle"})
    hall.service.enter(
        [PlayerRow(name, "Club; one") for name in ("Ann A", "Bob B", "Cat C", "Dan D", "Eve E")]
    )
    for number in (1, 2, 3):
        draw(hall)
        for one in hall.service.tournament.rounds[-1].tables:
            hall.service.rule(number, one.number, (1, 2), (30 + number, 20), "by hand")
        shut(hall)


def test_a_swiss_of_martian_boggle_sets_its_game_up_for_two(hall: Hall, tables: Tables, line: Line) -> None:
    tables.online("t1", "t2")
    hall.service.open("Pairs", "swiss", {"rounds": 3, "game": "martian_boggle"})
    hall.service.enter([PlayerRow(name) for name in ("Ann A", "Bob B", "Cat C", "Dan D", "Eve E")])
    draw(hall)
    hall.conductor.set_up()
    assert [one.game for one in line.requests] == ["martian_boggle"] * 2
    assert all(len(one.seats) == 2 for one in line.requests)


def test_a_bye_stands_in_the_cross_table_in_its_readers_language(hall: Hall, tables: Tables) -> None:
    tables.online("t1")
    hall.service.open("Pairs", "swiss", {"rounds": 1})
    hall.service.enter([PlayerRow(name) for name in ("Ada", "Bo", "Cem")])
    hall.service.draw(["t1"], {})
    sheet = cross_table(hall.service.tournament, {}, str.upper)
    assert sorted(row[-1] for row in sheet.blocks[0].rows) == ["-", "-", "BYE"]


def test_a_file_for_tsh_has_the_documented_form_and_leads_to_our_standings(
    hall: Hall, tables: Tables
) -> None:
    """Opponents are lines, 0 is a bye; wins and spread follow from the file as tsh counts them."""
    of_two(hall, tables)
    state, results = hall.service.tournament, hall.conductor.results()
    text = to_tsh(state, results).decode("iso-8859-1")
    found = [LINE.fullmatch(one) for one in text.splitlines() if not one.startswith("#")]
    assert all(found)
    lines = [one.groups() for one in found if one]
    games = [([*map(int, one[2].split())], [*map(int, one[3].split())]) for one in lines]
    figures = {}
    for number, (opponents, scores) in enumerate(games, 1):
        against = [games[other - 1][1][turn] if other else 0 for turn, other in enumerate(opponents)]
        assert all(not other or games[other - 1][0][turn] == number for turn, other in enumerate(opponents))
        pairs = list(zip(scores, against, strict=True))
        wins = sum(1 if mine > other else 0.5 * (mine == other) for mine, other in pairs)
        figures[lines[number - 1][0]] = wins, sum(mine - other for mine, other in pairs)
    ours = {state.name_of(one.player): one.figures for one in standings(state, results)}
    assert figures == {name: (one["wins"], one["spread"]) for name, one in ours.items()}
    assert sum(0 in opponents for opponents, _scores in games) == 3


def test_no_round_is_drawn_while_a_result_before_it_is_lost(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    draw(hall)
    tables.play_round()
    shut(hall)
    results = hall.conductor.results()
    del results[min(results)]
    with pytest.raises(BadEntry, match="t1"):
        hall.service.draw(hall.conductor.tables(), results)
    assert len(hall.service.tournament.rounds) == 1
