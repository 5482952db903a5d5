"""``companion judge``: the word judge of a tournament.

It returns one verdict on a whole play, without naming the invalid word.  Exit status: 0 acceptable, 1 not
acceptable or left to the table, 2 input that cannot be judged.  On a terminal and without words it is the
judge's desk: it asks for the number of words, then for the words, shows the verdict and clears it after ten
seconds, as usual in tournaments.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from companion.errors import UsageError
from companion.words import Lexicon, Rare, current_lexicon, judge_play, lexicon_named, masked
from companion.words.judging import (
    MAX_PLAY_WORDS,
    RARE_POLICY_NAMES,
    VERDICT_DISPLAY_S,
    VERDICT_TEXTS,
    checked_word,
    judge_log_line,
)

RARE_WORD_OPTIONS = (
    ("--lenient", Rare.ACCEPT, "rare words are acceptable (the default)"),
    ("--strict", Rare.ASK, "rare words are left to the table"),
    ("--no-rare", Rare.REFUSE, "rare words are not acceptable"),
)
"""Decisions on rare words: option, decision, help."""

VERDICT_COLOURS = {True: "green", False: "red", None: "yellow"}

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("words", nargs="*", metavar="WORD", help="all words of the play; without, it asks")
    parser.add_argument(
        "--each", action="store_true", help="say of each word what it is; not for tournaments"
    )
    policy = parser.add_mutually_exclusive_group()
    for option, rare, help_text in RARE_WORD_OPTIONS:
        policy.add_argument(option, dest="rare", action="store_const", const=rare, help=help_text)
    parser.set_defaults(rare=Rare.ACCEPT)
    parser.add_argument("--family", action="store_true", help="with --each, do not display offensive words")
    parser.add_argument("--list", metavar="NAME", help="judge by this list, not by the one in use")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append what was judged, and when")


def run(args: argparse.Namespace) -> int:
    """Judge the play and write it to the log, if any; return the exit status."""
    lexicon = lexicon_named(args.list) if args.list else current_lexicon()
    with judgement_log(args.log) if args.log else nullcontext():
        return judge(args, lexicon)


def judge(args: argparse.Namespace, lexicon: Lexicon) -> int:
    """Judge the play on the command line, or run the desk; return the exit status."""
    if args.words:
        words = [checked_word(word) for word in args.words]
        if len(words) > MAX_PLAY_WORDS:
            raise UsageError(f"a play has at most {MAX_PLAY_WORDS} words; got {len(words)}")
        return verdict(words, lexicon, args)
    if args.json or args.each or not sys.stdin.isatty():
        raise UsageError("no words to judge; give all words of the play, or run it on a terminal")
    return desk(lexicon, args.rare, Console(), input, wait)


@contextmanager
def judgement_log(path: Path) -> Iterator[None]:
    """Append every judgement in the block to a file; raise UsageError where it cannot be written.

    Judged words must not appear on a tournament's screen, so they are printed only on demand (``--verbose``).
    """
    try:
        handler = logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"log {path}: {error.strerror}") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    level, propagate = logger.level, logger.propagate
    logger.propagate = logger.isEnabledFor(logging.INFO)
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.propagate = propagate
        logger.removeHandler(handler)
        handler.close()


def judge_and_log(words: Sequence[str], lexicon: Lexicon, rare: Rare) -> bool | None:
    """Return the verdict on a play and write it to the log."""
    valid = judge_play(words, lexicon, rare)
    logger.info("%s", judge_log_line(words, valid, lexicon.label, rare))
    return valid


def verdict(words: Sequence[str], lexicon: Lexicon, args: argparse.Namespace) -> int:
    """Print the verdict on a play and return the exit status."""
    valid = judge_and_log(words, lexicon, args.rare)
    if args.json:
        print(json.dumps(as_json(words, valid, lexicon, args), ensure_ascii=False))
    else:
        for word in words if args.each else ():
            shown = masked(word) if args.family else word
            print(f"{shown}  {word_verdict(word, lexicon, args.rare)}")
        print(VERDICT_TEXTS[valid])
        print(f"judged by {lexicon.label}")
    return 0 if valid else 1


def word_verdict(word: str, lexicon: Lexicon, rare: Rare) -> str:
    """Return the lexicon's verdict on one word, and whether the table has to decide."""
    ask = ", ask the table" if lexicon.validity(word, rare) is None else ""
    return lexicon.verdict(word).replace("_", " ") + ask


def as_json(
    words: Sequence[str], valid: bool | None, lexicon: Lexicon, args: argparse.Namespace
) -> dict[str, object]:
    """Return the verdict as an object for programs; single words only on request."""
    body: dict[str, object] = {
        "verdict": VERDICT_TEXTS[valid],
        "acceptable": valid,
        "words": len(words),
        "policy": RARE_POLICY_NAMES[args.rare],
        "list": {"name": lexicon.name, "count": lexicon.count, "sha256": lexicon.sha256},
        "judged_by": lexicon.label,
    }
    if args.each:
        body["each"] = [
            {
                "word": masked(word) if args.family else word,
                "verdict": lexicon.verdict(word),
                "valid": lexicon.validity(word, args.rare),
            }
            for word in words
        ]
    return body


def desk(
    lexicon: Lexicon,
    rare: Rare,
    console: Console,
    ask: Callable[[str], str],
    pause: Callable[[float], None],
) -> int:
    """Judge play after play until the input ends; return the exit status.

    ``ask`` shows a question and returns the answer; ``pause`` waits for a number of seconds.
    """
    while True:
        wipe(console)
        console.print(f"Word judge: {lexicon.label}. End with Ctrl-D.\n", highlight=False)
        try:
            words = ask_words(console, ask)
        except EOFError:
            wipe(console)
            return 0
        valid = judge_and_log(words, lexicon, rare)
        wipe(console)
        shown = Text(VERDICT_TEXTS[valid], style="bold", justify="center")
        console.print(Panel(shown, padding=(3, 4), style=VERDICT_COLOURS[valid], subtitle=lexicon.label))
        pause(VERDICT_DISPLAY_S)


def ask_words(console: Console, ask: Callable[[str], str]) -> list[str]:
    """Return the words of a play: first their number is requested, then each word."""
    number = ask_number(console, ask)
    return [ask_word(console, ask, f"Word {n} of {number}: ") for n in range(1, number + 1)]


def ask_number(console: Console, ask: Callable[[str], str]) -> int:
    """Return the number of words of a play, requested until it is valid."""
    while True:
        answer = ask("How many words? ").strip()
        if len(answer) <= 2 and answer.isdecimal() and 1 <= int(answer) <= MAX_PLAY_WORDS:
            return int(answer)
        console.print(f"A number from 1 to {MAX_PLAY_WORDS}, please.")


def ask_word(console: Console, ask: Callable[[str], str], question: str) -> str:
    """Return one word that can be judged, requested until it is valid."""
    while True:
        try:
            return checked_word(ask(question).strip())
        except UsageError as error:
            console.print(str(error), markup=False, highlight=False)


def wipe(console: Console) -> None:
    """Clear the screen and its scrollback, so that no play can be read later."""
    if console.is_terminal:
        console.file.write("\x1b[3J")
    console.clear()


def wait(seconds: float) -> None:
    """Wait, then discard what was typed meanwhile."""
    time.sleep(seconds)
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
