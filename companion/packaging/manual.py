"""The manual page, made from the commands' help."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from companion.cli import COMMANDS, parser_of

DESCRIPTION = (
    "A camera above a table reads letter tiles; the companion judges words, answers buttons, lights lamps, "
    "keeps clocks and scores, and serves a scoreboard to every phone around.  `companion docs` prints the "
    "handbook."
)

FILES = {
    "/etc/tableau-companion/table.toml": "the table: game, seats, cameras, buttons, lights",
    "/etc/tableau-companion/hall": "a hall: accounts, certificates, the broker's configuration",
    "/var/lib/companion": "games, pictures of calls, camera profiles, word lists, tile sets",
    "/var/lib/companion-web": "PINs, the secret of the sessions, saved tables",
    "/var/lib/companion-hall": "a hall's tournaments, and its copies of the tables' logs",
}


def manual(version: str, date: str) -> str:
    """Return the manual page ``companion(1)`` as roff.

    Parameters
    ----------
    version
        Version of the companion.
    date
        Date of the page, as ``2026-11-23``.
    """
    lines = [
        f'.TH COMPANION 1 "{date}" "tableau-companion {version}" "User Commands"',
        ".ad l",
        ".SH NAME",
        r"companion \- camera, referee and scoreboard for Bananagrams-style word games",
        ".SH SYNOPSIS",
        r".B companion",
        r"\fICOMMAND\fR ...",
        ".SH DESCRIPTION",
        text(DESCRIPTION),
        ".SH COMMANDS",
    ]
    for name, what in COMMANDS.items():
        lines += [f".SS companion {text(name)}", text(what), *options(parser_of(name))]
    lines.append(".SH FILES")
    for path, what in FILES.items():
        lines += [".TP", rf"\fI{text(path)}\fR", text(what)]
    return "\n".join(lines) + "\n"


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of a command and of its subcommands."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list of them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = {one.dest: one.help for one in action._choices_actions}  # noqa: SLF001
            for name, below in action.choices.items():
                yield from (".TP", rf"\fB{text(name)}\fR", text(helps.get(name) or ""))
                yield from (".RS", *options(below), ".RE")
        elif "--help" not in action.option_strings and action.help is not argparse.SUPPRESS:
            yield from (".TP", format_option(action), text(option_help(parser, action)))


def format_option(action: argparse.Action) -> str:
    """Return the notation of an option or argument."""
    value = action.metavar or action.dest
    value = value if isinstance(value, str) else " ".join(value)
    if action.choices is not None and action.metavar is None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    takes = "" if action.nargs == 0 else rf" \fI{text(value)}\fR"
    if not action.option_strings:
        return takes.strip()
    return ", ".join(rf"\fB{text(one)}\fR" for one in action.option_strings) + takes


def option_help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return an option's help with its default filled in, as ``--help`` shows it."""
    return (action.help or "") % {**vars(action), "prog": parser.prog}


def text(plain: str) -> str:
    """Return text escaped for roff, so that no line is taken for a request."""
    escaped = plain.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
