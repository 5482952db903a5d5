"""Whether the light, the focus and the resolution let tiles be read; where they do not, and what to do.

``check`` leads from a few frames of the table, with tiles spread over it, to a report, which ``shown_light``
draws.
"""

from calibration.light.check import check
from calibration.light.report import Aspect, Finding, Grade, LightReport, shown_light

__all__ = ["Aspect", "Finding", "Grade", "LightReport", "check", "shown_light"]
