"""Table and pages ended at random moments, as by kill -9; the log must hold what they answered or showed."""

from __future__ import annotations

import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from calibration.evaluation.metric import Progress
from companion.drill.checked import missing, noted, unshown
from companion.drill.clients import Answered, Asking, Following
from companion.drill.outcome import Outcome
from companion.drill.stage import Stage, wait_for

CLIENTS = 6
"""Programs that ask the table side by side."""

GAME_KILLS = 25
"""Kills after which a new game begins, so that logs of all lengths are met."""

EARLY = 0.15
"""Share of the kills that come while the table starts."""

MOST_ANSWERS, AFTER_S = 40, 0.05
"""A table lives until it has given up to so many answers, and up to so much longer."""

LONGEST_S = 10.0
"""How long a table is let live at most."""

WEB_SHARE = 0.3
"""Share of the kills by which the pages are ended too."""

SILENT = "the table never answered, so nothing was shown by this"


def kills(count: int, seed: int, progress: Progress) -> Outcome:
    """End a table so often, with a film before its camera, programs that ask it and pages that follow."""
    rng, faults = random.Random(f"kills {seed}"), list[str]()
    answered = states = webs = 0
    with TemporaryDirectory(prefix="drill-") as place:
        stage = Stage(Path(place), Path(place), seed)
        following: Following | None = None
        try:
            for number in range(count):
                progress(f"kill {number + 1} of {count}")
                told = lived(stage, rng, resume=number % GAME_KILLS > 0)
                seen = noted(stage.states)
                answered, states = answered + len(told), states + len(seen)
                if not stage.log.exists():
                    continue
                faults += [f"kill {number + 1}: {fault}" for fault in missing(stage.log, told, seen)]
                if stage.web is None:
                    stage.start_web()
                    following = Following(stage.port)
                    following.start()
                elif rng.random() < WEB_SHARE:
                    stage.kill_web()
                    stage.start_web()
                    webs += 1
            if following is not None:
                following.over = True
                faults += unshown(following.shown, stage.log)
        finally:
            stage.end()
        faults += [] if answered else [SILENT]
        measured = {
            "answers": answered,
            "states compared": states,
            "pages killed": webs,
            "events shown": len(following.shown) if following else 0,
        }
    return Outcome("table killed at random, film as camera, pages reading", count, faults, measured)


def lived(stage: Stage, rng: random.Random, *, resume: bool) -> list[Answered]:
    """Let a table live for a random time and kill it; return what it has answered."""
    stage.start_table(resume=resume)
    asking = [Asking(stage.socket, f"{rng.random()} {number}") for number in range(CLIENTS)]
    early = rng.random() < EARLY
    if not early:
        wait_for(stage.answers)
    for one in asking:
        one.start()
    live(asking, 0 if early else rng.randrange(MOST_ANSWERS), rng)
    if stage.table is not None:
        stage.table.kill()
        stage.table.join()
    return stopped(asking)


def live(asking: list[Asking], answers: int, rng: random.Random) -> None:
    """Wait until so many answers were given, and a moment longer."""
    wait_for(lambda: sum(len(one.answered) for one in asking) >= answers, LONGEST_S)
    time.sleep(rng.uniform(0.0, AFTER_S))


def stopped(asking: list[Asking]) -> list[Answered]:
    """Stop those who ask, and return what was answered to all of them."""
    for one in asking:
        one.over = True
    for one in asking:
        one.join()
    return sorted(answer for one in asking for answer in one.answered)
