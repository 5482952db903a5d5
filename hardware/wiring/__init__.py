"""Wiring: the wires of a Pi's header, and checks of them."""

from __future__ import annotations

from hardware.wiring.check import check, notes
from hardware.wiring.header import on_this_pi
from hardware.wiring.wires import Wire, laid_out, wires

__all__ = ["Wire", "check", "laid_out", "notes", "on_this_pi", "wires"]
