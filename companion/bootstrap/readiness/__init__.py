"""Readiness checks before a game: configuration, machine, word list, reader, cameras and controls."""

from companion.bootstrap.readiness.controls import control_checks
from companion.bootstrap.readiness.live import live_checks
from companion.bootstrap.readiness.machine import machine_checks
from companion.bootstrap.readiness.table import camera_checks, judging_checks, table_checks

__all__ = [
    "camera_checks",
    "control_checks",
    "judging_checks",
    "live_checks",
    "machine_checks",
    "table_checks",
]
