"""A font that is always there, so that tables can be drawn on any machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import ImageFont

from companion.bench import drawn


@pytest.fixture(autouse=True)
def font(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Draw with the font that Pillow brings along."""
    path = tmp_path_factory.getbasetemp() / "Aileron-Regular.ttf"
    brought = ImageFont.load_default(20)
    assert isinstance(brought, ImageFont.FreeTypeFont)
    if not path.exists():
        Path(path).write_bytes(brought.font_bytes)
    monkeypatch.setattr(drawn, "reporting_fonts", lambda: (path,))
