"""A configuration becomes values, and what is wrong in it is named with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from companion.config.parse import parsed, read
from companion.errors import BadConfig


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


@dataclass(frozen=True, slots=True)
class Lamp:
    pin: int
    colour: Colour = Colour.RED
    bright: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.pin <= 27:
            raise BadConfig(f"pin must be 0 to 27; got {self.pin}")


@dataclass(frozen=True, slots=True)
class Room:
    name: str
    lamps: tuple[Lamp, ...] = ()
    size: tuple[int, int] = (4, 5)
    kind: Literal["hall", "kitchen"] = "hall"
    door: int | str | None = None
    open: bool = False
    options: Mapping[str, Any] | None = None


def even(given: int) -> None:
    if given % 2:
        raise ValueError("must be even")


@dataclass(frozen=True, slots=True)
class Checked:
    pairs: Annotated[int, even]
    more: Annotated[int, even] | None = None


def test_the_check_of_an_annotation_that_is_text_is_heard() -> None:
    assert parsed({"pairs": 2, "more": 4}, Checked) == Checked(2, 4)
    for given in ({"pairs": 3}, {"pairs": 2, "more": 3}):
        with pytest.raises(BadConfig, match="must be even"):
            parsed(given, Checked)


def test_a_whole_configuration_is_built() -> None:
    given = {
        "name": "den",
        "lamps": [{"pin": 4, "colour": "green", "bright": 1}],
        "door": "left",
        "size": [2, 3],
        "options": {"cap_s": 60, "words": ["a"]},
    }
    lamp = Lamp(4, Colour.GREEN, 1.0)
    assert parsed(given, Room) == Room(
        "den", (lamp,), (2, 3), "hall", "left", False, {"cap_s": 60, "words": ["a"]}
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "room.toml: name: this key is needed and missing"),
        ({"name": "den", "lamp": []}, "room.toml: no key 'lamp'; did you mean 'lamps'?"),
        (
            {"name": "den", "lamps": [{"pin": 4, "color": "red"}]},
            "lamps[0]: no key 'color'; did you mean 'colour'?",
        ),
        ({"name": "den", "lamps": [{"pin": 4}, {"pin": 99}]}, "lamps[1]: pin must be 0 to 27; got 99"),
        ({"name": "den", "lamps": [{"pin": "4"}]}, "lamps[0].pin: must be a whole number; got '4'"),
        ({"name": "den", "lamps": [{"pin": True}]}, "lamps[0].pin: must be a whole number; got 'True'"),
        ({"name": "den", "lamps": "red"}, "lamps: must be a list; got 'red'"),
        ({"name": "den", "lamps": [4]}, "lamps[0]: must be a table; got '4'"),
        ({"name": 3}, "name: must be a text; got '3'"),
        ({"name": "den", "open": 1}, "open: must be true or false; got '1'"),
        ({"name": "den", "kind": "attic"}, "kind: must be one of hall, kitchen; got 'attic'"),
        ({"name": "den", "size": [1]}, "size: must be a list of 2; got '[1]'"),
        (
            {"name": "den", "lamps": [{"pin": 4, "colour": "gren"}]},
            "colour: must be one of red, green; got 'gren'; did",
        ),
        ({"name": "den", "door": [1]}, "door: "),
        ({"name": "den", "options": 3}, "options: must be a table"),
    ],
)
def test_a_fault_is_named_with_its_place(given: dict[str, Any], says: str) -> None:
    with pytest.raises(BadConfig) as caught:
        parsed(given, Room, "room.toml")
    assert says in str(caught.value)


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(BadConfig) as caught:
        parsed({"name": 3, "open": "yes", "dor": 1}, Room)
    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.parametrize("text", [b"name = ", b"\xff", b"a = 1\na = 2"])
def test_a_file_that_is_no_toml_is_named(text: bytes, tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(text)
    with pytest.raises(BadConfig, match=r"table\.toml: "):
        read(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"none\.toml: No such file"):
        read(tmp_path / "none.toml")
