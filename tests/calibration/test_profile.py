"""Profiles as files."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from calibration.profile import format_profile, parse_profile, read_profile, write_profile
from companion.errors import BadProfile
from companion.model.profile import CameraId, Landmark, Lens, Marker, Profile, TableMap, Zone, ZoneKind

SQUARE = ((0.0, 0.0), (60.0, 0.0), (60.0, 60.0), (0.0, 60.0))
LENS = Lens(
    "ordinary", (3000.0, 0.0, 2028.0, 0.0, 3000.0, 1520.0, 0.0, 0.0, 1.0), (-0.1, 0.02, 0.0, 0.0), 0.25
)
TABLE = TableMap((0.3, 0.0, -5.0, 0.0, 0.3, -6.0, 1e-5, 0.0, 1.0), 1200.0, 800.0, 0.125, (Marker(0, SQUARE),))
FULL = Profile(
    CameraId("over the “green” table", 4056, 3040),
    "2026-11-21T10:00:00+01:00",
    LENS,
    TABLE,
    60.5,
    (Zone(ZoneKind.SEAT, 1, SQUARE, 90.0), Zone(ZoneKind.POOL, None, SQUARE[:3])),
    (Landmark((1.25, 2.5), "0f" * 32),),
)
BARE = Profile(CameraId("new", 640, 480), "now")


@pytest.mark.parametrize("profile", [FULL, BARE])
def test_what_was_written_is_read_again(profile: Profile, tmp_path: Path) -> None:
    write_profile(profile, tmp_path / "p.toml")
    assert read_profile(tmp_path / "p.toml") == profile


def test_nothing_but_the_profile_is_left_in_its_folder(tmp_path: Path) -> None:
    write_profile(FULL, tmp_path / "p.toml")
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]


def test_names_in_the_file_carry_their_units() -> None:
    written = tomllib.loads(format_profile(FULL))
    assert (written["lens"]["error_px"], written["table"]["error_mm"]) == (0.25, 0.125)
    assert (written["table"]["width_mm"], written["zones"][0]["facing_deg"]) == (1200.0, 90.0)


def test_whole_numbers_written_by_hand_are_numbers() -> None:
    text = format_profile(FULL).replace("width_mm = 1200.0", "width_mm = 1200")
    assert parse_profile(text.encode(), "p.toml").table == TABLE


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("profile = 1", "profile = 2", "version 1"),
        ("made_at", "made_when", "nobody knows 'made_when'"),
        ('name = "over', 'nom = "over', "must say name, width, height"),
        ("width = 4056", 'width = "4056"', "int is needed"),
        ("width = 4056", "width = true", "int is needed"),
        ("width_mm = 1200.0", "width_mm = nan", "up to 5000 mm"),
        ("width_mm = 1200.0", f"width_mm = {'9' * 400}", "is no number of a profile"),
        ('kind = "seat"', 'kind = "throne"', "throne"),
        ("1.25 2.50", "1.25", "is no profile"),
        ('model = "ordinary"', 'model = "odd"', "ordinary or fisheye"),
    ],
)
def test_a_fault_in_a_file_names_the_file_and_the_fault(old: str, new: str, says: str) -> None:
    text = format_profile(FULL)
    assert old in text
    with pytest.raises(BadProfile, match=f"^p.toml: .*{says}"):
        parse_profile(text.replace(old, new, 1).encode(), "p.toml")


@pytest.mark.parametrize("written", [b"", b"\xff\xfe", b"= 1", b"profile = 1", b"x = [" * 20_000])
def test_what_is_no_profile_is_refused(written: bytes) -> None:
    with pytest.raises(BadProfile, match=r"^junk: "):
        parse_profile(written, "junk")


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(BadProfile, match="larger than 2 MB"):
        parse_profile(b"#" * 2_000_001, "big")


def test_a_missing_profile_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(BadProfile, match="make it with companion calibrate"):
        read_profile(tmp_path / "none.toml")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadProfile, match="cannot be written"):
        write_profile(BARE, tmp_path / "nowhere" / "p.toml")
