from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.errors import BadEntry
from companion.hall import entries as en
from companion.hall.formats import draws
from companion.hall.hall import Hall
from companion.hall.printing import to_json
from companion.hall.register import MAX_PLAYERS, PlayerRow, from_csv, from_tsh, to_csv
from companion.hall.tournament import Person, fold, standings
from companion.hall.tournament_service import TournamentService
from companion.web.keeping import Kept
from tests.hall.tables import Tables, opened


def draw(hall: Hall) -> None:
    hall.service.draw(hall.conductor.tables(), hall.conductor.results())


def shut(hall: Hall) -> None:
    hall.service.close_round(hall.conductor.results())


def test_a_round_flows_from_the_draw_to_the_standings_without_a_score_typed(
    hall: Hall, tables: Tables
) -> None:
    opened(hall, tables)
    draw(hall)
    tables.play_round()
    shut(hall)
    lines = standings(hall.service.tournament, hall.conductor.results())
    assert sorted(line.figures["points"] for line in lines) == [1, 1, 2, 2, 3, 3, 4, 4]


def test_handicaps_of_the_next_round_are_those_that_the_tables_gave(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    draw(hall)
    tables.play_round()
    shut(hall)
    now = hall.service.tournament.rounds[0]
    own = hall.service.handicaps(hall.conductor.results())
    for one in now.tables:
        game = hall.conductor.game((one.table, one.game))
        assert game is not None
        assert [own[player] for player in one.players] == [seat.handicap for seat in game.state.seats]


def test_the_seed_of_every_round_is_what_was_committed_to(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    for _ in range(2):
        draw(hall)
        tables.play_round()
        shut(hall)
    state = hall.service.tournament
    assert draws.hash_link(state.rounds[0].seed) == state.commitment
    assert draws.hash_link(state.rounds[1].seed) == state.rounds[0].seed


def test_a_draw_that_was_undone_is_drawn_alike_again(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    draw(hall)
    before = hall.service.tournament.rounds
    hall.service.undo(hall.service.entries[-1].number, "too early")
    assert hall.service.tournament.rounds == ()
    draw(hall)
    assert hall.service.tournament.rounds == before


def test_the_tournament_is_always_what_all_its_entries_tell(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    draw(hall)
    hall.service.undo(hall.service.entries[-1].number, "too early")
    draw(hall)
    tables.play_round()
    hall.service.add(en.PenaltyGiven("director", "p1", 2, "late"), en.PlayerWithdrew("director", "p2", "ill"))
    shut(hall)
    assert hall.service.state == fold(hall.service.entries)


def test_an_undone_undo_counts_again(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    hall.service.add(en.PlayerWithdrew("director", "p1", "ill"))
    number = hall.service.entries[-1].number
    hall.service.undo(number, "a mistake")
    assert not hall.service.tournament.people["p1"].withdrawn
    hall.service.undo(hall.service.entries[-1].number, "ill after all")
    assert hall.service.tournament.people["p1"].withdrawn


def test_a_draw_under_a_later_round_cannot_be_undone(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    draw(hall)
    number = hall.service.entries[-1].number
    tables.play_round()
    shut(hall)
    draw(hall)
    with pytest.raises(BadEntry, match="round 2 follows from it"):
        hall.service.undo(number, "why not")


def test_a_player_who_was_drawn_cannot_be_undone(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    sign_in = next(one.number for one in hall.service.entries if isinstance(one.event, en.PlayerEntered))
    draw(hall)
    before = len(hall.service.entries)
    with pytest.raises(BadEntry, match="cannot be undone, for then"):
        hall.service.undo(sign_in, "never came")
    assert len(hall.service.entries) == before


def test_players_register_after_a_registration_was_undone_and_after_it_counts_again(
    hall: Hall, tables: Tables
) -> None:
    opened(hall, tables, players=4)
    sign_in = next(
        one.number
        for one in hall.service.entries
        if isinstance(one.event, en.PlayerEntered) and one.event.player == "p4"
    )
    hall.service.undo(sign_in, "never came")
    hall.service.enter([PlayerRow("Late"), PlayerRow("Later")])
    undone = next(one.number for one in hall.service.entries if isinstance(one.event, en.Undone))
    hall.service.undo(undone, "came after all")
    hall.service.enter([PlayerRow("Last")])
    assert sorted(hall.service.tournament.people) == ["p1", "p2", "p3", "p4", "p5", "p6", "p7"]


def test_players_register_after_an_earlier_registration_was_undone(hall: Hall, tables: Tables) -> None:
    opened(hall, tables, players=4)
    sign_ins = [one.number for one in hall.service.entries if isinstance(one.event, en.PlayerEntered)]
    hall.service.undo(sign_ins[1], "never came")
    hall.service.enter([PlayerRow("Late")])
    assert list(hall.service.tournament.people) == ["p1", "p3", "p4", "p5"]


def test_a_second_file_cannot_bring_more_players_than_a_tournament_has(hall: Hall) -> None:
    hall.service.open("Crowd", "swiss", {})
    hall.service.enter([PlayerRow(f"Player {number}") for number in range(MAX_PLAYERS - 1)])
    with pytest.raises(BadEntry, match="that makes 2001 players"):
        hall.service.enter([PlayerRow("Ada"), PlayerRow("Bo")])
    hall.service.enter([PlayerRow("Ada")])
    assert len(hall.service.tournament.people) == MAX_PLAYERS


def test_who_withdrew_is_not_drawn_and_stays_in_the_standings(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    hall.service.add(en.PlayerWithdrew("director", "p3", "the last train"))
    draw(hall)
    now = hall.service.tournament.rounds[0]
    assert all("p3" not in one.players for one in now.tables)
    assert len(standings(hall.service.tournament, {})) == 8


def test_a_late_player_is_drawn_from_the_next_round_on(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    draw(hall)
    hall.service.enter([PlayerRow("Late")])
    tables.play_round()
    shut(hall)
    draw(hall)
    assert any("p9" in one.players for one in hall.service.tournament.rounds[1].tables)


def test_a_substitute_plays_on_with_the_points_and_the_former_name_is_kept(
    hall: Hall, tables: Tables
) -> None:
    opened(hall, tables)
    hall.service.add(en.PlayerSubstituted("director", "p2", "Zoe", "broken arm"))
    person = hall.service.tournament.people["p2"]
    assert (person.name, person.former) == ("Zoe", ("Player 2",))


def test_the_directors_result_counts_over_the_tables(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    draw(hall)
    tables.play_round()
    hall.service.rule(1, 1, [4, 3, 2, 1], [1, 2, 3, 4], "seats were swapped")
    shut(hall)
    first = hall.service.tournament.rounds[0].tables[0].players
    lines = {line.player: line for line in standings(hall.service.tournament, hall.conductor.results())}
    assert [lines[player].figures["points"] for player in first] == [1, 2, 3, 4]


def test_a_reopened_round_counts_no_more_until_it_is_closed_again(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    draw(hall)
    tables.play_round()
    shut(hall)
    hall.service.reopen("a protest")
    assert {
        line.figures["points"] for line in standings(hall.service.tournament, hall.conductor.results())
    } == {0}
    shut(hall)
    assert (
        max(line.figures["points"] for line in standings(hall.service.tournament, hall.conductor.results()))
        == 4
    )


def test_a_group_that_was_moved_counts_the_game_at_the_new_table(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    tables.online("t9")
    draw(hall)
    hall.service.move(1, "t9", "the camera failed")
    tables.play_round()
    shut(hall)
    assert [one.table for one in hall.service.tournament.rounds[0].tables] == ["t9", "t2"]


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (shut, "no round is under way"),
        (lambda hall: hall.service.open("B", "swiss", {}), "Evening is open"),
        (lambda hall: hall.service.open("B", "swis", {}), "did you mean 'swiss'"),
        (lambda hall: hall.service.enter([PlayerRow("Player 1", "Club")]), "is registered already"),
        (lambda hall: hall.service.reopen(""), "no round was closed"),
        (lambda hall: hall.service.undo(1, "x"), "entry 1 cannot be undone"),
        (lambda hall: hall.service.undo(99, "x"), "entry 99 cannot be undone"),
        (lambda hall: hall.service.add(en.PenaltyGiven("director", "p99", 1, "x")), "no player 'p99'"),
        (lambda hall: hall.service.draw(["t1"], {}), "2 groups need as many tables; 1 are there"),
    ],
)
def test_what_means_nothing_is_refused_and_leaves_no_entry(
    hall: Hall, tables: Tables, act: Callable[[Hall], None], says: str
) -> None:
    opened(hall, tables)
    before = list(hall.service.entries)
    with pytest.raises(BadEntry, match=says):
        act(hall)
    assert hall.service.entries == before


def test_a_round_with_missing_results_is_not_closed_and_says_where(hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    draw(hall)
    with pytest.raises(BadEntry, match="results are missing: t1, t2"):
        shut(hall)


def test_a_hall_that_was_started_anew_has_the_same_tournament(
    hall: Hall, tables: Tables, tmp_path: Path
) -> None:
    opened(hall, tables)
    draw(hall)
    tables.play_round()
    shut(hall)
    again = TournamentService(tmp_path / "hall" / "hall.db", Kept(tmp_path / "kept"))
    results = hall.conductor.results()
    assert to_json(again.tournament, results) == to_json(hall.service.tournament, results)
    again.close()


def test_players_are_read_from_a_table_with_commas_or_semicolons_and_any_order_of_columns() -> None:
    told = "Club;Name;Handicap\nNord;Jürgen;12\n;Bo;\n".encode("cp1252")
    assert from_csv(told) == [PlayerRow("Jürgen", "Nord", None, 12), PlayerRow("Bo")]
    assert from_csv(b"name,rating\nAda,1500\n") == [PlayerRow("Ada", rating=1500)]
    assert from_csv(b"name;club\rAda;Nord\rBo;\r") == [PlayerRow("Ada", "Nord"), PlayerRow("Bo")]


@pytest.mark.parametrize(
    "told",
    [
        b"sep=;\r\nname;club\r\nAda;Nord, by the sea\r\n",
        b"\xef\xbb\xbfsep=\t\nname\tclub\nAda\tNord, by the sea\n",
        "name\tclub\r\nAda\tNord, by the sea\r\n".encode("utf-16"),
        "name;club\nAda;Nord, by the sea\n".encode("utf-16"),
    ],
)
def test_players_are_read_from_the_files_of_spreadsheets(told: bytes) -> None:
    assert from_csv(told) == [PlayerRow("Ada", "Nord, by the sea")]


def test_players_are_read_from_a_division_of_tsh() -> None:
    told = b"Doe, Jane              1520 2 1; 350 400; team CAN\n# a comment\nBo 0;\n"
    assert from_tsh(told) == [PlayerRow("Doe, Jane", "CAN", 1520), PlayerRow("Bo")]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"club\nNord\n", "must name the columns"),
        (b"name,rating\nAda,many\n", "line 2: rating must be"),
        (b"sep=,\nname,rating\nAda,many\n", "line 3: rating must be"),
        ("name\nAda\n".encode("utf-16")[:-1], "must name the columns"),
        (b"name,handicap\nAda,2\n", "a handicap is 3 at least"),
        (b"name\n" + b"x" * 41 + b"\n", "line 2: name has at most 40"),
        (b'name\n"' + b"x" * 200_000, "the file cannot be read"),
    ],
)
def test_a_file_with_a_fault_is_refused_with_its_line(data: bytes, says: str) -> None:
    with pytest.raises(BadEntry, match=says):
        from_csv(data)


def test_a_register_that_was_written_is_read_as_the_same() -> None:
    people = [Person("p1", "Ada, the first", "Nord", 1500, 11, "left-handed"), Person("p2", "Bo")]
    found = from_csv(to_csv(people, {}))
    assert found == [PlayerRow("Ada, the first", "Nord", 1500, 11, "left-handed"), PlayerRow("Bo")]


@pytest.mark.parametrize(
    "text", ["- cannot stay after 18:00", "+1", "@ada", "=1+1", "'=1+1", "''-", "'t Hart", "-"]
)
def test_a_text_that_a_spreadsheet_might_compute_is_read_as_it_was(text: str) -> None:
    people = [Person("p1", text, text, notes=text)]
    told = to_csv(people, {}).decode()
    assert re.findall("(?:^|,)[=+@-]", told, re.MULTILINE) == []
    assert from_csv(told.encode()) == [PlayerRow(text, text, notes=text)]
