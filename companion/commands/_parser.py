"""An argument parser that refuses impossible paths before the file is opened."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from companion.model.files import path_problem


class Parser(argparse.ArgumentParser):
    """A parser that refuses a ``type=Path`` which cannot be used; its subparsers do so too."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.register("type", Path, path)


def path(given: str) -> Path:
    """Return a path; raise ArgumentTypeError where it cannot be used."""
    if why := path_problem(given):
        raise argparse.ArgumentTypeError(f"{given[:40]!r} cannot be used: {why}")
    return Path(given)
