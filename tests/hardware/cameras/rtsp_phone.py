"""A phone that films by RTSP: JPEG over RTP (RFC 2435), within the RTSP connection (RFC 2326, 10.12)."""

from __future__ import annotations

import socketserver
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import ClassVar

import cv2
import numpy as np

from tests.hardware.cameras.made import noisy

JPEG_PAYLOAD, TABLES_IN_BAND, YUV420 = 26, 255, 1
TABLES, START_OF_SCAN = 0xFFDB, 0xFFDA
CLOCK_HZ = 90_000
SDP = (
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=phone\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
    "m=video 0 RTP/AVP 26\r\na=control:track1\r\n"
)


def taken_apart(jpeg: bytes) -> tuple[bytes, bytes]:
    """Return a JPEG's two quantization tables, 64 bytes each, and its scan."""
    tables, at = b"", 2
    marker = 0
    while marker != START_OF_SCAN:
        marker, length = struct.unpack(">HH", jpeg[at : at + 4])
        body, at = jpeg[at + 4 : at + 2 + length], at + 2 + length
        if marker == TABLES:
            tables += b"".join(body[k + 1 : k + 65] for k in range(0, len(body), 65))
    return tables[:128], jpeg[at:-2]


def packet(number: int, width: int = 64, height: int = 48) -> bytes:
    """Return a frame of its number as one RTP packet."""
    picture = cv2.cvtColor(noisy(number, 60 + number % 100), cv2.COLOR_GRAY2BGR)
    jpeg = cv2.imencode(".jpg", np.asarray(picture, np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes()
    tables, scan = taken_apart(jpeg)
    head = struct.pack(">BBHII", 0x80, 0x80 | JPEG_PAYLOAD, number % 65536, number * CLOCK_HZ // 25, 0xC0FFEE)
    about = struct.pack(">IBBBB", 0, YUV420, TABLES_IN_BAND, width // 8, height // 8)
    return head + about + struct.pack(">BBH", 0, 0, len(tables)) + tables + scan


class Phone(socketserver.StreamRequestHandler):
    """Answers what a player asks, then sends frames until it is switched off."""

    off: ClassVar[Event]

    def handle(self) -> None:
        with suppress(OSError):  # the player went away
            while asked := self.request_of():
                self.answer(*asked)
                if asked[0] == "PLAY":
                    self.film()

    def request_of(self) -> tuple[str, str] | None:
        """Return what is asked for, and the number of the question."""
        if not (first := self.rfile.readline().decode().split()):
            return None
        heads = [line.decode().partition(":") for line in iter(self.rfile.readline, b"\r\n")]
        number = next(value.strip() for name, _, value in heads if name.lower() == "cseq")
        return first[0], number

    def answer(self, what: str, number: str) -> None:
        more = {
            "OPTIONS": "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n",
            "SETUP": "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n",
            "PLAY": "Session: 1\r\n",
        }.get(what, "")
        body = SDP if what == "DESCRIBE" else ""
        if body:
            more = f"Content-Type: application/sdp\r\nContent-Length: {len(body)}\r\n"
        self.wfile.write(f"RTSP/1.0 200 OK\r\nCSeq: {number}\r\n{more}\r\n{body}".encode())

    def film(self) -> None:
        number = 0
        while not self.off.is_set():
            number += 1
            rtp = packet(number)
            self.wfile.write(struct.pack(">cBH", b"$", 0, len(rtp)) + rtp)
            time.sleep(0.02)


class Server(socketserver.ThreadingTCPServer):
    """Listens on this machine alone."""

    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def rtsp_phone() -> Iterator[str]:
    """Yield the address of a phone that films until the block ends."""
    Phone.off = Event()
    with Server(("127.0.0.1", 0), Phone) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"rtsp://127.0.0.1:{server.server_address[1]}/live"
        Phone.off.set()
        server.shutdown()
        thread.join()
