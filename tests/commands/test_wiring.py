"""``companion wiring``: the wires of a table, checked and printed."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pytest

from companion.cli import main
from companion.commands import sheets
from companion.config.examples import example, examples
from companion.config.table import load
from hardware.wiring import header

TABLE = 'game = "bananagrams"\nseats = ["Ada", "Ben"]\n'


@pytest.fixture(autouse=True)
def no_pi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A place for a Pi's ``config.txt``, of which there is none yet."""
    place = tmp_path / "config.txt"
    monkeypatch.setattr(header, "CONFIG_TXT", place)
    return place


def written(folder: Path, text: str) -> str:
    path = folder / "table.toml"
    path.write_text(TABLE + text, encoding="utf-8")
    return str(path)


def test_it_prints_every_wire_and_the_header(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wiring", "--seats", "2", "--buttons", "1", "--lights", "single"]) == 0
    told = capsys.readouterr().out
    assert re.search(r"GPIO4 \(7\) +seat 1 button 1 +button, GND \(9\)", told)
    assert re.search(r"seat 1 button 1 +GPIO4 +7 ● ○ 8 +GPIO14", told)
    assert re.search(r"GPIO17 +11 ● ● 12 +GPIO18 +seat 2 button 1", told)
    assert "Pins: 9 of 50 mA with everything lit." in told


def test_on_a_wide_terminal_table_and_header_stand_side_by_side(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "130")
    assert main(["wiring"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.index("from there") < first.index("header")


def test_the_tables_in_the_readme_are_what_it_prints(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wiring", "--seats", "4", "--buttons", "1", "--lights", "rgb", "--markdown"]) == 0
    assert capsys.readouterr().out in (root / "companion/docs/controls.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", examples())
def test_every_example_is_wired_as_it_is_told_for_so_many_buttons(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.toml").write_text(example(game), encoding="utf-8")
    seats = load(tmp_path / "table.toml").controls.seats
    wish = ["--seats", str(len(seats)), "--buttons", str(len(seats[0].buttons)), "--lights", "single"]
    assert main(["wiring", *wish, "--json"]) == 0
    wires = capsys.readouterr().out
    assert main(["wiring", str(tmp_path / "table.toml"), "--json"]) == 0
    assert capsys.readouterr().out == wires


def test_wiring_sheets_and_the_example_are_of_one_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.toml").write_text(example("bananagrams"), encoding="utf-8")
    assert main(["wiring", str(tmp_path / "table.toml")]) == 0
    wires = capsys.readouterr().out
    assert main(["wiring"]) == 0
    assert capsys.readouterr().out == wires
    parser = argparse.ArgumentParser()
    sheets.arguments(parser)
    assert parser.parse_args([]).buttons == len(load(tmp_path / "table.toml").controls.seats[0].buttons)


@pytest.mark.parametrize("lights", ["none", "single", "rgb", "strip"])
def test_what_it_writes_for_a_configuration_is_wired_the_same(
    lights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["wiring", "--seats", "2", "--buttons", "2", "--lights", lights, "--buzzer"]
    assert main([*asked, "--json"]) == 0
    wires = capsys.readouterr().out
    assert main([*asked, "--toml"]) == 0
    config = written(tmp_path, capsys.readouterr().out)
    assert len(load(Path(config)).controls.seats) == 2
    assert main(["wiring", config, "--json"]) == 0
    assert capsys.readouterr().out == wires


CONTROLS = """
[controls]
lock_ms = 30
buzzer = 26
interfaces = ["i2c"]
[controls.speech]
language = "de"
[controls.strip]
[[controls.seats]]
buttons = [{ pin = 4, short = ["split", "peel"], long = ["bananas"] }, { pin = 5 }]
light = { kind = "rgb", pins = [17, 18, 27], ohms = [470, 150, 150], common = "anode" }
[[controls.seats]]
light = { kind = "strip" }
"""


def test_what_it_writes_of_a_configuration_is_all_of_its_controls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    controls = load(Path(written(tmp_path, CONTROLS))).controls
    assert main(["wiring", str(tmp_path / "table.toml"), "--toml"]) == 0
    assert load(Path(written(tmp_path, capsys.readouterr().out))).controls == controls


def test_a_clash_in_a_configuration_is_an_error_that_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats = "[[controls.seats]]\nbuttons = [{ pin = 17 }]\n" * 2
    assert main(["wiring", written(tmp_path, seats)]) == 2
    assert "GPIO17 (11) is used by seat 1 button 1 and seat 2 button 1" in capsys.readouterr().err


def test_what_this_pi_switches_on_is_kept_off(no_pi: Path, capsys: pytest.CaptureFixture[str]) -> None:
    no_pi.write_text("dtparam=i2c_arm=on\ndtparam=spi=on\nenable_uart=1\n", encoding="utf-8")
    assert main(["wiring", "--seats", "9", "--buttons", "1", "--lights", "single"]) == 2
    assert "need 18 pins, but 17 are free" in capsys.readouterr().err


def test_a_configuration_and_wishes_are_not_taken_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["wiring", written(tmp_path, ""), "--seats", "3"]) == 2
    assert "a configuration already says how many" in capsys.readouterr().err


def test_a_table_without_buttons_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wiring", written(tmp_path, "")]) == 0
    assert "nothing is wired" in capsys.readouterr().out


def test_the_wires_are_there_for_programs_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wiring", "--seats", "1", "--buttons", "1", "--lights", "none", "--json"]) == 0
    (wire,) = json.loads(capsys.readouterr().out)
    assert (wire["gpio"], wire["header"], wire["what"]) == (4, 7, "seat 1 button 1")
