"""The command that rehearses games: what it plays, prints and returns."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import companion.commands.rehearse as command
from companion.cli import main
from companion.rehearsal.result import GameResult
from companion.rehearsal.runner import Rehearsal

SOUND = GameResult(
    "chew",
    3,
    1,
    "profile",
    honest_calls=200,
    honest_refused=1,
    wrong_calls=4,
    verdict_ms=(100.0, 200.0, 300.0),
    finished=True,
    score_right=True,
)


ONE = ("--games", "chew", "--players", "3", "--set-up", "profile")
"""One game."""


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Callable[[GameResult], list[Rehearsal]]:
    """Let every game come out the same; return what was asked for."""
    asked: list[Rehearsal] = []

    def come_out(result: GameResult) -> list[Rehearsal]:
        def rehearse(one: Rehearsal) -> GameResult:
            asked.append(one)
            return replace(result, game=one.game, players=one.players, seed=one.seed)

        monkeypatch.setattr(command, "rehearse", rehearse)
        return asked

    return come_out


def test_each_game_is_played_for_the_numbers_of_players_that_it_allows(
    played: Callable[[GameResult], list[Rehearsal]],
) -> None:
    asked = played(SOUND)
    assert main(["rehearse", "--games", "chew", "martian_boggle", "--seeds", "3-4", "--jobs", "1"]) == 0
    assert [(one.game, one.players) for one in asked if (one.seed, one.set_up) == (3, "wizard")] == [
        *(("chew", n) for n in (2, 3, 4, 5, 6)),
        ("martian_boggle", 2),
    ]
    assert len(asked) == 24


def test_a_game_is_printed_as_one_object(
    played: Callable[[GameResult], list[Rehearsal]], capsys: pytest.CaptureFixture[str]
) -> None:
    played(SOUND)
    main(["rehearse", *ONE, "--json"])
    assert json.loads(capsys.readouterr().out) == {
        "game": "chew",
        "players": 3,
        "seed": 1,
        "set_up": "profile",
        "honest_calls": 200,
        "honest_refused": 1,
        "wrong_calls": 4,
        "wrong_accepted": 0,
        "early_calls": 0,
        "unseen_at_call": 0,
        "verdict_ms": {"p50": 200.0, "p99": 298.0},
        "judged_by_people": 0,
        "finished": True,
        "score_right": True,
        "doubts_asked": 0,
        "wall_s": 0.0,
        "cpu_s": 0.0,
    }


def test_the_table_adds_up_games_of_a_kind(
    played: Callable[[GameResult], list[Rehearsal]], capsys: pytest.CaptureFixture[str]
) -> None:
    played(SOUND)
    main(
        [
            "rehearse",
            "--games",
            "chew",
            "--players",
            "3",
            "--set-up",
            "profile",
            "--seeds",
            "1-2",
            "--jobs",
            "1",
        ]
    )
    cells = next(line for line in capsys.readouterr().out.splitlines() if "chew" in line)
    assert [cell.strip() for cell in cells.split("│")][4:9] == ["2", "2", "2", "400", "2 (0.5 %)"]


@pytest.mark.parametrize("fault", [{"finished": False}, {"score_right": False}])
def test_a_game_that_does_not_finish_or_counts_wrong_is_exit_status_1(
    played: Callable[[GameResult], list[Rehearsal]], fault: dict[str, Any]
) -> None:
    played(replace(SOUND, **fault))
    assert main(["rehearse", *ONE]) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--players", "7", "--games", "chew"], "no game is for so many players"),
        (["--speed", "0"], "--speed is 0.5 to 20"),
        (["--core-share", "2"], "--core-share is 0.05 to 1"),
        (["--jobs", "0"], "--jobs is 1 to 64"),
    ],
)
def test_what_cannot_be_played_is_said(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rehearse", *words]) == 2
    assert says in capsys.readouterr().err
