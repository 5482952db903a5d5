"""A game on one card for the table, and its options as a table for readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.rules.interface import RuleSystem
from companion.rules.options import Option
from companion.rules.printed import listed


def card(game: RuleSystem[Any], options: Mapping[str, Any]) -> str:
    """Return what to say when, and the options as they are chosen, those not the default marked."""
    width = max(len(option.name) for option in game.options)
    lines = [
        f"{mark(option, options)} {option.name:<{width}}  {listed(options[option.name])}: {option.doc}"
        for option in game.options
    ]
    return "\n".join([game.title, "", *game.card(options), "", "Chosen (* not the default):", *lines])


def mark(option: Option, options: Mapping[str, Any]) -> str:
    """Return the sign before an option."""
    return " " if options[option.name] == option.default else "*"


def options_table(game: RuleSystem[Any]) -> str:
    """Return a game's options as a table in Markdown."""
    head = ["| option | values | default | what it decides | source |", "|---|---|---|---|---|"]
    rows = [
        f"| `{one.name}` | {one.kind} | `{listed(one.default)}` | {one.doc} | {one.source} |"
        for one in game.options
    ]
    return "\n".join([*head, *rows])
