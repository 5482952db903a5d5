"""The printable mount, rendered where OpenSCAD is here."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openscad") is None, reason="openscad is not here (package openscad)"),
]


@pytest.mark.parametrize("part", ["plate", "clamp"])
@pytest.mark.parametrize("camera", ["module", "hq"])
def test_a_part_is_one_closed_solid_that_lies_flat(
    part: str, camera: str, root: Path, tmp_path: Path
) -> None:
    source, out = root / "hardware/mount/camera_mount.scad", tmp_path / "part.stl"
    words = ["-D", f'part="{part}"', "-D", f'camera="{camera}"', "-o", str(out), str(source)]
    done = subprocess.run(["openscad", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"Simple: +yes", done.stderr)
    assert re.search(r"Volumes: +2", done.stderr)  # what is around it is the other
    heights = [float(line.split()[3]) for line in out.read_text().splitlines() if "vertex" in line]
    assert min(heights) == pytest.approx(0, abs=0.02)
