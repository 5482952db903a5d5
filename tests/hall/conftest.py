"""A hall whose tables are played by hand, and its pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.hall.hall import Hall
from companion.hall.pages.app import create_app
from companion.web.auth import pins
from companion.web.keeping import Kept
from tests.hall.tables import Tables
from tests.web.made import host_of


@pytest.fixture(autouse=True)
def quick_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    """PINs that are hashed at once: here nobody guesses them."""
    monkeypatch.setattr(pins, "PIN_HASH_METHOD", "pbkdf2:sha256:1")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A hall whose threads do not run: a test turns them."""
    found = Hall(tmp_path / "hall", Kept(tmp_path / "kept"))
    yield found
    found.service.close()
    found.replica.close()


@pytest.fixture
def tables(hall: Hall) -> Iterator[Tables]:
    """Tables that publish to the hall at once."""
    found = Tables(hall)
    yield found
    found.close()


@pytest.fixture
def app(hall: Hall, tmp_path: Path) -> Flask:
    """The hall's pages."""
    return create_app(hall, Kept(tmp_path / "kept"))


@pytest.fixture
def phone(app: Flask) -> FlaskClient:
    """A viewer's phone."""
    return app.test_client()


@pytest.fixture
def director(app: Flask) -> FlaskClient:
    """A phone whose owner has read the console and chosen the PIN."""
    return host_of(app)
