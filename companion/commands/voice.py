"""``companion voice``: render the calls that the table speaks, once, with espeak-ng."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from companion.commands._terminal import Bar
from companion.config.controls import Language
from companion.rules.registry import installed
from companion.words.chosen import home
from hardware.sound.clips import render_clips

MAX_SPOKEN_LEFT = 144
"""The highest number of tiles left that is spoken."""

MAX_SPOKEN_DRAWN = 30
"""The highest number of tiles to draw that is spoken."""

PHRASES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "refused": ("Not yet", "Noch nicht"),
        "doubt": ("Please look at your tiles", "Bitte auf die Steine schauen"),
        "warn_300": ("Five minutes left", "Noch fünf Minuten"),
        "warn_120": ("Two minutes left", "Noch zwei Minuten"),
        "warn_60": ("One minute left", "Noch eine Minute"),
        "warn_30": ("Thirty seconds left", "Noch dreißig Sekunden"),
        "warn_10": ("Ten seconds left", "Noch zehn Sekunden"),
        "time_up": ("Time is up", "Die Zeit ist um"),
        "winner": ("We have a winner", "Gewonnen"),
        "pause": ("Pause", "Pause"),
        "resume": ("Play on", "Weiter"),
        "left_0": ("none left", "keine mehr"),
        "draw_1": ("Everybody draws one", "Alle ziehen einen"),
    }
)
"""Name of each clip and its words in English and German."""


def phrases(language: Language) -> dict[str, str]:
    """Return every clip's name and words in a language, the numbers among them."""
    which = list(Language).index(language)
    left, draw = ("{} left", "noch {}")[which], ("Everybody draws {}", "Alle ziehen {}")[which]
    return {
        **{f"left_{n}": left.format(n) for n in range(1, MAX_SPOKEN_LEFT + 1)},
        **{f"draw_{n}": draw.format(n) for n in range(2, MAX_SPOKEN_DRAWN + 1)},
        **{name: words[which] for name, words in PHRASES.items()},
    }


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
    """Render every clip and print the folder; raise NoSpeech where espeak-ng is not installed."""
    folder: Path = args.folder or home() / "clips"
    for language in [Language(args.language)] if args.language else Language:
        spoken = clips(language)
        rendering, bar = render_clips(spoken, language, folder), Bar(len(spoken))
        for _ in spoken:
            with bar():
                next(rendering)
        print(f"{len(spoken)} clips: {folder / language}")
    return 0
