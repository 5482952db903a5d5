"""An update on a machine that is made up: what is done in which order, and what the host is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

import pytest

from companion.updating.__main__ import serve, take_request
from companion.updating.state import Outcome, State, read, write
from companion.updating.update import Failed, Offer, find_update, finish, update

UNITS = ("table", "pages")


@dataclass
class Machine:
    """A machine with version 1, to which version 2 is offered; some versions do not start or install."""

    version: str = "1"
    offered: Sequence[Offer] = (Offer("2"),)
    dead: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    done: list[str] = field(default_factory=list)
    stopped: bool = False
    whole: bool = True

    def installed(self) -> str:
        return self.version

    def offers(self) -> Sequence[Offer]:
        return [one for one in self.offered if one.version > self.version]

    def discard_outdated(self) -> None:
        self.offered = self.offers()

    def package(self, offer: Offer) -> Path:
        return Path(offer.version)

    def present(self) -> Path:
        return Path(self.version)

    def repair(self) -> bool:
        return self.whole

    def kept(self, version: str) -> Path:
        return Path(version)

    def enabled(self) -> Sequence[str]:
        return UNITS

    def running(self) -> Sequence[str]:
        return UNITS

    def stop(self, units: Sequence[str]) -> None:
        self.done.append(f"stop {' '.join(units)}")
        self.stopped = True

    def install(self, file: Path) -> None:
        self.done.append(f"install {file}")
        if file.name in self.broken:
            raise Failed("apt-get: no space left")
        self.version = file.name

    def up(self, units: Sequence[str]) -> bool:
        assert tuple(units) == UNITS
        self.stopped = False
        return self.version not in self.dead

    def keep_log(self) -> None:
        self.done.append("keep log")

    def return_log(self) -> None:
        self.done.append("return log")


def asked(machine: Machine, version: str = "2") -> State:
    return update(machine, version, lambda _: None)


def test_a_newer_version_is_offered_and_nothing_is_done() -> None:
    machine = Machine()
    assert find_update(machine, None) == State("1", "2")
    assert machine.done == []


def test_the_package_of_the_installed_version_is_discarded(tmp_path: Path) -> None:
    machine = Machine(offered=(Offer("2"), Offer("3")))
    (tmp_path / "request").write_text("2")
    assert serve(machine, tmp_path / "request", tmp_path / "state") == 0
    assert (machine.version, machine.offered) == ("2", [Offer("3")])


def test_where_nothing_is_newer_nothing_is_offered() -> None:
    assert find_update(Machine(version="2"), None).offered == ""


def test_the_log_is_copied_before_the_package_is_installed() -> None:
    machine = Machine()
    assert asked(machine) == State("2", "", Outcome.INSTALLED, "2")
    assert machine.done == ["stop table pages", "keep log", "install 2"]


def test_a_version_with_which_the_table_does_not_start_is_taken_back() -> None:
    machine = Machine(dead=frozenset("2"))
    after = asked(machine)
    assert (after.installed, after.outcome) == ("1", Outcome.ROLLED_BACK)
    assert machine.done[3:] == ["stop table pages", "install 1", "return log"]


def test_a_package_that_cannot_be_installed_leaves_the_earlier_one_running() -> None:
    after = asked(Machine(broken=frozenset("2")))
    assert (after.installed, after.outcome) == ("1", Outcome.ROLLED_BACK)
    assert after.detail == "apt-get: no space left"


def test_where_the_earlier_version_does_not_start_either_both_faults_are_told() -> None:
    after = asked(Machine(dead=frozenset("12")))
    assert after.outcome is Outcome.BROKEN
    assert "did not start with it; then: the table does not start with the earlier" in after.detail


def failing(error: Exception) -> Callable[..., Any]:
    """Return an operation of a machine that fails."""

    def fail(*_: object) -> None:
        raise error

    return fail


FULL = OSError("no space left on device")
SLOW = TimeoutExpired("systemctl", 60)


@pytest.mark.parametrize(
    ("step", "error", "outcome"),
    [
        ("package", FULL, Outcome.REFUSED),
        ("running", SLOW, Outcome.REFUSED),
        ("stop", SLOW, Outcome.REFUSED),
        ("keep_log", FULL, Outcome.REFUSED),
        ("up", SLOW, Outcome.BROKEN),
    ],
)
def test_a_full_disk_or_a_slow_command_is_a_fault_as_any_other(
    step: str, error: Exception, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine()
    monkeypatch.setattr(machine, step, failing(error))
    after = asked(machine)
    assert (after.outcome, str(error) in after.detail) == (outcome, True)


def test_a_log_that_cannot_be_copied_changes_nothing_and_the_table_starts_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = Machine()
    monkeypatch.setattr(machine, "keep_log", failing(FULL))
    assert asked(machine) == State("1", "2", Outcome.REFUSED, "2", str(FULL))
    assert (machine.done, machine.stopped) == (["stop table pages"], False)


def test_a_table_that_does_not_start_again_is_told_though_nothing_was_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = Machine(dead=frozenset("1"))
    monkeypatch.setattr(machine, "keep_log", failing(FULL))
    assert asked(machine).outcome is Outcome.BROKEN


def test_a_table_starts_again_where_the_earlier_version_cannot_be_installed() -> None:
    machine = Machine(broken=frozenset("12"))
    assert asked(machine).outcome is Outcome.BROKEN
    assert not machine.stopped


def test_an_update_that_was_interrupted_is_told_at_the_next_start(tmp_path: Path) -> None:
    write(State("1", "", Outcome.RUNNING, "2"), tmp_path / "update.json")
    assert serve(Machine(), tmp_path / "request", tmp_path / "update.json") == 0
    after = read(tmp_path / "update.json")
    assert after == State("1", "2", Outcome.INTERRUPTED, "2", "the update service was stopped")


BEGUN = State("1", "", Outcome.RUNNING, "2")


def test_a_version_that_is_whole_and_starts_after_a_power_cut_stays() -> None:
    machine = Machine(version="2")
    assert finish(machine, BEGUN) == State("2", "", Outcome.INSTALLED, "2")
    assert machine.done == []


@pytest.mark.parametrize("machine", [Machine(version="2", dead=frozenset("2")), Machine("2", whole=False)])
def test_a_version_that_a_power_cut_left_unusable_is_taken_back(machine: Machine, tmp_path: Path) -> None:
    write(BEGUN, tmp_path / "update.json")
    assert serve(machine, tmp_path / "request", tmp_path / "update.json") == 0
    assert machine.done == ["stop table pages", "install 1", "return log"]
    after = read(tmp_path / "update.json")
    assert after == State("1", "2", Outcome.INTERRUPTED, "2", "the update service was stopped")


def test_a_power_cut_that_leaves_no_version_that_starts_is_told() -> None:
    assert finish(Machine("2", dead=frozenset("12")), BEGUN).outcome is Outcome.BROKEN


def test_an_update_that_a_fault_ends_does_not_run_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine()
    (tmp_path / "request").write_text("2")
    monkeypatch.setattr(machine, "offers", failing(FULL))
    assert serve(machine, tmp_path / "request", tmp_path / "update.json") == 1
    after = read(tmp_path / "update.json")
    assert after == State("1", "", Outcome.INTERRUPTED, "2", str(FULL))


def test_no_other_version_is_installed_than_the_one_that_was_agreed_to() -> None:
    machine = Machine(offered=(Offer("3"),))
    assert asked(machine).outcome is Outcome.REFUSED
    assert machine.done == []


def test_what_became_of_an_update_is_told_until_the_next(tmp_path: Path) -> None:
    (tmp_path / "request").write_text("2\n")
    assert serve(Machine(), tmp_path / "request", tmp_path / "update.json") == 0
    assert serve(Machine(version="2"), tmp_path / "request", tmp_path / "update.json") == 0
    assert read(tmp_path / "update.json") == State("2", "", Outcome.INSTALLED, "2")


@pytest.mark.parametrize("text", ["", "2; reboot", "../2", "x" * 99, "-o=1", "2\n3"])
def test_a_request_that_is_no_version_asks_for_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "request").write_text(text)
    assert take_request(tmp_path / "request") == ""
    assert not (tmp_path / "request").exists()


def test_a_request_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("2")
    (tmp_path / "request").symlink_to(tmp_path / "secret")
    assert take_request(tmp_path / "request") == ""
    assert (tmp_path / "secret").exists()
    assert not (tmp_path / "request").is_symlink()


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    state = State("1", "2", Outcome.ROLLED_BACK, "2", "said")
    write(state, tmp_path / "update.json")
    assert read(tmp_path / "update.json") == state


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"installed": "1"}', "null"])
def test_a_damaged_state_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "update.json").write_text(text)
    assert read(tmp_path / "update.json") is None
