"""What must be right before a game: file, machine, what judges, what sees, what is pressed."""

from companion.bootstrap.checkup.live import live_checks
from companion.bootstrap.checkup.machine import machine_checks
from companion.bootstrap.checkup.table import camera_checks, judging_checks, table_checks
from companion.bootstrap.checkup.touch import touch_checks

__all__ = ["camera_checks", "judging_checks", "live_checks", "machine_checks", "table_checks", "touch_checks"]
