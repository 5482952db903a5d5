from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import ifaddr
import pytest

from companion.cli import main
from companion.commands.web import print_addresses, reachable_address


def test_the_command_tells_the_code_of_the_first_start_and_serves(tmp_path: Path, root: Path) -> None:
    words = ["web", "--log", tmp_path / "log", "--kept", tmp_path / "kept", "--port", "0"]
    command = [sys.executable, "-P", "-m", "companion", *map(str, words)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert re.fullmatch(
            r"first start: open /host and enter the code \d{8} there\n", process.stdout.readline()
        )
        address = process.stdout.readline().strip()
        assert "No game yet" in urllib.request.urlopen(address).read().decode()
        process.terminate()


def test_ctrl_c_ends_the_pages_without_a_word(tmp_path: Path, root: Path) -> None:
    words = ["web", "--log", tmp_path / "log", "--kept", tmp_path / "kept", "--port", "0", "--no-mdns"]
    at_a_terminal = ["env", "--default-signal=INT"]  # a job in the background ignores it
    command = [*at_a_terminal, sys.executable, "-P", "-m", "companion", *map(str, words)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=root, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout
        assert next(line for line in process.stdout if line.startswith("http"))
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--port", "99999"], "--port is 0 to 65535"), (["--host", "256.1.1.1"], "cannot be listened on")],
)
def test_an_address_that_cannot_be_is_refused_in_words(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["web", "--log", str(tmp_path / "log"), "--kept", str(tmp_path), "--port", "0", *words]) == 2
    assert says in capsys.readouterr().err


def test_a_port_that_is_taken_is_refused_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        words = ["web", "--log", str(tmp_path / "log"), "--kept", str(tmp_path), "--port", str(port)]
        assert main(words) == 2
    said = f"127.0.0.1:{port} cannot be listened on: Address already in use; choose another with"
    assert said in capsys.readouterr().err


def test_an_address_for_all_is_told_as_one_that_phones_can_reach() -> None:
    assert reachable_address("127.0.0.1") == "127.0.0.1"
    assert reachable_address("::1") == "[::1]"
    assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+", reachable_address("0.0.0.0"))
    assert reachable_address("0.0.0.0") != "0.0.0.0"


def test_on_a_hotspot_that_leads_nowhere_the_machines_own_address_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreachable(*_: object) -> None:
        raise OSError("the network is unreachable")

    adapter = ifaddr.Adapter("wlan0", "wlan0", [ifaddr.IP("192.168.4.1", 24, "wlan0")])
    monkeypatch.setattr(socket.socket, "connect", unreachable)
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: [adapter])
    assert reachable_address("0.0.0.0") == "192.168.4.1"


def test_an_address_at_port_80_is_told_without_it_and_each_once(capsys: pytest.CaptureFixture[str]) -> None:
    print_addresses([("127.0.0.1", 8080), ("127.0.0.1", 80), ("::1", 80), ("127.0.0.1", 8080)])
    assert capsys.readouterr().out.split() == ["http://127.0.0.1:8080/", "http://127.0.0.1/", "http://[::1]/"]
