"""What the forms of setting up say: percents of the picture become pixels, empty fields nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.errors import UsageError
from companion.model.seats import MOST_SEATS
from companion.model.set_up import WizardStatus, ZoneAt
from companion.web.i18n.language import _

Spot = tuple[float, float]

MOST_ZONES, MOST_CORNERS = MOST_SEATS + 1, 32


@dataclass(frozen=True, slots=True)
class Shape:
    """A figure on the picture as its form shows it: corners in percent of the picture's width and height."""

    name: str
    kind: str
    seat: int | None
    facing: int
    corners: tuple[Spot, ...]


def number(text: str, name: str) -> float:
    """Return a number as people type it, with a point or a comma; raise UsageError for anything else."""
    try:
        found = float(text.strip().replace(",", "."))
    except ValueError:
        found = math.nan
    if not math.isfinite(found) or abs(found) > 1e6:
        raise UsageError(_("%(name)s must be a number; got “%(text)s”", name=name, text=text[:20]))
    return found


def numbers(form: Mapping[str, str], *names: str) -> tuple[float, ...] | None:
    """Return several fields' numbers; ``None`` where all are empty."""
    given = [form.get(name, "").strip() for name in names]
    if not any(given):
        return None
    return tuple(number(text, _(name)) for text, name in zip(given, names, strict=True))


def size(form: Mapping[str, str]) -> Spot | None:
    """Return the breadth and depth that a form gives, in mm, if it does."""
    found = numbers(form, "breadth", "depth")
    return None if found is None else (found[0], found[1])


def percent(spots: Sequence[Spot], known: WizardStatus) -> tuple[Spot, ...]:
    """Return pixels of the picture in percent of its sides."""
    wide, high = max(known.width, 1), max(known.height, 1)
    return tuple((round(100 * (x + 0.5) / wide, 2), round(100 * (y + 0.5) / high, 2)) for x, y in spots)


def pixels(spots: Sequence[Spot], known: WizardStatus) -> tuple[Spot, ...]:
    """Return percents of the picture's sides in pixels."""
    return tuple((x * known.width / 100 - 0.5, y * known.height / 100 - 0.5) for x, y in spots)


def spots(form: Mapping[str, str], before: str, most: int = MOST_CORNERS) -> tuple[Spot, ...]:
    """Return the corners that the fields ``BEFORE-x-N`` and ``BEFORE-y-N`` give, in percent."""
    found: list[Spot] = []
    for k in range(most):
        pair = numbers(form, f"{before}-x-{k}", f"{before}-y-{k}")
        if pair is None:
            break
        found.append((pair[0], pair[1]))
    return tuple(found)


def zones(form: Mapping[str, str], known: WizardStatus) -> list[ZoneAt]:
    """Return the zones of a form; raise UsageError for what is no number."""
    found = []
    for k in range(MOST_ZONES):
        corners = spots(form, f"zone{k}")
        if not corners:
            break
        seat = numbers(form, f"zone{k}-seat")
        facing = numbers(form, f"zone{k}-facing") or (0.0,)
        kind = form.get(f"zone{k}-kind", "seat")
        found.append(ZoneAt(kind, int(seat[0]) if seat else None, pixels(corners, known), facing[0]))
    return found


def shapes(zones_at: Sequence[ZoneAt], known: WizardStatus) -> list[Shape]:
    """Return zones as a form shows them."""
    names = {"pool": _("Pool"), "board": _("Board")}
    return [
        Shape(
            _("Seat %(number)s", number=zone.seat) if zone.seat else names.get(zone.kind, zone.kind),
            zone.kind,
            zone.seat,
            round(zone.facing_deg) % 360,
            percent(zone.corners, known),
        )
        for zone in zones_at
    ]


def symbols(text: str) -> list[str]:
    """Return the symbols of a tile set as somebody typed them, parted by spaces."""
    return text.split()[:200]
