"""A table that is being set up, as the line asks one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.errors import BadCapture
from companion.line.wizard import WizardStatus


class SimpleWizard:
    """A table that is set up as it was told, notes what it is asked, and may refuse."""

    def __init__(self, known: WizardStatus, answer: str = "done") -> None:
        self.known, self.refuses, self._answer = known, "", answer
        self.asked: list[tuple[Any, ...]] = []

    def state(self, camera: int) -> WizardStatus:
        return replace(self.known, camera=camera)

    def shown(self, *given: Any) -> bytes:
        self.asked.append(("shown", *given))
        return b"\xff\xd8 picture"

    def sheet(self, *given: Any) -> bytes:
        self.asked.append(("sheet", *given))
        return b"%PDF"

    def __getattr__(self, name: str) -> Callable[..., str]:
        def asked(*given: Any, **more: Any) -> str:
            self.asked.append((name, *given, *more.values()))
            if self.refuses:
                raise BadCapture(self.refuses)
            return f"{name} {self._answer}"

        return asked
