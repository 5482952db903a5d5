"""How fast words are judged, and how far the default list agrees with another."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

from calibration.evaluation.figure import Figure, cpu_ms, percent
from calibration.evaluation.readings import Tell
from companion.words import Lexicon, WordList, default_lexicon
from companion.words.comparing import Agreement, compared
from companion.words.text_lists import from_file

YARDSTICK = Path("words", "enable2k.txt")
RUNS = 5
LOOKED_UP = 5000
SEED = 1


def word_figures(shared: Path | None, tell: Tell) -> Iterator[Figure]:
    """Yield what the default list costs, and how right it is by a list of the shared folder."""
    tell("loading the default list")
    yield Figure("load the default list", cpu_ms(default_lexicon, RUNS), "ms", how=f"median of {RUNS}")
    lexicon, held_mb = held()
    yield Figure("default list in memory", held_mb, "MB", how=f"{lexicon.count:,} words")
    yield lookup_figure(lexicon, [word for word, _ in lexicon.words])
    path = shared / YARDSTICK if shared else None
    if path and path.is_file():
        tell(f"comparing with {path.name}")
        yield from agreement_figures(lexicon.words, from_file(path, path.stem).words)
    else:
        yield Figure.missing("agreement with another list", f"there is no {path or YARDSTICK}")


def held() -> tuple[Lexicon, float]:
    """Return the default lexicon and the megabytes that it holds of Python's memory."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        lexicon = default_lexicon()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return lexicon, (after - before) / 1e6


def lookup_figure(lexicon: Lexicon, words: Sequence[str]) -> Figure:
    """Return how long one look-up takes, half of them of words that are not listed."""
    chosen = random.Random(SEED).choices(words, k=LOOKED_UP)
    asked = [word if k % 2 else word[::-1] + "q" for k, word in enumerate(chosen)]
    ms = cpu_ms(lambda: [lexicon.verdict(word) for word in asked], RUNS)
    how = f"{LOOKED_UP:,} words, every other one spoilt; median of {RUNS}"
    return Figure("look a word up", 1000 * ms / LOOKED_UP, "µs", how=how)


def agreement_figures(ours: WordList, yardstick: WordList) -> Iterator[Figure]:
    """Yield precision and recall of all words, without and with the rare ones."""
    for line in compared(ours, yardstick):
        if line.letters is None:
            yield from precision_and_recall(line, yardstick.name)


def precision_and_recall(line: Agreement, name: str) -> Iterator[Figure]:
    """Yield how many accepted words another list has, and how many of its words are accepted."""
    rare = "with rare words" if line.lenient else "without rare words"
    for what, whole in (("precision", line.accepted), ("recall", line.other)):
        how = f"{line.both:,} of {whole:,}"
        yield Figure(f"{what} by {name}, {rare}", percent(line.both, whole), "%", how=how)
