"""Formats: expected values are worked out by hand from the rule texts, never taken from the program."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.hall.formats import draws, registry
from companion.hall.formats.interface import Field, Format
from companion.hall.formats.matching import group_sizes
from companion.hall.formats.registry import FORMATS, format_of
from companion.hall.formats.tables_of_many import handicaps
from companion.hall.formats.ties import buchholz, by_ties, spread, win_count
from companion.hall.formats.values import Group, Outcome, Pairing, Played, meeting_counts
from companion.rules.chew.options import EVENING
from companion.rules.interface import Game
from companion.rules.registry import installed
from companion.rules.tournament import TWO_PLAYER_FORMATS, Kind, Tournament

CHEW = EVENING.handicaps or pytest.fail("an evening has handicaps")


def result(group: Group, order: Sequence[str]) -> Outcome:
    """An outcome in which players finished in an order: points as Chew has them."""
    places = tuple(order.index(player) + 1 for player in group.players)
    return Outcome(group.players, places, tuple(len(order) + 1 - place for place in places))


def played(pairing: Pairing, chance: random.Random) -> Played:
    """A round with results by chance."""
    found = []
    for group in pairing.groups:
        order = list(group.players)
        chance.shuffle(order)
        found.append(result(group, order))
    return Played(tuple(found), pairing.byes)


def evening(form: Format, players: Sequence[str], rounds: int, chance: random.Random) -> list[Played]:
    """Play so many rounds by chance; the draw of each is by its number."""
    history: list[Played] = []
    while len(history) < rounds and not form.over(Field(tuple(players), history)):
        order = draws.draw_order(f"{0 if form.one_draw else len(history)}", players)
        history.append(played(form.pair(Field(tuple(order), history)), chance))
    return history


def seeded(number: int) -> random.Random:
    return random.Random(number)


def names(count: int) -> list[str]:
    return [f"p{number}" for number in range(1, count + 1)]


def seated(one: Played) -> Counter[str]:
    return Counter([*one.byes, *(player for outcome in one.outcomes for player in outcome.players)])


chances = st.randoms(use_true_random=False)


def test_the_seed_of_each_round_hashes_to_the_one_before_down_to_the_commitment() -> None:
    seeds = [draws.seed_of("a secret", number) for number in range(6)]
    for before, after in pairwise(seeds):
        assert hashlib.sha256(after.encode()).hexdigest() == before
        assert draws.matches_commitment(after, before)
    assert not draws.matches_commitment("another", seeds[0])


def test_a_lot_is_the_hash_of_seed_and_player_that_anybody_can_compute() -> None:
    order = draws.draw_order("seed", ["a", "b", "c"])
    assert order == sorted("abc", key=lambda one: hashlib.sha256(f"seed:{one}".encode()).hexdigest())


@given(st.integers(3, 400))
def test_groups_of_three_to_six_hold_everybody(players: int) -> None:
    sizes = group_sizes(players, 3, 6, 4)
    assert sum(sizes) == players
    assert max(sizes) - min(sizes) <= 1
    assert 3 <= min(sizes) <= max(sizes) <= 6


@pytest.mark.parametrize(
    ("players", "sizes"), [(32, [4] * 8), (31, [4] * 7 + [3]), (5, [5]), (7, [4, 3]), (6, [3, 3])]
)
def test_groups_are_of_four_where_that_can_be(players: int, sizes: list[int]) -> None:
    assert group_sizes(players, 3, 6, 4) == sizes


def test_players_that_no_groups_can_hold_are_refused() -> None:
    with pytest.raises(ValueError, match="2 players cannot be split into groups of 3 to 6"):
        group_sizes(2, 3, 6, 4)


@given(st.integers(3, 40), chances)
def test_every_round_of_a_chew_evening_seats_everybody_once(count: int, chance: random.Random) -> None:
    for one in evening(format_of("chew_evening", {}), names(count), 4, chance):
        assert seated(one) == Counter(names(count))
        assert all(3 <= len(outcome.players) <= 6 for outcome in one.outcomes)


def test_sixteen_players_meet_nobody_twice_in_two_rounds_of_an_evening() -> None:
    history = evening(format_of("chew_evening", {}), names(16), 2, seeded(1))
    assert max(meeting_counts(history).values()) == 1


def test_handicaps_change_by_chews_text_for_two_to_six_players() -> None:
    changes = {2: [1, -1], 3: [1, 0, -1], 4: [2, 1, -1, -2], 5: [2, 1, 0, -1, -2], 6: [3, 2, 1, -1, -2, -3]}
    for count, by in changes.items():
        group = Group(tuple(names(count)))
        found = handicaps(CHEW, [Played((result(group, names(count)),))], dict.fromkeys(names(count), 10), {})
        assert [found[player] - 10 for player in names(count)] == by


def test_a_handicap_stays_at_three_and_a_newcomer_has_ten() -> None:
    group = Group(("a", "b"))
    history = [Played((result(group, ["a", "b"]),))] * 3
    assert handicaps(CHEW, history, {"a": 10, "b": 4}, {}) == {"a": 13, "b": 3}
    assert handicaps(CHEW, history[:1], {}, {}) == {"a": 11, "b": 9}


def test_a_handicap_that_the_director_set_after_a_round_counts_from_there() -> None:
    history = [Played((result(Group(("a", "b")), ["a", "b"]),))] * 2
    assert handicaps(CHEW, history, {"a": 10, "b": 10}, {(1, "a"): 20}) == {"a": 21, "b": 8}


def test_chew_standings_go_by_points_then_firsts_then_head_to_head_then_are_shared() -> None:
    def table(*order: str) -> Outcome:
        return result(Group(tuple(sorted(order))), list(order))

    rounds = [Played((table("a", "b", "c"), table("d", "e", "f"))), Played((table("c", "b", "a"),))]
    lines = format_of("chew_evening", {}).standings(Field((), rounds), [*"abcdef"])
    # a 3+1 and b 2+2 and c 1+3: four points each; a and c have one first each, and beat each other once
    assert [(line.rank, line.player) for line in lines] == [
        (1, "a"), (1, "c"), (3, "b"), (4, "d"), (5, "e"), (6, "f"),
    ]  # fmt: skip


def test_penalties_come_off_the_points() -> None:
    one = Played((result(Group(("a", "b", "c")), ["a", "b", "c"]),))
    lines = format_of("chew_evening", {}).standings(Field((), [one], {"a": 2}), ["a", "b", "c"])
    assert [line.player for line in lines] == ["b", "a", "c"]


@given(st.integers(2, 40), chances)
def test_a_bananagrams_tournament_ends_with_one_winner(count: int, chance: random.Random) -> None:
    form = format_of("bananagrams_tournament", {})
    history = evening(form, names(count), 12, chance)
    lines = form.standings(Field(tuple(names(count)), history), names(count))
    assert form.over(Field(tuple(names(count)), history))
    assert [line.rank for line in lines].count(1) == 1


def test_winners_of_groups_of_four_go_on_into_knock_out_pairs() -> None:
    history = evening(format_of("bananagrams_tournament", {}), names(16), 9, seeded(2))
    assert [[len(one.players) for one in round_.outcomes] for round_ in history] == [[4] * 4, [2, 2], [2]]


def test_league_city_goes_on_until_one_is_over_the_target_and_leads_alone() -> None:
    def over(*scores: int) -> bool:
        outcome = Outcome(("a", "b"), (1, 2), scores)
        return format_of("league_city", {}).over(Field(("a", "b"), [Played((outcome,))]))

    assert [over(300, 10), over(301, 10), over(301, 301), over(310, 305)] == [False, True, False, True]


@given(st.integers(2, 24), chances)
def test_a_round_robin_lets_everybody_meet_everybody_once(count: int, chance: random.Random) -> None:
    history = evening(format_of("round_robin", {}), names(count), 99, chance)
    assert meeting_counts(history) == {frozenset(pair): 1 for pair in combinations(names(count), 2)}
    assert all(seated(one) == Counter(names(count)) for one in history)


@pytest.mark.parametrize("late", [True, False])
@given(st.integers(3, 9), st.integers(1, 3), chances)
def test_a_round_robin_goes_on_until_those_who_are_there_have_all_met(
    late: bool, count: int, rounds: int, chance: random.Random
) -> None:
    form, players = format_of("round_robin", {}), names(count)
    history = evening(form, players, rounds, chance)
    players = [*players, "late"] if late else players[1:]
    while not form.over(Field(tuple(players), history)):
        assert len(history) < 30
        history.append(played(form.pair(Field(tuple(players), history)), chance))
    met = meeting_counts(history)
    assert all(frozenset(pair) in met for pair in combinations(players, 2))


@pytest.mark.parametrize("name", FORMATS)
def test_no_tournament_is_over_before_anybody_is_there(name: str) -> None:
    assert not format_of(name, {}).over(Field(()))


@given(st.integers(4, 33), st.integers(2, 6), chances)
def test_a_swiss_round_has_no_rematch_while_there_is_a_way_without(
    count: int, rounds: int, chance: random.Random
) -> None:
    history = evening(format_of("swiss", {"rounds": rounds}), names(count), min(rounds, count // 2), chance)
    assert set(meeting_counts(history).values()) == {1}
    assert all(seated(one) == Counter(names(count)) for one in history)


@given(st.integers(3, 25), chances)
def test_nobody_has_a_second_bye_before_everybody_had_one(count: int, chance: random.Random) -> None:
    history = evening(format_of("swiss", {"rounds": count // 2}), names(count), count // 2, chance)
    assert max(Counter(player for one in history for player in one.byes).values(), default=0) <= 1


def test_more_swiss_rounds_than_opponents_are_paired_with_the_fewest_rematches() -> None:
    history = evening(format_of("swiss", {"rounds": 5}), names(4), 5, seeded(3))
    assert sorted(meeting_counts(history).values()) == [1, 1, 2, 2, 2, 2]


@given(st.integers(2, 10), chances)
def test_in_a_swiss_nobody_begins_much_more_often_than_others(half: int, chance: random.Random) -> None:
    rounds = min(6, 2 * half - 1)
    history = evening(format_of("swiss", {"rounds": rounds}), names(2 * half), rounds, chance)
    begun = Counter(outcome.players[0] for one in history for outcome in one.outcomes)
    assert max(begun.values()) - min(begun.get(player, 0) for player in names(2 * half)) <= rounds // 2 + 2


def game(one: str, other: str, scores: tuple[int, int]) -> Outcome:
    places = (1, 1) if scores[0] == scores[1] else (1, 2) if scores[0] > scores[1] else (2, 1)
    return Outcome((one, other), places, scores)


HISTORY = [
    Played((game("a", "b", (300, 200)), game("c", "d", (250, 250))), ("e",)),
    Played((game("a", "c", (100, 180)), game("b", "e", (220, 210))), ("d",)),
]


@pytest.mark.parametrize(
    ("player", "wins", "spreads", "sums"),
    [
        # a: beat b by 100, lost to c by 80; opponents b (1) and c (1.5)
        ("a", 1, 20, 2.5),
        ("b", 1, -90, 2),
        ("c", 1.5, 80, 2.5),
        ("d", 1.5, 1, 1.5),  # drew, and won a bye by one point
        ("e", 1, -9, 1),
    ],
)
def test_wins_spread_and_buchholz_are_those_worked_out_by_hand(
    player: str, wins: float, spreads: int, sums: float
) -> None:
    found = (win_count(HISTORY, player), spread(HISTORY, player), buchholz(HISTORY, player))
    assert found == (wins, spreads, sums)


def test_tie_breaks_apply_in_the_order_that_was_chosen() -> None:
    players = [*"abcde"]
    by_spread = by_ties(players, HISTORY, ["wins", "spread"])
    by_head = by_ties(players, HISTORY, ["wins", "head_to_head"])
    assert [line.player for line in by_spread] == ["c", "d", "a", "e", "b"]
    # a, b, e have one win each: a beat b, b beat e
    assert [(line.rank, line.player) for line in by_head] == [
        (1, "c"),
        (1, "d"),
        (3, "a"),
        (4, "b"),
        (5, "e"),
    ]


@pytest.mark.parametrize("form", [format_of("round_robin", {}), format_of("swiss", {})])
def test_a_penalty_makes_the_spread_smaller_in_games_for_two(form: Format) -> None:
    lines = form.standings(Field(tuple("abcde"), HISTORY, {"d": 90}), [*"abcde"])
    assert {line.player: line.figures["spread"] for line in lines}["d"] == 1 - 90
    assert [line.player for line in lines] == ["c", "d", "a", "e", "b"]


@pytest.mark.parametrize("name", ["round_robin", "swiss"])
def test_games_for_two_are_binary_number_scrabble_or_martian_boggle(name: str) -> None:
    assert format_of(name, {}).game == "binary_scrabble"
    assert format_of(name, {"game": "martian_boggle"}).game == "martian_boggle"
    with pytest.raises(ValueError, match="martian_boggle"):
        format_of(name, {"game": "chew"})


def test_four_hundred_players_are_paired_without_a_long_wait() -> None:
    history = evening(format_of("swiss", {"rounds": 3}), names(400), 3, seeded(4))
    assert set(meeting_counts(history).values()) == {1}


@pytest.mark.parametrize("name", FORMATS)
def test_a_mistyped_option_names_the_nearest(name: str) -> None:
    with pytest.raises(ValueError, match="did you mean 'rounds'"):
        format_of(name, {"ronds": 3})
    assert format_of(name, {"rounds": 3}).rounds == 3


@pytest.mark.parametrize(
    "options", [{"seats": [1, 2, 2]}, {"best_of": 2}, {"rounds": -1}, {"tie_breaks": ["luck"]}]
)
def test_options_without_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"seats are|rounds are|tie-break"):
        format_of("swiss", options)


class Snap(Game[Any]):
    name, title = "snap", "Snap"
    tournaments = (Tournament("snap_night", "Snap night", Kind.TOTALS, (2, 5, 3)), *TWO_PLAYER_FORMATS)


def test_a_game_of_a_stranger_is_offered_in_the_tournaments_that_it_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "installed", lambda: [*installed(), Snap()])
    found = registry.load_formats()
    assert found["snap_night"].seats == (2, 5, 3)
    assert found["swiss"].plays == ("binary_scrabble", "martian_boggle", "snap")
