"""Table and pages killed at random moments; the log must hold everything that they answered or showed."""

from __future__ import annotations

import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from calibration.evaluation.metric import Progress
from companion.drill.log_checks import display_errors, lost_events, noted_states
from companion.drill.outcome import Outcome
from companion.drill.requests import AcceptedRequest, LiveFollower, RequestThread
from companion.drill.table_processes import TableProcesses, wait_for

CLIENT_THREADS = 6
"""Client threads that send requests in parallel."""

KILLS_PER_GAME = 25
"""Kills after which a new game begins, so that logs of all lengths occur."""

EARLY_KILL_SHARE = 0.15
"""Share of the kills during the start of the table."""

MAX_ANSWERS_BEFORE_STOP, MAX_EXTRA_DELAY_S = 40, 0.05
"""Largest number of answers, and longest further time in seconds, before a table is killed."""

ANSWERS_TIMEOUT_S = 10.0
"""Longest time before a table is killed, in seconds."""

WEB_SHARE = 0.3
"""Share of the kills that also kill the pages."""

NO_ANSWERS = "the table never answered, so nothing was shown by this"


def kills(count: int, seed: int, progress: Progress) -> Outcome:
    """Kill a table ``count`` times while it sees a film, answers requests and feeds
    pages; return the losses.
    """
    rng, faults = random.Random(f"kills {seed}"), list[str]()
    answered = states = webs = 0
    with TemporaryDirectory(prefix="drill-") as place:
        stage = TableProcesses(Path(place), Path(place), seed)
        following: LiveFollower | None = None
        try:
            for number in range(count):
                progress(f"kill {number + 1} of {count}")
                accepted = run_and_kill(stage, rng, resume=number % KILLS_PER_GAME > 0)
                states_of_run = noted_states(stage.states)
                answered, states = answered + len(accepted), states + len(states_of_run)
                if not stage.log.exists():
                    continue
                faults += [
                    f"kill {number + 1}: {fault}" for fault in lost_events(stage.log, accepted, states_of_run)
                ]
                if stage.web is None:
                    stage.start_web()
                    following = LiveFollower(stage.port)
                    following.start()
                elif rng.random() < WEB_SHARE:
                    stage.kill_web()
                    stage.start_web()
                    webs += 1
            if following is not None:
                following.over = True
                faults += display_errors(following.shown, stage.log)
        finally:
            stage.end()
        faults += [] if answered else [NO_ANSWERS]
        measured = {
            "answers": answered,
            "states compared": states,
            "pages killed": webs,
            "events shown": len(following.shown) if following else 0,
        }
    return Outcome("table killed at random, film as camera, pages reading", count, faults, measured)


def run_and_kill(stage: TableProcesses, rng: random.Random, *, resume: bool) -> list[AcceptedRequest]:
    """Run a table for a random time and kill it; return the accepted requests."""
    stage.start_table(resume=resume)
    clients = [RequestThread(stage.socket, f"{rng.random()} {number}") for number in range(CLIENT_THREADS)]
    early = rng.random() < EARLY_KILL_SHARE
    if not early:
        wait_for(stage.answers)
    for one in clients:
        one.start()
    wait_for_answers(clients, 0 if early else rng.randrange(MAX_ANSWERS_BEFORE_STOP), rng)
    if stage.table is not None:
        stage.table.kill()
        stage.table.join()
    return stop_requests(clients)


def wait_for_answers(clients: list[RequestThread], answers: int, rng: random.Random) -> None:
    """Wait until ``answers`` requests were accepted, and a random moment longer."""
    wait_for(lambda: sum(len(one.answered) for one in clients) >= answers, ANSWERS_TIMEOUT_S)
    time.sleep(rng.uniform(0.0, MAX_EXTRA_DELAY_S))


def stop_requests(clients: list[RequestThread]) -> list[AcceptedRequest]:
    """Stop the client threads, and return all accepted requests in order."""
    for one in clients:
        one.over = True
    for one in clients:
        one.join()
    return sorted(answer for one in clients for answer in one.answered)
