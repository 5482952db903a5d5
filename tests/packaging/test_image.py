"""The recipe of an image for SD cards: its scripts, tried without a card."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion.bootstrap.hotspot import CONNECTION_FILE

SCREEN = "01-screen/files/show-the-way"


@pytest.fixture
def stage(root: Path) -> Path:
    return root / "systemd/image/stage-companion"


@pytest.fixture
def card(stage: Path, tmp_path: Path) -> Path:
    """A folder that stands for a card's root, with the script that tells the way, and what it calls."""
    script = (stage / SCREEN).read_text()
    script = script.replace("/etc/issue.d", str(tmp_path / "etc/issue.d"))
    tool(tmp_path, "show", script.replace("/usr/lib/tableau-companion/bin/python3", sys.executable))
    own = f'#!/bin/sh\nexec {sys.executable} -P -m companion "$@" --root {tmp_path}\n'
    tool(tmp_path, "companion", own)
    said = "first start: open /host and enter the code 12345678 there"
    tool(tmp_path, "journalctl", f"#!/bin/sh\necho {said}\necho http://table/\n")
    return tmp_path


def tool(folder: Path, name: str, text: str) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / name).write_text(text)
    (folder / "bin" / name).chmod(0o755)


def started(card: Path) -> tuple[str, str]:
    """Start the machine once; return what its screen says of the Wi-Fi and of the code."""
    path = f"{card / 'bin'}:{os.environ['PATH']}"
    subprocess.run([card / "bin/show"], env=os.environ | {"PATH": path}, check=True)
    shown = [card / f"etc/issue.d/companion-{name}.issue" for name in ("wifi", "code")]
    assert {one.stat().st_mode & 0o777 for one in shown} == {0o600}
    return shown[0].read_text(), shown[1].read_text()


def test_the_screen_tells_wi_fi_key_pages_and_the_first_code(card: Path) -> None:
    wifi, code = started(card)
    key = next(line for line in wifi.splitlines() if line.startswith("key: ")).removeprefix("key: ")
    assert f"psk={key}\n" in (card / CONNECTION_FILE.relative_to("/")).read_text()
    assert "pages: http://10.42.0.1/\n" in wifi
    assert "▄▄▄▄▄" in wifi  # the corners of the code that phones read
    assert "enter the code 12345678" in code


def test_the_key_stays_the_same_at_the_next_start(card: Path) -> None:
    assert started(card)[0] == started(card)[0]


def test_a_file_that_a_power_cut_left_empty_is_written_again(card: Path) -> None:
    started(card)
    (card / "etc/issue.d/companion-wifi.issue").write_text("")
    key = re.search(r"^key: (\S+)$", started(card)[0], re.MULTILINE)
    assert key
    assert f"psk={key[1]}\n" in (card / CONNECTION_FILE.relative_to("/")).read_text()


def test_the_image_names_a_country_without_which_pi_gen_leaves_wi_fi_off(root: Path) -> None:
    assert re.search(r"^WPA_COUNTRY=[A-Z]{2}$", (root / "systemd/image/config").read_text(), re.MULTILINE)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not here")
def test_the_scripts_of_the_image_are_sound_and_can_be_called(stage: Path) -> None:
    scripts = [path for path in stage.rglob("*") if path.is_file() and path.read_text().startswith("#!")]
    assert len(scripts) == 4
    assert [path.name for path in scripts if not os.access(path, os.X_OK)] == []
    command = ["shellcheck", "--exclude=SC2154", *map(str, scripts)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
