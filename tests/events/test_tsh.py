"""The lines of tsh: what they mean, and byte-equal round trips of files that others wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadExport
from companion.events.tsh import Player, format_division, parse_division, writable_name

FILE = (
    b"#division a\r\n"
    b"Chew, John             1950 2 0 3; 412 50 -30; password secret; p12 1 2 1\r\n"
    b"\r\n"
    b"M\xfcller, J\xf6rg 1500.5+200  1 3 0;400 389 50\n"
    b"  Third, A  0 00 2 1 ;00 380 30;note a\\;b c\\\\d ; # 3\n"
    b"New, N 900"
)


def players(data: bytes) -> list[Player]:
    return [line for line in parse_division(data) if isinstance(line, Player)]


def test_a_file_is_printed_as_it_was_read_to_the_last_byte() -> None:
    assert format_division(parse_division(FILE)) == FILE


def test_a_mark_at_the_start_of_the_file_is_kept_and_belongs_to_no_name() -> None:
    data = b"\xef\xbb\xbf" + b"Ann A 100 2; 1\n"
    assert format_division(parse_division(data)) == data
    assert players(data)[0].name == "Ann A"


def test_name_rating_pairings_and_scores_are_read() -> None:
    chew = players(FILE)[0]
    assert (chew.name, chew.rating, chew.pairings, chew.scores) == (
        "Chew, John",
        "1950",
        (2, 0, 3),
        (412, 50, -30),
    )


def test_letters_of_iso_8859_1_and_ratings_of_several_parts_are_read() -> None:
    assert (players(FILE)[1].name, players(FILE)[1].rating) == ("Müller, Jörg", "1500.5+200")


def test_two_zeros_are_undefined_and_one_is_a_bye() -> None:
    assert players(FILE)[2].pairings == (None, 2, 1)
    assert players(FILE)[0].pairings[1] == 0


def test_extras_are_read_with_their_escapes_and_without_the_lines_number() -> None:
    assert players(FILE)[0].extras == (("password", ("secret",)), ("p12", ("1", "2", "1")))
    assert players(FILE)[2].extras == (("note", ("a;b", "c\\d")),)


def test_a_line_without_a_semicolon_is_a_new_player() -> None:
    assert players(FILE)[3] == Player("New, N", "900", written="New, N 900")


def test_a_line_that_is_none_is_told_with_its_number() -> None:
    with pytest.raises(BadExport, match="line 2: no line of tsh: 'nobody'"):
        parse_division(b"Ann A 100 2; 1\nnobody\n")


def test_a_new_line_is_laid_out_as_tsh_does() -> None:
    player = Player("Ann", "100", (2, None), (5, None), (("note", ("a;b", "c\\d")),))
    assert player.line() == "Ann                      100 2 00; 5 00; note a\\;b c\\\\d"


def test_a_semicolon_in_a_name_becomes_a_comma() -> None:
    assert Player.of("Ann;  B", [2], [1]).name == "Ann, B"


@pytest.mark.parametrize("name", ["#1", "A"])
def test_a_name_that_a_line_cannot_start_with_is_refused(name: str) -> None:
    with pytest.raises(BadExport, match="cannot start with the name"):
        Player.of(name, [], [])


def test_a_name_that_the_encoding_lacks_is_refused() -> None:
    with pytest.raises(BadExport, match="cannot write '李'"):
        Player.of("李", [], [])


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("Jürgen", "Jürgen"),
        ("Dvořák 🐙", "Dvorák ?"),
        ("李", "4. ?"),
        ("A", "4. A"),
        ("＃1", "4. #1"),
        ("\u037e\u037e", ",,"),
    ],
)
def test_any_name_can_be_made_one_that_a_line_holds(name: str, held: str) -> None:
    made = Player.of(writable_name(name, 4), [], [])
    assert made.name == held
    assert format_division([made]).startswith(held.encode("iso-8859-1"))


@given(st.lists(st.sampled_from([line + b"\n" for line in FILE.splitlines()])))
def test_any_mixture_of_lines_is_printed_as_it_was_read(lines: list[bytes]) -> None:
    data = b"".join(lines)
    assert format_division(parse_division(data)) == data


Numbers = tuple[int | None, ...]
Extras = list[tuple[str, tuple[str, ...]]]

TEXTS = st.text(
    st.characters(min_codepoint=33, max_codepoint=255, exclude_characters="#\x7f\x85\xa0\xad"), min_size=1
)
NUMBERS = st.lists(st.one_of(st.none(), st.integers(-999, 999)), max_size=5).map(tuple)


@given(NUMBERS, NUMBERS, st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3).map(tuple)), max_size=3))
def test_what_is_printed_is_read_as_it_was(pairings: Numbers, scores: Numbers, extras: Extras) -> None:
    pairings = tuple(n if n is None else abs(n) for n in pairings)
    keyed = tuple((key.replace(";", "k").replace("\\", "k"), values) for key, values in extras)
    player = Player("Ann B", "100", pairings, scores, keyed)
    again = Player.read(player.line())
    assert (again.pairings, again.scores, again.extras) == (pairings, scores, keyed)


@pytest.mark.parametrize("name", ["Player 1", "Team 7 11", "Ada 2.5", "Louis 14+1", "R2 D2", "12 34"])
def test_a_name_that_ends_in_digits_comes_back_as_it_went_out(name: str) -> None:
    read = Player.read(Player.of(name, [2], [30]).line())
    assert (read.name, read.rating, read.pairings, read.scores) == (name, "0", (2,), (30,))
