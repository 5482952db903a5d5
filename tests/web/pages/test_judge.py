"""The word judge on a screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.web.app import create_app
from tests.web.made import token


@pytest.fixture
def screen(tmp_path: Path) -> FlaskClient:
    """A screen at a table where no game is played."""
    return create_app(tmp_path / "none", None, tmp_path / "kept").test_client()


def judged(screen: FlaskClient, *words: str, rare: str = "accept") -> str:
    return screen.post("/judge", data={"csrf_token": token(screen), "rare": rare, "word": list(words)}).text


def test_the_number_of_words_comes_first_then_a_field_for_each(screen: FlaskClient) -> None:
    assert 'name="word"' not in screen.get("/judge").text
    assert screen.get("/judge?words=3").text.count('name="word"') == 3
    assert screen.get("/judge?words=5000").text.count('name="word"') == 99


def test_one_verdict_comes_out_and_no_word_is_named(screen: FlaskClient) -> None:
    good, bad = judged(screen, "cat", "dog"), judged(screen, "cat", "xyzzyq")
    assert 'class="verdict yes"' in good
    assert ">ACCEPTABLE<" in good
    assert 'class="verdict no"' in bad
    assert ">NOT ACCEPTABLE<" in bad
    assert "xyzzyq" not in bad.lower()


@pytest.mark.parametrize(
    ("rare", "verdict"), [("accept", "ACCEPTABLE"), ("ask", "ASK THE TABLE"), ("refuse", "NOT ACCEPTABLE")]
)
def test_a_rare_word_is_judged_as_was_chosen(screen: FlaskClient, rare: str, verdict: str) -> None:
    assert f">{verdict}<" in judged(screen, "zax", rare=rare)


def test_the_screen_clears_itself_after_ten_seconds_without_scripting(screen: FlaskClient) -> None:
    assert '<meta http-equiv="refresh" content="10;url=/judge?rare=ask">' in judged(screen, "cat", rare="ask")


def test_every_verdict_is_noted_on_the_device(screen: FlaskClient, tmp_path: Path) -> None:
    judged(screen, "cat", "dog")
    noted = (tmp_path / "kept" / "judged.log").read_text(encoding="utf-8")
    assert "judged CAT DOG: ACCEPTABLE by default" in noted


@pytest.mark.parametrize(
    "words", [[], [""], ["cat", ""], ["c"], ["c4t"], ["<b>"], ["a" * 500], ["cat"] * 100]
)
def test_a_play_that_is_not_whole_is_not_judged(screen: FlaskClient, words: list[str]) -> None:
    answer = screen.post("/judge", data={"csrf_token": token(screen), "word": words})
    assert answer.status_code == 400
    assert "ACCEPTABLE" not in answer.text


def test_while_a_game_is_played_the_desk_is_the_referees(phone: FlaskClient, host: FlaskClient) -> None:
    assert phone.get("/judge").location == "/enter?to=/judge"
    assert phone.post("/judge", data={"csrf_token": token(phone), "word": ["cat"]}).status_code == 403
    assert "ACCEPTABLE" in judged(host, "cat")
