"""The sounds of a table: a buzzer's tunes and spoken clips, played one after the other on a thread."""

from __future__ import annotations

import logging
import shutil
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import NamedTuple, Self

from gpiozero import TonalBuzzer
from gpiozero.pins import Factory

from companion import processes
from companion.config.controls import Controls, Player, Speech
from companion.model.patterns import Pattern
from companion.model.phrases import phrase
from hardware.pins import open_pins, pin_errors
from hardware.sound.clips import clip_path

MAX_TUNE_S = 2.0
"""Greatest duration of a tune, in seconds."""

log = logging.getLogger(__name__)

MAX_WAITING_CUES = 3
"""Greatest number of waiting cues; older ones are dropped as outdated."""

MAX_CLIP_S = 8.0
"""Seconds after which a clip is cut off."""

MAX_CUE_AGE_S = 8.0
"""Seconds after which what is left of a cue is outdated: players would take it for news."""

OCTAVES = 3
QUIET_OPTIONS = {Player.APLAY: ["-q"], Player.PAPLAY: []}
PLAYER_PACKAGES = {Player.APLAY: "alsa-utils", Player.PAPLAY: "pulseaudio-utils"}


class Note(NamedTuple):
    """A tone in hertz, or silence at 0, for a duration in milliseconds."""

    hertz: float
    ms: int


LOW_HZ, HIGH_HZ, HIGHER_HZ, TOP_HZ = 440.0, 880.0, 1174.7, 1760.0

TUNES: Mapping[Pattern, tuple[Note, ...]] = MappingProxyType(
    {
        Pattern.HEARD: (),
        Pattern.IDLE: (),
        Pattern.ACCEPTED: (Note(HIGH_HZ, 90), Note(HIGHER_HZ, 160)),
        Pattern.REFUSED: (Note(LOW_HZ, 350),),
        Pattern.DRAW: (Note(HIGHER_HZ, 70), Note(0, 60), Note(HIGHER_HZ, 70)),
        Pattern.TURN: (Note(HIGH_HZ, 90), Note(TOP_HZ, 160)),
        Pattern.DOUBT: (Note(HIGHER_HZ, 150), Note(HIGH_HZ, 200)),
        Pattern.WARNING: (Note(TOP_HZ, 60), Note(0, 80), Note(TOP_HZ, 60), Note(0, 80), Note(TOP_HZ, 60)),
        Pattern.WINNER: (Note(HIGH_HZ, 140), Note(HIGHER_HZ, 140), Note(TOP_HZ, 500)),
        Pattern.TEST: (),
        Pattern.OFF: (),
    }
)
"""The tune of each pattern: rising for good news, low for bad news, ticking for a warning."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A queued sound: the tune of a pattern, then clips by their names; ``since_s`` is when it was queued."""

    tune: Pattern | None = None
    clips: tuple[str, ...] = ()
    since_s: float = field(default_factory=time.monotonic)

    @property
    def outdated(self) -> bool:
        """Whether it was queued too long ago."""
        return time.monotonic() - self.since_s > MAX_CUE_AGE_S


class Sound:
    """The sounds of a table, as a context manager; silent without a buzzer and without speech.

    A failing buzzer, and a missing player, clip or sound card, is logged once, and never stops a game.

    Parameters
    ----------
    controls
        The buzzer's pin, the language and the player.
    clips
        The folder of the clips; ``companion voice`` fills it.
    pins
        The pin factory; by default the Pi's own.
    on_fault
        Receives every fault, in words.

    Raises
    ------
    NoPins
        On entering, where the buzzer has no pin.
    """

    def __init__(
        self,
        controls: Controls,
        clips: Path | None = None,
        pins: Factory | None = None,
        on_fault: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self._controls, self._clips, self._pins = controls, clips, pins
        self._on_fault = on_fault
        self._speech: Speech | None = controls.speech if clips else None
        self._player = ""
        self._buzzer: TonalBuzzer | None = None
        self._cues: deque[Cue] = deque(maxlen=MAX_WAITING_CUES)
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._playing: subprocess.Popen[str] | None = None
        self._undo = ExitStack()
        self._faults: list[str] = []
        self._thread = threading.Thread(target=self._play_all, name="sound", daemon=True)

    def __enter__(self) -> Self:
        if self._controls.buzzer is not None:
            with open_pins(self._pins) as pins:
                self._buzzer = TonalBuzzer(self._controls.buzzer, octaves=OCTAVES, pin_factory=pins)
            self._undo.callback(self._buzzer.close)
        if self._speech is not None:
            self._player = shutil.which(self._speech.player) or ""
            if not self._player:
                package = PLAYER_PACKAGES[self._speech.player]
                self._warn(
                    phrase(
                        "calls are not spoken until you run: sudo apt install %(package)s", package=package
                    )
                )
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._playing is not None:
            self._playing.terminate()
        with self._changed:
            self._changed.notify()
        self._thread.join()
        self._undo.close()

    @property
    def faults(self) -> tuple[str, ...]:
        """The faults so far, in words."""
        return tuple(self._faults)

    def play(self, pattern: Pattern | None = None, clips: Sequence[str] = ()) -> None:
        """Queue the tune of a pattern and then clips; returns at once."""
        with self._changed:
            self._cues.append(Cue(pattern, tuple(clips)))
            self._changed.notify()

    def _play_all(self) -> None:
        """Play queued cues until the end."""
        while not self._stop.is_set():
            with self._changed:
                while not self._cues and not self._stop.is_set():
                    self._changed.wait()
                cue = self._cues.popleft() if self._cues else Cue()
            if cue.tune is not None and self._buzzer is not None and not cue.outdated:
                self._buzz(self._buzzer, cue.tune)
            for name in cue.clips if self._player else ():
                if not cue.outdated:
                    self._speak(name)

    def _buzz(self, buzzer: TonalBuzzer, tune: Pattern) -> None:
        """Play a tune."""
        try:
            for note in TUNES[tune]:
                buzzer.play(note.hertz or None)
                if self._stop.wait(note.ms / 1000):
                    break
            buzzer.stop()
        except pin_errors() as error:
            self._warn(phrase("the buzzer fails: %(why)s", why=error))

    def _speak(self, name: str) -> None:
        """Play a clip, for at most ``MAX_CLIP_S``."""
        speech = self._speech
        if speech is None or self._clips is None or self._stop.is_set():
            return
        path = clip_path(self._clips, speech.language, name)
        if path.parent.is_dir() and not path.is_file():
            log.debug("nobody recorded %s", path)
            return
        if not path.is_file():
            self._warn(
                phrase(
                    "no clip %(path)s; render the clips with: companion voice --language %(language)s",
                    path=path,
                    language=speech.language,
                )
            )
            return
        command = [self._player, *QUIET_OPTIONS[speech.player], str(path)]
        try:
            fault = self._run(command)
        except OSError as error:
            fault = str(error)
        if fault and not self._stop.is_set():
            self._warn(phrase("calls are not heard: %(player)s: %(why)s", player=speech.player, why=fault))

    def _run(self, command: list[str]) -> str:
        """Run a player to its end or for ``MAX_CLIP_S``, and return its error message, empty for none."""
        with processes.start(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, errors="replace"
        ) as playing:
            self._playing = playing
            if self._stop.is_set():
                playing.terminate()
            try:
                said = playing.communicate(timeout=MAX_CLIP_S)[1].strip()
            except subprocess.TimeoutExpired:
                playing.kill()
                return f"it took longer than {MAX_CLIP_S:.0f} s"
            return (said.splitlines() or ["it failed"])[-1] if playing.returncode else ""

    def _warn(self, text: str) -> None:
        """Report a fault, and log it once."""
        self._on_fault(text)
        if text not in self._faults:
            self._faults.append(text)
            log.warning("%s", text)
