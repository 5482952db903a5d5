"""What the trained network sees in a tile before it decides: good for symbols that it never learnt.

Its file has one output, the classes that it was trained on.  An ONNX file is a Protocol Buffers message, and
such messages are joined by putting their bytes one after the other: so a few bytes behind the file ask for
what goes into the last layer as well, whatever was trained into it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.vision.networks import FOLDER, outputs, session

GRAPH, NODE, OUTPUT, NODE_OUTPUT, NODE_KIND, NAME, TYPE = 7, 1, 12, 2, 4, 1, 2
"""Numbers of the fields of ModelProto, GraphProto, NodeProto and ValueInfoProto (onnx.proto, version 1)."""
TENSOR_OF_FLOATS = b"\x0a\x02\x08\x01"
"""A TypeProto: a tensor whose elements are of type 1, float."""
LAST = b"Flatten"
"""Kind of the step whose result goes into the last layer."""


class StrokeEmbedding:
    """The network that names tiles, asked for what it sees; safe to call from several threads."""

    def __init__(self, path: Path = FOLDER / "classifier.onnx") -> None:
        network = path.read_bytes()
        self._session = session(network + with_feature_output(network))

    def seen(self, cut: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the logits of the trained classes, (n, classes), and what is seen, (n, features).

        ``cut`` are crops of shape (n, 32, 32).
        """
        logits, features = outputs(self._session, cut)
        return logits, features


def with_feature_output(network: bytes) -> bytes:
    """Return the bytes that, put behind a network's, make an output of what goes into its last layer."""
    (graph,) = (body for number, body in fields(network) if number == GRAPH)
    nodes = [dict(fields(body)) for number, body in fields(graph) if number == NODE]
    name = next(node[NODE_OUTPUT] for node in nodes if node[NODE_KIND] == LAST)
    value = field(NAME, name) + field(TYPE, TENSOR_OF_FLOATS)
    return field(GRAPH, field(OUTPUT, value))


def fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of each field of a message; whole numbers are passed over."""
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        match tag & 7:
            case 0:
                _, at = varint(message, at)
            case 2:
                size, at = varint(message, at)
                yield tag >> 3, message[at : at + size]
                at += size
            case kind:
                at += {1: 8, 5: 4}[kind]


def varint(message: bytes, at: int) -> tuple[int, int]:
    """Return the whole number that stands at a place of a message, and the place behind it."""
    value = shift = 0
    while True:
        value |= (message[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if message[at - 1] < 128:
            return value, at


def field(number: int, body: bytes) -> bytes:
    """Return a field with some content as it stands in a message."""
    size, left = bytearray(), len(body)
    while left > 127:
        size.append(left & 127 | 128)
        left >>= 7
    return bytes([number << 3 | 2, *size, left]) + body
