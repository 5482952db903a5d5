"""A table in another process: its frames, and the share of a core that it is held to."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from companion.rehearsal.cpu_limit import cpu_seconds, create_group, limit_cpu
from companion.rehearsal.shared_frames import SharedFrames, SharedMemoryCamera
from hardware.clock import Clock

SHAPE = (2, 3, 3)


def test_whoever_reads_gets_the_newest_frame_and_when_it_was_taken() -> None:
    ours = SharedFrames(SHAPE)
    theirs = SharedFrames(SHAPE, ours.name)
    for at_ns in range(1, 8):
        ours.put(np.full(SHAPE, at_ns, np.uint8), at_ns)
    found = theirs.newest(3)
    assert found is not None
    assert found[0] == 7
    assert (found[1] == 7).all()
    assert theirs.newest(7) is None
    theirs.close()
    ours.close()


def test_a_far_camera_has_nothing_before_the_first_frame() -> None:
    frames = SharedFrames(SHAPE)
    assert SharedMemoryCamera(frames, Clock()).newest(0, 0.0) is None
    frames.close()


def test_a_control_group_of_the_first_version_is_told_its_quota_in_microseconds(tmp_path: Path) -> None:
    (tmp_path / "cpu").mkdir()
    assert create_group(tmp_path, 0.25) is None  # a folder whose groups have no files of the kernel's


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="nothing tells what a process has used")
def test_a_process_without_a_control_group_is_stopped_when_it_has_used_up_its_share(tmp_path: Path) -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy,
        limit_cpu(busy.pid, 0.1, tmp_path) as means,
    ):
        begun_s, began = time.monotonic(), cpu_seconds(busy.pid)
        while time.monotonic() - begun_s < 0.6:
            time.sleep(0.02)
        spent, passed = cpu_seconds(busy.pid) - began, time.monotonic() - begun_s
        busy.kill()
    assert means == "by stopping it in between"
    assert spent < 0.5 * passed
