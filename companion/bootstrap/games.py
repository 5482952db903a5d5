"""Begin a new match of a configuration in the log, or resume the unfinished one."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from companion.config.controls import Controls
from companion.config.table import TableConfig
from companion.errors import BadConfig, BadTileSet, BadWordList, CompanionError, nearest
from companion.events.following import played_name, played_path
from companion.events.handicaps import last_handicaps
from companion.events.log import EventLog
from companion.events.match import Match
from companion.events.replay import history, rules_of, set_up_of
from companion.files import write_atomically
from companion.model.grid import islands
from companion.model.phrases import phrase
from companion.model.reading import Tableau
from companion.model.tiles import TileSet, tile_set
from companion.model.verdicts import TableauVerdict
from companion.rules import event as ev
from companion.rules.options import WORD_OPTIONS
from companion.rules.play import fold
from companion.rules.registry import game as game_named
from companion.rules.registry import installed
from companion.rules.state import Phase
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
    with_second_list,
)
from companion.words.lexicon import Lexicon, Rare
from companion.words.store import DEFAULT_LIST_NAME

logger = logging.getLogger(__name__)

GAME_OVER = ev.GameEnded.__name__

NUMBERED_NAME = re.compile(r"(\d+) ")
"""The number at the beginning of a game's name, so that the order does not depend on the clock."""


def configured_lexicon(config: TableConfig) -> Lexicon:
    """Return the configured word list; raise BadWordList where it cannot be read."""
    return lexicon_named(config.words) if config.words else current_lexicon()


def game_lexicon(config: TableConfig) -> Lexicon:
    """Return the word list of a new game.

    Raises
    ------
    BadWordList
        Where the list cannot be read, or where it judges words and its language does not fit the tiles.
    """
    words = configured_lexicon(config)
    with_words = set(WORD_OPTIONS) <= set(game_named(config.game).options)
    if with_words and config.switches.get("policy") != "off":
        check_language(words, config.tile_set)
    return words


def check_language(words: Lexicon, name: str) -> None:
    """Raise BadWordList where a list has no word with some letter of an installed tile set."""
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


def check_calls(controls: Controls) -> None:
    """Raise BadConfig with all calls of buttons that no installed game has, a line each."""
    known = {call for game in installed() for call in game.calls}
    unknown = [
        f"controls.seats[{seat - 1}].buttons[{n}]: no game has the call {call!r}{nearest(call, known)}"
        for seat, place in controls.places.items()
        for n, button in enumerate(place.buttons)
        for call in chain.from_iterable(button.calls.values())
        if call not in known
    ]
    if unknown:
        raise BadConfig("\n".join(unknown))


def board_fault(config: TableConfig) -> str:
    """Return why the cameras cannot look at a game's tiles, as it needs a board or none; or an empty text."""
    game = game_named(config.game)
    if not config.cameras or config.switches.get("policy") == "off" or game.on_board == bool(config.board):
        return ""
    if game.on_board:
        return phrase(
            "%(game)s is played on a board, and the table's file names none: add [board] to it, "
            "or set the game up with the policy off, so that people judge",
            game=game.title,
        )
    return phrase(
        "%(game)s is played without a board, and the cameras look at the one in the table's file: take "
        "[board] out of it, or set the game up with the policy off, so that people judge",
        game=game.title,
    )


def new_match(config: TableConfig, log: EventLog) -> Match:
    """Begin a new match in the log; raise as ``Match.begun`` and ``game_lexicon`` do."""
    rules, words = game_named(config.game), game_lexicon(config)
    keep_default_list(words)
    options = options_with_handicaps(config, log)
    return Match.begun(log, new_game_name(config, log), rules, config.seats, options, words)


def keep_default_list(words: Lexicon) -> None:
    """Save a copy of the default word list, so that a match can be resumed after an update of the list."""
    if words.name != DEFAULT_LIST_NAME:
        return
    try:
        keep_default()
    except BadWordList as error:
        logger.warning("a game that an update interrupts cannot go on: %s", error)


def options_with_handicaps(config: TableConfig, log: EventLog) -> Mapping[str, Any]:
    """Return the options of a new game, with its players' handicaps from earlier games.

    Handicaps that the host has set are kept.
    """
    options, newcomer = config.switches, game_named(config.game).newcomer
    if newcomer is None or options.get("handicaps"):
        return options
    known = last_handicaps(log, config.game, config.seats)
    return {**options, "handicaps": [known.get(name, newcomer) for name in config.seats]}


def resume_match(config: TableConfig, log: EventLog) -> tuple[TableConfig, Match] | None:
    """Return the game that was last at the table with its configuration, ``None`` where it is finished.

    Raises
    ------
    BadLog
        Where the game is damaged.
    OtherWords
        Where its word list is no longer installed.
    """
    name = last_played(log)
    if name is None or is_over(log, name):
        return None
    set_up = set_up_of(history(log, name))
    config = config.for_game(set_up.game, set_up.seats, set_up.options)
    return config, Match.resumed(log, name, match_lexicon(config, set_up.words))


def is_over(log: EventLog, name: str) -> bool:
    """Return whether a game of the log is over, which it is not where a ruling took its end back.

    A game that has ended and cannot be replayed, such as one of a plug-in that was removed, counts as over.
    """
    if not any(row.kind == GAME_OVER for row in log.rows(name)):
        return False
    try:
        events = history(log, name)
        return bool(fold(rules_of(events), events).phase is Phase.OVER)
    except CompanionError as error:
        logger.warning("the game %s has ended and cannot be replayed: %s", name, error)
        return True


def match_lexicon(config: TableConfig, label: str) -> Lexicon:
    """Return the word list with a label, else the configured one; raise BadWordList."""
    name = label.partition(" (")[0]
    there = name == DEFAULT_LIST_NAME or name in main_store().names()
    found = lexicon_named(name) if there else configured_lexicon(config)
    if name != DEFAULT_LIST_NAME or found.label == label:
        return found
    kept_ones = map(with_second_list, past_defaults())
    return next((one for one in kept_ones if one.label == label), found)


def keep_played(log: EventLog, name: str) -> None:
    """Keep the name of the game at the table: after a restore, the newest of the log may be another one."""
    path = played_path(log.path)
    try:
        write_atomically(path, name.encode())
    except OSError as error:
        logger.warning("the name of the game at the table is not kept: %s", error)
        with suppress(OSError):
            path.unlink(missing_ok=True)


def last_played(log: EventLog) -> str | None:
    """Return the name of the game that was last at the table, the newest where that is not known."""
    name = played_name(log.path)
    return name if name in log.games() else newest_game(log)


def newest_game(log: EventLog) -> str | None:
    """Return the name of the newest of a table's games, or ``None``."""
    return max((name for name in log.games() if NUMBERED_NAME.match(name)), key=game_number, default=None)


def game_number(name: str) -> int:
    """Return the number of a game."""
    found = NUMBERED_NAME.match(name)
    return int(found[1]) if found else 0


def new_game_name(config: TableConfig, log: EventLog) -> str:
    """Return the name of a new game: the next number, the table's name, the date and the time."""
    last = newest_game(log)
    day = f"{datetime.now().astimezone():%Y-%m-%d %H.%M}"
    return f"{game_number(last or '') + 1:05} {config.name} {day}"


def rare_word_rule(config: TableConfig) -> Rare:
    """Return the rule for rare words of a game that has begun."""
    return Rare(config.switches.get("rare", Rare.ACCEPT))


def tableau_judge(tiles: TileSet, words: Lexicon, rare: Rare) -> Judge:
    """Return a judge of tableaux; without letters in the tile set, it only counts their components."""
    letters = is_alphabetic(tiles)

    def judged(tableau: Tableau) -> TableauVerdict:
        if not letters:
            return TableauVerdict((), len(islands(tableau.grid)), None)
        doubted = {(cell.row, cell.col) for cell in tableau.cells if cell.doubt}
        return judge_tableau(tableau.grid, doubted, words, rare)

    return lambda reading: [judged(tableau) for tableau in reading.tableaux]
