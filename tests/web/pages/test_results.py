"""The results of a game on paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pypdfium2
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.events.log import EventLog, Row
from companion.events.match import Match
from companion.events.projections import Result
from companion.model.calls import SECOND, Ruling
from companion.paper import PAPERS, fonts
from companion.web.pages import games
from companion.web.pages.games import format_result
from companion.web.pages.sheet import results_pdf
from companion.web.pages.sheet_text import Captions, Player, Results
from tests.web.made import begun, monitor

OPENED: Any = pypdfium2.PdfDocument
"""It carries no types."""

CAPTIONS = Captions("Place", "Player", "In all", "Rulings", "Page %(page)s of %(pages)s")


def words(pdf: bytes) -> list[str]:
    """The text of each page."""
    with OPENED(pdf) as document:
        return [str(page.get_textpage().get_text_range()) for page in document]


def sides_mm(pdf: bytes) -> tuple[float, float]:
    with OPENED(pdf) as document:
        width, height = document[0].get_size()
    return width * 25.4 / 72, height * 25.4 / 72


def of_many(rounds: int, rulings: int = 0, players: int = 3) -> Results:
    """Results of players who scored their seat's number in each round."""
    return Results(
        "Chew",
        "evening",
        CAPTIONS,
        tuple(f"Round {number}" for number in range(1, rounds + 1)),
        tuple(
            Player(str(seat), f"Seat {seat}", (str(seat),) * rounds, str(seat * rounds))
            for seat in range(1, players + 1)
        ),
        tuple(f"ruling {number}" for number in range(rulings)),
        ("Words are judged by few.",),
        ("Referee", *(f"Seat {seat}" for seat in range(1, players + 1))),
    )


@pytest.mark.parametrize(("paper", "sides"), [("a4", (210.0, 297.0)), ("letter", (215.9, 279.4))])
def test_the_sheet_has_the_size_of_the_paper_that_was_asked_for(
    phone: FlaskClient, paper: str, sides: tuple[float, float]
) -> None:
    answer = phone.get(f"/results/one.pdf?paper={paper}")
    assert answer.content_type == "application/pdf"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="one.pdf"'
    assert sides_mm(answer.data) == pytest.approx(sides, abs=0.1)
    assert phone.get("/results/one.pdf?paper=napkin").status_code == 404
    assert phone.get("/results/none.pdf").status_code == 404


def test_the_sheet_says_who_played_what_was_ruled_and_has_a_line_for_everybody(
    phone: FlaskClient, match: Match
) -> None:
    match.handle(Ruling(30 * SECOND, "disqualify", "played with a tenth tile", 1))
    found = words(phone.get("/results/one.pdf").data)[0]
    for text in ("Bananagrams", "Bo <b>bold</b>", "No round was confirmed yet.", "few (4 words", "Referee"):
        assert text in found
    assert re.search(r"0:29 Ada: Referee: disqualify \(played with a tenth tile\)", found)
    assert re.search(rf"up to event {match.number}, mark [0-9a-f]{{16}}\.", found)
    assert found.count("Chi & Co") == 2  # in the table, and where to sign


def ruled(match: Match) -> None:
    """Fine and warn Ada, let Dee play for Bo, let Chi leave, and note a glass."""
    match.handle(Ruling(30 * SECOND, "penalize", "talked", 1, {"points": 5}))
    match.handle(Ruling(31 * SECOND, "warn", "talked again", 1))
    match.handle(Ruling(32 * SECOND, "substitute", "ill", 2, {"player": "Dee"}))
    match.handle(Ruling(33 * SECOND, "withdraw", "has a train", 3))
    match.handle(Ruling(34 * SECOND, "note_incident", "a glass fell over"))


def test_results_say_who_was_fined_warned_replaced_and_who_left(phone: FlaskClient, match: Match) -> None:
    ruled(match)
    page = phone.get("/results/one").text
    assert "Ada <small>(5 points taken off, warnings: 1)</small>" in page
    assert "Dee <small>(for Bo &lt;b&gt;bold&lt;/b&gt;)</small>" in page
    assert "Chi &amp; Co <small>(withdrawn)</small>" in page


def test_results_tell_one_point_from_several(phone: FlaskClient, match: Match) -> None:
    for points, says in ((1, "1 point taken"), (0.5, "1.5 points taken")):
        match.handle(Ruling(30 * SECOND, "penalize", "talked", 1, {"points": points}))
        assert f"Ada <small>({says} off)</small>" in phone.get("/results/one").text


def test_the_sheet_has_them_too_with_the_reasons(phone: FlaskClient, match: Match) -> None:
    ruled(match)
    found = words(phone.get("/results/one.pdf").data)[0].replace("\r\n", " ")
    for text in (
        "Ada (5 points taken off, warnings: 1)",
        "Dee (for Bo <b>bold</b>)",
        "Chi & Co (withdrawn)",
        "Ada: Referee: penalize 5 (talked)",
        "Referee: note incident (a glass fell over)",
    ):
        assert text in found


def test_the_sheet_speaks_german(phone: FlaskClient) -> None:
    phone.set_cookie("language", "de")
    assert "Seite 1 von 1" in words(phone.get("/results/one.pdf").data)[0]


def test_the_page_of_the_results_leads_to_both_papers(phone: FlaskClient) -> None:
    page = phone.get("/results/one").text
    for size in ("a4", "letter"):
        assert f'href="/results/one.pdf?paper={size}"' in page


def test_many_rounds_stand_in_tables_below_each_other_with_all_together_once() -> None:
    found = words(results_pdf(of_many(13), PAPERS["a4"]))
    assert len(found) == 1
    assert found[0].count("Seat 3") == 3 + 1  # rounds 1 to 6, 7 to 12, 13; and where to sign
    assert found[0].count("In all") == 1
    assert found[0].count("39") == 1


def test_what_does_not_fit_goes_on_on_the_next_page_with_its_heads_again() -> None:
    found = words(results_pdf(of_many(24, 40, 13), PAPERS["letter"]))
    assert [f"Page {number} of {len(found)}" in text for number, text in enumerate(found, 1)] == [True] * 4
    assert all("evening" in text for text in found)
    assert sum(text.count("ruling ") for text in found) == 40
    assert sum(text.count("Seat 13") for text in found) == 4 + 1


def test_a_name_that_this_machine_cannot_write_is_told_with_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, match: Match, phone: FlaskClient
) -> None:
    monkeypatch.setattr(fonts, "FONT_FOLDERS", (tmp_path / "no fonts",))
    fonts.files.cache_clear()
    match.handle(Ruling(30 * SECOND, "disqualify", "田", 1))
    answer = phone.get("/results/one.pdf")
    fonts.files.cache_clear()
    assert answer.status_code == 409
    assert "apt-get install fonts-noto-core" in answer.text


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (Result(1, 1, "Ada", 2, 12, 12, None), "12 (2.)"),
        (Result(1, 1, "Ada", None, -2.5, -2.5, None), "-2.5"),
        (Result(1, 1, "Ada", None, 3.0, 3.0, None), "3"),
        (None, ""),
    ],
)
def test_a_round_shows_its_points_and_its_place_where_there_is_one(result: Result | None, shown: str) -> None:
    assert format_result(result) == shown


def test_the_list_of_games_has_the_newest_and_reads_the_first_event_of_each(
    app: Flask, phone: FlaskClient, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "MAX_LISTED_GAMES", 2)
    for name in ("p1", "p2", "p3"):
        begun(log, name)
    monitor(app).poll_log()
    read, row_of = list[Row](), Row.of

    def noted(values: Sequence[Any]) -> Row:
        read.append(row_of(values))
        return read[-1]

    monkeypatch.setattr(Row, "of", noted)
    page = phone.get("/games").text
    assert re.findall(r'href="/results/([^"]+)"', page) == ["p3", "p2"]
    assert len(read) == 2


def test_a_game_as_json_is_refused_to_players_while_the_rules_hide_verdicts(
    phone: FlaskClient, host: FlaskClient, match: Match
) -> None:
    assert match.number
    for path in ("/games/one.json", "/api/v1/games/one/export/json"):
        assert phone.get(path).status_code == 403
        assert "invalid_words" in host.get(path).text
    assert "/games/one.json" not in phone.get("/results/one").text
    assert "invalid_words" not in phone.get("/games/one.txt").text


def test_a_game_as_json_is_for_everybody_where_the_policy_shows_verdicts(
    app: Flask, phone: FlaskClient, log: EventLog
) -> None:
    begun(log, "two", policy="advise")
    monitor(app).poll_log()
    assert "invalid_words" in phone.get("/games/two.json").text
    assert "/games/two.json" in phone.get("/results/two").text


@pytest.mark.parametrize("name", ["00002 Table 3/4 2026-11-29", "00003 100% #1 ?", "00004 C:\\é"])
def test_a_game_of_any_name_has_its_pages_and_files(
    app: Flask, phone: FlaskClient, log: EventLog, name: str
) -> None:
    begun(log, name)
    monitor(app).poll_log()
    links = re.findall(r'href="(/re[^"]+|/games/[^"]+)"', phone.get(f"/results/{quote(name)}").text)
    assert len(links) == 6  # replay, two papers, three files
    paths = (*links, f"/api/v1/games/{quote(name)}/events", f"/api/v1/games/{quote(name)}/export/csv")
    assert {path: phone.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)


def test_a_downloaded_game_has_a_name_that_every_system_accepts(
    app: Flask, phone: FlaskClient, log: EventLog
) -> None:
    begun(log, "00002 Küche 🎲?")
    monitor(app).poll_log()
    head = phone.get(f"/games/{quote('00002 Küche 🎲?')}.csv").headers["Content-Disposition"]
    assert head == 'attachment; filename="00002_K_che___.csv"'


@pytest.mark.parametrize("path", ["/games/two.csv", "/api/v1/games/two/export/csv"])
def test_a_spreadsheet_knows_the_letters_of_a_table_of_results(
    app: Flask, phone: FlaskClient, log: EventLog, path: str
) -> None:
    """Excel reads a CSV file as UTF-8 only after a byte order mark."""
    begun(log, "two")
    monitor(app).poll_log()
    answer = phone.get(path)
    assert answer.data.startswith(b"\xef\xbb\xbfgame,")
    assert answer.content_type == "text/csv; charset=utf-8"
