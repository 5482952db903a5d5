"""The results of rehearsed games: as values, as JSON objects, and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.table import Table


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game; ``reason`` is the first thing that went wrong, in words."""

    game: str
    players: int
    seed: int
    set_up: str
    honest_calls: int = 0
    honest_refused: int = 0
    wrong_calls: int = 0
    wrong_accepted: int = 0
    early_calls: int = 0
    unseen_at_call: int = 0
    verdict_ms: tuple[float, ...] = ()
    judged_by_people: int = 0
    finished: bool = False
    score_right: bool = False
    doubts_asked: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether the game finished with the right score."""
        return self.finished and self.score_right

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        found = asdict(self) | {"verdict_ms": percentiles(self.verdict_ms)}
        found |= {"wall_s": round(self.wall_s, 1), "cpu_s": round(self.cpu_s, 1)}
        if not self.reason:
            del found["reason"]
        return found


def percentiles(verdict_ms: Sequence[float]) -> dict[str, float]:
    """Return the median and the 99th percentile; 0 for no values."""
    if not verdict_ms:
        return {"p50": 0.0, "p99": 0.0}
    p50, p99 = np.percentile(verdict_ms, [50, 99])
    return {"p50": round(float(p50), 1), "p99": round(float(p99), 1)}


COLUMNS = (
    "game",
    "players",
    "set up",
    "games",
    "finished",
    "scores right",
    "honest calls",
    "refused",
    "wrong calls",
    "accepted",
    "unseen",
    "p50 ms",
    "p99 ms",
    "by people",
    "doubts",
    "CPU s a game",
)


def summary(played: Iterable[GameResult]) -> Table:
    """Return a table with a row for each game, number of players and set-up, and one for all."""
    games = list(played)
    table = Table(*COLUMNS)
    keys = sorted({(one.game, one.players, one.set_up) for one in games})
    for key in keys:
        table.add_row(
            *map(str, key), *cells([one for one in games if (one.game, one.players, one.set_up) == key])
        )
    if len(keys) > 1:
        table.add_section()
        table.add_row("all", "", "", *cells(games))
    return table


def cells(games: Sequence[GameResult]) -> list[str]:
    """Return the totals of some games, as the cells of a row."""

    def total(name: str) -> int:
        return sum(getattr(one, name) for one in games)

    spread = percentiles([ms for one in games for ms in one.verdict_ms])
    return [
        str(len(games)),
        str(total("finished")),
        str(total("score_right")),
        str(total("honest_calls")),
        with_percentage(total("honest_refused"), total("honest_calls")),
        str(total("wrong_calls")),
        str(total("wrong_accepted")),
        str(total("unseen_at_call")),
        f"{spread['p50']:.0f}",
        f"{spread['p99']:.0f}",
        str(total("judged_by_people")),
        str(total("doubts_asked")),
        f"{sum(one.cpu_s for one in games) / max(1, len(games)):.0f}",
    ]


def with_percentage(some: int, many: int) -> str:
    """Return a number with its percentage of a total."""
    return f"{some} ({100 * some / many:.1f} %)" if many else str(some)
