"""Whole games of all five kinds, on every page, at every step."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.commands.referee import lines, play_script
from companion.events.log import EventLog
from companion.web.app import create_app
from companion.web.live.monitor import TableMonitor
from tests.web.made import monitor

GAMES = sorted((Path(__file__).parents[1] / "games").glob("*.jsonl"), key=lambda path: path.stem)


@pytest.fixture(scope="module")
def phone(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    """A phone that looks at a log with every written game."""
    folder = tmp_path_factory.mktemp("games")
    with EventLog(folder / "log") as log:
        for path in GAMES:
            for _ in play_script(lines(str(path)), log, path.stem):
                pass
    app = create_app(folder / "log", None, folder / "kept")
    monitor(app).poll_log()
    return app.test_client()


@pytest.mark.parametrize("name", [path.stem for path in GAMES])
def test_a_game_can_be_replayed_from_its_first_to_its_last_event(phone: FlaskClient, name: str) -> None:
    last = phone.get(f"/api/v1/games/{name}/events").get_json()["last"]
    for at in range(1, last + 1, max(1, last // 12)):
        assert phone.get(f"/replay/{name}?at={at}").status_code == 200
    assert phone.get(f"/results/{name}").status_code == 200


def shown(found: TableMonitor, name: str) -> tuple[str, ...]:
    """The names of the seats of a game that is shown from now on."""
    found.game = name
    found.read_log()
    return found.projection.set_up.seats if found.projection else ()


@pytest.mark.parametrize("name", [path.stem for path in GAMES])
def test_a_game_is_whole_on_the_live_pages(phone: FlaskClient, name: str) -> None:
    names = shown(monitor(phone.application), name)
    for path in ("/", "/tv", "/seat/1", "/help", "/api/v1/state"):
        assert phone.get(path).status_code == 200
    page = phone.get("/").text
    assert names
    assert [seat for seat in names if seat not in page] == []


def test_a_game_of_points_shows_them_large_while_the_round_counts(phone: FlaskClient) -> None:
    shown(monitor(phone.application), "binary_scrabble_out")
    page = phone.get("/").text
    assert page.count("<small>points</small>") == 4
    assert "<b>0</b> <small>points</small>" not in page
