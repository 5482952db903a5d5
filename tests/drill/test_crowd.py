"""Phones that are measured, and phones that do harm meanwhile."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from calibration.evaluation.metric import quantile
from companion.drill.crowd import CONNECTIONS_PER_PHONE, FIRST_PAGE_REQUESTS, Crowd
from companion.drill.hostile_phones import crowd_outcome, measure_crowds


class Pages(threading.Thread):
    """Answers every request by its path; a live stream hears one message and goes on."""

    def __init__(self, status: str = "200 OK") -> None:
        super().__init__(daemon=True)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port, self.status = self.listening.getsockname()[1], status
        self.asked: list[str] = []
        self.opened = 0

    def run(self) -> None:
        while True:
            try:
                line, _ = self.listening.accept()
            except OSError:
                return
            self.opened += 1
            threading.Thread(target=self.serve, args=(line,), daemon=True).start()

    def serve(self, line: socket.socket) -> None:
        with line, line.makefile("rb") as came:
            for first in came:
                path = first.split()[1].decode()
                while came.readline().strip():
                    pass
                self.asked.append(path)
                if path.startswith("/live"):
                    line.sendall(b"HTTP/1.1 200 OK\r\n\r\ndata: {}\n\n")
                else:
                    line.sendall(f"HTTP/1.1 {self.status}\r\nContent-Length: 4\r\n\r\npage".encode())


@pytest.fixture
def pages() -> Iterator[Pages]:
    found = Pages()
    found.start()
    yield found
    found.listening.close()


def test_a_phone_opens_six_connections_loads_a_whole_page_and_listens(pages: Pages) -> None:
    crowd = Crowd(pages.port, 1)
    crowd.play(2, 0.1, 0.5)
    assert pages.opened == 2 * CONNECTIONS_PER_PHONE
    assert sorted(pages.asked[:12]) == sorted(2 * ["/", *FIRST_PAGE_REQUESTS, "/live/score"])
    assert (len(crowd.answers_s) >= 10, len(crowd.live_s), crowd.failed) == (True, 2, [])


def test_a_page_that_is_refused_has_failed(pages: Pages) -> None:
    pages.status = "503 Busy"
    crowd = Crowd(pages.port, 1)
    crowd.play(1, 0.1, 0.3)
    assert "/ was answered 503" in crowd.failed[0]
    assert crowd_outcome("x", 1, crowd, 1000.0).faults


def test_answers_that_come_too_late_are_a_fault(pages: Pages) -> None:
    crowd = Crowd(pages.port, 1)
    crowd.answers_s, crowd.live_s = [0.001] * 90 + [0.5] * 10, [0.1]
    (fault,) = crowd_outcome("x", 1, crowd, 300.0).faults
    assert "up to 500 ms; at most 300" in fault
    assert crowd_outcome("x", 1, crowd, 600.0).faults == []
    assert "1 of 2 phones never went live" in crowd_outcome("x", 2, crowd, 600.0).faults


def test_a_quantile_is_a_value_that_was_measured() -> None:
    assert [quantile([3.0, 1.0, 2.0], share) for share in (0.0, 0.5, 0.99)] == [1.0, 2.0, 3.0]
    assert quantile([], 0.5) != quantile([], 0.5)


@pytest.mark.slow
def test_honest_phones_are_served_beside_every_hostile_one() -> None:
    found = list(measure_crowds(6, 5, lambda _what: None, stay_s=1.0))
    assert len(found) == 7
    for one in found:
        assert [fault for fault in one.faults if "answers took" not in fault] == []
        assert one.measured["answers"] >= 25
