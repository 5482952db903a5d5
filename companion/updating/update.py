"""The steps of an update: find a newer package, install it, and roll back if the table does not start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import SubprocessError
from typing import Protocol

from companion.updating.state import Outcome, State


@dataclass(frozen=True, slots=True)
class Offer:
    """A newer package: its version, and its file, or ``None`` where apt downloads it."""

    version: str
    file: Path | None = None


class Failed(Exception):
    """A tool of the system failed; the text is its output."""


FAULTS = (Failed, OSError, SubprocessError)
"""Errors of the machine's operations: of its tools, of the disk, and of a command that takes too long."""


class System(Protocol):
    """The machine's operations that an update uses; every method may raise one of ``FAULTS``."""

    def installed(self) -> str:
        """Return the installed version."""
        ...

    def offers(self) -> Sequence[Offer]:
        """Return packages for this machine that are newer than the installed one, the newest last."""
        ...

    def discard_outdated(self) -> None:
        """Delete packages that are not newer than the installed one from the incoming folder."""
        ...

    def package(self, offer: Offer) -> Path:
        """Return the file of an offered package, downloaded if necessary."""
        ...

    def present(self) -> Path:
        """Return the file of the installed package, rebuilt if it was not kept."""
        ...

    def repair(self) -> bool:
        """Let the package manager finish what was cut short; return whether the package is whole."""
        ...

    def kept(self, version: str) -> Path:
        """Return the path of a version's package."""
        ...

    def enabled(self) -> Sequence[str]:
        """Return the services that start with the machine."""
        ...

    def running(self) -> Sequence[str]:
        """Return the running services."""
        ...

    def stop(self, units: Sequence[str]) -> None:
        """Stop services."""
        ...

    def install(self, file: Path) -> None:
        """Install a package, newer or older; its own scripts start the services."""
        ...

    def up(self, units: Sequence[str]) -> bool:
        """Start stopped services; return whether all are ready in time and stay ready."""
        ...

    def keep_log(self) -> None:
        """Copy the log of games beside it."""
        ...

    def return_log(self) -> None:
        """Restore the copy if the log now has another format; the newer log stays beside it."""
        ...


def find_update(system: System, before: State | None) -> State:
    """Return the current versions with the result of the last update."""
    offers = system.offers()
    offered = offers[-1].version if offers else ""
    last = before or State("")
    return State(system.installed(), offered, last.outcome, last.version, last.detail)


def update(system: System, version: str, report: Callable[[State], None]) -> State:
    """Install an offered version and return the state after it.

    Parameters
    ----------
    system
        The machine.
    version
        The version that the host has agreed to; no other is installed.
    report
        Called with the state before the installation.
    """
    was = system.installed()
    report(State(was, "", Outcome.RUNNING, version))
    offer = next((one for one in system.offers() if one.version == version), None)
    if offer is None:
        return State(was, "", Outcome.REFUSED, version, "this version is not offered any more")
    units: Sequence[str] = ()
    try:
        file, old = system.package(offer), system.present()
        units = system.running()
        system.stop(units)
        system.keep_log()
    except FAULTS as error:
        return unchanged(system, State(was, version, Outcome.REFUSED, version, str(error)), units)
    fault = try_install(system, file, units)
    if not fault:
        return State(system.installed(), "", Outcome.INSTALLED, version)
    again = roll_back(system, old, units)
    return broken_by(again, State(system.installed(), "", Outcome.ROLLED_BACK, version, fault))


def finish(system: System, begun: State) -> State:
    """Return the state after an update that was stopped midway, as by a power cut.

    The newer version stays where it is whole and the services are up; else the earlier one comes back.
    """
    units, whole = system.enabled(), system.repair()
    state = State(
        system.installed(), "", Outcome.INTERRUPTED, begun.version, "the update service was stopped"
    )
    if whole and state.installed == begun.installed:
        return unchanged(system, state, units)
    if whole and not start(system, units):
        return replace(state, outcome=Outcome.INSTALLED, detail="")
    again = roll_back(system, system.kept(begun.installed), units)
    return broken_by(again, replace(state, installed=system.installed()))


def unchanged(system: System, state: State, units: Sequence[str]) -> State:
    """Start the services again after an update that changed nothing; return the state after it."""
    return broken_by(start(system, units) if units else "", state)


def broken_by(fault: str, state: State) -> State:
    """Return the state after a further fault, which leaves no version that runs; the same without one."""
    return replace(state, outcome=Outcome.BROKEN, detail=f"{state.detail}; then: {fault}") if fault else state


def try_install(system: System, file: Path, units: Sequence[str]) -> str:
    """Install a package; return the fault, empty where the services are up."""
    try:
        system.install(file)
        return "" if system.up(units) else "the table did not start with it"
    except FAULTS as error:
        return str(error)


def roll_back(system: System, old: Path, units: Sequence[str]) -> str:
    """Install the old package again; return the fault, empty where the services are up."""
    try:
        system.stop(units)
        system.install(old)
        system.return_log()
    except FAULTS as error:
        start(system, units)  # better any version than none
        return str(error)
    return start(system, units)


def start(system: System, units: Sequence[str]) -> str:
    """Start the services with what is installed; return the fault, empty where they are up."""
    try:
        return "" if system.up(units) else "the table does not start with the earlier version either"
    except FAULTS as error:
        return str(error)
