"""A game's table card, and its options as tables in Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from companion.rules.interface import RuleSystem
from companion.rules.options import Option
from companion.rules.record import value_text


def card(game: RuleSystem[Any], options: Mapping[str, Any]) -> str:
    """Return the table card: the calls, and the chosen options, marked if they are not the default."""
    width = max(len(option.name) for option in game.options)
    lines = [
        f"{mark(option, options)} {option.name:<{width}}  {value_text(options[option.name])}: {option.doc}"
        for option in game.options
    ]
    return "\n".join([game.title, "", *game.card(options), "", "Chosen (* not the default):", *lines])


def mark(option: Option, options: Mapping[str, Any]) -> str:
    """Return the mark before an option: a star if it does not have its default."""
    return " " if options[option.name] == option.default else "*"


def options_table(game: RuleSystem[Any]) -> str:
    """Return a game's options as a table in Markdown."""
    head = ["| option | values | default | what it decides | source |", "|---|---|---|---|---|"]
    rows = [
        f"| `{one.name}` | {one.kind} | `{default_text(one.default)}` | {one.doc} | {one.source} |"
        for one in game.options
    ]
    return "\n".join([*head, *rows])


def options_of_all(games: Sequence[RuleSystem[Any]]) -> str:
    """Return the options of several games as one table in Markdown.

    An option has one row for all games in which it has the same meaning and default.  Rows of one name are
    together, in the order in which the games first name them.
    """
    rows: dict[str, dict[tuple[str, str], list[str]]] = {}
    for game in games:
        for one in game.options:
            rows.setdefault(one.name, {}).setdefault((default_text(one.default), one.doc), []).append(
                game.name
            )
    head = ["| option | games | default | what it decides |", "|---|---|---|---|"]
    return "\n".join(
        head
        + [
            f"| `{name}` | {'all' if len(games) == len(names) else ', '.join(names)} | `{default}` | {doc} |"
            for name, meanings in rows.items()
            for (default, doc), names in meanings.items()
        ]
    )


def default_text(default: Any) -> str:
    """Return a default as NAME=VALUE or a set-up takes it: a text unchanged, anything else as JSON."""
    return default if isinstance(default, str) else json.dumps(default)
