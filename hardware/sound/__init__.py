"""Sound: tones of a buzzer, and calls spoken aloud."""

from __future__ import annotations

from hardware.sound.sound import Cue, Sound

__all__ = ["Cue", "Sound"]
