"""Cameras: Raspberry Pi, USB, network streams, films and folders of pictures.

Each keeps its newest frame, reports its health, and is reopened after a failure.
"""

from hardware.cameras.camera import Camera
from hardware.cameras.health import Health, State
from hardware.cameras.opening import open_camera

__all__ = ["Camera", "Health", "State", "open_camera"]
