"""A host who accepts every suggestion while a table is set up."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.errors import Unanswered
from companion.rehearsal import wizard_host
from companion.rehearsal.wizard_host import WizardHost


class Desk:
    """Takes every step, but for those that it refuses at first."""

    def __init__(self, refusals: int = 0) -> None:
        self.steps: list[str] = []
        self.refusals = refusals

    def step(self, name: str) -> str:
        if name == "markers" and self.refusals:
            self.refusals -= 1
            raise Unanswered("marker 2 is hidden")
        self.steps.append(name)
        return "done"

    def light(self, _camera: int) -> str:
        return self.step("light")

    def markers(self, _camera: int, _size: None, _ruler: None) -> str:
        return self.step("markers")

    def tile(self, _camera: int, _side: None) -> str:
        return self.step("tile")

    def drift(self, _camera: int) -> str:
        return self.step("drift")

    def state(self, _camera: int) -> Desk:
        return self

    zones = ()


def gone_through(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> tuple[WizardHost, list[str]]:
    """Return a host who has gone through the steps of a desk, and what was said of it."""
    said: list[str] = []
    monkeypatch.setattr(wizard_host, "WizardClient", lambda *_: desk)
    monkeypatch.setattr(wizard_host, "RETRY_PAUSE_S", 0.0)
    host = WizardHost(Path("line"), lambda: True, lambda: said.append("done"))
    host.run()
    return host, said


def test_a_host_goes_through_all_steps_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(refusals=2)
    _, said = gone_through(desk, monkeypatch)
    assert desk.steps == ["light", "markers", "tile", "drift"]
    assert said == ["done"]


def test_a_step_that_is_refused_for_good_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    host, said = gone_through(Desk(refusals=99), monkeypatch)
    assert host.fault == "marker 2 is hidden"
    assert said == []
