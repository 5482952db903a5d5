"""Whether the table is well: what feeds the watchdog looks here, and nowhere else."""

from __future__ import annotations

from companion.model.calls import SECOND
from companion.table.table import Table

STALLED_S = 10.0
"""Cards stall for seconds; what stands still for longer has stopped."""


def ailing(table: Table) -> str | None:
    """Return what has stopped at a table, or ``None`` where all is well.

    Looked at are the loop, which also writes the log, and each eye's frames; a camera that is known to be
    away is told of elsewhere and is no reason to start anew.
    """
    if table.loop.failure is not None:
        return f"the game has stopped: {table.loop.failure}"
    if (age := (table.clock.now() - table.loop.round_ns) / SECOND) > STALLED_S:
        return f"nothing was decided or written for {age:.0f} s"
    for watching in table.eyes:
        name, now_ns = watching.eye.name, table.devices.now()
        if (age := (now_ns - watching.round_ns) / SECOND) > STALLED_S:
            return f"the camera {name} was not looked at for {age:.0f} s"
        age = (now_ns - watching.fresh_ns) / SECOND
        if age > STALLED_S and str(watching.eye.camera.health().state) == "ok":
            return f"the camera {name} seems well, but sent no frame for {age:.0f} s"
    return None
