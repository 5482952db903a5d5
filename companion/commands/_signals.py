"""Ctrl-C, a service manager and a terminal that is closed end a command cleanly."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ending(stop: threading.Event) -> Iterator[None]:
    """Set ``stop`` at the signals that end a process, during a block; ``nohup`` is respected."""

    def handle(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signals = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signals.append(signal.SIGHUP)
    before = {one: signal.signal(one, handle) for one in signals}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
