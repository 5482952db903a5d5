"""What a steady reading says."""

from __future__ import annotations

from dataclasses import dataclass

from companion.model.reading import Reading, Tile
from companion.vision.pipeline.frame import Box, FrameDetections


@dataclass(frozen=True, slots=True)
class TrackedReading:
    """What is known of the table after one more frame.

    Parameters
    ----------
    reading
        All known tiles: those seen now and those remembered.
    look
        The same tiles before they were grouped, in the same order.
    since_ns
        Stamp of the first frame that showed what this reading tells: a call
        stamped later was made over this table.
    at_ns
        Stamp of the newest frame.
    still
        True where nothing moves, or has just moved, anywhere in the picture.
    covered
        Indices of tiles that something hides now; they are told from memory.
    changed
        Indices of tiles that are new, lie elsewhere or are read otherwise than in
        the reading of the frame before.
    bare_ns
        For each of those, the stamp of the last frame that showed its place without it; 0 where none did.
    gone
        Tiles of the reading of the frame before that this one no longer has where they lay.
    restless
        Parts of the picture in which something moves, or has just moved: left, top, right, bottom in
        pixels.
    unseen
        Those, and parts where something large came to lie just now that is no tile, as a resting hand:
        what is under it is not known.
    veiled
        Those, and the parts that look otherwise than known: the table under them is not seen.
    whole_ns
        Stamp of the newest frame of which the whole picture was looked at.
    """

    reading: Reading
    look: FrameDetections
    since_ns: int
    at_ns: int
    still: bool
    covered: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    gone: tuple[Tile, ...] = ()
    restless: tuple[Box, ...] = ()
    unseen: tuple[Box, ...] = ()
    veiled: tuple[Box, ...] = ()
    whole_ns: int = 0
    bare_ns: tuple[int, ...] = ()
