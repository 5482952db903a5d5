"""Wiring: which wire goes where on a Pi's header, and what cannot be wired like that."""

from __future__ import annotations

from hardware.wiring.check import check, notes
from hardware.wiring.header import on_this_pi
from hardware.wiring.wires import Wire, laid_out, wires

__all__ = ["Wire", "check", "laid_out", "notes", "on_this_pi", "wires"]
