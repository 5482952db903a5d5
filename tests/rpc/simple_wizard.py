"""A table that is being set up, as the line asks one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.errors import BadCapture
from companion.model.set_up import WizardStatus
from companion.rpc import WizardService
from companion.rpc.operations import operations


class SimpleWizard(WizardService):
    """A table that is set up as it was told, notes what it is asked, and may refuse."""

    def __init__(self, known: WizardStatus, answer: str = "done") -> None:
        self.known, self.refuses, self._answer = known, "", answer
        self.asked: list[tuple[Any, ...]] = []

    def state(self, camera: int = 0) -> WizardStatus:
        return replace(self.known, camera=camera)

    def noted(self, name: str, *given: Any) -> str:
        """Note what was asked, and refuse it or say that it was done."""
        self.asked.append((name, *given))
        if self.refuses:
            raise BadCapture(self.refuses)
        return f"{name} {self._answer}"

    def shown(self, *given: Any, **more: Any) -> bytes:
        self.asked.append(("shown", *given, *more.values()))
        return b"\xff\xd8 picture"

    def sheet(self, *given: Any, **more: Any) -> bytes:
        self.asked.append(("sheet", *given, *more.values()))
        return b"%PDF"


def noting(name: str) -> Callable[..., str]:
    """Return an operation that is only noted."""

    def method(self: SimpleWizard, *given: Any, **more: Any) -> str:
        return self.noted(name, *given, *more.values())

    return method


for step in set(operations(WizardService)) - set(vars(SimpleWizard)):
    setattr(SimpleWizard, step, noting(step))
