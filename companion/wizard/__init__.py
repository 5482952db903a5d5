"""A table set up from a page: its camera's pictures, what calibration finds in them, and the profile kept.

``Wizard`` answers what ``companion.rpc.wizard`` asks; each step is a plain function of ``calibration``.
"""

from companion.wizard.eye import WizardEye
from companion.wizard.wizard import Wizard

__all__ = ["Wizard", "WizardEye"]
