"""A bare machine for ``run``, and one where the companion is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.bare_machine import Bench


@pytest.fixture
def bench(tmp_path: Path, root: Path) -> Bench:
    return Bench(tmp_path / "a bench", root)


@pytest.fixture
def ready(bench: Bench) -> Bench:
    assert bench.run("read", "x.jpg").returncode == 0
    bench.forget()
    return bench
