from __future__ import annotations

import io
import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.drill.table_processes import wait_for
from companion.errors import BadOutput, UsageError
from companion.hall.entries import AutopilotSet, PlayerWithdrew
from companion.hall.hall import Hall
from companion.hall.mqtt import Received
from companion.hall.pages.app import serve_until
from companion.hall.register import PlayerRow
from companion.hall.sheets import Sheet, to_pdf
from tests.hall.tables import Tables, opened
from tests.web.made import token

PUBLIC = ("/", "/standings", "/rounds", "/players", "/players?q=4", "/players/p1", "/screen", "/help")
DIRECTORS = ("/director", "/referee", "/announcer", "/papers/incidents.pdf", "/papers/players.csv")


def post(client: FlaskClient, page: str, **form: object) -> str:
    """Send a form and return what the next page says."""
    answer = client.post(page, data={"csrf_token": token(client, "/director"), **form})
    assert answer.status_code == 302, answer.text
    return client.get(answer.location or "/").text


def played(hall: Hall, tables: Tables) -> None:
    """Play one round of an evening."""
    opened(hall, tables)
    hall.service.draw(hall.conductor.tables(), hall.conductor.results())
    tables.play_round()
    hall.service.close_round(hall.conductor.results())


def nothing(_hall: Hall, _tables: Tables) -> None:
    """Leave the hall as it was opened."""


@pytest.mark.parametrize("before", [nothing, opened, played])
def test_every_public_page_can_be_looked_at_at_any_time(
    phone: FlaskClient, hall: Hall, tables: Tables, before: Callable[[Hall, Tables], None]
) -> None:
    before(hall, tables)
    for page in PUBLIC:
        wanted = 404 if before is nothing and page == "/players/p1" else 200
        assert phone.get(page).status_code == wanted, page


@pytest.mark.parametrize("before", [nothing, opened, played])
def test_every_page_of_the_director_can_be_looked_at_at_any_time(
    director: FlaskClient, hall: Hall, tables: Tables, before: Callable[[Hall, Tables], None]
) -> None:
    before(hall, tables)
    for page in DIRECTORS:
        assert director.get(page).status_code == (404 if "papers" in page and before is nothing else 200), (
            page
        )


def test_viewers_are_led_to_the_pin_and_cannot_send(
    phone: FlaskClient, director: FlaskClient, hall: Hall
) -> None:
    assert hall.service.state is None
    assert director.get("/director").status_code == 200
    for page in DIRECTORS:
        assert (phone.get(page).location or "").startswith("/enter")
    form = {"csrf_token": token(phone, "/enter"), "name": "A", "form": "swiss"}
    assert phone.post("/director/open", data=form).status_code == 403
    assert phone.post("/tables/t1/order", data=form).status_code == 403


def test_a_form_without_its_token_is_refused(director: FlaskClient) -> None:
    assert director.post("/director/open", data={"name": "A", "form": "swiss"}).status_code == 400


def test_the_director_opens_registers_draws_and_undoes_on_the_desk(
    director: FlaskClient, hall: Hall, tables: Tables
) -> None:
    tables.online("t1", "t2")
    post(director, "/director/open", name="Club night", form="chew_evening", rounds="3", wanted="4")
    file = io.BytesIO(b"name,club\n" + b"".join(f"P{n},C\n".encode() for n in range(8)))
    post(director, "/director/players", file=(file, "players.csv"))
    assert "round is drawn" in post(director, "/director/round", what="draw")
    assert hall.service.tournament.current is not None
    number = str(hall.service.entries[-1].number)
    assert "counts no more" in post(director, "/director/undo", number=number)
    assert hall.service.tournament.current is None


@pytest.mark.parametrize(("points", "scores"), [("95, 120 -5", (95, 120, -5)), ("", (2, 3, 1))])
def test_the_points_of_a_score_sheet_are_set_with_its_places(
    director: FlaskClient, hall: Hall, tables: Tables, points: str, scores: tuple[int, ...]
) -> None:
    tables.online("t1")
    hall.service.open("City", "league_city", {})
    hall.service.enter([PlayerRow(name) for name in ("Ada", "Bo", "Cem")])
    hall.service.draw(["t1"], {})
    given = {"what": "result", "round": "1", "group": "1", "reason": "by hand"}
    assert "result is set" in post(director, "/director/group", places="2 1 3", scores=points, **given)
    ruled = hall.service.tournament.rounds[0].tables[0].ruled
    assert ruled is not None
    assert (ruled.places, ruled.scores) == ((2, 1, 3), scores)


def test_what_cannot_be_is_said_on_the_desk_and_nothing_changes(director: FlaskClient, hall: Hall) -> None:
    says = post(director, "/director/round", what="draw")
    assert "no tournament is open" in says
    assert hall.service.entries == []


@pytest.mark.parametrize("field", ["rounds", "wanted"])
def test_a_number_of_thousands_of_digits_opens_nothing(director: FlaskClient, hall: Hall, field: str) -> None:
    form = {"csrf_token": token(director, "/director"), "name": "A", "form": "chew_evening"}
    assert director.post("/director/open", data={**form, field: "9" * 5000}).status_code == 400
    assert hall.service.state is None


@pytest.mark.parametrize("name", ["", "  ", "x" * 41])
def test_a_substitute_needs_a_name(director: FlaskClient, hall: Hall, tables: Tables, name: str) -> None:
    opened(hall, tables)
    given = {"what": "substitute", "value": name, "reason": "broken arm"}
    assert "a name has 1 to 40 printable characters" in post(director, "/director/players/p2", **given)
    assert hall.service.tournament.people["p2"].name == "Player 2"


def test_a_player_page_says_where_to_sit(phone: FlaskClient, hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    hall.service.draw(hall.conductor.tables(), {})
    now = hall.service.tournament.rounds[0]
    text = phone.get(f"/players/{now.tables[1].players[0]}").text
    assert "Table 2" in text


def test_the_table_that_is_in_most_trouble_stands_first_on_the_wall(
    phone: FlaskClient, hall: Hall, tables: Tables
) -> None:
    tables.online("t1", "t2", "t3")
    match = tables.begin("t2", ["Ada", "Bo", "Chi"])
    tables.play("t2", match, [1, 2, 3])
    tables.offline("t3")
    text = phone.get("/").text
    waiting = text[text.index('class="waiting"') : text.index("hallgrid")]
    assert "Table 3" in waiting
    assert "Table 1" not in waiting
    assert hall.intake.tables["t3"].online is False


def test_a_table_whose_game_is_over_is_not_said_to_be_ready(
    phone: FlaskClient, hall: Hall, tables: Tables
) -> None:
    tables.online("t1")
    tables.play("t1", tables.begin("t1", ["Ada", "Bo", "Chi"]), [1, 2, 3])
    hall.intake.tables["t1"].change()
    text = phone.get("/").text
    assert ">Over</span>" in text
    assert "Ready" not in text


def test_a_group_moves_to_tables_that_are_free_and_each_is_named(
    director: FlaskClient, hall: Hall, tables: Tables
) -> None:
    opened(hall, tables)
    tables.online("t3")
    hall.service.draw(hall.conductor.tables(), {})
    text = director.get("/director").text
    assert '<option value="t3">Table 3</option>' in text
    assert '<option value="t1">' not in text


def test_names_of_players_and_tables_cannot_bring_scripts(
    phone: FlaskClient, hall: Hall, tables: Tables
) -> None:
    opened(hall, tables)
    hall.service.enter([PlayerRow("<script>alert(1)</script>", "<b>x</b>")])
    hall.intake.tables["t1"].name = "<img src=x>"
    hall.intake.tables["t1"].change()
    tables.begin("t2", ["<i>Ada</i>", "Bo", "Chi"])
    for page in PUBLIC:
        text = phone.get(page).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "<i>Ada" not in text


def test_the_wall_tells_live_of_a_table_that_changes_and_of_no_other(
    phone: FlaskClient, hall: Hall, tables: Tables
) -> None:
    services = phone.application.extensions["companion"]
    tables.online("t1", "t2")
    services.monitor.poll_log()
    channel = services.channels.channel("wall", "en", lambda: services.live_pages["wall"].draw(services, 0))
    first = channel.message(services.monitor, -1, 0)
    shown = services.monitor.revision
    tables.begin("t2", ["Ada", "Bo", "Chi"])
    assert wait_for(services.monitor.poll_log, 5.0)
    told = json.loads(channel.message(services.monitor, shown, 0).split(b"data: ")[1])
    assert b"table-t1" in first
    assert set(told["regions"]) == {"table-t2"}
    assert hall.intake.tables["t2"].live is not None


def test_every_paper_is_a_pdf_that_holds_the_names(director: FlaskClient, hall: Hall, tables: Tables) -> None:
    played(hall, tables)
    hall.service.add(PlayerWithdrew("director", "p1", "the last train leaves"))
    wanted = {"pairings": "Player 3", "standings": "Player 3", "cross": "Player 3", "scores": "Player 3"}
    for name, text in {**wanted, "incidents": "the last train"}.items():
        body = director.get(f"/papers/{name}.pdf").data
        pages = pypdfium2.PdfDocument(body)
        told = "".join(page.get_textpage().get_text_range() for page in pages)
        assert text in told, name
        assert len(re.findall(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d · \d+ / {len(pages)}", told)) == len(pages)


def test_a_sheet_is_drawn_by_another_process_so_that_the_pages_load_no_fonts(root: Path) -> None:
    code = "import sys, companion.commands.hall; from companion.hall.sheets import Sheet;"
    code += "from companion.hall.sheets import to_pdf; print(to_pdf(Sheet('T', 'N', ()), 'a4')[:4].decode(),"
    code += "*{'fpdf', 'fontTools'} & {*sys.modules})"
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "%PDF\n"


def test_a_sheet_that_cannot_be_drawn_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadOutput, match="none"):
        to_pdf(Sheet("Title", "Name", ()), "none")
    monkeypatch.setattr("companion.hall.sheets.DRAW_COMMAND", ("/no/such/program",))
    with pytest.raises(BadOutput, match="No such file"):
        to_pdf(Sheet("Title", "Name", ()), "a4")


def test_the_tsh_file_is_read_again_with_the_points(phone: FlaskClient, hall: Hall, tables: Tables) -> None:
    played(hall, tables)
    lines = phone.get("/papers/tournament.t").data.decode("iso-8859-1").splitlines()
    assert len(lines) == 8
    assert sorted(line.split(";")[1].strip() for line in lines) == ["1", "1", "2", "2", "3", "3", "4", "4"]


def test_the_tsh_file_has_everybody_even_where_a_name_has_signs_that_it_lacks(
    phone: FlaskClient, hall: Hall
) -> None:
    hall.service.open("Pairs", "swiss", {"rounds": 1})
    hall.service.enter([PlayerRow("Zoë 🐙", "Klub Łódź"), PlayerRow("李"), PlayerRow("#1"), PlayerRow("Bo")])
    lines = phone.get("/papers/tournament.t").data.decode("iso-8859-1").splitlines()
    assert [line[:22].strip() for line in lines] == ["Zoë ?", "2. ?", "3. #1", "Bo"]
    assert "team Klub ?ódz" in lines[0]


def test_an_order_of_a_referee_reaches_the_table(director: FlaskClient, hall: Hall, tables: Tables) -> None:
    tables.online("t1")
    asked: list[tuple[str, bytes]] = []

    class Sent:
        def request(self, name: str, payload: bytes, _reply: str, _mark: bytes) -> None:
            asked.append((name, payload))

    hall.intake.attach(Sent())
    form = {"csrf_token": token(director, "/director"), "order": "pause", "back": "/referee"}
    assert director.post("/tables/t1/order", data=form).status_code == 302
    assert [(name.rpartition("/")[2], json.loads(body)["order"]) for name, body in asked] == [
        ("orders", "pause")
    ]


def test_orders_that_no_referee_may_give_are_refused(director: FlaskClient, tables: Tables) -> None:
    tables.online("t1")
    for table, order in (("t1", "end"), ("t9", "pause")):
        form = {"csrf_token": token(director, "/director"), "order": order}
        assert director.post(f"/tables/{table}/order", data=form).status_code == 400


def test_the_autopilot_is_one_tap_on_the_desk(director: FlaskClient, hall: Hall, tables: Tables) -> None:
    opened(hall, tables)
    post(director, "/director/round", what="autopilot")
    assert isinstance(hall.service.entries[-1].event, AutopilotSet)
    hall.conductor.step()
    assert hall.service.tournament.current is not None


def test_a_penalty_that_is_sent_twice_is_noted_once(director: FlaskClient, hall: Hall) -> None:
    opened(hall, Tables(hall))
    keys = dict(re.findall(r'name="(csrf_token|form_key)" value="([^"]+)"', director.get("/players/p1").text))
    before = len(hall.service.entries)
    for _ in range(2):
        form = {**keys, "what": "penalty", "value": "5", "reason": "late"}
        assert director.post("/director/players/p1", data=form).location == "/players/p1"
    assert len(hall.service.entries) == before + 1


def test_a_message_with_a_hostile_topic_leaves_the_pages_as_they_are(phone: FlaskClient, hall: Hall) -> None:
    hall.intake.receive(Received("tableau/v1/tables/../../etc/events", b"{}"))
    hall.intake.receive(Received("tableau/v1/tables/<script>/health", b'{"contract":1,"online":true}'))
    hall.intake.step()
    assert hall.intake.tables == {}
    assert phone.get("/").status_code == 200


def test_a_player_page_names_its_first_figure_as_the_standings_do(phone: FlaskClient, hall: Hall) -> None:
    hall.service.open("Cup", "bananagrams_tournament", {})
    hall.service.enter([PlayerRow("Ada"), PlayerRow("Bo")])
    assert "<dt>Rounds survived</dt>" in phone.get("/players/p1").text


def test_the_name_of_a_format_is_in_the_language_spoken(phone: FlaskClient, hall: Hall) -> None:
    hall.service.open("Cup", "round_robin", {})
    phone.set_cookie("language", "de")
    assert "Jeder gegen jeden" in phone.get("/").text


def test_no_page_elsewhere_chooses_the_language(phone: FlaskClient) -> None:
    given = {"language": "de", "back": "/players"}
    chosen = phone.post("/language", data=given, headers={"Origin": "http://localhost"})
    elsewhere = phone.post("/language", data=given, headers={"Origin": "http://elsewhere.example"})
    assert (chosen.status_code, chosen.location, elsewhere.status_code) == (302, "/players", 403)


def test_a_port_that_is_taken_is_told_in_words(app: Flask, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(UsageError, match="choose another"):
        serve_until(app, "127.0.0.1", other.getsockname()[1], lambda _port: None, lambda: False)
    assert capsys.readouterr().err == ""
