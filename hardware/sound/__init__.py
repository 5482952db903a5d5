"""Sound: tones of a buzzer, and calls spoken aloud."""

from __future__ import annotations

from hardware.sound.sound import Sound

__all__ = ["Sound"]
