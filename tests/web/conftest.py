"""A game in a log, a table that writes down what it is asked, and pages over both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache

from companion.events.log import EventLog
from companion.events.match import Match
from companion.rpc import TableClient, serve
from companion.web.app import create_app
from companion.web.auth import pins
from tests.web.made import Desk, begun, host_of, monitor


@pytest.fixture(autouse=True)
def quick_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    """PINs that are hashed at once: here nobody guesses them."""
    monkeypatch.setattr(pins, "PIN_HASH_METHOD", "pbkdf2:sha256:1")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> FileSystemBytecodeCache:
    """Templates that were compiled for an earlier test."""
    return FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A table at the other end of a real line."""
    found = Desk()
    with serve(tmp_path / "socket", found):
        yield found


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    """The table's log."""
    with EventLog(tmp_path / "log") as found:
        yield found


@pytest.fixture
def match(log: EventLog) -> Match:
    """A game that is played by the strict policy."""
    return begun(log)


@pytest.fixture
def app(match: Match, desk: Desk, tmp_path: Path, compiled: FileSystemBytecodeCache) -> Flask:
    """The pages of that game."""
    assert match.number
    assert not desk.heard
    found = create_app(tmp_path / "log", TableClient(tmp_path / "socket"), tmp_path / "kept")
    found.jinja_env.bytecode_cache = compiled
    monitor(found).poll_log()
    monitor(found).poll_status()
    return found


@pytest.fixture
def phone(app: Flask) -> FlaskClient:
    """A viewer's phone."""
    return app.test_client()


@pytest.fixture
def host(app: Flask) -> FlaskClient:
    """A phone whose owner has read the console and chosen the PIN."""
    return host_of(app)
