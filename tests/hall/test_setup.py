from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.bootstrap.mosquitto import free_port, mosquitto
from companion.cli import main
from companion.errors import BadMessage, NoBroker
from companion.hall.contract.discovery import discovery
from companion.hall.contract.topics import Channel, answers, every_table, topic
from companion.hall.mqtt import Broker, MqttConnection, Received
from companion.hall.setup import HALL_ACCOUNT, BrokerPlan, configuration, write_broker_files
from tests.hall.broker import needs_mosquitto, until

ANALYZE = shutil.which("systemd-analyze")


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Broker]]:
    with mosquitto(tmp_path_factory.mktemp("broker"), ("t1", "t2")) as found:
        yield found


class Client:
    """An account at the broker: what it heard, and whether what it sent was taken."""

    def __init__(self, broker: Broker, name: str, *topics: str) -> None:
        self.heard: list[Received] = []
        self.answers: dict[int, bool] = {}
        self.link = MqttConnection(broker, name, topics, self.heard.append)
        self.link.acknowledged = self.answers.__setitem__
        self.link.start()
        self.link.wait(10)

    def taken(self, name: str, *, retain: bool = False) -> bool:
        number = self.link.publish(name, b"{}", retain=retain)
        until(lambda: number in self.answers)
        return self.answers[number]


@needs_mosquitto
@pytest.mark.slow
def test_a_table_may_publish_under_its_own_name_alone(brokers: Mapping[str, Broker]) -> None:
    table = Client(brokers["t1"], "t1")
    own = [topic("t1", one) for one in (Channel.EVENTS, Channel.SUMMARY, Channel.HEALTH)]
    own += [answers(HALL_ACCOUNT, "t1"), *(name for name, _ in discovery("t1", "T"))]
    others = [
        topic("t2", Channel.EVENTS),
        topic("t1", Channel.ORDERS),
        answers(HALL_ACCOUNT, "t2"),
        "$SYS/x",
        "x",
    ]
    assert [table.taken(name) for name in own] == [True] * len(own)
    assert [table.taken(name) for name in others] == [False] * len(others)
    table.link.close()


@needs_mosquitto
@pytest.mark.slow
def test_a_table_hears_nothing_of_another(brokers: Mapping[str, Broker]) -> None:
    spy = Client(brokers["t2"], "spy", *map(every_table, Channel))
    hall = Client(brokers[HALL_ACCOUNT], HALL_ACCOUNT, *map(every_table, Channel))
    table = Client(brokers["t1"], "t1", topic("t1", Channel.ORDERS))
    assert table.taken(topic("t1", Channel.EVENTS))
    assert hall.taken(topic("t1", Channel.ORDERS))
    until(lambda: hall.heard and table.heard)
    time.sleep(0.3)
    assert [one.topic for one in spy.heard if "/t1/" in one.topic] == []
    for one in (spy, hall, table):
        one.link.close()


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.parametrize("change", [{"password": "wrong"}, {"user": "nobody"}, {"user": "", "password": ""}])
def test_nobody_comes_in_without_an_account(brokers: Mapping[str, Broker], change: dict[str, Any]) -> None:
    link = MqttConnection(replace(brokers["t1"], **change), "stranger", [], lambda _: None)
    link.start()
    with pytest.raises(NoBroker, match="refuses the account"):
        link.wait(3)
    link.close()


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho leaves its socket open
def test_a_broker_with_another_certificate_is_not_trusted(
    brokers: Mapping[str, Broker], tmp_path: Path
) -> None:
    write_broker_files(BrokerPlan(tmp_path, ("localhost",), ("t1",), tmp_path, tmp_path))
    link = MqttConnection(
        replace(brokers["t1"], authority=tmp_path / "authority.crt"), "t1", [], lambda _: None
    )
    link.start()
    with pytest.raises(NoBroker, match="its certificate is not to be trusted"):
        link.wait(3)
    link.close()


@needs_mosquitto
@pytest.mark.slow
def test_what_the_broker_has_acknowledged_outlives_a_power_cut(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    plan = BrokerPlan(
        tmp_path, ("localhost",), ("t1",), tmp_path, state, tls=False, port=free_port(), user="root"
    )
    accounts = write_broker_files(plan)
    broker = Broker("localhost", plan.port, "t1", accounts["t1"])
    command = [
        str(shutil.which("mosquitto", path="/usr/sbin:/usr/bin")),
        "-c",
        str(tmp_path / "mosquitto.conf"),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        table = Client(broker, "t1")
        assert table.taken(topic("t1", Channel.SUMMARY), retain=True)
        time.sleep(0.5)
        process.kill()
        process.wait()
        table.link.close()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        hall = Client(
            replace(broker, user=HALL_ACCOUNT, password=accounts[HALL_ACCOUNT]),
            HALL_ACCOUNT,
            every_table(Channel.SUMMARY),
        )
        until(lambda: hall.heard)
        hall.link.close()
        process.kill()


def test_accounts_stay_as_they_are_when_tables_are_added(tmp_path: Path) -> None:
    plan = BrokerPlan(tmp_path, ("hall.local", "192.168.1.9"), ("t1",), tmp_path, tmp_path)
    first, authority = write_broker_files(plan), (tmp_path / "authority.crt").read_bytes()
    second = write_broker_files(replace(plan, tables=("t2",)))
    assert {one: second[one] for one in first} == dict(first)
    assert "t2" in second
    assert (tmp_path / "authority.crt").read_bytes() == authority


def test_nobody_else_can_read_keys_and_passwords(tmp_path: Path) -> None:
    write_broker_files(BrokerPlan(tmp_path, ("hall.local",), ("t1",), tmp_path, tmp_path))
    for name in (
        "authority.key",
        "server.key",
        "passwords",
        "accounts/t1.password",
        "accounts/hall.password",
    ):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0, name


def test_the_configuration_writes_every_change_at_once(tmp_path: Path) -> None:
    told = configuration(BrokerPlan(tmp_path, ("hall.local",), (), tmp_path, tmp_path))
    assert "autosave_interval 1\nautosave_on_changes true\n" in told
    assert "allow_anonymous false\n" in told


def test_an_id_that_would_break_the_access_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadMessage):
        BrokerPlan(tmp_path, ("hall.local",), ("t1\ntopic readwrite #",), tmp_path, tmp_path)


def test_init_writes_everything_and_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hall", "init", "--folder", str(tmp_path), "--name", "hall.local", "--tables", "2"]) == 0
    assert "systemctl enable --now companion-hall.service" in capsys.readouterr().out
    section = (tmp_path / "tables/table-2.toml").read_text()
    assert 'broker = "hall.local"\ntable = "table-2"\n' in section
    assert 'password = "hall.password"\n' in section
    assert (tmp_path / "hall.env").read_text() == "BROKER=hall.local\nPORT=8883\n"


def test_with_the_units_of_a_package_init_leaves_nothing_to_be_copied_but_to_enable_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "companion-hall.service").touch()
    monkeypatch.setattr("companion.commands.hall.HALL_FOLDER", tmp_path / "hall")
    monkeypatch.setattr("companion.commands.hall.PACKAGED_UNIT_PATH", tmp_path / "companion-table.service")
    folder = str(tmp_path / "hall")
    assert main(["hall", "init", "--folder", folder, "--name", "hall.local", "--tables", "1"]) == 0
    assert "\n  systemctl enable --now companion-hall.service\n" in capsys.readouterr().out
    assert not (tmp_path / "hall/companion-hall.service").exists()


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not here (package systemd)")
def test_the_halls_service_is_as_shut_as_it_can_be(tmp_path: Path) -> None:
    assert main(["hall", "init", "--folder", str(tmp_path), "--name", "hall.local"]) == 0
    unit = str(tmp_path / "companion-hall.service")
    command = [str(ANALYZE), "security", "--offline=true", "--threshold=15", "--no-pager", unit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-300:]
    assert "@" not in Path(unit).read_text().replace("@system-service", "").replace(
        "@privileged", ""
    ).replace("@resources", "").replace("stands between @ signs", "")


def test_a_port_for_a_broker_is_none_that_connections_are_given() -> None:
    given = Path("/proc/sys/net/ipv4/ip_local_port_range")
    least = int(given.read_text().split()[0]) if given.exists() else 32_768
    assert max(free_port() for _ in range(50)) < least
