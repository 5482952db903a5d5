"""Time and memory of the default word list, and its agreement with another list."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

from calibration.evaluation.metric import Metric, Progress, cpu_ms, percent
from companion.words import Lexicon, WordList, default_lexicon
from companion.words.chosen import packed_list
from companion.words.comparing import Agreement, list_agreements
from companion.words.text_lists import from_file

REFERENCE_LIST = Path("words", "enable2k.txt")
RUNS = 5
LOOKUP_COUNT = 5000
SEED = 1


def word_metrics(shared: Path | None, progress: Progress) -> Iterator[Metric]:
    """Yield time and memory of the default list, and its precision and recall by a list of
    the shared folder.
    """
    progress("loading the default list")
    yield Metric("load the default list", cpu_ms(load_default, RUNS), "ms", how=f"median of {RUNS}")
    lexicon, held_mb = measure_lexicon_memory()
    yield Metric("default list in memory", held_mb, "MB", how=f"{lexicon.count:,} words")
    yield lookup_metric(lexicon, [word for word, _ in lexicon.words])
    path = shared / REFERENCE_LIST if shared else None
    if path and path.is_file():
        progress(f"comparing with {path.name}")
        yield from agreement_metrics(lexicon.words, from_file(path, path.stem).words)
    else:
        yield Metric.not_measured("agreement with another list", f"there is no {path or REFERENCE_LIST}")


def load_default() -> Lexicon:
    """Load the default lexicon again, without the cache."""
    packed_list.cache_clear()
    return default_lexicon()


def measure_lexicon_memory() -> tuple[Lexicon, float]:
    """Return the default lexicon, loaded again, and the Python memory that it takes, in MB."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        lexicon = load_default()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return lexicon, (after - before) / 1e6


def lookup_metric(lexicon: Lexicon, words: Sequence[str]) -> Metric:
    """Return the time of one look-up; half of the words are not listed."""
    chosen = random.Random(SEED).choices(words, k=LOOKUP_COUNT)
    asked = [word if k % 2 else word[::-1] + "q" for k, word in enumerate(chosen)]
    ms = cpu_ms(lambda: [lexicon.verdict(word) for word in asked], RUNS)
    how = f"{LOOKUP_COUNT:,} words, every other one spoilt; median of {RUNS}"
    return Metric("look a word up", 1000 * ms / LOOKUP_COUNT, "µs", how=how)


def agreement_metrics(ours: WordList, yardstick: WordList) -> Iterator[Metric]:
    """Yield precision and recall of all words, without and with the rare ones."""
    for line in list_agreements(ours, yardstick):
        if line.letters is None:
            yield from precision_and_recall(line, yardstick.name)


def precision_and_recall(line: Agreement, name: str) -> Iterator[Metric]:
    """Yield the precision and the recall of the accepted words by another list."""
    rare = "with rare words" if line.lenient else "without rare words"
    for what, whole in (("precision", line.accepted), ("recall", line.other)):
        how = f"{line.both:,} of {whole:,}"
        yield Metric(f"{what} by {name}, {rare}", percent(line.both, whole), "%", how=how)
