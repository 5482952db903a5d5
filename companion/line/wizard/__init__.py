"""What pages ask and tell a table that is being set up: pictures, corners, zones, light, own tiles."""

from companion.line.wizard.client import WizardLine
from companion.line.wizard.desk import WizardDesk
from companion.line.wizard.values import (
    DriftTold,
    FindingTold,
    LensTold,
    LightTold,
    SheetKind,
    Shown,
    TableTold,
    TilesTold,
    WizardStatus,
    ZoneAt,
)

__all__ = [
    "DriftTold",
    "FindingTold",
    "LensTold",
    "LightTold",
    "SheetKind",
    "Shown",
    "TableTold",
    "TilesTold",
    "WizardDesk",
    "WizardLine",
    "WizardStatus",
    "ZoneAt",
]
