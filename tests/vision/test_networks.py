from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.vision import networks
from companion.vision.networks import Detector


def test_reading_tells_nobody_and_leaves_no_telemetry_behind(root: Path, tmp_path: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    opened = "from companion.vision.networks import Detector; Detector()"
    env = {**inherited, "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", opened], cwd=root, env=env, check=True, timeout=60)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("shape", [(320, 456), (200, 520)])
def test_a_large_picture_is_detected_in_by_blocks_whose_borders_do_not_show(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int]
) -> None:
    detector, rng = Detector(), np.random.default_rng(1)
    coarse = rng.integers(0, 255, (shape[0] // 8, shape[1] // 8), np.uint8)
    picture = np.asarray(cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC), np.uint8)
    whole = detector.values(picture)
    monkeypatch.setattr(networks, "BLOCK_PX", 192)
    assert detector.values(picture) == pytest.approx(whole, abs=1e-3)
