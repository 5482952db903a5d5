"""What every test may ask for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from calibration.drawing import fonts as drawing_fonts
from companion.paper import fonts as paper_fonts

# a busy machine is no fault of the code
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

FONTS = tuple(Path("/usr/share/fonts/truetype") / name for name in ("dejavu", "noto", "humor-sans"))
"""The fonts that ``./run test`` installs: tests draw with no others, and so the same on every machine."""

drawing_fonts.FOLDERS = paper_fonts.FONT_FOLDERS = FONTS


@pytest.fixture(scope="session")
def root(pytestconfig: pytest.Config) -> Path:
    """The folder of the checkout."""
    return pytestconfig.rootpath


@pytest.fixture(scope="session")
def shared(root: Path) -> Path:
    """The folder of photographs, facts and rule texts that may lie beside the checkout."""
    folder = root.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no folder of photographs, facts and rule texts lies beside the checkout")
    return folder
