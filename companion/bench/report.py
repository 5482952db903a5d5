"""Metrics, and the machine that they were measured on, as a table for people and as JSON for programs."""

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

from calibration.evaluation.metric import Metric

CPU_KEYS = ("Model", "model name")
"""Keys of /proc/cpuinfo that name the processor, first the one that a Raspberry Pi has for its board."""


def machine() -> dict[str, str]:
    """Return processor, load, system and library versions of this machine, by name."""
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


def cpu_name(cpuinfo: Path) -> str:
    """Return the processor's name from a file like /proc/cpuinfo, else the machine type."""
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines() if cpuinfo.is_file() else []
    pairs = (line.partition(":") for line in lines)
    known = {key.strip(): value.strip() for key, _, value in pairs}
    return next((known[key] for key in CPU_KEYS if known.get(key)), platform.machine())


def table(name: str, metrics: Iterable[Metric]) -> Table:
    """Return the metrics of one section as a table; a value that reaches its target is green, else red."""
    drawn = Table("what", title=name, title_justify="left")
    drawn.add_column("asked", no_wrap=True)
    drawn.add_column("measured", justify="right", no_wrap=True)
    drawn.add_column("how", overflow="fold")
    for metric in metrics:
        drawn.add_row(
            metric.what, metric.target_text, Text(metric.value_text, style=style(metric)), Text(metric.how)
        )
    return drawn


def style(metric: Metric) -> str:
    """Return the style of a metric's value: empty without a target."""
    if math.isnan(metric.value):
        return "yellow"
    if not metric.target_text:
        return ""
    return "green" if metric.good else "red"


def facts(known: Mapping[str, str]) -> Table:
    """Return facts of the machine as a table."""
    drawn = Table(show_header=False, box=None)
    for name, value in known.items():
        drawn.add_row(name, Text(value))
    return drawn


def as_object(section: str, metric: Metric) -> dict[str, Any]:
    """Return a metric as a JSON object; a value that was not measured is null."""
    body = asdict(metric)
    value = None if math.isnan(metric.value) else metric.value
    return {"section": section, **body, "value": value, "good": metric.good}
