"""What the table says aloud in every game, in the languages that it knows: clips by name, and their words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from companion.config.controls import Language

MOST_LEFT = 144
"""The highest number of tiles left that is spoken."""

MOST_DRAWN = 30
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
        **{f"left_{n}": left.format(n) for n in range(1, MOST_LEFT + 1)},
        **{f"draw_{n}": draw.format(n) for n in range(2, MOST_DRAWN + 1)},
        **{name: words[which] for name, words in PHRASES.items()},
    }
