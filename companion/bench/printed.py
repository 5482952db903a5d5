"""Figures, and the machine that they were measured on, as a table for people and as JSON for programs."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.table import Table
from rich.text import Text

from calibration.evaluation.figure import Figure

CPU_KEYS = ("Model", "model name")
"""What the kernel calls the processor: a Raspberry Pi names its board, other machines the processor."""


def machine() -> dict[str, str]:
    """Return what to know of this machine, each under its name."""
    load = ", ".join(f"{mean:.1f}" for mean in os.getloadavg())
    return {
        "processor": cpu_name(Path("/proc/cpuinfo")),
        "cores": str(os.cpu_count()),
        "load of 1, 5, 15 minutes": load,
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "onnxruntime": version("onnxruntime"),
    }


def cpu_name(told: Path) -> str:
    """Return the processor's name from what the kernel tells of it, else the kind of machine."""
    lines = told.read_text(encoding="utf-8", errors="replace").splitlines() if told.is_file() else []
    pairs = (line.partition(":") for line in lines)
    known = {key.strip(): value.strip() for key, _, value in pairs}
    return next((known[key] for key in CPU_KEYS if known.get(key)), platform.machine())


def table(name: str, figures: Iterable[Figure]) -> Table:
    """Return the figures of one section as a table; what is asked and reached is green, else red."""
    drawn = Table("what", title=name, title_justify="left")
    drawn.add_column("asked", no_wrap=True)
    drawn.add_column("measured", justify="right", no_wrap=True)
    drawn.add_column("how", overflow="fold")
    for figure in figures:
        drawn.add_row(figure.what, figure.asked, Text(figure.measured, style=style(figure)), Text(figure.how))
    return drawn


def style(figure: Figure) -> str:
    """Return the colour of a figure."""
    if math.isnan(figure.value):
        return "yellow"
    if not figure.asked:
        return ""
    return "green" if figure.good else "red"


def facts(known: Mapping[str, str]) -> Table:
    """Return what is known of the machine as a table."""
    drawn = Table(show_header=False, box=None)
    for name, value in known.items():
        drawn.add_row(name, Text(value))
    return drawn


def as_object(section: str, figure: Figure) -> dict[str, Any]:
    """Return a figure as JSON has it; a value that was not measured is null."""
    body = asdict(figure)
    value = None if math.isnan(figure.value) else figure.value
    return {"section": section, **body, "value": value, "good": figure.good}
