"""Martian Boggle: new tiles are known from what is seen of them, moves from where the pieces are seen."""

from __future__ import annotations

from typing import Any

import pytest

from companion.events.replay import history
from companion.model.calls import SECOND, Called, Seen
from companion.model.letter_map import LetterMap
from companion.rules import event as ev
from companion.rules.confirming import UNSEEN_WARNING as UNCONFIRMED
from companion.rules.martian_boggle.values import LettersUnseen
from companion.rules.script import parse_board
from tests.rules.martian import HOMES, ROWS, WORDS, laid, move, passes, roll, seen, spells
from tests.rules.playing import Table

UNSEEN = "is not seen yet; show it to the camera or let the referee read it"
HOME = [(4, col) for col in range(5)]


class Camera:
    """Looks at the board of a table, as the live table does: it follows every tile."""

    def __init__(self, table: Table) -> None:
        self.table, self.known = table, LetterMap()

    def looks(
        self,
        at: float,
        row: str,
        *,
        lifted: bool = False,
        doubtful: bool = False,
        pieces: list[tuple[int, int]] | None = None,
    ) -> None:
        """See a row of letters under seat 1's ``pieces``, or in the open where they are lifted."""
        doubts = [list(cell) for cell in HOME] if doubtful else []
        stand = [] if lifted else HOME if pieces is None else pieces
        own = {"1": [list(cell) for cell in stand]} if stand else {}
        found = parse_board(seen(*ROWS[:4], row, pieces={**own, "2": HOMES["2"]}, doubts=doubts))
        self.known = self.known.updated(found, int(at * SECOND))
        self.table.match.handle(Seen(int(at * SECOND), None, self.known.applied_to(found)))


@pytest.fixture
def camera() -> Camera:
    """A camera that has seen all tiles in the open before the start, and CRANE called at second 1."""
    table = Table("martian_boggle", words=(*WORDS, "nacre", "notes"))
    found = Camera(table)
    found.looks(0, "CRANE", lifted=True)
    found.looks(0.1, "CRANE")
    table.host(0.2, "start")
    assert spells(table, 1, 1, "crane")["accepted"] is True
    return found


def unseen(table: Table) -> list[tuple[int, Any]]:
    """Return whom the table has asked to lift which pieces, in order."""
    events = (row.event for row in history(table.match.log, table.match.name))
    return [(one.seat, one.squares) for one in events if isinstance(one, LettersUnseen)]


def letters(table: Table) -> list[str | None]:
    return [table.state.letter(square) for square in HOME]


class TestSwaps:
    def test_the_old_letters_under_the_pieces_are_not_the_new_ones(self, camera: Camera) -> None:
        camera.looks(2, "CRANE")
        assert letters(camera.table) == [None] * 5

    def test_the_old_letters_that_a_lift_shows_are_not_the_new_ones(self, camera: Camera) -> None:
        camera.looks(2, "CRANE", lifted=True)
        passes(camera.table, 3, 2)
        roll(camera.table, 4, 1, 1, 1)
        camera.looks(5, "NOTES", doubtful=True)
        assert UNSEEN in str(spells(camera.table, 6, 1, "nacre")["reason"])

    def test_new_letters_seen_before_the_pieces_stand_on_them_are_known(self, camera: Camera) -> None:
        camera.looks(2, "CRANE", lifted=True)
        camera.looks(3, "NOTES", lifted=True)
        camera.looks(4, "NQTES", doubtful=True)
        passes(camera.table, 5, 2)
        assert spells(camera.table, 6, 1, "notes")["accepted"] is True

    def test_new_letters_may_be_seen_after_the_other_player_has_called(self, camera: Camera) -> None:
        passes(camera.table, 2, 2)
        camera.looks(3, "NOTES", lifted=True)
        camera.looks(4, "NOTES")
        assert spells(camera.table, 5, 1, "notes")["accepted"] is True

    def test_a_new_tile_may_have_the_letter_of_one_that_was_seen_gone(self, camera: Camera) -> None:
        camera.looks(2, ".....", lifted=True)
        camera.looks(3, "CRANE", lifted=True)
        assert letters(camera.table) == list("crane")

    def test_where_new_tiles_were_not_seen_their_player_is_asked_to_lift_the_pieces(
        self, camera: Camera
    ) -> None:
        camera.looks(2, "CRANE", lifted=True)
        camera.looks(3, "CRANE")
        assert unseen(camera.table) == [(1, tuple(HOME))]

    def test_a_letter_is_asked_for_where_its_piece_came_back_before_the_others(self, camera: Camera) -> None:
        """NOTES is laid for CRANE; of its letters the camera saw all but the first."""
        camera.looks(2, "CRANE", lifted=True)
        camera.looks(3, "COTES", lifted=True)
        camera.looks(4, "COTES", pieces=HOME[:1])
        camera.looks(5, "COTES")
        assert unseen(camera.table) == [(1, ((4, 0),))]

    def test_letters_that_stay_unseen_are_asked_for_each_time_the_pieces_come_back(
        self, camera: Camera
    ) -> None:
        camera.looks(2, "CRANE", lifted=True)
        camera.looks(3, "CRANE")
        camera.looks(4, "CRANE", pieces=HOME[1:])
        camera.looks(5, "CRANE")
        assert unseen(camera.table) == [(1, tuple(HOME)), (1, tuple(HOME[1:]))]

    def test_nobody_is_asked_to_lift_pieces_before_the_old_tiles_were_taken(self, camera: Camera) -> None:
        camera.looks(2, "CRANE")
        assert unseen(camera.table) == []

    def test_tiles_shown_after_the_pieces_stood_on_them_again_are_the_new_ones(self, camera: Camera) -> None:
        for at, lifted in enumerate((True, False, True, False), 2):
            camera.looks(at, "CRANE", lifted=lifted)
        assert letters(camera.table) == list("crane")
        assert len(unseen(camera.table)) == 1

    def test_letters_that_only_doubts_show_are_unknown_and_showing_them_helps(self, camera: Camera) -> None:
        camera.looks(2, "NOTES", lifted=True, doubtful=True)
        passes(camera.table, 3, 2)
        roll(camera.table, 4, 1, 1, 1)
        assert UNSEEN in str(spells(camera.table, 5, 1, "notes")["reason"])
        camera.looks(6, "NOTES", lifted=True)
        camera.looks(7, "NOTES")
        assert spells(camera.table, 8, 1, "notes")["accepted"] is True

    def test_a_frame_from_before_the_own_next_call_may_show_the_old_letters(self, camera: Camera) -> None:
        passes(camera.table, 2, 2)
        roll(camera.table, 6, 1, 1, 1)
        camera.looks(5, "CRANE", lifted=True)  # a slow table reads it only now
        assert letters(camera.table) == [None] * 5
        camera.looks(7, "CRANE")
        camera.looks(8, "CRANE", lifted=True)
        assert letters(camera.table) == list("crane")

    def test_letters_that_may_be_the_old_ones_are_shown_as_doubts(self, camera: Camera) -> None:
        camera.looks(2, "CRANE")
        shown = camera.table.match.game.board(camera.table.state)
        assert shown is not None
        assert set(HOME) <= set(shown.doubts)

    def test_after_the_own_next_call_a_known_letter_changes_no_more(self, camera: Camera) -> None:
        camera.looks(2, "NOTES", lifted=True)
        passes(camera.table, 3, 2)
        roll(camera.table, 4, 1, 1, 1)
        camera.looks(5, "MOTES", lifted=True)
        assert (letters(camera.table), camera.table.state.disputed) == (list("notes"), ((4, 0),))


class TestScripts:
    def test_doubtful_new_letters_leave_nothing_of_the_old_ones(self) -> None:
        table = laid(*ROWS)
        spells(table, 1, 1, "crane")
        table.line(2, board=seen(*ROWS))
        passes(table, 3, 2)
        table.line(4, board=seen(*ROWS[:4], "NOTES", doubts=[list(cell) for cell in HOME]))
        assert UNSEEN in table.call(5, 1, "word", word="nacre")["reason"]

    def test_a_letter_last_seen_as_another_in_doubt_confirms_no_word(self) -> None:
        table = laid()
        passes(table, 1, 1)
        lifted = {"1": HOMES["1"][1:], "2": HOMES["2"]}
        table.line(2, board=seen(*ROWS[:4], "GRANE", doubts=[[4, 0]], pieces=lifted))
        passes(table, 3, 2)
        told = spells(table, 4, 1, "crane")
        assert told["reason"] == "the letter at row 5 column 1 is in doubt; the referee must read it"
        table.rule(5, "read_tile", cell=[4, 0], symbol="C")
        assert spells(table, 6, 1, "crane")["accepted"] is True

    def test_what_shows_through_a_piece_does_not_speak_against_a_letter_that_is_known(self) -> None:
        table = laid()
        passes(table, 1, 1)
        table.line(2, board=seen(*ROWS[:4], "GRANE", doubts=[[4, 0]]))
        passes(table, 3, 2)
        assert spells(table, 4, 1, "crane")["accepted"] is True

    def test_letters_are_learnt_while_a_piece_is_lifted(self) -> None:
        table = laid()
        spells(table, 1, 1, "crane")
        table.line(2, board=seen(*ROWS[:4], "HOUSE", pieces={"1": HOMES["1"][1:], "2": HOMES["2"]}))
        assert letters(table) == list("house")


class TestStart:
    def test_letters_that_nobody_saw_before_the_pieces_came_are_shown_first(self) -> None:
        table = Table("martian_boggle", words=WORDS)
        table.line(0, board=seen(*ROWS, doubts=[[4, 1], [2, 2]]))
        table.host(1, "start")
        assert unseen(table) == [(1, ((4, 1),))]

    def test_where_people_judge_nobody_is_asked_to_lift_anything(self) -> None:
        table = Table("martian_boggle", words=WORDS, policy="off")
        table.line(0, board=seen(*ROWS, doubts=[[4, 1]]))
        table.host(1, "start")
        assert unseen(table) == []


def placed(*squares: tuple[int, int]) -> dict[str, Any]:
    return {"1": [list(square) for square in squares], "2": HOMES["2"]}


class TestMoves:
    """The first rows are TIGER, ABCDE, FGHIJ, KLMNO, CRANE; seat 1 stands on CRANE."""

    def test_a_move_that_is_seen_need_not_be_told(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 2)
        table.line(2, board=seen(*ROWS, pieces=placed((1, 0), *HOME[1:])))
        told = table.call(3, 1, "end_turn")
        assert (told["turn"], table.state.pieces[0]) == (2, ((1, 0), *HOME[1:]))

    def test_a_word_counts_under_the_pieces_as_they_are_seen(self) -> None:
        """The H of FGHIJ two steps up and E, A, R, N stay: HEARN is what the letters spell."""
        table = Table("martian_boggle", words=("hernc",))
        table.line(0, board=seen(*ROWS))
        table.host(0, "start")
        roll(table, 1, 1, 1, 1)
        table.line(2, board=seen(*ROWS, pieces=placed((2, 2), (4, 0), (4, 1), (4, 3), (4, 4))))
        assert table.call(3, 1, "word", word="hernc")["accepted"] is True

    def test_a_roll_that_nobody_told_may_have_been_any(self) -> None:
        table = laid()
        table.line(2, board=seen(*ROWS, pieces=placed((3, 0), (3, 1), *HOME[2:])))
        assert table.call(3, 1, "end_turn")["turn"] == 2

    def test_no_roll_moves_three_pieces(self) -> None:
        table = laid()
        table.line(2, board=seen(*ROWS, pieces=placed((3, 0), (3, 1), (3, 2), *HOME[3:])))
        reason = table.call(3, 1, "end_turn")["reason"]
        assert reason.endswith("no roll leads there: put the pieces back, or let the referee set the pieces")

    def test_each_die_moves_one_of_two_pieces(self) -> None:
        """1 and 3 steps: a roll of 2 and 2 allows no three for one of two pieces."""
        for dice, turn in (((1, 3), 2), ((2, 2), 1)):
            table = laid()
            roll(table, 1, 1, *dice)
            table.line(2, board=seen(*ROWS, pieces=placed((3, 0), (1, 1), *HOME[2:])))
            assert table.call(3, 1, "end_turn")["turn"] == turn

    def test_a_piece_may_take_the_square_that_another_has_left(self) -> None:
        """C goes one step to R's square; R two to (2, 1): neither alone leads from C's square to (2, 1)."""
        table = laid()
        roll(table, 1, 1, 1, 2)
        table.line(2, board=seen(*ROWS, pieces=placed((2, 1), *HOME[1:])))
        assert table.call(3, 1, "end_turn")["accepted"] is True

    def test_the_other_player_may_begin_once_the_moves_seen_use_the_roll_up(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 2)
        table.line(2, board=seen(*ROWS, pieces=placed((1, 0), *HOME[1:])))
        assert roll(table, 3, 2, 1, 1)["turn"] == 2

    def test_advice_warns_of_pieces_that_no_moves_explain(self) -> None:
        table = laid(policy="advise")
        roll(table, 1, 1, 1, 1)
        table.line(2, board=seen(*ROWS, pieces=placed((1, 0), *HOME[1:])))
        told = table.call(3, 1, "end_turn")
        assert (told["accepted"], [event["event"] for event in told["events"]].count("Warned")) == (True, 1)

    def test_where_people_judge_nothing_is_made_of_where_pieces_are_seen(self) -> None:
        table = laid(policy="off")
        roll(table, 1, 1, 1, 1)
        table.line(2, board=seen(*ROWS, pieces=placed((1, 0), *HOME[1:])))
        table.call(3, 1, "end_turn")
        assert table.state.pieces[0] == tuple(HOME)

    def test_moves_told_and_moves_seen_count_together(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 2)
        move(table, 2, 1, [4, 0], [3, 0])
        table.line(3, board=seen(*ROWS, pieces=placed((3, 0), (2, 1), *HOME[2:])))
        assert table.call(4, 1, "end_turn")["turn"] == 2

    def test_what_is_seen_of_the_other_players_pieces_refuses_no_word(self) -> None:
        table = laid()
        six = {"1": HOMES["1"], "2": [*HOMES["2"], [2, 2]]}
        table.line(1, board=seen(*ROWS, pieces=six))
        assert spells(table, 2, 1, "crane")["accepted"] is True

    def test_a_word_refused_leaves_the_pieces_to_be_moved_on(self) -> None:
        table = laid()
        roll(table, 1, 1, 1, 2)
        table.line(2, board=seen(*ROWS, pieces=placed((3, 0), *HOME[1:])))
        assert table.call(3, 1, "word", word="house")["accepted"] is False
        table.line(4, board=seen(*ROWS, pieces=placed((1, 0), *HOME[1:])))
        assert table.call(5, 1, "end_turn")["accepted"] is True


class TestUnseen:
    """Seat 1 calls a word whose letters nobody has seen yet: NOTES lies where CRANE was spelled."""

    @pytest.fixture
    def table(self, camera: Camera) -> Table:
        camera.looks(2, "C....", lifted=True)
        camera.looks(3, "COTES", lifted=True)
        camera.looks(4, "COTES")
        passes(camera.table, 5, 2)
        return camera.table

    @pytest.mark.parametrize(("word", "awaited"), [("notes", True), ("house", False)])
    def test_a_call_is_awaited_where_only_letters_that_nobody_has_seen_speak_against_it(
        self, table: Table, word: str, awaited: bool
    ) -> None:
        called = Called(6 * SECOND, 1, "word", {"word": word})
        assert table.match.preview(called).awaits_sighting is awaited

    @pytest.mark.parametrize(("pieces", "awaited"), [(HOMES["1"], True), (HOMES["1"][1:], False)])
    def test_a_doubt_about_an_unseen_letter_speaks_against_a_call_in_the_open_alone(
        self, table: Table, pieces: list[list[int]], awaited: bool
    ) -> None:
        stand = {"1": pieces, "2": HOMES["2"]}
        table.line(6, board=seen(*ROWS[:4], "QOTES", doubts=[[4, 0]], pieces=stand))
        called = Called(7 * SECOND, 1, "word", {"word": "notes"})
        assert table.match.preview(called).awaits_sighting is awaited

    def test_a_word_whose_letters_nobody_has_seen_in_time_stands_not_confirmed(self, table: Table) -> None:
        called = Called(6 * SECOND, 1, "word", {"word": "notes"}, at_rest=False)
        events = [one.event for one in table.match.handle(called)]
        assert isinstance(events[0], ev.CallAccepted)
        assert UNCONFIRMED in [one.text for one in events if isinstance(one, ev.Warned)]
