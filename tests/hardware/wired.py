"""Small tables of buttons and lights on pins in memory."""

from __future__ import annotations

import time
from collections.abc import Callable

from companion.config.controls import Button, Controls, Light, LightKind, Place, Strip

ONE = Place((Button(17, short=("peel",)),))
TWO_SEATS = Controls((ONE, Place((Button(27, short=("peel",)),))))
ALL_GESTURES = Controls((Place((Button(17, short=("peel",), long=("bananas",), double=("dump",)),)),))
LIGHTS = Controls(
    (
        Place(light=Light(LightKind.RGB, (5, 6, 13))),
        Place(light=Light(LightKind.SINGLE, (19,))),
        Place(light=Light(LightKind.STRIP)),
        Place(light=Light(LightKind.STRIP)),
        Place(),
    ),
    Strip(leds=4, brightness=0.5),
)


def until(true: Callable[[], object], most_s: float = 5.0) -> bool:
    """Return whether something becomes true before the time is over."""
    over = time.monotonic() + most_s
    while not true() and time.monotonic() < over:
        time.sleep(0.002)
    return bool(true())
