"""From a configuration to a game in the log: a new one, or the one that was not finished."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from companion.config.table import TableConfig
from companion.errors import BadTileSet, BadWordList
from companion.events.handicaps import last_handicaps
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.replay import history, set_up_of
from companion.model.grid import islands
from companion.model.phrases import phrase
from companion.model.reading import Tableau
from companion.model.tiles import TileSet, tile_set
from companion.model.verdicts import TableauVerdict
from companion.rules import event as ev
from companion.rules.options import WORDS
from companion.rules.registry import game as game_named
from companion.table.pictures import Judge
from companion.words import judge_tableau
from companion.words.chosen import (
    current_lexicon,
    is_alphabetic,
    keep_default,
    lexicon_named,
    main_store,
    missing_letters,
    past_defaults,
    with_second,
)
from companion.words.lexicon import Lexicon, Rare
from companion.words.store import DEFAULT

logger = logging.getLogger(__name__)

OVER = ev.GameEnded.__name__

NUMBERED = re.compile(r"(\d+) ")
"""How a table's games are named: numbered, so that the newest is known though no clock was ever set."""


def words_of(config: TableConfig) -> Lexicon:
    """Return the list that judges; raise BadWordList where it cannot be had."""
    return lexicon_named(config.words) if config.words else current_lexicon()


def words_for(config: TableConfig) -> Lexicon:
    """Return the list that judges a new game.

    Raises
    ------
    BadWordList
        Where the list cannot be had, and where it is of another language
        than the tiles of a game with words that people do not judge.
    """
    words = words_of(config)
    with_words = set(WORDS) <= set(game_named(config.game).options)
    if with_words and config.switches.get("policy") != "off":
        check_language(words, config.tile_set)
    return words


def check_language(words: Lexicon, name: str) -> None:
    """Raise BadWordList where a list has no word with some letter of a tile set that is there."""
    try:
        lacking = missing_letters(words, tile_set(name))
    except BadTileSet:
        return
    if lacking:
        raise BadWordList(
            phrase(
                "the word list %(list)s has no word with %(letters)s and cannot judge the tiles %(tiles)s: "
                "add a list of their language (companion words add FILE) and choose it, or let people judge "
                "(policy: off)",
                list=words.name,
                letters=", ".join(lacking),
                tiles=Path(name).stem,
            )
        )


def begun(config: TableConfig, log: EventLog) -> Match:
    """Return a new game in the log, its word list kept; raise as ``Match.begun`` and ``words_for`` do."""
    rules, words = game_named(config.game), words_for(config)
    keep(words)
    options = carried(config, log)
    return Match.begun(log, fresh(config, log), rules, config.seats, options, words)


def keep(words: Lexicon) -> None:
    """Keep the list that comes with the product for a game, as an update may bring another meanwhile."""
    if words.name != DEFAULT:
        return
    try:
        keep_default()
    except BadWordList as error:
        logger.warning("a game that an update interrupts cannot go on: %s", error)


def carried(config: TableConfig, log: EventLog) -> Mapping[str, Any]:
    """Return the options of a new game, with the handicaps that its players bring from earlier ones.

    Handicaps that the host has chosen stand as they are.
    """
    options, newcomer = config.switches, game_named(config.game).newcomer
    if newcomer is None or options.get("handicaps"):
        return options
    known = last_handicaps(log, config.game, config.seats)
    return {**options, "handicaps": [known.get(name, newcomer) for name in config.seats]}


def resumed(config: TableConfig, log: EventLog) -> tuple[TableConfig, Match] | None:
    """Return the newest game of the log, if it was not finished, and the table as it was set up for it.

    Raises
    ------
    BadLog
        Where the game is damaged.
    OtherWords
        Where the list that judged it is not there any more.
    """
    name = newest(log)
    if name is None or any(row.kind == OVER for row in log.rows(name)):
        return None
    set_up = set_up_of(history(log, name))
    config = replace(config, game=set_up.game, seats=set_up.seats, options=set_up.options, policy=None)
    return config, Match.resumed(log, name, judging(config, set_up.words))


def judging(config: TableConfig, label: str) -> Lexicon:
    """Return the list that a label names, if it is still there; else the configuration's.

    Raises BadWordList where the list cannot be had.
    """
    name = label.partition(" (")[0]
    there = name == DEFAULT or name in main_store().names()
    found = lexicon_named(name) if there else words_of(config)
    if name != DEFAULT or found.label == label:
        return found
    kept_ones = map(with_second, past_defaults())
    return next((one for one in kept_ones if one.label == label), found)


def newest(log: EventLog) -> str | None:
    """Return the name of the newest of a table's games, or ``None``."""
    return max((name for name in log.games() if NUMBERED.match(name)), key=number, default=None)


def number(name: str) -> int:
    """Return the number of a game."""
    found = NUMBERED.match(name)
    return int(found[1]) if found else 0


def fresh(config: TableConfig, log: EventLog) -> str:
    """Return a name that sorts behind all others: a number, the table's name, the day and the time."""
    last = newest(log)
    day = f"{datetime.now().astimezone():%Y-%m-%d %H.%M}"
    return f"{number(last or '') + 1:05} {config.name} {day}"


def rare_words(config: TableConfig) -> Rare:
    """Return what the host decided on rare words in a game that has begun."""
    return Rare(config.switches.get("rare", Rare.ACCEPT))


def judge_of(tiles: TileSet, words: Lexicon, rare: Rare) -> Judge:
    """Return what is to be said of tableaux of a tile set: only their parts where it has no letters."""
    letters = is_alphabetic(tiles)

    def judged(tableau: Tableau) -> TableauVerdict:
        if not letters:
            return TableauVerdict((), len(islands(tableau.grid)), None)
        doubted = {(cell.row, cell.col) for cell in tableau.cells if cell.doubt}
        return judge_tableau(tableau.grid, doubted, words, rare)

    return lambda reading: [judged(tableau) for tableau in reading.tableaux]
