"""Scripts that prepare or test a table import a few names of the pages: they stay where they were."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

NAMES = [
    ("companion.web.app", "create_app"),
    ("companion.web.keeping", "Kept"),
    ("companion.web.roles", "seat_code"),
    ("companion.web.tokens", "issue"),
]


@pytest.mark.parametrize(("module", "name"), NAMES, ids=str)
def test_a_name_that_scripts_import_is_there(module: str, name: str) -> None:
    assert callable(getattr(import_module(module), name))


def test_the_description_of_the_interface_is_where_scripts_read_it(root: Path) -> None:
    assert "/calls" in json.loads((root / "companion" / "web" / "openapi.json").read_text())["paths"]
