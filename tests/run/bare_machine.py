"""A bench for ``run``: a copy of it on a machine whose every tool is a recording stand-in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

LOCKS = ("play", "pi", "dev")

REAL = "bash cat cp dirname env find flock head mkdir paste readlink rm sed sha256sum sleep touch".split()

RECORD = """#!/usr/bin/env bash
record() { local IFS=$'\\037'; printf '%s\\n' "$*" >>"$BENCH/calls"; }
record "${0##*/}" "$@"
"""

PYTHON = (
    RECORD
    + r"""
knows() { local module; for module; do [[ -e $BENCH/modules/$module ]] && return 0; done; return 1; }
case "$1 ${2-} ${3-}" in
    -V*) echo "Python $(<"$BENCH/${0##*/}.version").2" ;;
    *version_info*) [[ ! $(<"$BENCH/${0##*/}.version") < 3.11 ]] ;;
    *importlib*) knows "${@:3}" ;;
    '-m venv '*) mkdir -p "${@: -1}/bin" && cp "$0" "${@: -1}/bin/python" ;;
    '-m pip --version') ;;
    '-m pip install') cat; echo pip talks; sleep "${PIP_SECONDS:-0}"; exit "${PIP_STATUS:-0}" ;;
    '-P -m companion'*) echo "in $PWD:"; cat; exit "${COMPANION_STATUS:-0}" ;;
    '-m '*) echo "$2 talks"; [[ " ${FAILING-} " != *" $2 "* ]] ;;
    *) exit 99 ;;
esac
"""
)

APT_GET = (
    RECORD
    + r"""
cat
echo apt-get talks
[[ $* != *update* ]] || exit "${UPDATE_STATUS:-0}"
[[ ! ${INSTALL_STATUS-} ]] || exit "$INSTALL_STATUS"
for package; do
    case $package in
        tesseract-ocr) cp "$BENCH/bin/id" "$BENCH/bin/tesseract" ;;
        tesseract-ocr-deu) mkdir -p "$BENCH/share/tesseract-ocr/5/tessdata/deu.traineddata" ;;
        shellcheck) cp "$BENCH/bin/id" "$BENCH/bin/shellcheck" ;;
        chromium) cp "$BENCH/bin/id" "$BENCH/bin/chromium" ;;
        chromium-driver) cp "$BENCH/bin/id" "$BENCH/bin/chromedriver" ;;
        systemd) cp "$BENCH/bin/id" "$BENCH/bin/systemd-analyze" ;;
        scowl) mkdir -p "$BENCH/share/dict/scowl" ;;
        fonts-dejavu) mkdir -p "$BENCH/share/fonts/truetype/dejavu/DejaVuSansCondensed.ttf" ;;
        fonts-noto-core) mkdir -p "$BENCH/share/fonts/truetype/noto" ;;
        fonts-humor-sans) mkdir -p "$BENCH/share/fonts/truetype/humor-sans" ;;
        python3-venv) touch "$BENCH/modules/ensurepip" ;;
    esac
done
"""
)

SUDO = (
    RECORD
    + r"""
if [[ $* == '-n true' ]]; then exit "${SUDO_ASKS:-0}"; fi
if [[ $1 == -n ]]; then shift; fi
exec "$@"
"""
)


@dataclass
class Bench:
    """A machine in a folder: ``bin`` is its whole PATH, ``home`` the checkout."""

    folder: Path
    root: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bin, self.home = self.folder / "bin", self.folder / "our checkout"
        self.share = self.folder / "share"
        self.scowl = self.share / "dict" / "scowl"
        fonts = self.share / "fonts" / "truetype"
        self.fonts = [fonts / "dejavu" / "DejaVuSansCondensed.ttf", fonts / "noto", fonts / "humor-sans"]
        self.umlauts = self.share / "tesseract-ocr" / "5" / "tessdata" / "deu.traineddata"
        for folder in (self.bin, self.home / ".ci", self.home / ".requirements", self.folder / "modules"):
            folder.mkdir(parents=True)
        for name in ("run", ".ci/run", "pyproject.toml", *(f".requirements/{lock}.txt" for lock in LOCKS)):
            shutil.copy(self.root / name, self.home / name)
        script = (self.home / "run").read_text()
        (self.home / "run").write_text(script.replace("/usr/share", f"'{self.share}'"))
        for package in ("model", "words"):
            (self.home / "companion" / package).mkdir(parents=True)
        for name in REAL:
            (self.bin / name).symlink_to(shutil.which(name) or name)
        self.env = {"PATH": str(self.bin), "BENCH": str(self.folder)}
        self.tool("id", '#!/usr/bin/env bash\necho "${USER_ID:-0}"\n')
        self.tool("getconf", '#!/usr/bin/env bash\necho "${LONG_BIT:-64}"\n')
        self.tool("apt-get", APT_GET)
        self.tool("tesseract", RECORD)
        for name in (
            "shellcheck",
            "chromium",
            "chromedriver",
            "systemd-analyze",
            "x86_64-linux-gnu-ld",
            "aarch64-linux-gnu-ld",
            "qemu-system-aarch64",
            "debootstrap",
            "lintian",
            "cpio",
            "mkfs.vfat",
            "mmd",
        ):
            self.tool(name, RECORD)
        for folder in (self.scowl, *self.fonts, self.umlauts):
            folder.mkdir(parents=True)
        self.python("python3", "3.11")
        self.version("python", "3.11")
        self.module("ensurepip")

    def tool(self, name: str, text: str) -> None:
        """Put a stand-in on the PATH."""
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def version(self, name: str, version: str) -> None:
        """Say what version a Python is of; the one in ``.venv`` is called ``python``."""
        (self.folder / f"{name}.version").write_text(version)

    def python(self, name: str, version: str) -> None:
        """Put a Python on the PATH."""
        self.tool(name, PYTHON)
        self.version(name, version)

    def module(self, name: str) -> None:
        """Make every Python know a module."""
        (self.folder / "modules" / name).touch()

    def without(self, *names: str) -> None:
        """Take tools or modules away."""
        for name in names:
            (self.bin / name).unlink(missing_ok=True)
            (self.folder / "modules" / name).unlink(missing_ok=True)

    def run(
        self,
        *words: str,
        program: str = "run",
        cwd: Path | None = None,
        given: str = "",
        terminal: int | None = None,
        **env: object,
    ) -> subprocess.CompletedProcess[str]:
        """Call ``run`` somewhere with something on its standard input, be it a terminal."""
        return subprocess.run(
            [self.home / program, *words],
            cwd=cwd or self.folder,
            input=given if terminal is None else None,
            stdin=terminal,
            env=self.env | {name: str(value) for name, value in env.items()},
            capture_output=True,
            text=True,
            check=False,
        )

    def start(self, *words: str, **env: str) -> subprocess.Popen[str]:
        """Begin a call and return once pip is at work."""
        doing = subprocess.Popen(
            ["/usr/bin/env", "--default-signal=INT", self.home / "run", *words],
            env=self.env | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        until = time.monotonic() + 20
        while not self.calls("python", "-m", "pip", "install"):
            assert time.monotonic() < until, "pip was never called"
            time.sleep(0.01)
        return doing

    def kill(self, doing: subprocess.Popen[str], by: signal.Signals = signal.SIGKILL) -> None:
        """End a call, with everything that it started."""
        os.killpg(doing.pid, by)
        doing.communicate()

    def calls(self, *start: str) -> list[list[str]]:
        """Return the recorded calls that begin with these words."""
        record = self.folder / "calls"
        lines = record.read_text().splitlines() if record.exists() else []
        return [call for line in lines if (call := line.split("\037"))[: len(start)] == list(start)]

    def locked(self) -> list[list[str]]:
        """Return the locks that each installation took its versions from."""
        calls = [call for call in self.calls("python", "-m", "pip", "install") if "--require-hashes" in call]
        return [[Path(word).stem for word in call if word.endswith(".txt")] for call in calls]

    def forget(self) -> None:
        """Forget the calls so far."""
        (self.folder / "calls").unlink(missing_ok=True)
