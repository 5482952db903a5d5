"""Lights: the table's feedback at each seat."""

from __future__ import annotations

from hardware.lights.lights import Lights, ShownPattern
from hardware.lights.patterns import Colour, colour

__all__ = ["Colour", "Lights", "ShownPattern", "colour"]
