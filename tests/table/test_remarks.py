"""What is amiss on the table is shown while it lasts, and said once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from companion.model.calls import SECOND, Seen
from companion.model.sightings import Sighting
from companion.rules.state import State
from companion.table.remarks import HOST, Key, Remarks, problems
from companion.table.views import Layout
from tests.rules.playing import Table

WHOLE = Sighting(("CATCATCATCATCATCATCAT",), face_down=0)


class Watched:
    """A game of Anna and Bo that is looked at second by second."""

    def __init__(self, game: str = "bananagrams", *, split: bool = True, **options: Any) -> None:
        self.game = Table(game, ["Anna", "Bo"], **options)
        self.game.host(0, "start")
        if split and game == "bananagrams":
            self.game.call(1, 1, "split")
        self.said: list[str] = []
        self.remarks = Remarks(self.said.append)
        self.now_s = 1

    def sees(self, seat: int, sighting: Sighting) -> None:
        self.game.match.handle(Seen(self.now_s * SECOND, seat, sighting))

    def looks(self, seconds: int, layout: Layout | None = None) -> None:
        for _ in range(seconds + 1):
            self.now_s += 1
            self.remarks.update(self.game.state, layout or Layout(), self.now_s * SECOND)


def test_what_is_amiss_for_a_moment_is_not_remarked() -> None:
    watched = Watched()
    watched.looks(1, Layout(stray=2))
    watched.looks(1)
    assert (watched.remarks.of(HOST), watched.said) == ((), [])


@pytest.mark.parametrize(("many", "says"), [(1, "1 tile lies"), (3, "3 tiles lie")])
def test_tiles_in_nobodys_part_are_told_and_said_once(many: int, says: str) -> None:
    watched = Watched()
    watched.looks(20, Layout(stray=many))
    text = f"{says} in nobody's part: move them before a player or to the pool"
    assert (watched.remarks.of(HOST), watched.said) == ((text,), [text])


def test_tableaux_that_touch_are_told_to_both_players() -> None:
    watched = Watched()
    watched.looks(2, Layout(touching=((1, 2),)))
    told = [
        f"the tiles of {one} touch those of {other}: move them apart"
        for one, other in (("Anna", "Bo"), ("Bo", "Anna"))
    ]
    assert [*watched.remarks.of(1), *watched.remarks.of(2)] == told


def test_a_seat_before_which_nothing_lies_any_more_is_told() -> None:
    watched = Watched()
    watched.sees(2, Sighting(face_down=0))
    watched.looks(6)
    assert watched.remarks.of(2)[0].startswith("no tile is seen in Bo's part")
    assert len(watched.said) == 1


def test_who_has_drawn_too_few_is_said_at_the_split_with_name_and_number() -> None:
    watched = Watched()
    watched.sees(1, WHOLE)
    watched.sees(2, Sighting(loose="A" * 19, face_down=0))
    watched.looks(6)
    assert watched.said == ["Bo has 19 of 21 tiles"]


def test_tiles_that_are_not_turned_up_yet_are_not_told_as_missing() -> None:
    watched = Watched()
    watched.sees(1, WHOLE)
    watched.sees(2, Sighting(loose="AB", face_down=19))
    watched.looks(6)
    assert (watched.remarks.of(2), watched.said) == (("Bo has 19 tiles to turn up",), [])
    watched.sees(2, Sighting(loose="AB", face_down=17))
    watched.looks(6)
    assert watched.said == ["Bo has 19 of 21 tiles"]


def test_who_has_drawn_how_many_is_shown_before_the_split() -> None:
    watched = Watched(split=False)
    watched.sees(1, Sighting(face_down=20))
    watched.looks(2)
    assert (watched.remarks.of(1), watched.said) == (("Anna has 20 of 21 tiles",), [])


def test_who_has_not_drawn_after_a_peel_is_shown_and_not_said() -> None:
    watched = Watched()
    for seat in (1, 2):
        watched.sees(seat, WHOLE)
    watched.looks(70)
    watched.game.call(watched.now_s, 1, "peel")
    watched.sees(1, Sighting(WHOLE.grid, "E", 0))
    watched.looks(6)
    assert (watched.remarks.of(1), watched.remarks.of(2)) == ((), ("Bo has 21 of 22 tiles",))
    assert watched.said == []


def test_face_down_tiles_beyond_the_count_are_said_once_to_be_the_pools() -> None:
    watched = Watched()
    watched.sees(1, Sighting(WHOLE.grid, face_down=23))
    watched.looks(20)
    assert watched.said == ["23 tiles lie face down in Anna's part and counted to the pool"]


def test_face_down_tiles_that_are_not_seen_are_shown_to_their_player_alone() -> None:
    watched = Watched("chew", handicaps=[3, 3])
    watched.sees(1, Sighting(("CAT",), face_down=8))
    watched.sees(2, Sighting(("CAT",), face_down=10))
    watched.looks(20)
    assert watched.remarks.of(1) == ("Anna has 10 face-down tiles by count; 8 are seen",)
    assert (watched.remarks.of(2), watched.said) == ((), [])


def test_a_pool_that_differs_from_its_count_is_told_to_the_host_alone() -> None:
    watched = Watched()
    watched.looks(12, Layout(pool=100))
    says = "102 tiles lie in the pool by count; the camera sees 100 there"
    assert (watched.remarks.of(HOST), watched.said) == ((says,), [])


def test_nothing_is_remarked_where_people_judge() -> None:
    watched = Watched(policy="off")
    watched.looks(20, Layout(pool=3, stray=5))
    assert watched.remarks.of(HOST) == ()


def test_a_table_on_which_nothing_changes_is_not_looked_over_again(monkeypatch: pytest.MonkeyPatch) -> None:
    watched, looks = Watched(), list[Layout]()

    def counted(state: State, layout: Layout) -> Iterator[tuple[Key, str]]:
        looks.append(layout)
        return problems(state, layout)

    monkeypatch.setattr("companion.table.remarks.problems", counted)
    watched.looks(20, Layout(stray=3))
    assert (len(looks), len(watched.said)) == (1, 1)
