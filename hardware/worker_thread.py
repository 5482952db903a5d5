"""A base class of devices that work on a thread."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class WorkerThread(ABC):
    """Runs ``_work`` on a thread, from ``with`` to the end of its block.

    The condition ``_changed`` guards its data and wakes it; ``_open`` is true until the end.
    """

    def __init__(self, name: str) -> None:
        self._changed = threading.Condition()
        self._open = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._open = True
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._open = False
            self._changed.notify()
        self._thread.join()

    @abstractmethod
    def _work(self) -> None:
        """Work until ``_open`` is false."""
