"""What ``./run test`` checks, and what it needs for that."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.run.bare_machine import Bench

EVERY_DAY = [
    ["ruff", "check", "."],
    ["ruff", "format", "--check", "."],
    ["mypy"],
    ["pytest", "-m", "not slow and not live and not debian and not emulated", "--durations=25"],
]
COVERED = ["--cov", "--cov-report=term", "--cov-fail-under=90"]
ALL = [
    *EVERY_DAY[:3],
    [
        "pytest",
        "-m",
        "not live and not debian and not emulated",
        "--durations=25",
        "--cov",
        "--cov-report=term",
        "--cov-fail-under=90",
    ],
    ["pytest", "-m", "live", "--durations=10"],
    ["coverage", "report", "--include=companion/model/*", "--fail-under=95.01"],
    ["coverage", "report", "--include=companion/words/*", "--fail-under=95.01"],
]


def steps(bench: Bench) -> list[list[str]]:
    return [call[2:] for call in bench.calls("python", "-m") if call[2] not in {"pip", "venv"}]


def test_the_checks_run_in_order_and_leave_out_what_is_slow(bench: Bench) -> None:
    said = bench.run("test")
    assert (said.returncode, steps(bench)) == (0, EVERY_DAY)
    assert said.stdout.splitlines() == [f"{step[0]} talks" for step in EVERY_DAY]


def test_all_checks_run_the_slow_tests_and_measure_coverage(bench: Bench) -> None:
    assert (bench.run("test", "--all").returncode, steps(bench)) == (0, ALL)


def test_packages_are_tried_in_debian_systems_when_asked_for(bench: Bench) -> None:
    tried = ["pytest", "-m", "debian", "-k", "bookworm"]
    assert (bench.run("test", "--debian", "-k", "bookworm").returncode, steps(bench)[-1]) == (0, tried)


def test_the_package_is_tried_on_emulated_machines_when_asked_for(bench: Bench) -> None:
    tried = ["pytest", "-m", "emulated", "-k", "trixie"]
    assert (bench.run("test", "--machines", "-k", "trixie").returncode, steps(bench)[-1]) == (0, tried)


def test_a_package_is_built_with_what_was_asked_for(bench: Bench) -> None:
    built = ["companion.packaging", "--arch", "arm64"]
    assert bench.run("package", "--arch", "arm64").returncode == 0
    assert [call[3:] for call in bench.calls("python", "-P", "-m")] == [built]


def test_all_checks_take_no_further_words(bench: Bench) -> None:
    said = bench.run("test", "--all", "-x")
    assert (said.returncode, steps(bench)) == (3, EVERY_DAY[:3])
    assert "--all checks everything" in said.stderr


def test_the_help_of_the_checks_says_how_to_call_them_and_installs_nothing(bench: Bench) -> None:
    said = bench.run("test", "--help")
    assert all(f"./run {call} " in said.stdout for call in ("test", "test --all", "test PATH...", "lock"))
    assert bench.locked() == []


@pytest.mark.parametrize("failing", ["ruff", "mypy", "pytest", "coverage"])
def test_a_check_that_fails_stops_no_other_and_fails_the_whole(bench: Bench, failing: str) -> None:
    said = bench.run("test", "--all", FAILING=failing)
    assert (said.returncode, steps(bench)) == (1, ALL)
    assert "run: failed: " in said.stderr


def test_further_words_go_to_pytest_and_then_no_coverage_is_asked_for(bench: Bench) -> None:
    bench.run("test", "-k", "peel or dump", "--lf")
    assert steps(bench)[3:] == [["pytest", "-k", "peel or dump", "--lf"]]


def test_the_path_of_a_test_is_meant_from_where_the_caller_stands(bench: Bench) -> None:
    (bench.folder / "mine").mkdir()
    (bench.folder / "mine" / "test_a b.py").touch()
    bench.run("test", "mine/test_a b.py::test_c", "mine/gone.py", "-k", "mine")
    assert steps(bench)[3][1:] == [f"{bench.folder}/mine/test_a b.py::test_c", "mine/gone.py", "-k", "mine"]


def test_the_second_reader_is_brought_with_its_umlauts(ready: Bench) -> None:
    ready.umlauts.rmdir()
    assert ready.run("read", "table.jpg").returncode == 0
    assert ready.calls("apt-get")[-1][-1] == "tesseract-ocr-deu"


def test_the_checks_need_more_than_the_companion(ready: Bench) -> None:
    ready.without("shellcheck")
    ready.without("chromedriver")
    ready.scowl.rmdir()
    for folder in ready.fonts:
        folder.rmdir()
    assert ready.run("test").returncode == 0
    packages = ready.calls("apt-get")[-1][-6:]
    assert packages[:2] + packages[-1:] == ["shellcheck", "scowl", "chromium-driver"]
    assert packages[2:5] == ["fonts-dejavu", "fonts-noto-core", "fonts-humor-sans"]
    assert ready.locked() == [["dev"]]


def test_after_the_checks_the_companion_needs_nothing_more(bench: Bench) -> None:
    bench.run("test")
    bench.forget()
    bench.run("read")
    bench.run("test")
    assert bench.locked() == []


def test_the_check_of_every_change_leaves_nothing_out(bench: Bench) -> None:
    assert bench.run(program=".ci/run", FAILING="mypy").returncode == 1
    assert steps(bench) == ALL


@pytest.mark.parametrize("script", ["run", ".ci/run"])
def test_a_script_has_nothing_that_shellcheck_warns_of(script: str, root: Path) -> None:
    said = subprocess.run(["shellcheck", root / script], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (0, "")
