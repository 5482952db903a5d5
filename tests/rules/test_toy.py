"""A sixth game, as a stranger would add it: one file, one entry point, nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import companion.commands.rules as rules_command
from companion.cli import main
from companion.errors import BadSetUp
from companion.rules import registry

TOY = '''
from companion.rules import event as ev
from companion.rules.interface import CallKind, Game, refused
from companion.rules.options import COMMON_OPTIONS, whole


def snap(state, called, words):
    """Return a point for the caller, and the round where that is enough."""
    if called.seat == state.winner:
        return [refused(called, "you had the last one")]
    scores = tuple(s.score + (n == called.seat) for n, s in enumerate(state.seats, 1))
    won = max(scores) >= state.options["points"]
    return [ev.ScoresGiven(scores), ev.WinnerNamed(called.seat), *([ev.RoundEnded("enough")] if won else [])]


class Snap(Game):
    name, title, source, players = "snap", "Snap", "the toy box", (2, 4)
    options = (*COMMON_OPTIONS, whole("points", 3, (1, 99), "points that win", "the toy box"))
    calls = {"snap": CallKind("two cards are the same", snap)}


GAME = Snap()
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a stranger's package be installed."""
    (tmp_path / "snap_game.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    installed = registry.entries()
    strange = [
        EntryPoint("snap", "snap_game:GAME", registry.ENTRY_POINT_GROUP),
        EntryPoint("gone", "no_such_module:GAME", registry.ENTRY_POINT_GROUP),
        EntryPoint("other", "snap_game:GAME", registry.ENTRY_POINT_GROUP),
    ]
    monkeypatch.setattr(registry, "entries", lambda: {**installed, **{one.name: one for one in strange}})
    monkeypatch.setattr(rules_command, "entries", registry.entries)
    registry.game.cache_clear()
    yield
    registry.game.cache_clear()


@pytest.mark.usefixtures("toy")
class TestToy:
    def played(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], *seats: int) -> list[dict[str, Any]]:
        lines = [
            {"game": "snap", "seats": ["Ann", "Bo"], "options": {"points": 2}, "lexicon": []},
            {"at": 0, "host": "start"},
            *({"at": n, "seat": seat, "call": "snap"} for n, seat in enumerate(seats, 1)),
            {"at": 90, "host": "confirm"},
        ]
        script = tmp_path / "snap.jsonl"
        script.write_text("\n".join(map(json.dumps, lines)))
        assert main(["referee", "--json", str(script)]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    def test_it_is_played_through_the_referee(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        last = self.played(tmp_path, capsys, 1, 2, 1)[-1]
        assert ([seat["total"] for seat in last["seats"]], last["winner"]) == ([2, 1], 1)

    def test_its_refusals_are_results(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.played(tmp_path, capsys, 1, 1)[3]["reason"] == "you had the last one"

    def test_its_card_and_options_are_printed(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["rules", "snap", "points=5"]) == 0
        card = capsys.readouterr().out
        assert "SNAP: two cards are the same" in card
        assert "* points  5: points that win" in card

    def test_it_is_listed_and_one_that_cannot_be_loaded_is_told(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["rules"]) == 0
        listed = capsys.readouterr().out
        assert "Snap: 2 to 4 players, from the toy box" in listed
        assert "the game 'gone' is installed but cannot be loaded: No module named 'no_such_module'" in listed

    def test_one_that_cannot_be_loaded_keeps_no_other_from_being_played(self) -> None:
        found = [one.name for one in registry.installed()]
        assert "snap" in found
        assert "gone" not in found

    def test_an_entry_point_that_names_another_game_is_told(self) -> None:
        with pytest.raises(BadSetUp, match="the entry point 'other' names no game of that name"):
            registry.game("other")


def test_the_toy_in_the_handbook_is_this_one(root: Path) -> None:
    page = (root / "companion/docs/games.md").read_text(encoding="utf-8")
    assert f"```python\n{TOY.strip()}\n```" in page


def test_the_toy_has_about_twenty_lines() -> None:
    assert len([line for line in TOY.splitlines() if line.strip()]) <= 20
