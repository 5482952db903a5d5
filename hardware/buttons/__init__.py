"""Buttons: who pressed which, how, and when to the microsecond."""

from __future__ import annotations

from companion.config.controls import Gesture
from hardware.buttons.buttons import Buttons
from hardware.buttons.contact import Change, debounced
from hardware.buttons.edge import Edge, Press
from hardware.buttons.key import KeyState

__all__ = ["Buttons", "Change", "Edge", "Gesture", "KeyState", "Press", "debounced"]
