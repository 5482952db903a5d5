from __future__ import annotations

import platform
from pathlib import Path

import pytest

from companion.bench.report import cpu_name, machine

PI = "processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 5 Model B Rev 1.0\n"
OTHER = "processor\t: 0\nmodel\t: 1\nmodel name\t: Some Processor 9000: Special\n"


@pytest.mark.parametrize(
    ("told", "name"),
    [
        (PI, "Raspberry Pi 5 Model B Rev 1.0"),
        (OTHER, "Some Processor 9000: Special"),
        ("model name\t:\n", platform.machine()),
        ("", platform.machine()),
    ],
)
def test_the_processor_is_called_as_the_kernel_calls_it(told: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(told)
    assert cpu_name(tmp_path / "cpuinfo") == name


def test_where_the_kernel_tells_nothing_the_kind_of_machine_stands(tmp_path: Path) -> None:
    assert cpu_name(tmp_path / "cpuinfo") == platform.machine()


def test_all_that_figures_depend_on_is_named() -> None:
    known = machine()
    assert set(known) == {
        "processor", "cores", "load of 1, 5, 15 minutes", "system", "python", "numpy", "opencv", "onnxruntime"
    }  # fmt: skip
    assert all(known.values())
