from __future__ import annotations

import io
import json

import pytest
from rich.console import Console
from rich.table import Table

from calibration.evaluation.metric import Metric
from companion.bench.report import as_object, facts, style, table

FAST = Metric("read", 9.5, "ms", most=12, how="median of 5")


def shown(what: Table) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(what)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def cells(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("│┃").split(line[0])]
        for line in text.splitlines()
        if line[0] in "│┃"
    ]


def test_a_figure_is_a_row_with_what_is_asked_and_measured_and_how() -> None:
    text = shown(table("speed", [FAST, Metric.not_measured("photographs", "no [folder]")]))
    assert text.startswith("speed")
    assert cells(text) == [
        ["what", "asked", "measured", "how"],
        ["read", "at most 12 ms", "9.5 ms", "median of 5"],
        ["photographs", "", "not measured", "no [folder]"],
    ]


@pytest.mark.parametrize(
    ("metric", "colour"),
    [
        (FAST, "green"),
        (Metric("read", 13, "ms", most=12), "red"),
        (Metric("read", 13, "ms"), ""),
        (Metric.not_measured("read", "no table"), "yellow"),
    ],
)
def test_what_is_asked_and_reached_is_green(metric: Metric, colour: str) -> None:
    assert style(metric) == colour


def test_the_machine_is_told_line_by_line() -> None:
    assert [line.split() for line in shown(facts({"cores": "4", "python": "3.13"})).splitlines()] == [
        ["cores", "4"],
        ["python", "3.13"],
    ]


def test_json_has_every_part_of_a_figure() -> None:
    assert as_object("speed", FAST) == {
        "section": "speed",
        "what": "read",
        "value": 9.5,
        "unit": "ms",
        "most": 12,
        "least": None,
        "how": "median of 5",
        "good": True,
    }


def test_what_was_not_measured_is_null_in_json() -> None:
    body = as_object("speed", Metric.not_measured("read", "no table"))
    assert json.loads(json.dumps(body, allow_nan=False))["value"] is None
