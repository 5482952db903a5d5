"""``companion voice``: render the calls that the table speaks, once, with espeak-ng."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.commands._terminal import Bar
from companion.config.controls import Language
from companion.config.spoken import phrases
from companion.rules.registry import installed
from companion.words.chosen import home
from hardware.sound.clips import rendered


def clips(language: Language) -> dict[str, str]:
    """Return every clip's name and words in a language: those of every table, and the calls of its games."""
    said = [item for game in installed() for item in game.aloud.items()]
    return {**phrases(language), **{call: words[language] for call, words in said if language in words}}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    languages = [str(language) for language in Language]
    parser.add_argument("--language", choices=languages, help="render this language (default: all)")
    folder = "where the table looks for the clips (default: clips in the companion's own folder)"
    parser.add_argument("--folder", type=Path, metavar="DIR", help=folder)


def run(args: argparse.Namespace) -> int:
    """Render every clip and say where they are; raise NoSpeech where espeak-ng is not installed."""
    folder: Path = args.folder or home() / "clips"
    for language in [Language(args.language)] if args.language else Language:
        spoken = clips(language)
        rendering, bar = rendered(spoken, language, folder), Bar(len(spoken))
        for _ in spoken:
            with bar():
                next(rendering)
        print(f"{len(spoken)} clips: {folder / language}")
    return 0
