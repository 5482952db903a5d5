"""What must be so before a game starts, and what should be: the host sees what the table goes by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.model.phrases import phrase
from companion.model.status import CheckLine
from companion.table.eyes import Watching

NOBODY_SEES = phrase("no camera looks at the table: people judge")

SET_UP = phrase("Set the table up at /host/table, or choose the policy advise.")


def blinded(policy: str, eyes: Sequence[Watching]) -> str:
    """Return why the cameras do not see what a policy needs, or nothing."""
    if policy == "off":
        return ""
    if not eyes:
        return phrase('%(says)s; name a camera in the table\'s file, or set policy = "off"', says=NOBODY_SEES)
    healths = {one.eye.name: one.eye.camera.health() for one in eyes}
    well = [name for name, health in healths.items() if health.sees or str(health.state) == "ended"]
    for one in eyes:
        if one.eye.name not in well and one.overview.misses(well):
            return phrase(
                "the camera %(name)s %(says)s; companion doctor tells more, "
                "and with the policy off people judge",
                name=one.eye.name,
                says=healths[one.eye.name].says,
            )
    return ""


def unmeasured(policy: str, eyes: Sequence[Watching]) -> Iterator[CheckLine]:
    """Yield what nobody has told a table that judges strictly by its cameras; it may start all the same."""
    views = [one.overview.outlook.view for one in eyes]
    if policy != "strict" or all(one.counts and one.has_pool for one in views):
        return
    if not all(one.counts for one in views):
        says = phrase(
            "nobody has told which part of the table is whose: a tableau is given to the player "
            "whom it faces, and face-down tiles are not counted"
        )
        yield CheckLine("table", "parts", False, says, SET_UP)
        return
    says = phrase("nobody has told where the pool lies: its tiles are not counted")
    yield CheckLine("table", "pool", False, says, SET_UP)
