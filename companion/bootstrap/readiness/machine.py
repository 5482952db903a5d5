"""Readiness checks of the machine: its disk, clock, temperature, power and memory."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from companion import processes
from companion.model.phrases import joined, phrase
from companion.version import VERSION
from hardware.cameras.capture_settings import LOW_MEMORY_PICTURE_SIZE, is_low_memory
from hardware.cameras.checks import Check

MIN_FREE_DISK_MB, GOOD_FREE_DISK_MB = 100, 1000
"""Least free disk space to start a game, and enough for long, in MB."""

MEGABYTE = 1_000_000

TEST_WRITES, MAX_GOOD_WRITE_MS, MAX_USABLE_WRITE_MS = 12, 100.0, 2000.0
"""Number of small test writes, and their greatest time for a good and for a usable disk, in ms."""

WARM_LIMIT_C, HOT_LIMIT_C = 75.0, 82.0
"""Bounds of a warm and of a hot machine, in degrees Celsius: a Pi slows down from 80 (its documentation)."""

EARLIEST_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""Earliest plausible date; a clock before it was never set."""

LIBRARIES = ("numpy", "opencv-python-headless", "onnxruntime", "gpiozero", "flask")

NOW_BITS, PAST_BITS = 0xF, 0xF0000
"""Bits of the firmware's report: conditions now, and since the machine was started."""

BIT_MEANINGS = {
    0: phrase("too little voltage"),
    1: phrase("slowed down"),
    2: phrase("throttled"),
    3: phrase("too hot"),
}


@dataclass(frozen=True, slots=True)
class MachineFiles:
    """Paths of the system files that are read."""

    thermometer: Path = Path("/sys/class/thermal/thermal_zone0/temp")
    sensors: Path = Path("/sys/class/hwmon")
    synchronized: Path = Path("/run/systemd/timesync/synchronized")
    memory: Path = Path("/proc/meminfo")


def machine_checks(log: Path, machine: MachineFiles | None = None) -> Iterator[Check]:
    """Yield the checks of the machine, with the disk of the log."""
    machine = machine or MachineFiles()
    yield versions_check()
    yield disk_speed_check(log.parent)
    yield clock_check(datetime.now(UTC), machine.synchronized.exists())
    yield from steady_checks(log, machine)


def steady_checks(log: Path, machine: MachineFiles | None = None) -> Iterator[Check]:
    """Yield the checks that may fail during a game and cost no time."""
    machine = machine or MachineFiles()
    yield disk_space_check(log.parent)
    yield temperature_check(machine.thermometer)
    yield power_check(machine.sensors, firmware_bits())
    yield memory_check(machine.memory)


def versions_check() -> Check:
    """Return the versions of the program and its libraries."""
    parts = [f"companion {VERSION}", f"Python {platform.python_version()}"]
    parts += [f"{name} {version(name)}" for name in LIBRARIES]
    return Check("versions", fine=True, says=", ".join(parts))


def disk_space_check(folder: Path) -> Check:
    """Return whether there is disk space for the log and the pictures of calls."""
    try:
        free = shutil.disk_usage(folder).free / MEGABYTE
    except OSError as error:
        return Check(
            "disk space", False, f"{folder}: {error.strerror}", phrase("Make the folder of the log."), True
        )
    says = phrase("%(free)s MB are free in %(folder)s", free=f"{free:,.0f}", folder=folder)
    if free >= GOOD_FREE_DISK_MB:
        return Check("disk space", fine=True, says=says, essential=True)
    mend = phrase("Delete what is not needed, or take a larger memory card.")
    return Check("disk space", free >= MIN_FREE_DISK_MB, says, mend, essential=True)


def disk_speed_check(folder: Path) -> Check:
    """Return whether small writes are synced fast: every call waits for one."""
    try:
        times = sorted(synced_ms(folder) for _ in range(TEST_WRITES))
    except OSError as error:
        mend = phrase("See whether the disk is full, read-only or worn out, and who may write there.")
        return Check(
            "disk",
            False,
            phrase("%(folder)s cannot be written: %(error)s", folder=folder, error=error.strerror),
            mend,
            essential=True,
        )
    middle, worst = times[len(times) // 2], times[-1]
    says = phrase(
        "a call is safe after %(middle)s ms, %(worst)s ms at worst",
        middle=f"{middle:.1f}",
        worst=f"{worst:.0f}",
    )
    if worst <= MAX_GOOD_WRITE_MS:
        return Check("disk", fine=True, says=says, essential=True)
    mend = phrase(
        "A quicker card (class A1 or A2) or a disk on USB helps; a card that grows slow is about to fail."
    )
    return Check("disk", worst <= MAX_USABLE_WRITE_MS, says, mend, essential=True)


def synced_ms(folder: Path) -> float:
    """Return the time of a small synced write, in ms."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".companion-doctor-") as file:
        begun = time.perf_counter()
        file.write(b"x" * 4096)
        file.flush()
        os.fsync(file.fileno())
        return 1000 * (time.perf_counter() - begun)


def clock_check(now: datetime, synchronized: bool) -> Check:
    """Return whether the clock is set; only names and records of games need it."""
    says = f"{now.astimezone():%Y-%m-%d %H:%M}"
    if now < EARLIEST_DATE:
        mend = phrase(
            "Set the clock (sudo date -s ...), or give the machine a network or a clock with a battery."
        )
        return Check("clock", fine=False, says=phrase("%(says)s: it was never set", says=says), mend=mend)
    if synchronized:
        return Check("clock", fine=True, says=phrase("%(says)s, set by the network", says=says))
    return Check("clock", fine=True, says=phrase("%(says)s, as it was set", says=says))


def temperature_check(thermometer: Path) -> Check:
    """Return whether the machine is cool enough for full speed."""
    degrees = read_number(thermometer)
    if degrees is None:
        return Check("temperature", None, phrase("the machine does not tell it"))
    degrees /= 1000
    says = f"{degrees:.0f} °C"
    if degrees < WARM_LIMIT_C:
        return Check("temperature", fine=True, says=says)
    mend = phrase("Give it air, a heat sink or a fan: from 80 °C on it slows down.")
    return Check("temperature", degrees < HOT_LIMIT_C, says, mend)


def power_check(sensors: Path, bits: int | None) -> Check:
    """Return whether the machine gets enough power.

    Parameters
    ----------
    sensors
        The kernel's folder of sensors; ``rpi_volt`` in it raises an alarm at too little voltage.
    bits
        The firmware's report, with ``NOW_BITS`` and ``PAST_BITS``, or ``None``.
    """
    alarm = undervoltage(sensors)
    if alarm is None and bits is None:
        return Check("power", None, phrase("only a Raspberry Pi tells it"))
    bits = (bits or 0) | int(bool(alarm))
    if not bits & (NOW_BITS | PAST_BITS):
        return Check("power", fine=True, says=phrase("enough since it was started"))
    when = phrase("now") if bits & NOW_BITS else phrase("since it was started")
    ill = [what for bit, what in BIT_MEANINGS.items() if bits & (1 << bit | 1 << (bit + 16))]
    mend = phrase("Take the power supply made for this Pi and a short thick cable; give it air if it is hot.")
    return Check("power", not bits & NOW_BITS, joined([joined(ill, ", "), when], " "), mend)


def undervoltage(sensors: Path) -> bool | None:
    """Return whether the kernel's sensor of the supply raises its alarm, ``None`` without a sensor.

    Source: Linux, ``drivers/hwmon/raspberrypi-hwmon.c``; a Pi 5 has it too.
    """
    for name in sorted(sensors.glob("hwmon*/name")):
        try:
            if name.read_text().strip() == "rpi_volt":
                return bool(read_number(name.with_name("in0_lcrit_alarm")))
        except OSError:
            continue
    return None


def firmware_bits() -> int | None:
    """Return the firmware's report of power and heat, ``None`` where ``vcgencmd`` is missing or fails.

    Source: Raspberry Pi documentation, ``vcgencmd get_throttled``.
    """
    command = shutil.which("vcgencmd")
    if command is None:
        return None
    try:
        answer = processes.run([command, "get_throttled"], timeout_s=5)
        answer.check_returncode()
        return int(answer.stdout.strip().removeprefix("throttled="), 16)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def memory_check(meminfo: Path) -> Check:
    """Return whether there is enough memory for the table."""
    try:
        known = dict(line.split(":", 1) for line in meminfo.read_text().splitlines())
        free, total = (int(known[key].split()[0]) / 1000 for key in ("MemAvailable", "MemTotal"))
    except (OSError, ValueError, KeyError, IndexError):
        return Check("memory", None, phrase("the machine does not tell it"))
    mend = "" if free >= 300 else phrase("Close other programs; a table and its pages take some 300 MB.")
    says = phrase("%(free)s MB are free", free=f"{free:,.0f}")
    if is_low_memory(round(total * MEGABYTE)):
        size = "{} × {}".format(*LOW_MEMORY_PICTURE_SIZE)
        less = phrase("cameras without a set size send pictures of at most %(size)s here", size=size)
        says = joined([says, less], "; ")
    return Check("memory", free >= 150, says, mend)


def read_number(path: Path) -> float | None:
    """Return the number in a file, or ``None``."""
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None
