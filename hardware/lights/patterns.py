"""Light patterns: pure functions from the time since the start to a colour.

Every pattern has its own rhythm, so that it is recognised on a single LED and by colour-blind people; the
colours differ for them too.  Nothing flashes more than three times a second, which could cause a seizure
(WCAG 2.2, 2.3.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from companion.model.patterns import Pattern

MILLISECOND = 1_000_000
MAX_SHOWN_NUMBER = 199
"""Greatest number that is shown."""


class Colour(NamedTuple):
    """Red, green and blue light, each from 0 to 1, linear: half is half the light."""

    red: float
    green: float
    blue: float


DARK = Colour(0, 0, 0)
WHITE = Colour(1, 1, 1)
DIM = Colour(0.15, 0.15, 0.15)
TURQUOISE = Colour(0, 1, 0.5)
RED = Colour(1, 0, 0)
GREEN = Colour(0, 1, 0)
AMBER = Colour(1, 0.45, 0)
BLUE = Colour(0, 0, 1)
MAGENTA = Colour(1, 0, 0.7)


class Step(NamedTuple):
    """A colour for some time."""

    ms: int
    colour: Colour


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Steps that are repeated ``times``, or for ever where that is 0; dark thereafter."""

    steps: tuple[Step, ...]
    times: int = 0

    @property
    def round_ns(self) -> int:
        """Duration of one repetition, in ns."""
        return sum(step.ms for step in self.steps) * MILLISECOND

    @property
    def lasts_ns(self) -> int | None:
        """Duration of all repetitions, in ns; ``None`` for ever."""
        return self.round_ns * self.times or None

    def at(self, t_ns: int) -> tuple[int, int]:
        """Return the step at ``t_ns`` after the start (-1 outside) and the time of its end, in ns."""
        if t_ns < 0 or (self.lasts_ns is not None and t_ns >= self.lasts_ns):
            return -1, t_ns
        round_, within_ns = divmod(t_ns, self.round_ns)
        ends = accumulate(step.ms * MILLISECOND for step in self.steps)
        n, end_ns = next((n, end) for n, end in enumerate(ends) if within_ns < end)
        return n, round_ * self.round_ns + end_ns


def pulses(colour: Colour, number: int) -> Iterator[Step]:
    """Yield the steps of a number: a long pulse for each ten and a short one for each one."""
    tens, ones = divmod(max(1, min(number, MAX_SHOWN_NUMBER)), 10)
    for on_ms in [1100] * tens + [250] * ones:
        yield from (Step(on_ms, colour), Step(350, DARK))
    yield Step(1200, DARK)


RHYTHMS: Mapping[Pattern, Rhythm] = MappingProxyType(
    {
        Pattern.HEARD: Rhythm((Step(700, WHITE),), 1),
        Pattern.IDLE: Rhythm((Step(150, DIM), Step(3850, DARK))),
        Pattern.ACCEPTED: Rhythm((Step(1500, TURQUOISE),), 1),
        Pattern.REFUSED: Rhythm((Step(170, RED), Step(170, DARK)), 5),
        Pattern.TURN: Rhythm((Step(750, BLUE), Step(250, DARK)), 3),
        Pattern.DOUBT: Rhythm((Step(1400, AMBER), Step(500, DARK))),
        Pattern.WARNING: Rhythm(
            (Step(90, MAGENTA), Step(150, DARK), Step(90, MAGENTA), Step(900, DARK)),
        ),
        Pattern.WINNER: Rhythm(
            (Step(600, WHITE), Step(150, DARK), Step(200, TURQUOISE), Step(150, DARK)),
            9,
        ),
        Pattern.TEST: Rhythm(
            (
                *(Step(400, RED), Step(250, DARK)),
                *(Step(400, GREEN), Step(250, DARK)),
                *(Step(400, BLUE), Step(1400, DARK)),
            )
        ),
        Pattern.OFF: Rhythm((Step(3_600_000, DARK),)),
    }
)
"""The rhythm of each pattern except ``DRAW``, which depends on a number."""


def rhythm(pattern: Pattern, number: int = 0) -> Rhythm:
    """Return the rhythm of a pattern; ``number`` is how many tiles to draw."""
    return Rhythm(tuple(pulses(BLUE, number)), 3) if pattern is Pattern.DRAW else RHYTHMS[pattern]


def colour(pattern: Pattern, t_ns: int, number: int = 0) -> Colour:
    """Return the colour of a pattern ``t_ns`` after its start; dark before it and after its end."""
    beat = rhythm(pattern, number)
    step, _ = beat.at(t_ns)
    return beat.steps[step].colour if step >= 0 else DARK


def pixels(pattern: Pattern, t_ns: int, leds: int, number: int = 0) -> Sequence[Colour]:
    """Return the colours of a seat's part of a strip ``t_ns`` after the start of a pattern.

    ``DRAW`` adds an LED for each pulse; ``WINNER`` runs along the part; all others fill it.
    """
    now = colour(pattern, t_ns, number)
    if now == DARK:
        return [DARK] * leds
    step, _ = rhythm(pattern, number).at(t_ns)
    if pattern is Pattern.DRAW:
        lit = min(step // 2 + 1, leds)
        return [now] * lit + [DARK] * (leds - lit)
    if pattern is Pattern.WINNER:
        return [now if (led + step // 2) % 2 == 0 else BLUE for led in range(leds)]
    return [now] * leds
