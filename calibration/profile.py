"""Profiles as files: TOML, with a comment on each number."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import tomli_w

from companion.errors import BadProfile
from companion.files import replacing
from companion.model.phrases import joined, phrase
from companion.model.profile import CameraId, Landmark, Lens, Marker, Profile, TableMap, Zone, ZoneKind
from companion.model.reading import Corners, Point
from companion.vision.picture import to_printable

MAX_PROFILE_BYTES = 2_000_000
VERSION = 1
MM_DECIMALS, PX_DECIMALS = 3, 4

HEAD = """\
# What the companion knows of one camera over one table.  Lengths: mm on the table, px in the upright
# picture (0, 0 is the centre of its top left pixel), angles in degrees.  The table's frame: x to the right,
# y down as the picture shows it, from the corner of marker 0.
# lens.error_px: how far, typically, points were seen from where the lens would show them.
# table.homography: undistorted px to mm, row by row.  table.error_mm: the worst corner measured.
# zones.facing_deg: how far the reading direction of who sits there is turned clockwise from the table's x.
# background: spots (x and y in px, and what each looks like) that show whether the camera was bumped.

"""


def read_profile(path: Path | str) -> Profile:
    """Return the profile in a file; raise BadProfile where it is missing, malformed or out of bounds."""
    try:
        with Path(path).open("rb") as file:
            written = file.read(MAX_PROFILE_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no file can have this name"
        raise BadProfile(
            phrase(
                "%(file)s: cannot be opened: %(why)s; make it with companion calibrate",
                file=to_printable(path),
                why=why,
            )
        ) from error
    return parse_profile(written, to_printable(path))


def parse_profile(written: bytes, name: str) -> Profile:
    """Return the profile that a file's bytes describe; raise BadProfile that names the file."""
    if len(written) > MAX_PROFILE_BYTES:
        raise BadProfile(f"{name}: is no profile: larger than {MAX_PROFILE_BYTES // 10**6} MB")
    try:
        return profile_of(tomllib.loads(written.decode("utf-8")))
    except BadProfile as error:
        raise BadProfile(joined([name, str(error)], ": ")) from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else to_printable(error)
        raise BadProfile(phrase("%(file)s: is no profile: %(what)s", file=name, what=what)) from error


def write_profile(profile: Profile, path: Path | str) -> None:
    """Write a profile to a file atomically; raise BadProfile where it cannot be written."""
    try:
        with replacing(Path(path)) as file:
            file.write(format_profile(profile).encode())
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no file can have this name"
        raise BadProfile(
            phrase("%(file)s: cannot be written: %(why)s", file=to_printable(path), why=why)
        ) from error


def format_profile(profile: Profile) -> str:
    """Return the text of a profile's file."""
    return HEAD + tomli_w.dumps(dict(_tables(profile)))


def _tables(profile: Profile) -> Iterator[tuple[str, Any]]:
    """Yield the parts of the file, without unknown values."""
    camera, lens, table = profile.camera, profile.lens, profile.table
    yield "profile", VERSION
    yield "made_at", profile.made_at
    if profile.tile_px is not None:
        yield "tile_px", round(profile.tile_px, PX_DECIMALS)
    yield "camera", {"name": camera.name, "width": camera.width, "height": camera.height}
    if lens:
        numbers = {"matrix": list(lens.matrix), "distortion": list(lens.distortion)}
        yield "lens", {"model": lens.model, **numbers, "error_px": round(lens.error_px, PX_DECIMALS)}
    if table:
        sizes = {
            "width_mm": round(table.width_mm, MM_DECIMALS),
            "height_mm": round(table.height_mm, MM_DECIMALS),
        }
        error = {"error_mm": round(table.error_mm, MM_DECIMALS)}
        markers = [{"number": m.number, "corners_mm": _rounded(m.corners_mm)} for m in table.markers]
        yield "table", {"homography": list(table.homography), **sizes, **error, "markers": markers}
    if profile.zones:
        yield "zones", [_zone_table(zone) for zone in profile.zones]
    if profile.landmarks:
        spots = [f"{mark.at_px[0]:.2f} {mark.at_px[1]:.2f} {mark.code}" for mark in profile.landmarks]
        yield "background", {"landmarks": spots}


def _zone_table(zone: Zone) -> dict[str, Any]:
    seat = {} if zone.seat is None else {"seat": zone.seat, "facing_deg": zone.facing_deg}
    return {"kind": zone.kind.value, **seat, "corners_mm": _rounded(zone.corners_mm)}


def _rounded(points: tuple[Point, ...]) -> list[list[float]]:
    return [[round(x, MM_DECIMALS), round(y, MM_DECIMALS)] for x, y in points]


def profile_of(written: Mapping[str, Any]) -> Profile:
    """Return the profile that a parsed file describes."""
    if written.get("profile") != VERSION:
        raise BadProfile(f"is no profile of version {VERSION} (it must say: profile = {VERSION})")
    known = {"profile", "made_at", "tile_px", "camera", "lens", "table", "zones", "background"}
    if strange := sorted(set(written) - known):
        raise BadProfile(f"nobody knows {strange[0]!r} in a profile")
    camera = CameraId(**_only(written["camera"], name=str, width=int, height=int))
    tile_px = written.get("tile_px")
    return Profile(
        camera,
        _one(written["made_at"], str),
        _lens(written["lens"]) if "lens" in written else None,
        _table(written["table"]) if "table" in written else None,
        None if tile_px is None else _one(tile_px, float),
        tuple(map(_zone, written.get("zones", []))),
        tuple(map(_landmark, _landmarks(written.get("background", {"landmarks": []})))),
    )


def _landmarks(part: Mapping[str, Any]) -> list[Any]:
    return list(_only(part, landmarks=list)["landmarks"])


def _landmark(text: Any) -> Landmark:
    x, y, code = _one(text, str).split(" ")
    return Landmark((float(x), float(y)), code)


def _lens(part: Mapping[str, Any]) -> Lens:
    plain = _only(part, model=str, matrix=list, distortion=list, error_px=float)
    return Lens(plain["model"], _numbers(plain["matrix"]), _numbers(plain["distortion"]), plain["error_px"])


def _table(part: Mapping[str, Any]) -> TableMap:
    plain = _only(part, homography=list, width_mm=float, height_mm=float, error_mm=float, markers=list)
    markers = tuple(_marker(one) for one in plain["markers"])
    sizes = plain["width_mm"], plain["height_mm"], plain["error_mm"]
    return TableMap(_numbers(plain["homography"]), *sizes, markers)


def _marker(part: Mapping[str, Any]) -> Marker:
    plain = _only(part, number=int, corners_mm=list)
    return Marker(plain["number"], _corners(plain["corners_mm"]))


def _zone(part: Mapping[str, Any]) -> Zone:
    seat, facing = part.get("seat"), part.get("facing_deg", 0.0)
    rest = {key: value for key, value in part.items() if key not in {"seat", "facing_deg"}}
    plain = _only(rest, kind=str, corners_mm=list)
    seat = None if seat is None else _one(seat, int)
    return Zone(ZoneKind(plain["kind"]), seat, _points(plain["corners_mm"]), _one(facing, float))


def _only(part: Any, **kinds: type) -> dict[str, Any]:
    """Return a part of the file with these keys, each value of its kind; raise BadProfile otherwise."""
    if not isinstance(part, dict) or set(part) != set(kinds):
        raise BadProfile(f"a part of it must say {', '.join(kinds)} and nothing else")
    return {key: _one(part[key], kind) for key, kind in kinds.items()}


def _one(value: Any, kind: type) -> Any:
    """Return a value of a kind, an int as a float where that is wanted; raise BadProfile otherwise."""
    if kind is float and type(value) is int:
        try:
            return float(value)
        except OverflowError as error:
            raise BadProfile(f"{str(value)[:40]}... is no number of a profile: it is too large") from error
    if type(value) is not kind:
        raise BadProfile(f"{to_printable(value)[:40]!r} stands where {kind.__name__} is needed")
    return value


def _numbers(values: list[Any]) -> tuple[float, ...]:
    return tuple(_one(value, float) for value in values)


def _points(values: list[Any]) -> tuple[Point, ...]:
    return tuple((_one(x, float), _one(y, float)) for x, y in values)


def _corners(values: list[Any]) -> Corners:
    a, b, c, d = _points(values)
    return a, b, c, d


def today() -> str:
    """Return the current time in a profile's format."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
