"""A Wi-Fi of the table's own: what is written, that NetworkManager takes it, and that phones would stay."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from companion.bootstrap.hotspot import (
    CONNECTION_FILE,
    DNS_FILE,
    HOTSPOT_ADDRESS,
    Hotspot,
    switch_off,
    switch_on,
)
from companion.bootstrap.service import Installer
from companion.cli import main
from companion.errors import UsageError

TABLE, PHONE = "companion-table-ns", "companion-phone-ns"

lacking = [tool for tool in ("ip", "dnsmasq", "curl") if shutil.which(tool) is None]
if os.geteuid() != 0:
    lacking.append("root")


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    return Installer(lambda _: None, tmp_path)


def test_its_key_is_for_root_alone_to_read(installer: Installer) -> None:
    switch_on(Hotspot("Game table", "correct.horse"), installer)
    assert installer.at(CONNECTION_FILE).stat().st_mode & 0o777 == 0o600
    assert "psk=correct.horse\n" in installer.at(CONNECTION_FILE).read_text()


def test_any_wi_fi_that_the_machine_knows_comes_first(installer: Installer) -> None:
    switch_on(Hotspot("Game table"), installer)
    kept = configparser.ConfigParser()
    kept.read(installer.at(CONNECTION_FILE))
    assert (kept["connection"]["autoconnect-priority"], kept["wifi"]["mode"]) == ("-999", "ap")
    assert kept["ipv4"]["method"] == "shared"


def test_switching_it_off_leaves_nothing(installer: Installer) -> None:
    switch_on(Hotspot("Game table"), installer)
    switch_off(installer)
    assert [path for path in installer.root.rglob("*") if path.is_file()] == []


def test_every_new_key_is_another_and_can_be_read_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert main(["hotspot", "on", "--root", str(tmp_path)]) == 0
    first, second = re.findall(r"^key: (.+)$", capsys.readouterr().out, re.MULTILINE)
    assert first != second
    assert re.fullmatch(r"[a-z2-9]{10}", first)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("", "12345678"),
        ("table\npsk=x", "12345678"),
        ("a;b", "12345678"),
        ("x" * 33, "12345678"),
        ("table", "short"),
    ],
)
def test_a_name_or_key_that_no_phone_could_enter_is_refused(name: str, key: str) -> None:
    with pytest.raises(UsageError, match="a Wi-Fi's"):
        Hotspot(name, key)


@pytest.mark.skipif(shutil.which("nmcli") is None, reason="nmcli is not here (package network-manager)")
def test_network_manager_takes_the_connection() -> None:
    command = ["nmcli", "--offline", "connection", "modify", "connection.id", "taken"]
    given = Hotspot("Game table", "correct.horse").connection()
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {"ssid=Game table", "psk=correct.horse", "mode=ap"} <= set(done.stdout.splitlines())


def inside(space: str, *words: str) -> list[str]:
    return ["ip", "netns", "exec", space, *words]


@pytest.fixture
def spaces(installer: Installer, tmp_path: Path) -> Iterator[None]:
    """Two machines with a wire between them: the table with its names and pages, and a phone that asks it."""
    switch_on(Hotspot("Game table"), installer)
    with ExitStack() as undo:
        for space in (TABLE, PHONE):
            subprocess.run(["ip", "netns", "add", space], check=True)
            undo.callback(subprocess.run, ["ip", "netns", "delete", space], check=True)
        settings = Path("/etc/netns") / PHONE
        settings.mkdir(parents=True)
        undo.callback(shutil.rmtree, settings)
        (settings / "resolv.conf").write_text(f"nameserver {HOTSPOT_ADDRESS}\n")
        steps = f"""ip link add wire-t netns {TABLE} type veth peer name wire-p netns {PHONE}
            ip -n {TABLE} address add {HOTSPOT_ADDRESS}/24 dev wire-t
            ip -n {PHONE} address add 10.42.0.50/24 dev wire-p
            ip -n {TABLE} link set wire-t up
            ip -n {PHONE} link set wire-p up
            ip -n {PHONE} route add default via {HOTSPOT_ADDRESS}"""
        for step in steps.splitlines():
            subprocess.run(step.split(), check=True)
        names = inside(TABLE, "dnsmasq", "--conf-file=/dev/null", "--no-hosts", "--keep-in-foreground")
        names += [
            "--bind-interfaces",
            "--except-interface=lo",
            f"--listen-address={HOTSPOT_ADDRESS}",
            "--no-resolv",
        ]
        names += [f"--pid-file={tmp_path / 'pid'}", f"--conf-dir={installer.at(DNS_FILE).parent}"]
        pages = inside(TABLE, sys.executable, "-P", "-m", "companion", "web", "--log", str(tmp_path / "log"))
        pages += ["--kept", str(tmp_path / "kept"), "--host", HOTSPOT_ADDRESS, "--port", "80", "--no-mdns"]
        for command in (names, pages):
            running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            undo.callback(running.wait, 20)
            undo.callback(running.terminate)
        yield


def seen_by_a_phone(address: str) -> str:
    """Return status and body of a page as a phone in the Wi-Fi sees it, once the pages are there."""
    command = inside(PHONE, "curl", "--silent", "--max-time", "10", "--write-out", "%{http_code}", address)
    until = time.monotonic() + 60
    while True:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0 or time.monotonic() > until:
            return done.stdout
        time.sleep(0.5)


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking), reason=f"needs {', '.join(lacking)}")
@pytest.mark.usefixtures("spaces")
def test_phones_that_look_for_the_internet_are_answered_and_every_name_leads_to_the_pages() -> None:
    assert seen_by_a_phone("http://connectivitycheck.gstatic.com/generate_204") == "204"
    assert "Success" in seen_by_a_phone("http://captive.apple.com/hotspot-detect.html")
    assert seen_by_a_phone("http://www.msftconnecttest.com/connecttest.txt") == "Microsoft Connect Test200"
