"""``companion referee``: play a written game through the table's own rules and log."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import BadScript, CompanionError
from companion.events.log import MEMORY, EventLog
from companion.events.match import Match
from companion.events.replay import history
from companion.model.calls import SECOND
from companion.rules import script
from companion.rules.event import Stamped
from companion.rules.record import record, step_json
from companion.rules.registry import game as game_named
from companion.words.chosen import lexicon_named, list_named
from companion.words.lexicon import Lexicon, WordList


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "scripts",
        nargs="+",
        metavar="SCRIPT",
        help="a written game in JSON Lines, as companion docs games shows one; - for standard input",
    )
    parser.add_argument("--log", type=Path, default=MEMORY, metavar="FILE", help="keep the game in this log")
    parser.add_argument("--game", default="script", metavar="NAME", help="the game's name in the log")
    parser.add_argument("--json", action="store_true", help="one JSON object for each line of input")


def run(args: argparse.Namespace) -> int:
    """Play every script; raise BadScript for the first invalid line."""
    for name in args.scripts:
        with EventLog(args.log) as log:
            for line in play_script(lines(name), log, args.game):
                if text := json.dumps(line.as_json(), ensure_ascii=False) if args.json else line.record():
                    print(text, flush=True)
    return 0


@dataclass(frozen=True, slots=True)
class Line:
    """The result of a line of a script."""

    number: int
    at_ns: int
    match: Match
    events: Sequence[Stamped]

    def as_json(self) -> dict[str, Any]:
        """Return the result as an object."""
        return {
            "line": self.number,
            "at": self.at_ns / SECOND,
            **step_json(self.match.state, self.at_ns, self.events),
        }

    def record(self) -> str:
        """Return the result as lines of a readable record."""
        return "\n".join(record(self.match.state, self.events))


def lines(name: str) -> Iterator[str]:
    """Yield the lines of a script as they come; raise BadScript where it cannot be read."""
    try:
        with sys.stdin if name == "-" else Path(name).open(encoding="utf-8") as file:
            while line := file.readline(script.MAX_SET_UP_CHARS + 1):
                yield line
    except (OSError, UnicodeDecodeError) as error:
        raise BadScript(f"script {name}: {error}") from error


def lexicon(given: tuple[str, ...] | str, long: tuple[str, ...] | str | None) -> Lexicon:
    """Return the lexicon of a set-up."""
    found = lexicon_named(given) if isinstance(given, str) else Lexicon.of("script", given)
    if long is None:
        return found
    return Lexicon(
        found.words, list_named(long) if isinstance(long, str) else WordList.written("script, long", long)
    )


def play_script(script_lines: Iterator[str], log: EventLog, name: str) -> Iterator[Line]:
    """Yield the result of each line of a script; raise BadScript with the number of an invalid line."""
    match: Match | None = None
    at_ns = 0
    for number, line in enumerate(script_lines, 1):
        if not line.strip():
            continue
        try:
            if match is None:
                match = opened(line, log, name)
                yield Line(number, 0, match, history(log, name))
                continue
            heard = script.parse_line(match.game, len(match.state.seats), line)
            script.check_order(at_ns, heard.at_ns)
            at_ns = heard.at_ns
            yield Line(number, at_ns, match, match.handle(heard))
        except CompanionError as error:
            raise script.with_line_number(number, error) from error
    if match is None:
        raise BadScript("the script is empty; its first line sets the game up")


def opened(line: str, log: EventLog, name: str) -> Match:
    """Return the game that a script's first line sets up."""
    set_up = script.parse_set_up(line)
    words = lexicon(set_up.lexicon, set_up.long_lexicon)
    return Match.begun(log, name, game_named(set_up.game), set_up.seats, set_up.options, words)
