"""The table at play: from the devices to the loop that owns the game's state, then to lights and sound.

Threads: each camera has one.  The buttons' thread only stamps and enqueues presses, and acknowledges them by
a light.  Only the loop's thread calls the rules and writes the log.  Requests of pages are handled on the
threads of the rpc server.
"""

from companion.table.camera_thread import CameraRig, TableCamera
from companion.table.request_handler import NextGame, TableRequestHandler
from companion.table.table import Devices, Table

__all__ = ["CameraRig", "Devices", "NextGame", "Table", "TableCamera", "TableRequestHandler"]
