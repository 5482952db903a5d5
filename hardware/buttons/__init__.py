"""Buttons: from kernel-stamped edges to presses with seat, gesture and time."""

from __future__ import annotations

from companion.config.controls import Gesture
from hardware.buttons.button import ButtonStatus, Press
from hardware.buttons.buttons import Buttons
from hardware.buttons.contact import Change, Edge, debounce_edges

__all__ = ["ButtonStatus", "Buttons", "Change", "Edge", "Gesture", "Press", "debounce_edges"]
