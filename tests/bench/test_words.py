from __future__ import annotations

from pathlib import Path

from companion.bench.words import agreement_metrics, lookup_metric, measure_lexicon_memory, word_metrics
from companion.words import Lexicon, WordList, default_lexicon


def test_precision_and_recall_are_told_without_and_with_rare_words() -> None:
    ours = WordList.written("ours", ["aa", "bb"], rare=["cc"])
    found = agreement_metrics(ours, WordList.written("other", ["aa", "cc", "dd"]))
    # without rare words: aa of aa bb, aa of aa cc dd; with them: aa cc of aa bb cc, aa cc of aa cc dd
    assert [(metric.what, metric.how) for metric in found] == [
        ("precision by other, without rare words", "1 of 2"),
        ("recall by other, without rare words", "1 of 3"),
        ("precision by other, with rare words", "2 of 3"),
        ("recall by other, with rare words", "2 of 3"),
    ]


def test_the_default_list_is_held_as_its_text() -> None:
    lexicon, held_mb = measure_lexicon_memory()
    text_mb = len(lexicon.words.text) / 1e6
    assert text_mb <= held_mb < 2 * text_mb
    assert lexicon.sha256 == default_lexicon().sha256


def test_look_ups_are_told_in_microseconds() -> None:
    metric = lookup_metric(Lexicon.of("few", ["aa", "bb"]), ["aa", "bb"])
    assert (metric.unit, metric.value > 0) == ("µs", True)


def test_the_yardstick_is_a_list_of_the_shared_folder(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "enable2k.txt").write_text("aa\nab\nzzzz\n")
    told: list[str] = []
    found = {metric.what: metric for metric in word_metrics(tmp_path, told.append)}
    assert found["recall by enable2k, with rare words"].how == "2 of 3"
    assert told == ["loading the default list", "comparing with enable2k.txt"]


def test_without_a_yardstick_the_table_says_so(tmp_path: Path) -> None:
    for shared in (tmp_path, None):
        *_, last = word_metrics(shared, lambda _what: None)
        assert last.value_text == "not measured"
        assert last.how.endswith("words/enable2k.txt")
