"""A table shows its doubts to Tesseract in the background, where there is one and nobody switched it off."""

from __future__ import annotations

import time
from contextlib import nullcontext
from itertools import count, islice
from pathlib import Path
from typing import Any, cast

import pytest

from companion.bootstrap import devices
from companion.bootstrap.devices import Simulation, open_devices
from companion.bootstrap.readiness.table import judging_checks
from companion.config.cameras import CameraConfig, CameraKind
from companion.config.table import TableConfig
from companion.model.reading import Tile
from companion.vision.tracking.track import MAX_OBSERVATIONS
from hardware.cameras import Camera
from hardware.cameras.checks import Check
from tests.vision.lettered import StandIn
from tests.vision.simple_table import STEP, SimpleReader
from tests.vision.simple_table import Table as SimpleTable

UNSURE = 0.8
PATIENCE_S = 20.0
SIMULATED = (CameraConfig(CameraKind.SIMULATED),)


def config(**others: Any) -> TableConfig:
    return TableConfig("bananagrams", ("Ada", "Bert"), **others)


def line(table: TableConfig) -> Check:
    """Return what the readiness list says of the second reader."""
    (found,) = [check for check in judging_checks(table) if check.what == "second reader"]
    return found


def read_by(table: TableConfig, monkeypatch: pytest.MonkeyPatch, *, patient: bool = False) -> list[Tile]:
    """Return a table's tiles, one that the reader is in doubt of, once there was time for another reading."""
    monkeypatch.setattr(devices, "Reader", lambda *_args, **_more: SimpleReader(UNSURE))
    drawn = SimpleTable({(300, 200): "A"})
    simulation = Simulation(camera=lambda _config: cast("Camera", nullcontext()), stepped_clock=patient)
    with open_devices(table, simulation) as hardware:
        (camera,) = hardware.rig(table).cameras
        late_s, seen, frames = time.monotonic() + 2, list[Tile](), count(1)
        while len(seen) != 1 or (seen[0].doubt and time.monotonic() < late_s):
            for frame in islice(frames, MAX_OBSERVATIONS + 6):
                seen = list(camera.tracker.update(drawn.drawn(), frame * STEP).reading.tiles)
            if patient:
                break
            time.sleep(0.05)
    return seen


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """A stand-in for Tesseract that reads an A on everything."""
    stand_in = StandIn(tmp_path, monkeypatch)
    stand_in.reads((1, 100, "AA"))
    return stand_in


@pytest.mark.usefixtures("tesseract")
def test_a_live_tables_doubt_is_settled_by_tesseract(monkeypatch: pytest.MonkeyPatch) -> None:
    (tile,) = read_by(config(cameras=SIMULATED), monkeypatch)
    assert (tile.symbol, tile.doubt) == ("A", False)


@pytest.mark.usefixtures("tesseract")
def test_where_the_clock_stands_meanwhile_the_answer_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    (tile,) = read_by(config(cameras=SIMULATED), monkeypatch, patient=True)
    assert not tile.doubt


def test_a_table_without_ocr_never_starts_tesseract(
    monkeypatch: pytest.MonkeyPatch, tesseract: StandIn
) -> None:
    (tile,) = read_by(config(cameras=SIMULATED, ocr=False), monkeypatch)
    assert tile.doubt
    assert tesseract.calls == []


def test_a_table_where_tesseract_is_missing_keeps_its_doubts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tile,) = read_by(config(cameras=SIMULATED), monkeypatch)
    assert tile.doubt


@pytest.mark.usefixtures("tesseract")
def test_the_readiness_list_says_that_doubts_are_read_again() -> None:
    assert line(config()).fine


def test_the_readiness_list_says_once_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = line(config())
    assert (found.fine, found.essential) == (None, False)
    assert "sudo apt install tesseract-ocr" in found.mend


@pytest.mark.usefixtures("tesseract")
def test_the_readiness_list_names_the_language_that_lacks() -> None:
    assert "tesseract-ocr-deu" in line(config(tile_set="scrabble-de")).mend


def test_the_readiness_list_says_that_it_is_switched_off() -> None:
    assert "ocr = false" in line(config(ocr=False)).says
