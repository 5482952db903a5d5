"""What the pages say, in every language that there is a catalogue of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.web.i18n import language
from companion.web.i18n.language import _, catalogue, languages, ngettext, use_language
from companion.web.messages import messages, updated_catalogue
from tests.web.made import OWN, token


def told() -> Iterator[str]:
    for message in messages():
        if message.id and not message.context:  # what the table says has a test of its own
            yield message.id if isinstance(message.id, str) else message.id[0]


@pytest.mark.parametrize("code", [code for code in languages() if code != "en"])
def test_every_message_is_translated_and_keeps_its_places(code: str) -> None:
    known = catalogue(code)
    there = list(told())
    assert len(there) > 300
    assert [message for message in there if message not in known] == []
    for english, german in known.items():
        for form in [german] if isinstance(german, str) else german:
            assert sorted(places(form)) == sorted(places(english)), english


def places(text: str) -> list[str]:
    return [place for place in re.findall(r"%\(\w+\)\w", text) if place != "%(num)s"]


def test_a_page_speaks_the_language_of_the_phone_or_the_one_chosen(phone: FlaskClient) -> None:
    german = phone.get("/", headers={"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}).text
    assert '<html lang="de">' in german
    assert "Letzte Ansagen" in german
    assert '<html lang="en">' in phone.get("/", headers={"Accept-Language": "fr"}).text
    phone.set_cookie("language", "de")
    assert "In der Mitte" in phone.get("/").text
    phone.set_cookie("language", "../../etc/passwd")
    assert '<html lang="en">' in phone.get("/").text


def test_live_regions_speak_it_too(phone: FlaskClient) -> None:
    phone.set_cookie("language", "de")
    stream = iter(phone.get("/live/score").response)
    next(stream)
    message: Any = next(stream)
    assert "In der Mitte" in message.decode()


def test_counts_have_their_form() -> None:
    with use_language("de"):
        assert ngettext("tile", "tiles", 1) == "Stein"
        assert ngettext("tile", "tiles", 0) == "Steine"
        assert ngettext("none such", "none suches", 2) == "none suches"
    with use_language("en"):
        assert ngettext("tile", "tiles", 1) == "tile"


def test_what_has_no_translation_is_said_in_english() -> None:
    with use_language("de"):
        assert _("no such message %(n)s", n=3) == "no such message 3"
        assert _("") == ""


def test_a_translator_adds_a_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head, begun = (
        'msgid ""\nmsgstr ""\n"Language: fr\\n"\n\n',
        'msgid "Help"\nmsgstr "Aide"\n\nmsgid "gone"\nmsgstr "parti"\n',
    )
    full = updated_catalogue((head + begun).encode(), "fr").decode()
    assert 'msgid "Last calls"\nmsgstr ""' in full
    assert "parti" not in full
    (tmp_path / "fr.po").write_text(full, encoding="utf-8")
    monkeypatch.setattr(language, "FOLDER", tmp_path)
    languages.cache_clear()
    catalogue.cache_clear()
    try:
        assert languages() == {"en": "English", "fr": "Français"}
        with use_language("fr"):
            assert _("Help") == "Aide"
            assert _("Last calls") == "Last calls"
    finally:
        languages.cache_clear()
        catalogue.cache_clear()


def test_to_choose_a_language_needs_no_session_and_no_page_elsewhere_can_do_it(phone: FlaskClient) -> None:
    assert "Set-Cookie" not in phone.get("/").headers
    chosen = phone.post("/language", data={"language": "de", "back": "/help"}, headers=OWN)
    kept = phone.get_cookie("language")
    assert kept is not None
    assert (chosen.location, kept.value) == ("/help", "de")
    elsewhere = {"Origin": "http://elsewhere.example"}
    assert phone.post("/language", data={"language": "en"}, headers=elsewhere).status_code == 403
    assert phone.post("/language", data={"language": "en"}, headers={"Origin": "null"}).status_code == 403


@pytest.mark.parametrize(
    ("heads", "status"),
    [
        ({}, 400),
        ({"Referer": "http://localhost/help"}, 302),
        ({"Referer": "http://elsewhere.example/help"}, 403),
    ],
)
def test_a_language_is_chosen_only_by_a_form_that_says_where_it_stands(
    phone: FlaskClient, heads: dict[str, str], status: int
) -> None:
    assert phone.post("/language", data={"language": "de"}, headers=heads).status_code == status


def test_a_form_that_names_no_origin_chooses_a_language_by_a_token(phone: FlaskClient) -> None:
    answer = phone.post("/language", data={"csrf_token": token(phone), "language": "de", "back": "/help"})
    assert (answer.status_code, answer.location) == (302, "/help")
