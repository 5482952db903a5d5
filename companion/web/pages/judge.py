"""The word judge: a tournament's desk on a screen, and the same for a table of friends between games."""

from __future__ import annotations

import logging
import logging.handlers
from collections.abc import Mapping, Sequence
from functools import lru_cache

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from companion.errors import UsageError
from companion.rules.state import Phase
from companion.web.auth.roles import may, sign_in_required
from companion.web.i18n.language import N_, _
from companion.web.live.monitor import run_in_threadpool
from companion.web.services import Services, current_services
from companion.words import Lexicon, Rare, current_lexicon, judge_play
from companion.words.chosen import long_store, main_store
from companion.words.judging import (
    MAX_PLAY_WORDS,
    VERDICT_DISPLAY_S,
    VERDICT_TEXTS,
    checked_word,
    judge_log_line,
)

TRANSLATED_VERDICTS = (N_("ACCEPTABLE"), N_("NOT ACCEPTABLE"), N_("ASK THE TABLE"))
"""Verdicts of the word judge, marked for translation."""

MAX_LOG_BYTES = 1_000_000
LOG_FILES = 3

logger = logging.getLogger(__name__)

pages = Blueprint("judge", __name__)


@lru_cache(maxsize=2)
def load_lexicon(_main: str, _long: str) -> Lexicon:
    """Return the lexicon in use, loaded once for each choice of the host."""
    return current_lexicon()


def lexicon() -> Lexicon:
    """Return the lexicon in use."""
    return run_in_threadpool(lambda: load_lexicon(main_store().in_use(), long_store().in_use()))


@lru_cache(maxsize=4)
def desk_log(path: str) -> logging.Logger:
    """Return the log of the word judge, a file of bounded size."""
    log = logging.getLogger(f"{__name__}.{path}")
    log.setLevel(logging.INFO)
    log.propagate = False
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=MAX_LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log.addHandler(handler)
    return log


def is_referee_only(services: Services) -> bool:
    """Return whether the word judge is for the referee only, which it is while a game is played."""
    return (
        services.projection is not None
        and services.projection.state.stage is Phase.PLAYING
        and not may("referee")
    )


def rare_words(given: Mapping[str, str]) -> Rare:
    """Return the requested policy on rare words, ``Rare.ACCEPT`` where there is none."""
    requested = given.get("rare", "")
    return Rare(requested) if requested in set(Rare) else Rare.ACCEPT


@pages.get("/judge")
def desk() -> ResponseReturnValue:
    """Ask for the number of words, then for the words."""
    if is_referee_only(current_services()):
        return sign_in_required("referee")
    count = request.args.get("words", 0, int)
    rare = rare_words(request.args)
    return render_template(
        "judge.html",
        count=min(max(count, 0), MAX_PLAY_WORDS),
        most=MAX_PLAY_WORDS,
        rare=rare,
        label=lexicon().label,
        fault="",
    )


def play(given: Sequence[str]) -> list[str]:
    """Return all words of a play; raise UsageError where one is missing or cannot be judged."""
    if not 1 <= len(given) <= MAX_PLAY_WORDS or not all(given):
        raise UsageError(_("Enter every word of the play, each in its own field."))
    return [checked_word(word) for word in given]


@pages.post("/judge")
def verdict() -> ResponseReturnValue:
    """Show the verdict on a whole play and note it; the screen clears itself."""
    services = current_services()
    if is_referee_only(services):
        return sign_in_required("referee")
    given = [word.strip() for word in request.form.getlist("word")]
    rare = rare_words(request.form)
    try:
        words = play(given)
    except UsageError as error:
        return render_template(
            "judge.html",
            count=min(len(given), MAX_PLAY_WORDS),
            most=MAX_PLAY_WORDS,
            rare=rare,
            label=lexicon().label,
            fault=str(error),
        ), 400
    judging = lexicon()
    valid = judge_play(words, judging, rare)
    desk_log(str(services.kept.folder / "judged.log")).info(
        "%s", judge_log_line(words, valid, judging.label, rare)
    )
    back = f"/judge?rare={rare}"
    return render_template(
        "verdict.html",
        valid=valid,
        text=VERDICT_TEXTS[valid],
        label=judging.label,
        seconds=int(VERDICT_DISPLAY_S),
        back=back,
    )
