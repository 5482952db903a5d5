"""The one loop that owns a game's state, between the devices and the log.

Threads: each camera has one of its own; the buttons' thread only stamps,
enqueues and lights up that a press was heard; the loop's thread alone asks
the rules and writes the log; pages are answered on the line's own threads.
"""

from companion.table.camera_thread import CameraRig, TableCamera
from companion.table.request_handler import NextGame, TableRequestHandler
from companion.table.table import Devices, Table

__all__ = ["CameraRig", "Devices", "NextGame", "Table", "TableCamera", "TableRequestHandler"]
