"""Work that a device does on a thread of its own."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Threaded(ABC):
    """Works on a thread of its own, from ``with`` to the end of its block.

    ``_changed`` guards what it works on and wakes it; ``_open`` is true until the end.
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
        """Work until it is no longer open."""
