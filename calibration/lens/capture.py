"""Pictures of the lens board, one after another, until there are enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from calibration.lens.board import Sight, find_board
from calibration.lens.guide import Advice, Step, advice
from companion.vision.picture import Frame

Tell = Callable[[Sight | None, Advice], None]
"""Is told what was seen in a frame and what to do next."""


def captured(frames: Iterable[Frame], tell: Tell) -> tuple[Sight, ...]:
    """Return the sights that were worth keeping, in order; it ends when they are enough or the frames end."""
    kept: list[Sight] = []
    for frame in frames:
        live = find_board(frame)
        said = advice(kept, live)
        if live is not None and said.take:
            kept.append(live)
        tell(live, said)
        if said.step is Step.ENOUGH:
            break
    return tuple(kept)
