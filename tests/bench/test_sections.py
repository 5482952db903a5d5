from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import companion
from calibration.evaluation.metric import Metric
from companion.bench import sections
from companion.bench.sections import SECTIONS, BenchOptions, shared_folder, unless_fonts_missing
from companion.cli import main
from companion.commands import bench as command
from companion.errors import NoFonts

ONE = Metric("one", 1.0, "ms", most=2)


def lacks() -> Iterator[Metric]:
    yield ONE
    raise NoFonts("install fonts")


def yields(*metrics: Metric) -> Callable[..., Iterator[Metric]]:
    return lambda *_given: iter(metrics)


def given(shared: Path | None = None) -> BenchOptions:
    return BenchOptions(shared, 1, lambda _what: None)


@pytest.fixture(autouse=True)
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "limit_to_one_thread", lambda: None)


def bench(*words: str) -> int:
    return main(["bench", *words])


def test_where_fonts_lack_the_figures_so_far_stay_and_the_fault_is_told() -> None:
    first, last = unless_fonts_missing("drawn tables", lacks())
    assert first == ONE
    assert (last.what, last.how) == ("drawn tables", "install fonts")


def test_without_a_shared_folder_photographs_are_not_measured() -> None:
    (only,) = SECTIONS["reading"](given())
    assert (only.value_text, "--shared" in only.how) == ("not measured", True)


def test_photographs_and_games_are_those_of_the_shared_folder(tmp_path: Path) -> None:
    found = list(SECTIONS["reading"](given(tmp_path)))
    assert len(found) == 6
    assert all(str(tmp_path) in metric.how for metric in found)


@pytest.mark.parametrize(
    ("section", "function"),
    [
        ("drawn", "drawn_metrics"),
        ("speed", "speed_metrics"),
        ("second", "ocr_metrics"),
        ("words", "word_metrics"),
        ("rules", "rules_metrics"),
    ],
)
def test_every_section_yields_its_figures(
    section: str, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sections, function, yields(ONE))
    assert list(SECTIONS[section](given())) == [ONE]


def test_boards_are_measured_under_one_camera_and_under_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "board_metrics", yields(ONE))
    monkeypatch.setattr(sections, "two_camera_metrics", yields(replace(ONE, what="two")))
    assert list(SECTIONS["boards"](given())) == [ONE, replace(ONE, what="two")]


def test_the_shared_folder_is_beside_the_checkout_else_in_or_beside_the_current_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(companion, "__file__", str(tmp_path / "far" / "main" / "companion" / "__init__.py"))
    assert shared_folder() is None
    for folder in (tmp_path / "shared", here / "shared", tmp_path / "far" / "shared"):
        folder.mkdir(parents=True)
        assert shared_folder() == folder


def test_one_section_is_printed_and_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sections.SECTIONS, "speed", yields(ONE))
    assert bench("speed", "--json", str(tmp_path / "figures.json")) == 0
    printed = capsys.readouterr().out
    body = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert "at most 2 ms" in printed
    assert body["machine"]["python"] in printed
    assert body["seeds"] == sections.SEEDS
    assert [(figure["section"], figure["what"]) for figure in body["figures"]] == [("speed", "one")]


def test_the_seed_of_every_drawing_is_printed() -> None:
    of_packages = [
        module
        for name, module in sys.modules.items()
        if name.startswith(("companion.bench.", "calibration.evaluation."))
    ]
    seeds = {
        value
        for module in of_packages
        for name, value in vars(module).items()
        if name.endswith("SEED") and isinstance(value, int)
    }
    assert seeds == set(sections.SEEDS.values())


def test_a_figure_that_is_not_reached_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sections.SECTIONS, "speed", yields(Metric("one", 3, "ms", most=2)))
    assert bench("speed") == 0


def test_all_sections_follow_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in SECTIONS:
        monkeypatch.setitem(sections.SECTIONS, name, yields(Metric(f"{name}!", 1.0, "ms")))
    assert bench() == 0
    printed = capsys.readouterr().out
    places = [printed.index(f"{name}!") for name in ("reading", "drawn", "speed", "words", "rules")]
    assert places == sorted(places)


def test_what_is_at_work_is_said_with_the_folder_and_the_number_that_were_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[BenchOptions] = []

    def measure(asked: BenchOptions) -> Iterator[Metric]:
        asked.progress("reading [1/2]")
        seen.append(asked)
        return iter(())

    monkeypatch.setitem(sections.SECTIONS, "drawn", measure)
    assert bench("drawn", "--shared", str(tmp_path), "--scenes", "7") == 0
    assert (seen[0].shared, seen[0].scenes) == (tmp_path, 7)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--shared", "no/such"], "--shared no/such: there is no such folder"),
        (["--scenes", "0"], "--scenes is 1 to 10,000; got 0"),
        (["--scenes", "10001"], "got 10001"),
        (["--json", "no/such/file"], "--json no/such/file: cannot be written: No such file or directory"),
    ],
)
def test_what_cannot_be_measured_or_written_is_said_before_it_begins(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("words", *words) == 2
    told = capsys.readouterr()
    assert (told.out, says in told.err) == ("", True)


def test_a_file_that_cannot_be_written_is_named_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("words", "--json", str(tmp_path)) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert f"companion bench: --json {tmp_path}: cannot be written" in told.err
