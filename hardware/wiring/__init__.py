"""Wiring: the wires of a Pi's header, and checks of them."""

from __future__ import annotations

from hardware.wiring.check import check, notes
from hardware.wiring.header import enabled_interfaces
from hardware.wiring.wires import Wire, default_controls, wires

__all__ = ["Wire", "check", "default_controls", "enabled_interfaces", "notes", "wires"]
