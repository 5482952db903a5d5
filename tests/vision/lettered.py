"""Crops of tiles with letters, drawn with the font that Pillow brings along, and stand-ins for Tesseract."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

SLEEP, SLOW = f"exec {shutil.which('sleep')} 60", f"{shutil.which('sleep')} 1.2"
LANGUAGES = (
    """if [ "$1" = --list-langs ]; then printf '%s\\n' 'List of available languages (1):' eng; exit 0; fi"""
)


def crop(text: str, turn: int = 0, side: int = 64, ink: int = 30, face: int = 225) -> NDArray[np.uint8]:
    """Return the crop of a tile, (side, side), whose symbol's top left lies at corner ``turn``."""
    tile = Image.new("L", (64, 64), 90)
    draw = ImageDraw.Draw(tile)
    draw.rectangle((4, 4, 59, 59), fill=face)
    draw.text(
        (32, 32), text, fill=ink, font=ImageFont.load_default(46 if len(text) == 1 else 24), anchor="mm"
    )
    return np.rot90(np.asarray(tile.resize((side, side))), -turn).copy()


def crops_of(texts: str, turns: list[int] | None = None, side: int = 64) -> NDArray[np.uint8]:
    """Return the crops of several letters, (n, side, side)."""
    return np.stack(
        [crop(text, turn, side) for text, turn in zip(texts, turns or [0] * len(texts), strict=True)]
    )


class StandIn:
    """A program called ``tesseract``, the only program on the path.

    ``answers`` are the columns page, confidence and text of the words that it reads.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.program, self.called = folder / "tesseract", folder / "called"
        monkeypatch.setenv("PATH", str(folder))

    def does(self, *lines: str) -> None:
        """Let it know English, and do what some lines of shell say when it is to read."""
        note = f'echo "$*" >> {self.called}'
        self.program.write_text("\n".join(["#!/bin/sh", LANGUAGES, note, *lines]) + "\n")
        self.program.chmod(0o755)

    def reads(self, *words: tuple[int, float, str], before: str = "") -> None:
        """Let it read words: on which page, how surely, 0 to 100, and which."""
        rows = [f"5\\t{page}\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t{sure}\\t{text}" for page, sure, text in words]
        table = "\\n".join(["level\\tpage_num\\t...", "1\\t1\\t0\\t0\\t0\\t0\\t0\\t0\\t9\\t9\\t-1\\t", *rows])
        self.does(before, f"printf '{table}\\n' > \"$2.tsv\"")

    @property
    def calls(self) -> list[str]:
        """What it was asked each time, languages apart."""
        return self.called.read_text().splitlines() if self.called.exists() else []
