"""The version of the companion, as ``pyproject.toml`` has it."""

from __future__ import annotations

from importlib.metadata import version

VERSION = version("tableau-companion")
