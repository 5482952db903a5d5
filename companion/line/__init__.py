"""The line between the table and its pages: messages over a Unix socket, and nothing else between them.

A page opens ``Line(path)`` and asks; the table answers from a ``Desk`` that ``serve(path, desk)`` puts on the
line.  Every question is one line of JSON, every answer one line of JSON, with a picture's bytes after it
where a picture was asked for.
"""

from companion.line.client import Line
from companion.line.desk import Desk
from companion.line.server import Server, serve
from companion.line.values import (
    Answer,
    CameraStatus,
    CheckLine,
    Checkup,
    Face,
    PictureKind,
    Pressed,
    SeatStatus,
    Status,
    TileSets,
)

__all__ = [
    "Answer",
    "CameraStatus",
    "CheckLine",
    "Checkup",
    "Desk",
    "Face",
    "Line",
    "PictureKind",
    "Pressed",
    "SeatStatus",
    "Server",
    "Status",
    "TileSets",
    "serve",
]
