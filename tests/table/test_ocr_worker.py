"""The second reader in the background: its answers come when they can, and nobody waits for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.table.ocr_worker import OCR_FAILED, OcrClient, OcrWorker, SynchronousOcr
from companion.table.remarks import Troubles

CROP = np.full((32, 32), 9, np.uint8)
AB, CD = ("A", "B"), ("C", "D")
PATIENCE_S = 20.0


class Slow:
    """A reader that takes each tile for its first symbol, once it is let go; a grey one breaks it."""

    def __init__(self) -> None:
        self.go, self.busy = threading.Event(), threading.Event()
        self.given: list[int] = []

    def symbol_probabilities(self, cuts: NDArray[np.uint8], symbols: tuple[str, ...]) -> NDArray[np.float64]:
        self.given.append(len(cuts))
        self.busy.set()
        assert self.go.wait(PATIENCE_S)
        if (cuts == 128).any():
            raise RuntimeError("a grey tile")
        said = np.zeros((len(cuts), len(symbols)))
        said[:, 0] = 0.9
        return said


@pytest.fixture
def slow() -> Iterator[Slow]:
    reader = Slow()
    yield reader
    reader.go.set()


def waited(client: OcrClient, many: int) -> dict[int, list[float]]:
    """Return so many answers, as soon as they are there."""
    found: dict[int, list[float]] = {}
    late_s = time.monotonic() + PATIENCE_S
    while len(found) < many and time.monotonic() < late_s:
        found |= {number: said.tolist() for number, said in client.answers()}
        time.sleep(0.002)
    return found


def until(so: Callable[[], bool]) -> bool:
    """Return whether something comes to be so in good time."""
    late_s = time.monotonic() + PATIENCE_S
    while not so() and time.monotonic() < late_s:
        time.sleep(0.002)
    return so()


def test_each_asker_hears_of_its_own_tiles_alone(slow: Slow) -> None:
    slow.go.set()
    with OcrWorker(slow) as worker:
        one, other = worker.client(), worker.client()
        one.ask(7, CROP, AB)
        other.ask(8, CROP, AB)
        assert waited(one, 1) == {7: [0.9, 0.0]}
        assert waited(other, 1) == {8: [0.9, 0.0]}


def test_who_asks_does_not_wait_for_a_reader_that_is_busy(slow: Slow) -> None:
    with OcrWorker(slow) as worker:
        client = worker.client()
        client.ask(1, CROP, AB)
        assert slow.busy.wait(PATIENCE_S)
        assert client.ask(2, CROP, AB)
        assert list(client.answers()) == []
        slow.go.set()
        assert waited(client, 2).keys() == {1, 2}


def test_who_asks_too_much_is_turned_away_and_loses_nothing_else(slow: Slow) -> None:
    with OcrWorker(slow, queued=2) as worker:
        client = worker.client()
        client.ask(0, CROP, AB)
        assert slow.busy.wait(PATIENCE_S)
        assert [client.ask(k, CROP, AB) for k in (1, 2, 3)] == [True, True, False]
        slow.go.set()
        assert waited(client, 3).keys() == {0, 1, 2}


def test_tiles_that_wait_are_read_by_one_process(slow: Slow) -> None:
    with OcrWorker(slow) as worker:
        client = worker.client()
        client.ask(0, CROP, AB)
        assert slow.busy.wait(PATIENCE_S)
        for k in range(1, 6):
            client.ask(k, CROP, AB)
        slow.go.set()
        waited(client, 6)
    assert slow.given == [1, 5]


def test_tiles_of_two_sets_are_read_apart(slow: Slow) -> None:
    with OcrWorker(slow) as worker:
        client = worker.client()
        client.ask(0, CROP, AB)
        assert slow.busy.wait(PATIENCE_S)
        client.ask(1, CROP, CD)
        client.ask(2, CROP, AB)
        slow.go.set()
        waited(client, 3)
    assert slow.given == [1, 1, 1]


def test_a_reader_that_fails_is_told_of_and_asked_again(slow: Slow, caplog: pytest.LogCaptureFixture) -> None:
    slow.go.set()
    troubles = Troubles()
    with OcrWorker(slow, troubles=troubles) as worker:
        client = worker.client()
        client.ask(1, np.full((32, 32), 128, np.uint8), AB)
        assert until(lambda: bool(caplog.messages))
        client.ask(2, CROP, AB)
        assert waited(client, 1).keys() == {2}
    assert troubles.notes == (OCR_FAILED,)
    assert caplog.messages == ["1 tiles got no second reading; the table goes on"]


def test_it_ends_though_tiles_wait(slow: Slow) -> None:
    slow.go.set()
    with OcrWorker(slow, queued=1) as worker:
        client = worker.client()
        for k in range(20):
            client.ask(k, CROP, AB)
    assert until(lambda: not any(thread.name == "ocr" for thread in threading.enumerate()))


def test_where_the_clock_stands_the_answer_is_there_at_once(slow: Slow) -> None:
    slow.go.set()
    asks = SynchronousOcr(slow)
    assert asks.ask(3, CROP, AB)
    assert [(number, said.tolist()) for number, said in asks.answers()] == [(3, [0.9, 0.0])]
