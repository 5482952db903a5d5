"""Tesseract as the second reader: what it reads, and what happens where it is not, fails or takes long."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.errors import BadPicture
from companion.vision.decoding import SymbolReader
from companion.vision.ocr import AMBIGUITY_FACTOR, PAGES_PER_PROCESS, Tesseract
from tests.vision.lettered import SLEEP, SLOW, StandIn, crop, crops_of

LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
AB = ("A", "B")


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """A stand-in for Tesseract."""
    return StandIn(tmp_path, monkeypatch)


@pytest.fixture
def real() -> Tesseract:
    """The real Tesseract."""
    if shutil.which("tesseract") is None:
        pytest.skip("Tesseract is not installed")
    return Tesseract()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_upright_letters_are_read_and_surely(real: Tesseract) -> None:
    chance = real.symbol_probabilities(crops_of("AEKTZ"), LETTERS)
    assert [LETTERS[k] for k in chance.argmax(1)] == list("AEKTZ")
    assert (chance.max(1) > 0.9).all()


def test_small_crops_are_read_as_large_ones_are(real: Tesseract) -> None:
    for side in (32, 96):
        chance = real.symbol_probabilities(crops_of("EK", side=side), LETTERS)
        assert [LETTERS[k] for k in chance.argmax(1)] == ["E", "K"]


def test_only_symbols_of_the_set_are_read(real: Tesseract) -> None:
    chance = real.symbol_probabilities(crops_of("E"), ("2", "3", "8"))
    assert chance.shape == (1, 3)
    assert chance.sum() <= 1


def test_digits_that_no_network_knows_are_read(real: Tesseract) -> None:
    chance = real.symbol_probabilities(crops_of("2357"), tuple("23456789"))
    assert chance.argmax(1).tolist() == [0, 1, 3, 5]


def test_white_on_dark_is_read_too(real: Tesseract) -> None:
    chance = real.symbol_probabilities(crop("K", ink=235, face=60)[None], LETTERS)
    assert LETTERS[chance[0].argmax()] == "K"


def test_it_is_a_reader_of_symbols() -> None:
    reader: SymbolReader = Tesseract()
    assert reader.symbol_probabilities(np.zeros((0, 32, 32), np.uint8), AB).shape == (0, 2)


def test_a_sure_reading_of_both_copies_counts_in_full(stand_in: StandIn) -> None:
    stand_in.reads((1, 100, "AA"), (2, 95, "BB"))
    chance = Tesseract().symbol_probabilities(crops_of("AB"), AB)
    assert chance.tolist() == [[1.0, 0.0], [0.0, 0.95]]


def test_words_of_a_page_count_together_and_as_the_least_sure(stand_in: StandIn) -> None:
    stand_in.reads((1, 99, "A"), (1, 60, "A"))
    assert Tesseract().symbol_probabilities(crops_of("A"), AB)[0, 0] == pytest.approx(0.6)


def test_two_readings_of_different_symbols_say_nothing(stand_in: StandIn) -> None:
    stand_in.reads((1, 99, "AB"))
    assert Tesseract().symbol_probabilities(crops_of("A"), AB).sum() == 0


def test_an_o_may_be_a_q_whose_tail_was_overlooked_and_counts_for_less(stand_in: StandIn) -> None:
    stand_in.reads((1, 100, "OO"))
    chance = Tesseract().symbol_probabilities(crops_of("O"), ("O", "Q"))
    assert chance[0].tolist() == [AMBIGUITY_FACTOR, 0.0]


def test_many_tiles_are_read_by_one_process(stand_in: StandIn) -> None:
    stand_in.reads((1, 100, "AA"))
    Tesseract(most=99).symbol_probabilities(crops_of("A" * PAGES_PER_PROCESS), AB)
    assert len(stand_in.calls) == 1


def test_it_is_asked_for_one_symbol_a_page_of_the_set_alone(stand_in: StandIn) -> None:
    stand_in.reads()
    Tesseract().symbol_probabilities(crops_of("A"), AB)
    (call,) = stand_in.calls
    assert "-l eng --psm 10" in call
    assert "tessedit_char_whitelist=AB " in call + " "


def test_tiles_beyond_the_most_stay_silent(stand_in: StandIn) -> None:
    stand_in.reads((1, 100, "AA"))
    chance = Tesseract(most=1).symbol_probabilities(crops_of("AA"), AB)
    assert chance.sum(1).tolist() == [1.0, 0]


def test_bare_faces_start_no_process(stand_in: StandIn) -> None:
    stand_in.reads()
    assert Tesseract().symbol_probabilities(np.full((2, 32, 32), 200, np.uint8), AB).sum() == 0
    assert stand_in.calls == []


def test_no_tiles_start_no_process(stand_in: StandIn) -> None:
    stand_in.program.write_text("not even a program")
    assert Tesseract().symbol_probabilities(np.zeros((0, 32, 32), np.uint8), AB).shape == (0, 2)


@pytest.mark.parametrize(
    "cuts", [np.zeros((1, 32, 32)), np.zeros((32, 32), np.uint8), np.zeros((1, 32, 16), np.uint8)]
)
def test_what_is_no_crop_is_refused(cuts: NDArray[np.uint8]) -> None:
    with pytest.raises(BadPicture, match=r"crops are uint8 of shape \(n, side, side\), got"):
        Tesseract().symbol_probabilities(cuts, AB)


def test_without_tesseract_it_warns_once_and_stays_silent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    reader = Tesseract()
    assert [reader.symbol_probabilities(crops_of("A"), AB).sum() for _ in range(3)] == [0, 0, 0]
    assert warnings(caplog) == ["doubts get no second reading until you run: sudo apt install tesseract-ocr"]


def test_each_reader_warns_for_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for _ in range(2):
        Tesseract().symbol_probabilities(crops_of("A"), AB)
    assert len(warnings(caplog)) == 2


def test_a_language_that_lacks_is_named_with_its_package_once(
    stand_in: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    stand_in.reads((1, 100, "ΔΔ"))
    reader = Tesseract()
    assert [reader.symbol_probabilities(crops_of("A"), ("Δ", "Ψ")).sum() for _ in range(2)] == [0, 0]
    expected = "some symbols get no second reading until you run: sudo apt install tesseract-ocr-ell"
    assert (warnings(caplog), stand_in.calls) == ([expected], [])


def test_a_symbol_of_no_language_is_named_and_the_others_are_read(
    stand_in: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    stand_in.reads((1, 100, "AA"))
    chance = Tesseract().symbol_probabilities(crops_of("A"), ("A", "☃"))
    assert chance[0].tolist() == [1.0, 0]
    assert warnings(caplog) == ["no language of Tesseract is known for '☃': no second reading of that"]


def test_the_languages_are_asked_for_once(stand_in: StandIn) -> None:
    stand_in.reads((1, 100, "AA"))
    reader = Tesseract()
    reader.symbol_probabilities(crops_of("A"), AB)
    text = stand_in.program.read_text()
    stand_in.program.write_text(text.replace("--list-langs", "--none"))
    assert reader.symbol_probabilities(crops_of("A"), AB).sum() == 1.0


def test_a_process_that_hangs_is_ended_and_told_of_and_none_is_begun_again(
    stand_in: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    stand_in.does(SLEEP)
    reader = Tesseract(hangs_s=0.5)
    assert [reader.symbol_probabilities(crops_of("A"), AB).sum() for _ in range(2)] == [0, 0]
    assert warnings(caplog) == ["Tesseract did not answer within 0.5 s: no second reading from now on"]
    assert len(stand_in.calls) == 1


def test_pages_read_before_a_process_hangs_count(stand_in: StandIn, tmp_path: Path) -> None:
    done = tmp_path / "done"
    stand_in.reads((1, 100, "AA"), before=f"[ -e {done} ] && {SLEEP}; : > {done}")
    chance = Tesseract(hangs_s=3.0).symbol_probabilities(crops_of("A" * (PAGES_PER_PROCESS + 1)), AB)
    assert chance.sum(1)[[0, PAGES_PER_PROCESS]].tolist() == [1.0, 0]


def test_a_slow_machine_reads_as_many_tiles_as_a_fast_one(stand_in: StandIn) -> None:
    stand_in.reads((1, 100, "AA"), before=SLOW)
    chance = Tesseract().symbol_probabilities(crops_of("A" * (PAGES_PER_PROCESS + 1)), AB)
    assert chance.sum(1)[[0, PAGES_PER_PROCESS]].tolist() == [1.0, 1.0]


def test_a_failure_is_told_once_in_its_own_words(stand_in: StandIn, caplog: pytest.LogCaptureFixture) -> None:
    stand_in.does("echo 'Error opening data file eng.traineddata' >&2", "exit 1")
    reader = Tesseract()
    assert [reader.symbol_probabilities(crops_of("A"), AB).sum() for _ in range(2)] == [0, 0]
    expected = "Tesseract failed, so there is no second reading: Error opening data file eng.traineddata"
    assert warnings(caplog) == [expected]


def test_a_program_that_goes_away_is_told_of(stand_in: StandIn, caplog: pytest.LogCaptureFixture) -> None:
    stand_in.reads((1, 100, "AA"))
    reader = Tesseract()
    reader.symbol_probabilities(crops_of("A"), AB)
    stand_in.program.chmod(0o644)
    assert reader.symbol_probabilities(crops_of("A"), AB).sum() == 0
    assert [text.partition(":")[0] for text in warnings(caplog)] == [
        "Tesseract cannot be run, so there is no second reading"
    ]


def test_an_answer_that_nobody_understands_is_told_of(
    stand_in: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    stand_in.reads((9, 100, "AA"))
    assert Tesseract().symbol_probabilities(crops_of("A"), AB).sum() == 0
    expected = "Tesseract's answer cannot be understood, so there is no second reading: 9"
    assert warnings(caplog) == [expected]
