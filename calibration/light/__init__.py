"""Checks of light, focus and resolution, with places and advice.

``check`` returns a report from a few frames of a table with tiles all over it; ``light_overlay`` draws it.
"""

from calibration.light.check import check
from calibration.light.report import Aspect, Finding, Grade, LightReport, light_overlay

__all__ = ["Aspect", "Finding", "Grade", "LightReport", "check", "light_overlay"]
