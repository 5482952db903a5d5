"""OCR in the background: trackers ask it about tiles in doubt, without waiting."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue, SimpleQueue
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from companion.model.phrases import phrase
from companion.table.remarks import Troubles
from companion.vision.decoding import SymbolReader

logger = logging.getLogger(__name__)

MAX_QUEUED_TILES = 48
"""Largest number of queued tiles; a further question is refused and can be asked again later."""

OCR_NICE_VALUE = 19
"""The nice value of OCR and its processes: they use the processor only when it is idle."""

JOIN_TIMEOUT_S = 2.0
"""Time to wait for the thread's end, in seconds."""

OCR_FAILED = phrase(
    "the second reader failed on some tiles: settle their doubts by hand; if it fails again, "
    "let companion doctor look for Tesseract"
)

Probabilities = NDArray[np.float64]
Answers = SimpleQueue[tuple[int, Probabilities]]


@dataclass(frozen=True, slots=True)
class Question:
    """A tile to read: the queue for the answer, the client's number, the upright crop, possible symbols."""

    answers: Answers
    number: int
    crop: NDArray[np.uint8]
    symbols: tuple[str, ...]


class OcrWorker:
    """Reads tiles with a symbol reader in a thread of its own, within a ``with`` block."""

    def __init__(
        self, reader: SymbolReader, queued: int = MAX_QUEUED_TILES, troubles: Troubles | None = None
    ) -> None:
        self._reader, self._troubles = reader, troubles or Troubles()
        self._questions: Queue[Question | None] = Queue(queued)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ocr", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        with suppress(Full):
            self._questions.put_nowait(None)
        self._thread.join(JOIN_TIMEOUT_S)

    def client(self) -> OcrClient:
        """Return a new client."""
        return OcrClient(self._questions)

    def _run(self) -> None:
        """Answer questions until stopped; an error loses only the answers of its batch."""
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), OCR_NICE_VALUE)
        while not self._over.is_set():
            asked = self._next_questions()
            try:
                for symbols in {one.symbols for one in asked}:
                    answer(self._reader, [one for one in asked if one.symbols == symbols])
            except Exception:
                logger.exception("%d tiles got no second reading; the table goes on", len(asked))
                self._troubles.note(OCR_FAILED)

    def _next_questions(self) -> list[Question]:
        """Wait for a question, and return all that are queued: one process reads them together."""
        asked = [self._questions.get()]
        with suppress(Empty):
            while True:
                asked.append(self._questions.get_nowait())
        return [one for one in asked if one is not None]


class OcrClient:
    """Asks a worker and receives its answers; for one thread."""

    def __init__(self, questions: Queue[Question | None]) -> None:
        self._questions = questions
        self._answers: Answers = SimpleQueue()

    def ask(self, number: int, crop: NDArray[np.uint8], symbols: tuple[str, ...]) -> bool:
        """Queue a question about a tile, and return whether there was room for it.

        ``number`` is the client's own, ``crop`` an upright one as for ``SymbolReader``, (side, side), uint8.
        """
        try:
            self._questions.put_nowait(Question(self._answers, number, crop, symbols))
        except Full:
            return False
        return True

    def answers(self) -> Iterator[tuple[int, Probabilities]]:
        """Yield the number of each tile read since, and the probability of each symbol, (symbols,)."""
        with suppress(Empty):
            while True:
                yield self._answers.get_nowait()


class SynchronousOcr:
    """Answers each question at once: for a table whose clock is stopped meanwhile."""

    def __init__(self, reader: SymbolReader) -> None:
        self._reader = reader
        self._answers: Answers = SimpleQueue()

    def ask(self, number: int, crop: NDArray[np.uint8], symbols: tuple[str, ...]) -> bool:
        """Read a tile; arguments as for ``OcrClient.ask``."""
        answer(self._reader, [Question(self._answers, number, crop, symbols)])
        return True

    def answers(self) -> Iterator[tuple[int, Probabilities]]:
        """Yield answers, as ``OcrClient.answers`` does."""
        with suppress(Empty):
            while True:
                yield self._answers.get_nowait()


def answer(reader: SymbolReader, asked: list[Question]) -> None:
    """Read tiles that have the same possible symbols, and queue the answer of each."""
    crops = np.stack([one.crop for one in asked])
    read = reader.symbol_probabilities(crops, asked[0].symbols)
    for one, probabilities in zip(asked, read, strict=True):
        one.answers.put((one.number, probabilities))
