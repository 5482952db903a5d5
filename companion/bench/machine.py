"""The machine that figures were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import cv2
import numpy as np

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
