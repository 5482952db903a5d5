"""The version of the companion, from ``pyproject.toml``."""

from __future__ import annotations

from importlib.metadata import version

VERSION = version("tableau-companion")
