"""``companion rules``: the games, and one of them as a card for the table."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from companion.errors import BadOption, BadSetUp
from companion.rules.card import card, options_of_all, options_table
from companion.rules.options import option_values
from companion.rules.registry import entries, game, installed


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "game", nargs="?", metavar="GAME", help="print this game's card (default: list the games)"
    )
    parser.add_argument(
        "options", nargs="*", metavar="NAME=VALUE", help="an option of the game, its value as JSON or text"
    )
    parser.add_argument(
        "--markdown",
        action="store_true",
        help="the options as a table for a README: the game's, or of all games",
    )


def run(args: argparse.Namespace) -> int:
    """Print the list of games, a card, or a table of options."""
    if args.game is None and args.markdown:
        print(options_of_all(installed()))
        return 0
    if args.game is None:
        width = max(map(len, entries()))
        for name in entries():
            print(f"{name:<{width}}  {described(name)}")
        return 0
    rules = game(args.game)
    if args.markdown:
        print(options_table(rules))
        return 0
    print(card(rules, option_values(rules.options, parse_options(args.options))))
    return 0


def described(name: str) -> str:
    """Return a game's title, players and rule text, or why it cannot be played."""
    try:
        rules = game(name)
    except BadSetUp as error:
        return str(error)
    return f"{rules.title}: {players(name)}, from {rules.source}"


def players(name: str) -> str:
    """Return the numbers of players in words."""
    low, high = game(name).players
    return f"{low} players" if low == high else f"{low} to {high} players"


def parse_options(words: list[str]) -> Mapping[str, Any]:
    """Return options given as ``name=value``; raise BadOption for anything else."""
    found = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign:
            raise BadOption(f"an option is given as NAME=VALUE; got {word!r}")
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    return found
