"""Whole arm64 machines, emulated: Debian's own system and kernel on the processors of Raspberry Pis."""

from __future__ import annotations

import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.packaging.debian import lacking as lacking_debian
from tests.packaging.debian import mirror

PROCESSORS = {"cortex-a53": "Pi 3 and Zero 2 W", "cortex-a72": "Pi 4", "cortex-a76": "Pi 5"}
"""QEMU's name of a processor, and the Raspberry Pis that have it."""

QEMU = "qemu-system-aarch64"
TOOLS = {
    QEMU: "qemu-system-arm",
    "cpio": "cpio",
    "mkfs.ext4": "e2fsprogs",
    "mkfs.vfat": "dosfstools",
    "mmd": "mtools",
}
"""A command, and the package of Debian that brings it."""

SYSTEM = ("systemd-sysv", "udev")
"""What makes a minimal system start by itself."""

DRIVERS = {
    *("virtio", "virtio_ring", "virtio_pci", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_blk"),
    *("virtio-rng", "rng-core", "ext4", "jbd2", "mbcache", "crc16", "crc32c_generic", "libcrc32c"),
    *("usb-common", "usbcore", "xhci-hcd", "xhci-pci", "usb-storage", "scsi_common", "scsi_mod", "sd_mod"),
    *("crc64", "crc64-rocksoft", "crct10dif_common", "crc-t10dif", "t10-pi"),
    *("fat", "vfat", "nls_cp437", "nls_ascii"),
}
"""What the kernel needs to see its disks and a USB stick; what is missing here is built into it."""

DISK = "4G"
RESULTS_BYTES = 32 << 20
LONGEST_S = 7200.0
"""After this time a machine is taken to hang, and killed."""

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for again in 1 2 3 4 5; do
    for driver in /drivers/*; do insmod "$driver" 2>/dev/null; done
done
mount -t ext4 -o noatime /dev/vda /system
mkdir -p /system/srv/out
tar -xf /dev/vdb -C /system/srv
if grep -q services /proc/cmdline; then
    units=/system/etc/systemd/system
    mkdir -p "$units/multi-user.target.wants"
    cp /given.service "$units/"
    ln -s ../given.service "$units/multi-user.target.wants/"
    for folder in proc sys dev; do mount -o move "/$folder" "/system/$folder"; done
    exec switch_root /system /sbin/init
fi
for folder in proc sys dev; do mount -o bind "/$folder" "/system/$folder"; done
mount -t tmpfs tmpfs /system/run
chroot /system /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \\
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh /srv/do
tar -cf /dev/vdc -C /system/srv/out .
umount /system/run /system/dev /system/sys /system/proc
umount /system
sync
poweroff -f
"""
"""The first process: it runs the script ``do`` of the second disk, and packs its results onto the third.

With ``services`` in the kernel's command line it starts systemd, of which one service does that.
"""

SERVICE = """[Unit]
Description=What this machine was started for

[Service]
Environment=HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive
ExecStart=sh /srv/do
ExecStopPost=tar -cf /dev/vdc -C /srv/out .
ExecStopPost=sync
ExecStopPost=systemctl poweroff --force --force
"""

SECOND_STAGE = """
exec >/srv/out/log 2>&1
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/emulated
/debootstrap/debootstrap --second-stage && apt-get clean && touch /srv/out/made
"""


DO = """
import json, os, subprocess, time

told = {}
for name, command in json.load(open("/srv/tasks.json")).items():
    began = time.monotonic()
    with open(f"/srv/out/{name}.out", "wb") as out, open(f"/srv/out/{name}.err", "wb") as err:
        running = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, used = os.wait4(running.pid, 0)
    told[name] = {
        "status": os.waitstatus_to_exitcode(status),
        "seconds": round(time.monotonic() - began, 1),
        "mb": used.ru_maxrss >> 10,
    }
    with open("/srv/out/told.json", "w") as file:
        json.dump(told, file)
"""
"""Runs the tasks in the machine, one after another, and notes status, seconds and peak memory of each."""


def lacking(processor: str) -> str:
    """Return why no such machine can be emulated here, or nothing."""
    if told := lacking_debian():
        return told
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            return f"{tool} is not here (package {package})"
    known = subprocess.run([QEMU, "-M", "virt", "-cpu", "help"], capture_output=True, text=True, check=True)
    return "" if processor in known.stdout.split() else f"this QEMU does not know {processor}"


@dataclass(frozen=True, slots=True)
class Machine:
    """A Debian for arm64 on a disk, with the kernel that starts it."""

    kernel: Path
    first: Path
    disk: Path

    @classmethod
    def fresh(cls, release: str, place: Path, packages: Iterable[str]) -> Machine:
        """Return a minimal system with these packages and systemd; it is kept, and no run changes it.

        Raises AssertionError where it cannot be made.
        """
        wanted = ",".join(sorted({*packages, *SYSTEM}))
        folder = place / f"{release}-arm64"
        made = cls(folder / "vmlinuz", folder / "initrd", folder / "disk")
        stamp = folder / "made"
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            made.boot_files(release, folder)
            made.system(release, folder, wanted)
            stamp.write_text(wanted)
        return made

    def boot_files(self, release: str, folder: Path) -> None:
        """Fetch Debian's kernel, and write what it starts with: its drivers and the first process."""
        fetch = Fetch(release, folder / "apt")
        kernel, shell = fetch.packages(fetch.newest("linux-image-arm64"), "busybox-static")
        tree = folder / "first"
        for name in ("bin", "dev", "drivers", "proc", "sys", "system"):
            (tree / name).mkdir(parents=True)
        for name, content in files(kernel):
            if name.startswith("boot/vmlinuz-"):
                self.kernel.write_bytes(content)
            elif (driver := re.search(r"/([\w-]+)\.ko(\.xz)?$", name)) and driver[1] in DRIVERS:
                plain = lzma.decompress(content) if driver[2] else content
                (tree / "drivers" / driver[1]).write_bytes(plain)
        (tree / "bin/busybox").write_bytes(dict(files(shell))["bin/busybox"])
        (tree / "init").write_text(INIT)
        (tree / "given.service").write_text(SERVICE)
        for program in ("bin/busybox", "init"):
            (tree / program).chmod(0o755)
        names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
        command = ["cpio", "--quiet", "-o", "-H", "newc", "-F", str(self.first.absolute())]
        subprocess.run(command, input=names, text=True, cwd=tree, check=True)
        shutil.rmtree(tree)
        shutil.rmtree(folder / "apt")

    def system(self, release: str, folder: Path, wanted: str) -> None:
        """Write the disk: unpacked here, set up in the machine itself."""
        root = folder / "root"
        words = ["--foreign", "--arch=arm64", "--variant=minbase", f"--include={wanted}"]
        command = ["debootstrap", *words, release, str(root), mirror()]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        make = ["mkfs.ext4", "-q", "-d", str(root), str(self.disk), DISK]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(root)
        with tempfile.TemporaryDirectory(dir=folder) as given:
            (Path(given) / "do").write_text(SECOND_STAGE)
            out = self.run("cortex-a72", Path(given), folder, keep=True)
        log = out / "log"
        assert (out / "made").exists(), log.read_text()[-3000:] if log.exists() else "it did not start"

    def do(self, tasks: dict[str, list[str]], processor: str, given: Path, place: Path, **how: Any) -> Told:
        """Run tasks in the machine, each a name and a command, in the folder ``project`` of ``given``.

        The other parameters are those of ``run``.  Raises AssertionError where the machine did not end them.
        """
        (given / "project").mkdir(exist_ok=True)
        (given / "tasks.json").write_text(json.dumps(tasks))
        (given / "do.py").write_text(DO)
        (given / "do").write_text("cd /srv/project && exec python3 /srv/do.py\n")
        out = self.run(processor, given, place, **how)
        told = out / "told.json"
        assert told.exists(), (place / "console.log").read_text(errors="replace")[-3000:]
        return Told(out, json.loads(told.read_text()))

    def run(
        self,
        processor: str,
        given: Path,
        place: Path,
        *,
        memory_mb: int = 1024,
        keep: bool = False,
        services: bool = False,
        stick: Path | None = None,
    ) -> Path:
        """Start the machine, run the script ``do`` of a folder in it, and return a folder of its results.

        Parameters
        ----------
        processor
            A key of ``PROCESSORS``.
        given
            A folder; in the machine it is ``/srv``.
        place
            Where the console's log and the folder of results go: what the script left in ``/srv/out``.
        memory_mb
            The machine's memory, in MB.
        keep
            Whether the disk keeps what was changed.
        services
            Whether systemd starts the machine and its services; the script is one of them.
        stick
            The file system of a USB stick that is plugged in; it keeps what is written to it.
        """
        with tempfile.TemporaryDirectory(dir=place) as disks:
            into, back = Path(disks) / "given", Path(disks) / "results"
            with tarfile.open(into, "w") as archive:
                archive.add(given, ".")
            back.touch()
            os.truncate(back, RESULTS_BYTES)
            drives = [(self.disk, f"cache=unsafe,snapshot={'off' if keep else 'on'}"), (into, "snapshot=on")]
            words = ["-M", "virt", "-cpu", processor, "-smp", "2", "-m", str(memory_mb), "-nographic"]
            words += ["-no-reboot", "-nic", "none", "-device", "virtio-rng-pci"]
            words += ["-kernel", str(self.kernel), "-initrd", str(self.first)]
            words += ["-append", f"console=ttyAMA0 quiet panic=-1{' services' if services else ''}"]
            for path, how in (*drives, (back, "cache=unsafe")):
                words += ["-drive", f"file={path},format=raw,if=virtio,{how}"]
            if stick:
                words += ["-device", "qemu-xhci", "-drive", f"file={stick},format=raw,if=none,id=stick"]
                words += ["-device", "usb-storage,drive=stick"]
            with (place / "console.log").open("wb") as console:
                subprocess.run(
                    [QEMU, *words],
                    check=True,
                    timeout=LONGEST_S,
                    stdin=subprocess.DEVNULL,
                    stdout=console,
                    stderr=console,
                )
            out = place / "out"
            shutil.rmtree(out, ignore_errors=True)
            with tarfile.open(back) as archive:
                archive.extractall(out, filter="data")
        return out


@dataclass(frozen=True, slots=True)
class Fetch:
    """Debian's packages for arm64, fetched as files; the packages of this machine are left alone."""

    release: str
    folder: Path

    def apt(self, program: str, *words: str) -> str:
        """Run one of apt's programs for the other machine, in a state of its own; return what it says."""
        for name in ("lists/partial", "cache/archives/partial"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        own = "/usr/share/keyrings/debian-archive-keyring.gpg"
        source = f"deb [signed-by={own}] {mirror()} {self.release} main\n"
        (self.folder / "sources.list").write_text(source)
        options = {
            "APT::Architecture": "arm64",
            "APT::Architectures::": "arm64",
            "APT::Sandbox::User": "root",
            "Dir::Etc::SourceList": self.folder / "sources.list",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State": self.folder,
            "Dir::State::Lists": self.folder / "lists",
            "Dir::State::Status": self.folder / "status",
            "Dir::Cache": self.folder / "cache",
        }
        command = [program, "-q", *(f"-o{name}={value}" for name, value in options.items()), *words]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def newest(self, package: str) -> str:
        """Return the package that another one stands for."""
        self.apt("apt-get", "update")
        (found,) = re.findall(r"Depends: (\S+)", self.apt("apt-cache", "depends", "--important", package))
        return str(found)

    def packages(self, *names: str) -> list[Path]:
        """Return the files of packages, in the order of their names."""
        self.apt("apt-get", "download", *names)
        return [next(self.folder.glob(f"{name}_*.deb")) for name in names]


def files(package: Path) -> Iterable[tuple[str, bytes]]:
    """Yield the name and the content of every plain file in a package."""
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as unpacking,
        tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive,
    ):
        for member in archive:
            if member.isfile() and (content := archive.extractfile(member)):
                yield member.name.removeprefix("./").removeprefix("usr/"), content.read()


def packaged(release: str, place: Path, root: Path) -> Path:
    """Return the arm64 package, built from this checkout."""
    words = ["--release", release, "--arch", "arm64", "--out", str(place)]
    command = [sys.executable, "-P", "-m", "companion.packaging", *words]
    made = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


def depends(package: Path) -> set[str]:
    """Return the packages that a package needs, the first where any of several will do."""
    command = ["dpkg-deb", "--field", str(package), "Depends"]
    field = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {re.split(r"[\s|(]", one.strip())[0] for one in field.split(",")}


@dataclass(frozen=True, slots=True)
class Told:
    """What a machine has said: its folder of results, and status, seconds and peak memory of each task."""

    folder: Path
    tasks: dict[str, dict[str, float]]

    def text(self, task: str, kind: str = "out") -> str:
        """Return what a task has printed, or with ``err`` what it has complained of."""
        return (self.folder / f"{task}.{kind}").read_text()

    def well(self, task: str) -> str:
        """Return what a task has printed, after it ended well; raise AssertionError otherwise."""
        assert self.tasks[task]["status"] == 0, self.text(task)[-3000:] + self.text(task, "err")[-3000:]
        return self.text(task)
