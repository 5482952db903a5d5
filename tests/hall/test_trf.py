"""FIDE's tournament report file: columns by the Handbook, C.04 Annex 2, and what a hall writes and reads."""

from __future__ import annotations

import random
import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadEntry
from companion.hall import trf
from companion.hall.trf import Game, Player, Report, format_report, parse_report


def ruled(player: Player) -> dict[str, str]:
    """Return the fields of a player's line by their columns."""
    line = trf.line_of(player)
    return {key: line[first - 1 : last] for key, (first, last) in trf.PLAYER_COLUMNS.items()}


ADA = Player(7, "Lovelace, Ada", 2100, 2.5, 3, (Game(12, "w", "1"), Game(0, "-", "U"), Game(3, "b", "=")))


def test_every_field_stands_in_its_columns() -> None:
    assert ruled(ADA) == {
        "number": "   7",
        "sex": " ",
        "title": "   ",
        "name": "Lovelace, Ada".ljust(33),
        "rating": "2100",
        "federation": "   ",
        "fide": " " * 11,
        "born": " " * 10,
        "points": " 2.5",
        "rank": "   3",
    }


def test_rounds_begin_in_columns_92_102_and_112() -> None:
    line = trf.line_of(ADA)
    assert [line[at - 1 : at + 7] for at in (92, 102, 112)] == ["  12 w 1", "0000 - U", "   3 b ="]


def test_lines_end_as_the_format_wants_them_and_name_the_tournament() -> None:
    told = format_report(Report("Open", (replace(ADA, games=()),), 5, (7,), "white1")).decode()
    assert told.splitlines(keepends=True)[:6] == [
        "012 Open\r\n",
        "062 1\r\n",
        "072 1\r\n",
        "XXR 5\r\n",
        "XXC white1\r\n",
        "XXZ 7\r\n",
    ]


def lines(*rounds: str) -> bytes:
    """Two players' lines with such rounds."""
    heads = (f"{'001    1      Ada':<91}", f"{'001    2      Bo':<91}")
    return "\n".join(head + text for head, text in zip(heads, rounds, strict=True)).encode()


def test_blanks_mean_what_the_handbook_says() -> None:
    one = parse_report(lines("   2 w 1", "   1 b 0")).players[0]
    assert one.games == (Game(2, "w", "1"),)
    rests = parse_report(lines("          0000 - u", "0000   H")).players
    assert [one.games for one in rests] == [(Game(), Game(0, "-", "U")), (Game(0, "-", "H"),)]


@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
def test_lines_may_end_as_any_program_ends_them(end: bytes) -> None:
    whole = format_report(Report("Open", (Player(1, "Ada"), Player(2, "Bo")), 3))
    assert parse_report(whole.replace(b"\r\n", end)).players == (Player(1, "Ada"), Player(2, "Bo"))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (lines("   2 w 1", "   1 b 1"), "round 1 of Ada does not agree"),
        (lines("   2 w 1", "   1 w 0"), "round 1 of Ada does not agree"),
        (lines("   2 w 1", ""), "round 1 of Ada does not agree"),
        (lines("   1 w 1", ""), "round 1 of Ada does not agree"),
        (lines("   3 w 1", ""), "round 1 of Ada does not agree"),
        (lines("   2 w U", "   1 b 0"), "line 1 cannot be read"),
        (lines("   2 - 1", "   1 b 0"), "line 1 cannot be read"),
        (lines("   x w 1", "   1 b 0"), "line 1 cannot be read"),
        (lines("   2 w ?", "   1 b 0"), "line 1 cannot be read"),
        (lines("", "").replace(b"   2", b"   1"), "there twice"),
        (lines("", "").replace(b"   2", b"   0"), "line 2 cannot be read"),
        (b"001    1", "line 1: a player has no name"),
        (b"XXR many", "cannot be read"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(data: bytes, says: str) -> None:
    with pytest.raises(BadEntry, match=says):
        parse_report(data)


NAMES = st.text(string.ascii_letters + "äßÉ ,.'-", min_size=1, max_size=33).map(str.strip).filter(bool)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A tournament of some rounds whose players' games agree."""
    count = draw(st.integers(1, 7))
    chance = random.Random(draw(st.integers(0, 2**32)))
    games: list[list[Game]] = [[] for _ in range(count)]
    for _ in range(draw(st.integers(0, 4))):
        order = chance.sample(range(count), count)
        while len(order) > 1:
            one, other = order.pop(), order.pop()
            result = chance.choice([*trf.OPPONENT_RESULTS])
            games[one].append(Game(other + 1, "w", result))
            games[other].append(Game(one + 1, "b", chance.choice(trf.OPPONENT_RESULTS[result])))
        for one in order:
            games[one].append(Game(0, "-", chance.choice(trf.UNPAIRED_RESULTS)))
    players = tuple(
        Player(
            number,
            draw(NAMES),
            draw(st.none() | st.integers(0, 9999)),
            sum(one.counts for one in own),
            draw(st.none() | st.integers(1, 9999)),
            tuple(own),
        )
        for number, own in enumerate(games, 1)
    )
    absent = tuple(sorted(draw(st.sets(st.integers(1, count)))))
    first = draw(st.sampled_from(["", "white1", "black1"]))
    more = tuple(draw(st.lists(st.tuples(st.sampled_from(["022", "102"]), NAMES), max_size=2)))
    return Report(draw(NAMES), players, draw(st.none() | st.integers(1, 20)), absent, first, more)


@given(reports())
def test_what_is_printed_is_read_again(report: Report) -> None:
    assert parse_report(format_report(report)) == report


@given(
    st.binary(max_size=400)
    | st.text("01 wb-=2HUZX\n", max_size=300).map(lambda one: f"001    1      A{one}".encode())
)
def test_nothing_that_is_read_ends_in_anything_but_a_refusal(data: bytes) -> None:
    try:
        again = parse_report(data)
    except BadEntry:
        return
    assert format_report(parse_report(format_report(again))) == format_report(again)
