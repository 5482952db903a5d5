"""Set-up of a table from its pages: pictures of its cameras, calibration, and the stored profiles.

``Wizard`` serves ``companion.rpc``'s wizard interface; each step calls a function of ``calibration``.
"""

from companion.wizard.camera import WizardCamera
from companion.wizard.wizard import Wizard

__all__ = ["Wizard", "WizardCamera"]
