from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_reading_tells_nobody_and_leaves_no_telemetry_behind(root: Path, tmp_path: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    opened = "from companion.vision.networks import Detector; Detector()"
    env = {**inherited, "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", opened], cwd=root, env=env, check=True, timeout=60)
    assert list(tmp_path.rglob("*")) == []
