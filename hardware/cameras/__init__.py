"""Cameras over the table: Raspberry Pi's, USB, network streams, films and folders of pictures.

Each keeps its newest frame, knows how it fares, and comes back by itself when it was away.
"""

from hardware.cameras.camera import Camera
from hardware.cameras.health import Health, State
from hardware.cameras.opening import open_camera

__all__ = ["Camera", "Health", "State", "open_camera"]
