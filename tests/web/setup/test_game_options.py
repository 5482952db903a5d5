"""A game is chosen and set up in players' words, and a mistake loses nothing that was typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.rules.options import Option
from companion.rules.registry import entries, game
from companion.web import app as pages
from companion.web.i18n.language import catalogue, sentence
from companion.web.setup.forms import Field, changed_options, fields, title_of
from tests.web.made import Desk, token

GERMAN = {"Accept-Language": "de"}


def form(name: str, given: dict[str, str]) -> dict[str, str]:
    """A form of a game as a browser sends it, left alone but for some fields."""
    left = {f"option-{one.option.name}": one.value for one in fields(game(name).options, {})}
    return {key: value for key, value in {**left, **given}.items() if value not in {"false", ""}}


@pytest.mark.parametrize("name", sorted(entries()))
def test_every_option_and_every_choice_is_told_in_players_words(name: str) -> None:
    for one in fields(game(name).options, {}):
        assert one.option.label
        assert one.option.words.keys() >= set(one.values)


@pytest.mark.parametrize("name", sorted(entries()))
def test_no_option_is_typed_where_a_choice_would_do(name: str) -> None:
    typed = {one.option.name for one in fields(game(name).options, {}) if one.form == "text"}
    assert typed == {"warn_s"}  # a list of numbers


@pytest.mark.parametrize("name", sorted(entries()))
def test_every_game_says_what_it_is_before_it_is_chosen(host: FlaskClient, name: str) -> None:
    assert game(name).about in host.get("/host/new").text
    assert game(name).about in catalogue("de")


@pytest.mark.parametrize("name", sorted(entries()))
def test_every_value_that_a_page_offers_is_one_that_the_option_takes(name: str) -> None:
    for option in game(name).options:
        assert [option.parse(value) for value in option.words] == list(option.words)


def test_an_option_of_a_strangers_game_goes_by_its_name_and_says_what_it_decides() -> None:
    shown = Field(Option("any_suit", "off", "whether `any` suit will do", "", "", str), "text", "off")
    assert (shown.label, shown.hint, shown.word("no_one")) == (
        "any suit",
        "whether any suit will do",
        "no one",
    )


def test_tiles_go_by_their_title_and_those_of_a_file_by_its_name() -> None:
    assert title_of("scrabble-de") == "German Scrabble"
    assert title_of("games/kitchen.json") == "kitchen"


def test_a_series_is_chosen_from_a_list() -> None:
    (series,) = (one for one in fields(game("bananagrams").options, {}) if one.option.name == "series")
    assert [series.word(value) for value in series.values][:3] == [
        "One round",
        "Best of 3 rounds",
        "Best of 5 rounds",
    ]


def test_a_series_that_the_list_lacks_stays_as_it_was_sent() -> None:
    (series,) = (
        one
        for one in fields(game("bananagrams").options, {"option-series": "best_of_9"})
        if one.option.name == "series"
    )
    assert (series.value, series.values[-1]) == ("best_of_9", "best_of_9")


def test_handicaps_are_a_number_for_every_seat_that_is_taken() -> None:
    given = {"name-01": "Ada", "name-03": "Bo", "option-handicaps-01": "12", "option-handicaps-03": "4"}
    assert changed_options(game("chew").options, form("chew", given))["handicaps"] == [12, 4]


def test_a_mistake_is_tied_to_its_field_and_a_hint_to_its_own(host: FlaskClient) -> None:
    given = form("bananagrams", {"name-01": "Ada", "name-02": "Bo", "option-tie_ms": "minus"})
    page = host.post("/host/new/bananagrams", data={"csrf_token": token(host), **given}).text
    tags = {one[1]: one[0] for one in re.findall(r'(<(?:input|select) [^>]*id="option-(\w+)"[^>]*>)', page)}
    assert 'aria-invalid="true"' in tags["tie_ms"]
    assert [name for name, tag in tags.items() if "aria-invalid" in tag] == ["tie_ms"]
    described = {one for tag in tags.values() for one in re.findall(r'describedby="([^"]+)"', tag)}
    assert "note-tie_ms-fault" in " ".join(described)
    assert set(" ".join(described).split()) <= set(re.findall(r'<(?:p|small)[^>]* id="([^"]+)"', page))


def test_a_wrong_pin_is_tied_to_its_field(host: FlaskClient, phone: FlaskClient) -> None:
    assert host.get("/host").status_code == 200
    page = phone.post("/enter", data={"csrf_token": token(phone), "pin": "000000"}).text
    [field] = re.findall('<input id="pin"[^>]*>', page)
    [fault] = re.findall('<p[^>]*role="alert"[^>]*>', page)
    assert 'aria-invalid="true" aria-describedby="fault"' in field
    assert 'id="fault"' in fault


def test_a_mistake_keeps_names_choices_and_boxes_without_a_tick(host: FlaskClient, desk: Desk) -> None:
    given = form("bananagrams", {"name-01": "Ada", "option-tie_ms": "minus", "option-series": "best_of_3"})
    given.pop("option-duplicates")
    page = host.post("/host/new/bananagrams", data={"csrf_token": token(host), **given}).text
    assert 'value="Ada"' in page
    assert '<option value="best_of_3" selected>' in page
    assert '<input type="checkbox" name="option-duplicates" value="true">' in page
    assert not [one for one in desk.heard if one[0] == "set_up"]


def test_a_mistake_is_told_beside_its_field_in_the_language_spoken(host: FlaskClient) -> None:
    given = {"csrf_token": token(host), **form("bananagrams", {"name-01": "Ada", "option-tie_ms": "minus"})}
    page = host.post("/host/new/bananagrams", data=given, headers=GERMAN).text
    told = page[page.index('id="option-tie_ms"') :]
    assert "Hier passen ganze Zahlen von 0 bis 1000." in told[: told.index("</div>")]


def test_the_first_letter_becomes_a_capital_and_nouns_keep_theirs() -> None:
    assert sentence("der Tisch sieht Steine") == "Der Tisch sieht Steine"


def test_no_template_takes_their_capitals_from_nouns() -> None:
    templates = (Path(pages.__file__).parent / "templates").rglob("*.html")
    assert [path.name for path in templates if "|capitalize" in path.read_text(encoding="utf-8")] == []


def test_the_rules_of_a_pin_are_told_where_the_first_is_chosen(phone: FlaskClient) -> None:
    assert "6 to 64 signs" in phone.get("/welcome").text


def test_the_rules_of_a_pin_are_told_where_another_is_chosen(host: FlaskClient) -> None:
    assert "6 to 64 signs" in host.get("/host").text


def test_a_pin_that_is_too_easy_is_refused_where_it_was_typed(host: FlaskClient) -> None:
    given = {"csrf_token": token(host), "role": "host", "pin": "123456", "again": "123456"}
    answer = host.post("/host/pin", data=given)
    assert answer.status_code == 403
    assert "guessed at once" in answer.text
    assert 'action="/host/pin"' in answer.text
    assert host.get("/host/pin").location == "/host#pins"  # whoever loads the page again
