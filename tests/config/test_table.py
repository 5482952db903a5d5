"""A table's configuration: what it says, what it may leave out, what it may not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.config.parse import parsed
from companion.config.table import BoardConfig, TableConfig, load
from companion.errors import BadConfig

SMALL = 'game = "chew"\nseats = ["Anna", "Bo"]\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_game_and_seats_are_all_that_a_table_needs(tmp_path: Path) -> None:
    config = load(written(tmp_path, SMALL))
    assert (config.game, config.seats, config.switches) == ("chew", ("Anna", "Bo"), {})


def test_paths_are_meant_from_where_the_file_lies(tmp_path: Path) -> None:
    text = (
        SMALL
        + 'log = "games.db"\nsocket = "/run/line"\n'
        + '[[cameras]]\nkind = "folder"\nwhere = "shots"\nprofile = "p.toml"\n'
    )
    config = load(written(tmp_path, text))
    camera = config.cameras[0]
    assert (config.log, config.socket) == (str(tmp_path / "games.db"), "/run/line")
    assert (camera.where, camera.profile) == (str(tmp_path / "shots"), str(tmp_path / "p.toml"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f'log = "{"x" * 300}"', "a name has at most 255 bytes"),
        (f'socket = "{"y/" * 3000}"', "a path has at most 4,095 bytes"),
        ('log = "a\\u0000b"', "a name has no NUL"),
        ('log = "~nobody-of-this-name/games.db"', "there is no such user's home"),
    ],
)
def test_a_path_that_no_file_can_have_is_refused(line: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=says):
        load(written(tmp_path, f"{SMALL}{line}\n"))


def test_the_policy_is_one_of_the_games_options() -> None:
    given = {"game": "chew", "seats": ["Anna"], "policy": "off", "options": {"cap_s": 60}}
    assert parsed(given, TableConfig).switches == {"policy": "off", "cap_s": 60}


def test_a_board_is_described() -> None:
    given = {"game": "m", "seats": ["A", "B"], "board": {"kind": "squares", "rows": 5, "cols": 5}}
    assert parsed(given, TableConfig).board == BoardConfig("squares", 5, 5)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('game = "chew"\nseats = []\n', "1 to 13"),
        (SMALL + 'polcy = "off"\n', "table.toml: no key 'polcy'; did you mean 'policy'?"),
        (SMALL + 'policy = "of"\n', "policy: must be one of strict, advise, off"),
        (
            SMALL + 'policy = "off"\n[options]\npolicy = "strict"\n',
            "policy: is off, but options.policy is strict",
        ),
        (SMALL + "facing_deg = [0.0]\n", "one a seat; got 1"),
        (SMALL + "facing_deg = [0, nan]\n", "numbers of degrees"),
        (SMALL + 'name = ""\n', "name: must have"),
        (SMALL + "wait_s = 90\n", "wait_s: must be"),
        (SMALL + "[board]\nrows = 5\n", "a scrabble board has 15 x 15"),
        (SMALL + '[board]\nkind = "squares"\nrows = 5\n', "rows and cols must be 1 to 30; got 5 x 0"),
        (SMALL + '[board]\nkind = "volcano"\ncolours = ["red", "red"]\n', "pieces of the same colour"),
        (SMALL + '[[cameras]]\nkind = "usb"\n[[cameras]]\nkind = "usb"\n', "two have the same name"),
        (SMALL + "[pictures]\nquality = 0\n", "pictures: quality must be"),
        (SMALL + "[pictures]\nwidth = 9\n", "pictures: width must be"),
        (SMALL + "[pictures]\nmegabytes = -1\n", "pictures: megabytes must be"),
        (
            SMALL + '[[cameras]]\nkind = "pi"\nprofle = "x"\n',
            "cameras[0]: no key 'profle'; did you mean 'profile'?",
        ),
    ],
)
def test_what_no_table_can_be_is_refused_with_its_place(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(BadConfig) as caught:
        load(written(tmp_path, text))
    assert says in str(caught.value)
