"""The header as a picture: every wire is in it, and the page for builders shows the one that is drawn now."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from companion.cli import main
from companion.config.controls import LightKind
from hardware.wiring import default_controls, wires
from hardware.wiring.picture import PICTURE_WIDTH_PX, picture

WORDS = ["wiring", "--seats", "4", "--buttons", "1", "--lights", "rgb", "--svg"]


def texts(svg: str) -> list[str]:
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def test_every_wire_is_told_in_the_picture() -> None:
    all_ = wires(default_controls(4, 2, LightKind.SINGLE))
    shown = texts(picture(all_))
    assert len(all_) == 12
    assert [wire for wire in all_ if f"{wire.what}: {wire.part}" not in shown] == []


def test_every_pin_has_its_number_and_its_name() -> None:
    shown = texts(picture([]))
    assert shown.count("GND") == 8
    assert len(shown) == 80


def test_long_words_stay_inside_the_picture() -> None:
    told = max(
        (len(text) for text in texts(picture(wires(default_controls(6, 1, LightKind.RGB))))), default=0
    )
    assert told * 7 < PICTURE_WIDTH_PX / 2 - 118


def test_the_page_shows_what_is_drawn_today(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(WORDS) == 0
    assert (root / "companion/pictures/wiring.svg").read_text(encoding="utf-8") == capsys.readouterr().out
